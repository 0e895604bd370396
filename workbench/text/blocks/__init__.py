"""Content blocks of web pages: the page model, the rules that judge its blocks, and where characters came from."""
