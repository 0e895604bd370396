"""Watch: saved searches, their checks, and what they found over time."""

from workbench.gui.screens.watch.view import WatchView

__all__ = ["WatchView"]
