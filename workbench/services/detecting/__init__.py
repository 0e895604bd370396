"""Running methods over a project."""
