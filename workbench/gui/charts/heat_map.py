"""A figure for every combination of two settings: cells from light to dark, each with its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from workbench.base.messages import rate
from workbench.gui.kit.cues import draw_focus
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens, luminance, mixed

_LEFT, _TOP, _BOTTOM = 84, 12, 40
_LEAST_SPAN = 0.1
"""Smallest range of values that is drawn with the full range of shades."""
_MOST_LEFT = 0.3
"""Maximum share of the width for row names."""


@guarded
class HeatMap(QWidget):
    """Columns and rows are settings. ``picked`` emits column and row of a cell on Enter or click."""

    picked = Signal(int, int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.tokens = LIGHT
        self.titles = ("", "")
        self.columns: tuple[str, ...] = ()
        self.lines: tuple[str, ...] = ()
        self.values: Mapping[tuple[int, int], float] = {}
        self.framed: tuple[int, int] | None = None
        self.chosen = (0, 0)
        self.setMinimumSize(240, 160)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def show_values(
        self,
        titles: tuple[str, str],
        columns: Sequence[str],
        lines: Sequence[str],
        values: Mapping[tuple[int, int], float],
        framed: tuple[int, int] | None,
    ) -> None:
        """Show ``values`` (0 to 1) by column and row; missing ones are empty. ``framed`` is the baseline's cell."""
        self.titles, self.columns, self.lines = titles, tuple(columns), tuple(lines)
        self.values, self.framed = values, framed
        self.chosen = (min(self.chosen[0], max(0, len(columns) - 1)), min(self.chosen[1], max(0, len(lines) - 1)))
        self._describe()
        self.update()

    def _describe(self) -> None:
        if not (self.columns and self.lines):
            return
        value = self.values.get(self.chosen)
        column, line = self.columns[self.chosen[0]], self.lines[self.chosen[1]]
        number = "–" if value is None else rate(value)
        self.setAccessibleDescription(f"{self.titles[0]} {column}, {self.titles[1]} {line}: {number}")

    def shade_of(self, value: float | None) -> float:
        """Darkness of a cell, 0 to 1: from the least to the greatest value, but pale if the differences are small."""
        if value is None:
            return 0.0
        low, high = min(self.values.values()), max(self.values.values())
        return (value - low) / max(high - low, _LEAST_SPAN)

    def _left(self) -> float:
        """Left edge of the cells: right of the row names."""
        metrics = QFontMetrics(font(11, tabular=True))
        widest = max(map(metrics.horizontalAdvance, self.lines), default=0)
        return max(_LEFT, min(widest + 34.0, _MOST_LEFT * self.width()))

    def _box(self, column: int, line: int) -> QRectF:
        left = self._left()
        width = (self.width() - left - 12) / max(1, len(self.columns))
        height = (self.height() - _TOP - _BOTTOM) / max(1, len(self.lines))
        return QRectF(left + column * width, _TOP + line * height, width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self.tokens
        with painting(self) as painter:
            for column in range(len(self.columns)):
                for line in range(len(self.lines)):
                    value = self.values.get((column, line))
                    self._cell(painter, column, line, value, self.shade_of(value))
            painter.setFont(font(11, tabular=True))
            painter.setPen(QColor(tokens.text2))
            middle = int(Qt.AlignmentFlag.AlignCenter)
            metrics = QFontMetrics(painter.font())
            for column, words in enumerate(self.columns):
                box = self._box(column, len(self.lines) - 1)
                cut = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(box.width()))
                painter.drawText(QRectF(box.left(), box.bottom() + 3, box.width(), 16), middle, cut)
            for line, words in enumerate(self.lines):
                box = self._box(0, line)
                right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                cut = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, int(box.left()) - 30)
                painter.drawText(QRectF(20, box.top(), box.left() - 26, box.height()), right, cut)
            left = self._left()
            painter.drawText(QRectF(left, self.height() - 18, self.width() - left, 16), middle, self.titles[0])
            painter.translate(QPointF(2, self.height() / 2))
            painter.rotate(-90)
            painter.drawText(QRectF(-self.height() / 2, 0, self.height(), 16), middle, self.titles[1])
            painter.resetTransform()
            draw_focus(painter, self, tokens.accent)

    def _cell(self, painter: QPainter, column: int, line: int, value: float | None, share: float) -> None:
        tokens, box = self.tokens, self._box(column, line).adjusted(1.5, 1.5, -1.5, -1.5)
        ground = tokens.sunken if value is None else mixed(tokens.accent, tokens.surface, 24 + int(200 * share))
        painter.setBrush(QColor(ground))
        on = (column, line) == self.chosen and self.hasFocus()
        painter.setPen(QPen(QColor(tokens.text if on else tokens.border), 2 if on else 1))
        painter.drawRoundedRect(box, 4, 4)
        if (column, line) == self.framed:
            pen = QPen(QColor(tokens.text), 1.6, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(3, 3, -3, -3), 3, 3)
        if value is not None:
            dark = luminance(ground) < 0.22
            ink = (
                (tokens.surface if tokens.name == "light" else tokens.text)
                if dark
                else (tokens.text if tokens.name == "light" else tokens.app)
            )
            painter.setPen(QColor(ink))
            painter.setFont(font(12, SEMIBOLD, tabular=True))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), rate(value))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        for column in range(len(self.columns)):
            for line in range(len(self.lines)):
                if self._box(column, line).contains(event.position()):
                    self.chosen = (column, line)
                    self._describe()
                    self.update()
                    if (column, line) in self.values:
                        self.picked.emit(column, line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move from cell to cell; Enter picks."""
        moves = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is not None and self.columns and self.lines:
            column = min(len(self.columns) - 1, max(0, self.chosen[0] + move[0]))
            line = min(len(self.lines) - 1, max(0, self.chosen[1] + move[1]))
            self.chosen = (column, line)
            self._describe()
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen in self.values:
            self.picked.emit(*self.chosen)
        else:
            super().keyPressEvent(event)
