"""One document as a column of plain text with marks: read-only, selectable, fast at any length.

The text is drawn by ``QTextLayout`` from plain strings: nothing in a document is ever interpreted as markup.
Keys move the caret, select, scroll, copy and zoom.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.gui.document import accessible
from workbench.gui.document import paint as document_paint
from workbench.gui.document.surface import DocumentSurface
from workbench.gui.kit.code_points import is_inside_character, unseen
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import text_font
from workbench.gui.theme.tokens import LIGHT, Tokens

_SCROLLS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def handle(view: DocumentSurface, event: QKeyEvent) -> bool:
    """Handle the key. Returns False if it has no function here."""
    standard = QKeySequence.StandardKey
    if event.matches(standard.Copy):
        view.copy()
    elif event.matches(standard.SelectAll):
        view.select(0, view.lines.length)
    elif event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() in _SCROLLS:
        bar = view.verticalScrollBar()
        bar.setValue(bar.value() + _SCROLLS[Qt.Key(event.key())] * bar.singleStep())
    elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and not event.modifiers():
        view.activate_at(view.caret)
    elif event.key() == Qt.Key.Key_Menu:
        line = int(view.lines.y_of(view.caret) - view.top + view.lines.line_height)
        view.menu_requested.emit(view.viewport().mapToGlobal(QPoint(view.left, line)))
    else:
        return _move(view, event)
    return True


def _move(view: DocumentSurface, event: QKeyEvent) -> bool:
    if event.modifiers() & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier):
        return False
    lines, caret = view.lines, view.caret
    whole = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    page = max(1, int(view.viewport().height() // lines.line_height) - 1)
    match event.key():
        case Qt.Key.Key_Left:
            caret = word_at(lines.text, max(0, caret - 1))[0] if whole else _step(lines.text, caret, -1)
        case Qt.Key.Key_Right:
            caret = max(caret + 1, word_at(lines.text, caret)[1]) if whole else _step(lines.text, caret, 1)
        case Qt.Key.Key_Up:
            caret = _vertical(view, -1)
        case Qt.Key.Key_Down:
            caret = _vertical(view, 1)
        case Qt.Key.Key_PageUp:
            caret = _vertical(view, -page)
        case Qt.Key.Key_PageDown:
            caret = _vertical(view, page)
        case Qt.Key.Key_Home:
            caret = 0 if whole else lines.offset_at(0, lines.y_of(caret) + 1)
        case Qt.Key.Key_End:
            caret = lines.length if whole else lines.offset_at(1e6, lines.y_of(caret) + 1)
        case _:
            return False
    view.set_caret(caret, keep_anchor=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
    return True


def _vertical(view: DocumentSurface, count: int) -> int:
    """The offset ``count`` lines below the caret (above if negative), at the same horizontal position."""
    lines = view.lines
    y = lines.y_of(view.caret) + lines.line_height / 2
    step = lines.line_height * (1 if count > 0 else -1)
    target = y + count * lines.line_height
    offset = lines.offset_at(lines.x_of(view.caret), target)
    while offset == view.caret and 0 < target < lines.total:
        target += step
        offset = lines.offset_at(lines.x_of(view.caret), target)
    return offset


def _step(text: str, offset: int, by: int) -> int:
    """The offset one character forward or back, as characters read."""
    offset += by
    while is_inside_character(text, offset):
        offset += by
    return min(len(text), max(0, offset))


def word_at(text: str, offset: int) -> tuple[int, int]:
    """The word around ``offset``: a run of letters and digits of one kind (kana, ideographs, other), or a single
    symbol.
    """
    if not text:
        return 0, 0
    start = _step(text, min(offset, len(text) - 1) + 1, -1)
    end, kind = _step(text, start, 1), _kind(text[start])
    if kind:
        while start > 0 and _kind(text[before := _step(text, start, -1)]) == kind:
            start = before
        while end < len(text) and _kind(text[end]) == kind:
            end = _step(text, end, 1)
    return start, end


def _kind(ch: str) -> str:
    if not (ch.isalnum() or ch in "_ー々"):
        return ""
    if "ぁ" <= ch <= "ゟ":
        return "hiragana"
    if "゠" <= ch <= "ヿ":
        return "katakana"
    return "ideograph" if "㐀" <= ch <= "鿿" or ch == "々" or ch >= "\U00020000" else "letter"


@guarded
class DocumentView(DocumentSurface):
    """Draws a document, and handles mouse and keyboard."""

    def __init__(self, tokens: Tokens = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(tokens, parent)
        accessible.install()

    def paintEvent(self, event: QPaintEvent) -> None:
        document_paint.paint(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Announce that this pane has the keyboard focus."""
        super().focusInEvent(event)
        self.taken.emit()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
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
        if not handle(self, event):
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """A tooltip: the citable place of a match, or the name of a character without a visible shape."""
        if not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        at, caret = self.character_under(event.pos()), self.offset_under(event.pos())
        near = self.lines.text[max(0, caret - 1) : caret + 1]
        marked = self.marks.at(at)[:1].tolist()
        cited = [self.cited(int(self.marks.start[row]), int(self.marks.end[row])) for row in marked]
        words = [*cited, *unseen(near, text_font(self.language)), *(note.words for note in self.notes_at(at))]
        QToolTip.showText(event.globalPos(), "\n".join(filter(None, words)), self.viewport())
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Place the caret; with Shift, extend the selection."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
            keep = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.set_caret(self.offset_under(self._pressed), keep_anchor=keep, scroll=False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection, or indicate a clickable place."""
        place = event.position().toPoint()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.set_caret(self.offset_under(place), keep_anchor=True)
        else:
            offset = self.character_under(place)
            over = len(self.marks.at(offset)) > 0 or any(note.level for note in self.notes_at(offset))
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click without dragging opens the match there."""
        if self._pressed is not None and self.caret == self.anchor:
            self.activate_at(self.character_under(event.position().toPoint()))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        offset = self.character_under(event.position().toPoint())
        self.select(*word_at(self.lines.text, offset))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the context menu, for the place under the pointer if nothing is selected."""
        if event.reason() == QContextMenuEvent.Reason.Mouse and self.caret == self.anchor:
            self.set_caret(self.offset_under(event.pos()), scroll=False)
        self.menu_requested.emit(event.globalPos())
