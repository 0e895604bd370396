"""Long-running work: events, progress, cancellation, process pool."""

CHILD = "child"
"""The verb that runs a module of this program in a separate process; its arguments are the module's name and its
arguments.
"""
