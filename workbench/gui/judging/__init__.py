"""Giving verdicts and wording evidence, wherever something is judged."""
