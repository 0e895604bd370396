"""Web pages: their readable text with its blocks, and what they say about themselves."""
