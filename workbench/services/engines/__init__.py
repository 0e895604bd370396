"""Search engines of the user's choice: sentences of the sources are queried, and the pages named are fetched."""
