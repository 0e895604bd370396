"""One text on screen: layout, marks, painting, and what joins two of them."""
