"""The method ``copies``: the combined findings of the methods for copied passages."""
