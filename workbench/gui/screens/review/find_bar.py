"""Find in the open documents."""

from __future__ import annotations

import re

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit

from workbench.base.types import Ints
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr
from workbench.gui.kit.parts import IconButton, label, row
from workbench.gui.problems.guard import guarded
from workbench.gui.theme.manager import Theme


def find_all(text: str, needle: str) -> tuple[Ints, Ints]:
    """Starts and ends of all places of ``needle`` in ``text``, ignoring case; code points."""
    if not needle:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    spans = [m.span() for m in re.finditer(re.escape(needle), text, re.IGNORECASE)]
    limits = np.array(spans, np.int64).reshape(-1, 2)
    return limits[:, 0], limits[:, 1]


@guarded
class FindBar(QFrame):
    """Searches both panes; steps through the hits of the pane used last."""

    closed = Signal()

    def __init__(self, theme: Theme, left: DocumentView, right: DocumentView) -> None:
        super().__init__()
        self.setObjectName("well")
        self._panes = (left, right)
        self.pane = left
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find in both documents"))
        self.field.setAccessibleName(tr("Find"))
        self.field.textChanged.connect(lambda _text: self._search())
        self.field.returnPressed.connect(lambda: self.step(1))
        self._count = label("", 12, role="muted", tabular=True)
        self.setLayout(
            row(
                self.field,
                self._count,
                IconButton(theme, "caret-up", tr("Previous hit"), lambda: self.step(-1)),
                IconButton(theme, "caret-down", tr("Next hit"), lambda: self.step(1)),
                IconButton(theme, "close", tr("Close"), self.leave),
                margins=(8, 5, 6, 5),
                spacing=6,
            )
        )
        self.hide()

    def open(self, pane: DocumentView) -> None:
        """Show the bar for ``pane``, with what is selected there."""
        self.pane = pane
        chosen = pane.selected_text()
        self.show()
        if chosen and "\n" not in chosen:
            self.field.setText(chosen[:200])
        self.field.setFocus()
        self.field.selectAll()
        self._search()

    def leave(self) -> None:
        """Hide the bar and the hits; the keyboard goes back to the text."""
        self.hide()
        for pane in self._panes:
            pane.set_search_hits(*find_all("", ""), -1)
        self.pane.setFocus()
        self.closed.emit()

    def refresh(self) -> None:
        """Search again (other documents were opened)."""
        if self.isVisible():
            self._search()

    def _search(self) -> None:
        needle = self.field.text()
        for pane in self._panes:
            starts, ends = find_all(pane.lines.text, needle)
            pane.set_search_hits(starts, ends, -1)
        if needle:
            self._go(int(np.searchsorted(self.pane.search_hits[0], self.pane.caret)))
        self._tell()

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) hit of the pane used last; past the end it begins again."""
        if not self.isVisible() and self.field.text():
            self.show()
            self._search()
            return
        starts, _ = self.pane.search_hits
        if len(starts):
            at = self.pane.current_hit
            self._go((at + by) % len(starts) if at >= 0 else 0)
        self._tell()

    def _go(self, at: int) -> None:
        starts, ends = self.pane.search_hits
        if not len(starts):
            return
        at %= len(starts)
        self.pane.set_search_hits(starts, ends, at)
        self.pane.set_caret(int(starts[at]), scroll=False)
        self.pane.reveal(int(starts[at]), int(ends[at]))

    def _tell(self) -> None:
        left, right = (len(p.search_hits[0]) for p in self._panes)
        at = self.pane.current_hit + 1
        here, there = (left, right) if self.pane is self._panes[0] else (right, left)
        self._count.setText(
            tr("{at} of {here} here, {there} beside", at=f"{at:,}", here=f"{here:,}", there=f"{there:,}")
            if self.field.text()
            else ""
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes; Shift+Enter steps back."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() == Qt.Key.Key_Return and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.step(-1)
        else:
            super().keyPressEvent(event)
