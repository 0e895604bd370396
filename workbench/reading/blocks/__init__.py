"""Content blocks of web pages: the page model, the rules that classify its blocks, and the source position of each
character.
"""
