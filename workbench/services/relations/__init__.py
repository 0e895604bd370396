"""How the pages of a run are related."""
