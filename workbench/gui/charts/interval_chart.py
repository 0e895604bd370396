"""Shares one after the other, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg

from workbench.gui.charts.chart import Chart
from workbench.gui.theme.tokens import LIGHT, Tokens

_LABELS = 6
"""Words written below the axis, at most."""


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
        description = ", ".join(f"{w}: {s:.2f}" for w, s in zip(words, shares, strict=True))
        self.setAccessibleDescription(description[:2000])
