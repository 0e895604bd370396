"""Long-running work: events, progress, cancellation, process pool."""
