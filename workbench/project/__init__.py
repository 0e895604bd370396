"""The project file: one SQLite database."""
