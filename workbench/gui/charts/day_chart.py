"""New and known matches per day, as stacked bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from workbench.gui.charts.chart import Chart
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT, Tokens

_LABELS = 8
"""Maximum number of dates below the axis."""
_FEWEST = 12
"""Minimum number of days that share the width, so that a single bar is not too wide."""
_SWATCH = 13
"""Side of a swatch in the legend, logical pixels."""


class DayChart(Chart):
    """One bar per day: new matches at the bottom, previously reported ones above, hatched."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__(tokens)
        self.setAccessibleName(tr("Matches per day"))
        item = self.getPlotItem()
        self._new = pg.BarGraphItem(x=[0], height=[0], width=0.7, pen=None)
        self._known = pg.BarGraphItem(x=[0], height=[0], width=0.7, pen=None)
        item.addItem(self._new)
        item.addItem(self._known)
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        super().set_tokens(tokens)
        self.style_bar_axes()
        new, known = _brushes(tokens)
        self._new.setOpts(brush=new, pen=pg.mkPen(None))
        self._known.setOpts(brush=known, pen=pg.mkPen(None))

    def show_days(self, days: Sequence[str], new: Sequence[int], known: Sequence[int]) -> None:
        """Show equally many ``days`` (ISO dates, oldest first) and counts."""
        at = np.arange(len(days), dtype=float)
        fresh, before = np.array(new, float), np.array(known, float)
        self._new.setOpts(x=at, height=fresh, width=0.7)
        self._known.setOpts(x=at, y0=fresh, height=before, width=0.7)
        step = max(1, -(-len(days) // _LABELS))
        ticks = [(i, days[i][5:]) for i in range(0, len(days), step)]
        self.getPlotItem().getAxis("bottom").setTicks([ticks])
        highest = float((fresh + before).max()) if len(days) else 1.0
        beside = max(0, _FEWEST - len(days)) / 2
        self.setXRange(-0.6 - beside, len(days) - 0.4 + beside, padding=0)
        self.setYRange(0, max(1.0, highest) * 1.08, padding=0)
        description = ", ".join(f"{d}: {n:g} + {k:g}" for d, n, k in zip(days, fresh, before, strict=True))
        self.setAccessibleDescription(description[:2000])


class DayLegend(QWidget):
    """A legend of the two parts of a bar: their fills beside words."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self._parts = [_Swatch(tokens, known=known) for known in (False, True)]
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for swatch, word in zip(self._parts, (tr("New"), tr("Reported before")), strict=True):
            words = QLabel(word)
            words.setFont(font(12))
            words.setProperty("role", "muted")
            layout.addWidget(swatch)
            layout.addWidget(words)
            layout.addSpacing(8)

    def set_tokens(self, tokens: Tokens) -> None:
        for swatch in self._parts:
            swatch.tokens = tokens
            swatch.update()


@guarded
class _Swatch(QWidget):
    def __init__(self, tokens: Tokens, *, known: bool) -> None:
        super().__init__()
        self.tokens, self._known = tokens, known
        self.setFixedSize(_SWATCH, _SWATCH)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill the swatch like the bars, with a frame if the fill is light."""
        with painting(self, smooth=False) as painter:
            painter.fillRect(self.rect(), _brushes(self.tokens)[int(self._known)])
            if self._known:
                painter.setPen(QColor(self.tokens.border2))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


def _brushes(tokens: Tokens) -> tuple[QBrush, QBrush]:
    """The fills of new and of previously reported matches."""
    return QBrush(QColor(tokens.accent)), QBrush(shade(tokens.text3, 160), Qt.BrushStyle.BDiagPattern)
