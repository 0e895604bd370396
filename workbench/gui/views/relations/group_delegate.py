"""How a cluster or a stitched page is drawn in the list."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from workbench.gui.models.relation_groups import GROUP_ROLE, Group
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.gui.widgets.cards import LEFT, RIGHT, CardDelegate, draw_line

_HEIGHT = 70
_BAR = 72


class GroupDelegate(CardDelegate):
    """Three lines: title and figure; the second; the third, with a bar where there is a share."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _HEIGHT, GROUP_ROLE)

    def draw(self, painter: QPainter, item: Group, tokens: Tokens, area: QRect) -> None:
        """Draw one group."""
        left, width, top = area.left() + 14, area.width() - 28, area.top()
        figure = font(14, SEMIBOLD, tabular=True)
        used = draw_line(painter, item.figure, figure, tokens.text, QRect(left, top + 8, width, 18), RIGHT)
        title = font(13, SEMIBOLD, language=item.language)
        draw_line(painter, item.title, title, tokens.text, QRect(left, top + 8, width - used - 10, 18), LEFT)
        draw_line(painter, item.second, font(12), tokens.text2, QRect(left, top + 27, width, 18), LEFT)
        room = width - (0 if item.share is None else _BAR + 8)
        draw_line(painter, item.third, font(11, tabular=True), tokens.text3, QRect(left, top + 46, room, 16), LEFT)
        if item.share is not None:
            bar = QRectF(area.right() - 14 - _BAR, top + 52, _BAR, 5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.track))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            painter.setBrush(QColor(tokens.accent))
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(4.0, _BAR * min(1.0, item.share)), 5), 2.5, 2.5)
