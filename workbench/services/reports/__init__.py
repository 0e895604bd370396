"""Findings as files to hand over."""
