"""Runs measured against labels, and the papers' figures."""
