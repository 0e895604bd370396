"""The method ``copied-strings``: the amount of a text that occurs in other texts."""
