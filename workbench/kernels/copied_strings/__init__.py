"""Kernels of the method ``copied-strings``: suffix array, LCP array and document frequencies over characters."""
