"""Kernels of shingle, simhash, minhash and winnowing."""
