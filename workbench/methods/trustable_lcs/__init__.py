"""The method ``trustable-lcs``: near-duplicate pages."""
