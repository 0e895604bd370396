"""Watches: saved searches that fetch new pages, compare only these, and report each match once."""
