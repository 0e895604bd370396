"""Lists of cards: rows of several lines, the same wherever documents or groups of them are listed."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from workbench.gui.problems import guarded, restored
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@guarded
class CardDelegate(QStyledItemDelegate):
    """Draws cards ``height`` pixels high: the row's background by its state, then the content by :meth:`draw` from its
    ``role``.
    """

    def __init__(self, theme: Theme, height: int, role: int) -> None:
        super().__init__()
        self.height = height
        self._theme = theme
        self._role = role

    @abstractmethod
    def draw(self, painter: QPainter, item: Any, tokens: Tokens, area: QRect) -> None:
        """Draw the text and figures of ``item``."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """All rows have the same height."""
        return QSize(200, self.height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        tokens = self._theme.tokens
        area, state = QRect(option.rect), option.state
        with restored(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if state & QStyle.StateFlag.State_Selected:
                painter.fillRect(area, QColor(tokens.accent_soft))
                painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), QColor(tokens.accent))
            elif state & QStyle.StateFlag.State_MouseOver:
                painter.fillRect(area, QColor(tokens.hover))
            painter.setPen(QColor(tokens.border))
            painter.drawLine(area.left() + 14, area.bottom(), area.right() - 12, area.bottom())
            if state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(QColor(tokens.accent), 1))
                painter.drawRect(QRectF(area).adjusted(1.5, 1.5, -1.5, -1.5))
            self.draw(painter, index.data(self._role), tokens, area)


def card_list(model: QAbstractItemModel, delegate: CardDelegate, name: str) -> QTableView:
    """A list of cards with the accessible ``name``; the caller keeps ``delegate``.

    It is a table of one column: a list view would query the model for every row whenever the order changes.
    """
    view = QTableView()
    view.setModel(model)
    view.setItemDelegate(delegate)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(delegate.height)
    view.setMouseTracking(True)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setAccessibleName(name)
    return view


def draw_line(painter: QPainter, text: str, face: QFont, colour: str, box: QRect, side: Qt.AlignmentFlag) -> int:
    """Draw one elided line of ``text`` at the ``side`` of ``box``. Returns its width in pixels."""
    metrics = QFontMetrics(face)
    cut = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, max(0, box.width()))
    painter.setFont(face)
    painter.setPen(QColor(colour))
    painter.drawText(box, int(side | Qt.TextFlag.TextSingleLine), cut)
    return metrics.horizontalAdvance(cut)
