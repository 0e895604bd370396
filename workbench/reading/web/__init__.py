"""Addresses, feeds and sitemaps."""
