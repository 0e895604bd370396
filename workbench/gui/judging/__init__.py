"""Giving verdicts and wording evidence, on every screen that judges."""
