"""Search engines set up by the user: they are queried for sentences of the sources, and the results are fetched."""
