"""Cells of the table of pairs that show a page: its title, and below it its host."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.gui.kit.cards import LEFT, draw_line
from workbench.gui.problems.guard import guarded, restored
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme

Index = QModelIndex | QPersistentModelIndex
HOST_ROLE = Qt.ItemDataRole.UserRole + 20
LANGUAGE_ROLE = Qt.ItemDataRole.UserRole + 21
PAGE_ROW = 42
"""Height of a row, logical pixels."""


@guarded
class PageDelegate(QStyledItemDelegate):
    """Draws title and host, each on a line of its own."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row's background as usual and the two lines."""
        self.initStyleOption(option, index)
        option.text = ""
        option.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        tokens, area = self._theme.tokens, option.rect
        left, width, host = area.left() + 8, area.width() - 14, str(index.data(HOST_ROLE) or "")
        with restored(painter):
            title = font(13, MEDIUM, language=str(index.data(LANGUAGE_ROLE) or ""))
            top = area.top() + (4 if host else (area.height() - 18) // 2)
            draw_line(painter, str(index.data() or ""), title, tokens.text, QRect(left, top, width, 18), LEFT)
            draw_line(painter, host, font(11), tokens.text2, QRect(left, top + 18, width, 16), LEFT)
