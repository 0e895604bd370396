"""Scrolling both panes together along the alignment, until the user lets go."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from workbench.gui.document.alignment import Alignment
from workbench.gui.document.view import DocumentView


class ScrollSync(QObject):
    """What stands on one pane's reading line is brought to the other's. The pane that moved first leads.

    Switched off, the panes scroll alone; switched on again, the right pane comes to the left one.
    """

    changed = Signal(bool)

    def __init__(self, left: DocumentView, right: DocumentView) -> None:
        super().__init__(left)
        self._left, self._right = left, right
        self._alignment: Alignment | None = None
        self._busy = False
        self.active = -1
        self.on = True
        left.verticalScrollBar().valueChanged.connect(self._left_moved)
        right.verticalScrollBar().valueChanged.connect(self._right_moved)

    def set_alignment(self, alignment: Alignment | None) -> None:
        """Follow ``alignment`` from now on."""
        self._alignment = alignment

    def set_on(self, on: bool) -> None:
        """Hold the panes together, or let them go."""
        if on != self.on:
            self.on = on
            self.changed.emit(on)
            if on:
                self._left_moved()

    def hold(self, busy: bool) -> None:
        """While true, moves of either pane are not followed (both are being placed)."""
        self._busy = busy

    def _left_moved(self) -> None:
        if self._ready(self._left):
            assert self._alignment is not None
            self._follow(self._right, self._alignment.to_b(self._left.reading_offset(), self.active))

    def _right_moved(self) -> None:
        if self._ready(self._right):
            assert self._alignment is not None
            self._follow(self._left, self._alignment.to_a(self._right.reading_offset(), self.active))

    def _ready(self, moved: DocumentView) -> bool:
        return self.on and not self._busy and not moved.adjusting and self._alignment is not None

    def _follow(self, pane: DocumentView, offset: float) -> None:
        self._busy = True
        pane.show_place(offset)
        self._busy = False
