"""Python's cyclic garbage collector runs in the window's thread only."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_INTERVAL_MS = 1000


class Collector(QObject):
    """Collects on a timer while it lives, as often as Python would, and never in another thread.

    Python collects in whichever thread allocates. A widget in a reference cycle would then be destroyed by a thread
    that reads, which ends the process.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        # What was imported stays for good; without it a full collection takes a few milliseconds, not a visible pause.
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(collect_due)
        self._timer.start()

    def close(self) -> None:
        """Hand the collector back to Python."""
        self._timer.stop()
        gc.enable()


def collect_due() -> None:
    """Collect the oldest generation whose count is over Python's threshold, if any."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    due = [g for g in range(3) if thresholds[g] and counts[g] > thresholds[g]]
    if due:
        gc.collect(due[-1])
