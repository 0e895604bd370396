"""Reviewing: the passages, and the verdicts on them."""
