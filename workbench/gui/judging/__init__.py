"""Shared by all screens that judge: giving verdicts and describing evidence."""
