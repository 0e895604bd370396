"""The method ``cosine``."""
