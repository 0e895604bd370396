"""Python's cyclic garbage collector runs in the window's thread only."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

_INTERVAL_MS = 1000
_AWAY, _AT_WORK = 3, 2_000
"""Collections of young objects after which a full one follows: while another program is in front, and otherwise."""


class Collector(QObject):
    """Collects young objects on a timer while it lives, as often as Python would, and never in another thread.

    Python collects in whichever thread allocates. A widget in a reference cycle would then be destroyed by a thread
    that reads, which ends the process. A full collection pauses the window for a fifth of a second, so objects that
    are not young are left alone until another program's window is in front.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        # What was imported stays for good.
        gc.freeze()
        self._since_full = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def _collect(self) -> None:
        in_front = QApplication.applicationState() == Qt.ApplicationState.ApplicationActive
        if self._since_full > (_AT_WORK if in_front else _AWAY):
            collect_all()
            self._since_full = 0
        else:
            self._since_full += collect_young()

    def close(self) -> None:
        """Hand the collector back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()


def collect_young() -> bool:
    """Collect the youngest generation, or the two youngest, where their counts are over Python's thresholds.

    Whether it was two: what they leave is then no longer young.
    """
    counts, thresholds = gc.get_count(), gc.get_threshold()
    if counts[1] > thresholds[1]:
        gc.collect(1)
        gc.freeze()
        return True
    if counts[0] > thresholds[0]:
        gc.collect(0)
    return False


def collect_all() -> None:
    """Collect everything."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
