"""One detection for an editor: what the methods for copied passages see together."""
