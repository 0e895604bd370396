"""Waiting until the user pauses, and the field that filters a list once typing does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QLineEdit

FILTER_MS = 120
"""Milliseconds without a key press after which a filter is applied."""


def after_pause(call: Callable[[], object], pause_ms: int, parent: QObject) -> QTimer:
    """A timer that calls ``call`` once, ``pause_ms`` milliseconds after it was last started."""
    timer = QTimer(parent, singleShot=True, interval=pause_ms)
    timer.timeout.connect(call)
    return timer


class FilterField(QLineEdit):
    """Filters a list by the typed text; ``paused`` is emitted when the user stops typing for a moment."""

    paused = Signal()

    def __init__(self, hint: str, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        timer = after_pause(self.paused.emit, FILTER_MS, self)
        self.textChanged.connect(lambda _text: timer.start())
