"""One document as a column of plain text with marks: read-only, selectable, fast at any length.

The text is drawn by ``QTextLayout`` from plain strings: nothing in a document is ever interpreted as markup.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip

from workbench.gui.document import caret_keys
from workbench.gui.document import paint as document_paint
from workbench.gui.document.surface import DocumentSurface
from workbench.gui.kit.code_points import unseen
from workbench.gui.problems.guard import guarded
from workbench.gui.theme.fonts import text_font


@guarded
class DocumentView(DocumentSurface):
    """Draws a document, and handles mouse and keyboard."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the visible part."""
        document_paint.paint(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Announce that this pane has the keyboard focus."""
        super().focusInEvent(event)
        self.taken.emit()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the caret."""
        super().focusOutEvent(event)
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl, zoom."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_size(self.size_px + (1 if event.angleDelta().y() > 0 else -1))
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Caret, selection, scrolling, copy."""
        if not caret_keys.handle(self, event):
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """The tooltip of a character that is shown as a box or placeholder says what it is."""
        if not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        at = self.offset_under(event.pos())
        near = self.lines.text[max(0, at - 1) : at + 1]
        words = [*unseen(near, text_font(self.language)), *(note.words for note in self.notes_at(at))]
        QToolTip.showText(event.globalPos(), "\n".join(words), self.viewport())
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the caret; with Shift, extend the selection."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
            keep = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.set_caret(self.offset_under(self._pressed), keep_anchor=keep, scroll=False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection, or show that something can be clicked."""
        place = event.position().toPoint()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.set_caret(self.offset_under(place), keep_anchor=True)
        else:
            offset = self.offset_under(place)
            over = len(self.marks.at(offset)) > 0 or any(note.level for note in self.notes_at(offset))
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click without dragging opens the match there."""
        if self._pressed is not None and self.caret == self.anchor:
            self.activate_at(self.offset_under(event.position().toPoint()))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the word."""
        offset = self.offset_under(event.position().toPoint())
        self.select(*caret_keys.word_at(self.lines.text, offset))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the context menu, of the place pointed at where nothing is selected."""
        if event.reason() == QContextMenuEvent.Reason.Mouse and self.caret == self.anchor:
            self.set_caret(self.offset_under(event.pos()), scroll=False)
        self.menu_requested.emit(event.globalPos())
