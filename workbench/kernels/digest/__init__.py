"""Kernels of the method ``digest``."""
