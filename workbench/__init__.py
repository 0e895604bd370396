"""Palimpsest: the workbench for texts that may have been made out of other texts."""

__version__ = "0.1.0"
