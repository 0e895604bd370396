"""Compiled numeric kernels: folding, fingerprints, suffix arrays, runs."""
