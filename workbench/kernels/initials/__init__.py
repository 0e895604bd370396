"""Kernels of the method ``initials``."""
