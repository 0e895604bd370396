"""Evaluation of runs against labels, and the papers' figures."""
