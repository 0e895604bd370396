"""Cutting text into segments and sentences, by its layout and its punctuation."""
