"""Search engines of the user's choice: sentences of the sources are asked for, and the pages they name are fetched."""
