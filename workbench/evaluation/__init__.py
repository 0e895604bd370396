"""Measures of detection quality."""
