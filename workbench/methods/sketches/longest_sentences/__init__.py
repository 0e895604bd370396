"""The method ``longest-sentences``."""
