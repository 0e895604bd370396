"""Kernels of the method ``rare-sentences``."""
