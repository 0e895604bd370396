"""What goes wrong in the window: caught where Qt calls, recorded once, reported."""
