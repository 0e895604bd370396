"""The method ``minhash``."""
