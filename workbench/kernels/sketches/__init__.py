"""Kernels of the methods ``shingle``, ``simhash``, ``minhash`` and ``winnowing``."""
