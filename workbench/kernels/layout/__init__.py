"""The layout rule, compiled: where lines end segments."""
