"""Waiting until the user pauses, and a field that filters a list when typing pauses."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit

from workbench.gui.problems import guarded

FILTER_MS = 120
"""Milliseconds without a key press after which a filter is applied."""


def after_pause(call: Callable[[], object], pause_ms: int, parent: QObject) -> QTimer:
    """A timer that calls ``call`` once, ``pause_ms`` milliseconds after it was last started."""
    timer = QTimer(parent, singleShot=True, interval=pause_ms)
    timer.timeout.connect(call)
    return timer


@guarded
class FilterField(QLineEdit):
    """Filters ``listed`` by the typed text; ``paused`` is emitted when typing pauses.

    Down moves to the list.
    """

    paused = Signal()

    def __init__(self, listed: QAbstractItemView, hint: str, name: str) -> None:
        super().__init__()
        self._listed = listed
        self.setPlaceholderText(hint)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        timer = after_pause(self.paused.emit, FILTER_MS, self)
        self.textChanged.connect(lambda _text: timer.start())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down moves to the list: to its current row, or to its first."""
        model = self._listed.model()
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if event.key() != Qt.Key.Key_Down or not plain or not self._listed.isVisible() or not model.rowCount():
            super().keyPressEvent(event)
            return
        self._listed.setFocus(Qt.FocusReason.TabFocusReason)
        if not self._listed.currentIndex().isValid():
            self._listed.setCurrentIndex(model.index(0, 0))
