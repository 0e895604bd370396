"""The Documents screen."""
