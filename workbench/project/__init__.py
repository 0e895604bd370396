"""The project file: one SQLite database with documents, runs, matches and labels."""
