"""Content blocks of web pages: the page model, the rules that judge its blocks, and the place in the page of each
character.
"""
