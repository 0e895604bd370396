"""From bytes to documents: decoding, formats, web pages and their content blocks."""
