"""One detection for an editor: the combined findings of the methods for copied passages."""
