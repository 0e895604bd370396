"""Kernels of the methods ``shingle``, ``simhash``, ``minhash``, ``cosine`` and ``winnowing``."""
