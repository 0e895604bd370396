"""Shared by all screens while a project is open: actions, undo, changes, background work."""
