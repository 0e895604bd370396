"""Long-running work: events, progress, cancellation, process pool."""

CHILD = "child"
"""The verb that runs a module of this program in a process of its own; its arguments are the module and its own."""
