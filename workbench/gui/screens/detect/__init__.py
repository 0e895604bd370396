"""The Detect screen."""
