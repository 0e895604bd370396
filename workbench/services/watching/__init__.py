"""Watches: saved searches that fetch what is new, compare only that, and report each match once."""
