"""Texts on screen: layout, marks, painting, and the connections between two of them."""
