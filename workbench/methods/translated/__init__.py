"""The method ``translated``: passages translated from a source in another language."""
