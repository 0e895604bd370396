"""The method ``simhash``."""
