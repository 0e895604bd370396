"""Compiled parts of the method ``altered``: words with offsets, votes, passages, candidates, pairs of words."""
