"""Web pages: their readable text with its blocks, and their metadata."""
