"""What all methods share: their interface, their registry, collections, tokens."""
