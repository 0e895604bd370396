"""The accessible interface of a document: its text, the caret and the selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QPoint, QRect, QRectF
from PySide6.QtGui import QAccessible, QAccessibleTextCursorEvent, QAccessibleTextInterface
from PySide6.QtWidgets import QAccessibleWidget

from workbench.gui.document.surface import DocumentSurface
from workbench.gui.problems import guarded


@guarded
class DocumentText(QAccessibleTextInterface):
    """The text of a view. Screen readers count UTF-16 units, the view counts code points."""

    def __init__(self, view: DocumentSurface) -> None:
        super().__init__()
        self._view = view
        self._text: str | None = None
        self._wide = np.zeros(0, np.int64)

    def _units(self, offset: int) -> int:
        return offset + int(np.searchsorted(self._wide_at(), offset))

    def _offset(self, units: int) -> int:
        wide = self._wide_at()
        return units - int(np.searchsorted(wide + np.arange(len(wide)), units))

    def _wide_at(self) -> Any:
        """Offsets of the characters that take two units."""
        text = self._view.lines.text
        if text is not self._text:
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            self._text, self._wide = text, np.flatnonzero(codes > 0xFFFF)
        return self._wide

    def characterCount(self) -> int:
        """Length of the text."""
        return self._units(len(self._view.lines.text))

    def text(self, start: int, end: int) -> str:
        """A part of the text."""
        return self._view.lines.text[self._offset(start) : self._offset(end)]

    def cursorPosition(self) -> int:
        """Position of the caret."""
        return self._units(self._view.caret)

    def setCursorPosition(self, position: int) -> None:
        """Move the caret."""
        self._view.set_caret(self._offset(position))

    def selectionCount(self) -> int:
        """One selection, or none."""
        return int(len(self._view.selection) > 0)

    def selection(self, number: int) -> tuple[int, int]:
        """Start and end of the selection."""
        chosen = self._view.selection
        return self._units(chosen.start), self._units(chosen.end)

    def setSelection(self, number: int, start: int, end: int) -> None:
        """Select a part."""
        self._view.select(self._offset(start), self._offset(end))

    def addSelection(self, start: int, end: int) -> None:
        """Select a part; there is only one selection."""
        self.setSelection(0, start, end)

    def removeSelection(self, number: int) -> None:
        """Select nothing."""
        self._view.set_caret(self._view.caret)

    def characterRect(self, position: int) -> QRect:
        """Rectangle of a character on the screen."""
        view, offset = self._view, self._offset(position)
        index = view.lines.piece_at(offset)
        boxes = view.lines.boxes(index, offset, offset + 1)
        if not boxes:
            return QRect()
        unit = view.lines.unit
        box = QRectF(boxes[0].topLeft() * unit, boxes[0].size() * unit)
        moved = box.translated(view.left, view.lines.tops[index] - view.top).toRect()
        return QRect(view.viewport().mapToGlobal(moved.topLeft()), moved.size())

    def offsetAtPoint(self, point: QPoint) -> int:
        """The character at a point on the screen."""
        return self._units(self._view.offset_under(self._view.viewport().mapFromGlobal(point)))

    def attributes(self, position: int) -> tuple[str, int, int]:
        """No attributes: the whole text has the same format."""
        return "", 0, self.characterCount()

    def scrollToSubstring(self, start: int, end: int) -> None:
        """Bring a part into view."""
        self._view.reveal(self._offset(start), self._offset(end))


@guarded
class DocumentAccessible(QAccessibleWidget):
    """A view as an accessible document with text."""

    def __init__(self, view: DocumentSurface) -> None:
        super().__init__(view, QAccessible.Role.Document)
        self._text = DocumentText(view)

    def notify_caret_moved(self) -> None:
        """Notify screen readers that the caret moved."""
        QAccessible.updateAccessibility(QAccessibleTextCursorEvent(self.object(), self._text.cursorPosition()))

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
        """The text interface, if it is requested."""
        if kind == QAccessible.InterfaceType.TextInterface:
            return self._text
        return super().interface_cast(kind)


def _factory(_name: str, thing: QObject) -> DocumentAccessible | None:
    if not isinstance(thing, DocumentSurface):
        return None
    interface = DocumentAccessible(thing)
    thing.accessible = interface  # Qt keeps only a bare pointer
    return interface


def install() -> None:
    """Register the accessible text of document views with Qt, once per process."""
    global _installed
    if not _installed:
        QAccessible.installFactory(_factory)
        _installed = True


_installed = False
