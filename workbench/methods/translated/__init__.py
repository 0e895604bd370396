"""The method ``translated``: passages that were translated from a source in another language."""
