"""Spam blogs of every type: a filter for each, and one score."""
