"""Errors in the window: caught at Qt's calls, recorded once, reported."""
