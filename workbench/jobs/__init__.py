"""Long work: events, progress, cancelling, process pool."""
