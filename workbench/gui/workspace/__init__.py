"""What all screens share while a project is open: actions, undo, changes, background work."""
