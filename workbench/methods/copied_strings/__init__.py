"""The method ``copied-strings``: how much of a text occurs in other texts."""
