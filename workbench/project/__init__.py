"""The project file: one SQLite database that holds documents, runs, matches and labels."""
