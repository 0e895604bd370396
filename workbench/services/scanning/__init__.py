"""Scans: web archives of any size are searched for copies of the sources; only pages with a hit become documents."""
