"""Kernels of the method ``trustable-lcs``."""
