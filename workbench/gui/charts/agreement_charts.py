"""Charts of agreement: each pair of annotators as a heat map, and successive shares with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.base.messages import rate
from workbench.gui.charts.chart import Chart
from workbench.gui.i18n import tr
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.tokens import LIGHT, Tokens, contrast, mixed

Pair = tuple[str, str]
_CELL, _LABEL, _TOP = 58.0, 110.0, 26.0
_LABELS = 6
"""Maximum number of labels below the axis."""


def heat(tokens: Tokens, value: float) -> str:
    """The background of a cell with this kappa; values below 0 are shown as 0."""
    return mixed(tokens.accent, tokens.surface, round(30 + 190 * min(1.0, max(0.0, value))))


def ink(ground: str) -> str:
    """Black or white, whichever is more legible on ``ground``."""
    return max(("#000000", "#FFFFFF"), key=lambda colour: contrast(colour, ground))


@guarded
class AgreementMatrix(QWidget):
    """Each cell is the kappa of two annotators; empty for a pair without one."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens = tokens
        self._names: Sequence[str] = ()
        self._values: Mapping[Pair, float] = {}
        self._notes: Mapping[Pair, str] = {}

    def show_pairs(self, names: Sequence[str], values: Mapping[Pair, float], notes: Mapping[Pair, str]) -> None:
        """Show kappa by pair of ``names``, each pair once; ``notes`` are the tooltips of the cells."""
        self._names, self._values, self._notes = names, values, notes
        description = ", ".join(f"{a}, {b}: {rate(value, 2)}" for (a, b), value in values.items())
        self.setAccessibleName(tr("Agreement of each pair of annotators"))
        self.setAccessibleDescription(description)
        self.setFixedHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def sizeHint(self) -> QSize:
        side = round(_CELL * len(self._names))
        return QSize(round(_LABEL) + side + 2, round(_TOP) + side + 2)

    def _pair(self, row: int, column: int) -> Pair:
        a, b = self._names[row], self._names[column]
        return (a, b) if (a, b) in self._values else (b, a)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            face = font(12)
            metrics = QFontMetrics(face)
            for at, name in enumerate(self._names):
                painter.setFont(face)
                painter.setPen(QColor(self.tokens.text2))
                cut = metrics.elidedText(name, Qt.TextElideMode.ElideRight, round(_LABEL) - 12)
                middle = Qt.AlignmentFlag.AlignVCenter
                painter.drawText(
                    QRectF(0, _TOP + at * _CELL, _LABEL - 8, _CELL), middle | Qt.AlignmentFlag.AlignRight, cut
                )
                cut = metrics.elidedText(name, Qt.TextElideMode.ElideRight, round(_CELL) - 4)
                painter.drawText(QRectF(_LABEL + at * _CELL, 0, _CELL, _TOP), Qt.AlignmentFlag.AlignCenter, cut)
            for row in range(len(self._names)):
                for column in range(len(self._names)):
                    self._cell(painter, row, column)

    def _cell(self, painter: QPainter, row: int, column: int) -> None:
        box = QRectF(_LABEL + column * _CELL, _TOP + row * _CELL, _CELL, _CELL).adjusted(1, 1, -1, -1)
        value = self._values.get(self._pair(row, column)) if row != column else None
        ground = self.tokens.sunken
        if value is not None:
            ground = heat(self.tokens, value)
        painter.setPen(QPen(QColor(self.tokens.border), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(box, 4, 4)
        if value is not None:
            painter.setPen(QColor(ink(ground)))
            painter.setFont(font(13, MEDIUM, tabular=True))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, rate(value, 2))

    def event(self, event: QEvent) -> bool:
        """Show the interval of the cell under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip(self, place: QPointF) -> str:
        column, row = int((place.x() - _LABEL) // _CELL), int((place.y() - _TOP) // _CELL)
        inside = 0 <= column < len(self._names) and 0 <= row < len(self._names) and row != column
        return self._notes.get(self._pair(row, column), "") if inside else ""


class IntervalChart(Chart):
    """Points in [0, 1] with their intervals, in order, joined by a line."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__(tokens)
        item = self.getPlotItem()
        self._bars = pg.ErrorBarItem(x=np.zeros(0), y=np.zeros(0), top=np.zeros(0), bottom=np.zeros(0))
        self._line = pg.PlotDataItem(symbol="o", symbolSize=7)
        item.addItem(self._bars)
        item.addItem(self._line)
        self.setYRange(0, 1.02, padding=0)
        self.setFixedHeight(200)
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        super().set_tokens(tokens)
        self.style_bar_axes()
        self._bars.setData(pen=pg.mkPen(tokens.text3, width=1.4), beam=0.16)
        self._line.setPen(pg.mkPen(tokens.accent, width=1.6))
        self._line.setSymbolBrush(tokens.accent)
        self._line.setSymbolPen(tokens.surface)

    def show_shares(
        self, name: str, words: Sequence[str], shares: Sequence[float], intervals: Sequence[tuple[float, float]]
    ) -> None:
        """Show equally many ``words``, ``shares`` and ``intervals``; ``name`` describes them."""
        at, value = np.arange(len(shares), dtype=float), np.array(shares, float)
        low, high = (np.array([pair[side] for pair in intervals], float) for side in (0, 1))
        self._bars.setData(x=at, y=value, top=high - value, bottom=value - low)
        self._line.setData(at, value)
        step = max(1, -(-len(words) // _LABELS))
        self.getPlotItem().getAxis("bottom").setTicks([[(i, words[i]) for i in range(0, len(words), step)]])
        self.setXRange(-0.5, max(1.0, len(shares) - 0.5), padding=0)
        self.setAccessibleName(name)
        description = ", ".join(f"{w}: {rate(s, 2)}" for w, s in zip(words, shares, strict=True))
        self.setAccessibleDescription(description[:2000])
