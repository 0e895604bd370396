"""Content blocks of web pages: the page model, the rules that judge its blocks, and which place in the page each
character came from.
"""
