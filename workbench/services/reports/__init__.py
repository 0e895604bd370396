"""Reports of findings as files."""
