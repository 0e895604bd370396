"""The method ``shingle``."""
