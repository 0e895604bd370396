"""Histogram of scores with a threshold that can be dragged or moved by keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from workbench.base.messages import threshold_words
from workbench.gui.charts.chart import Chart
from workbench.gui.charts.scales import ends, round_step
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

BINS = 72
_SPREAD = 20.0
"""Ratio of the greatest score to the median above which a logarithmic axis is used."""


@guarded
class ScoreChart(Chart):
    """Counts of scores in 72 bins; bars at or above ``threshold`` are coloured."""

    threshold_changed = Signal(float)

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__(tokens)
        self.threshold = 0.0
        self._log = False
        self._edges: NDArray[np.float64] = np.linspace(0, 1, 2)
        self._counts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._moving = False
        self.whole = True
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Score distribution with threshold"))
        item = self.getPlotItem()
        item.layout.setContentsMargins(0, 2, 10, 0)
        item.vb.setDefaultPadding(0)
        self._below = pg.BarGraphItem(x0=[0], x1=[0], height=[0], pen=None)
        self._above = pg.BarGraphItem(x0=[0], x1=[0], height=[0], pen=None)
        self._region = pg.LinearRegionItem((0, 1), movable=False)
        self._region.setZValue(-5)
        self._line = pg.InfiniteLine(
            0,
            90,
            movable=True,
            label="",
            labelOpts={"position": 0.88, "movable": False, "anchors": [(0.5, 0.5), (0.5, 0.5)]},
        )
        for part in (self._region, self._below, self._above, self._line):
            item.addItem(part)
        self._line.sigPositionChanged.connect(self._dragged)
        item.vb.sigResized.connect(self._keep_flag_inside)
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        super().set_tokens(tokens)
        self.style_bar_axes()
        self.getPlotItem().getAxis("left").setWidth(44)
        self._below.setOpts(brush=pg.mkBrush(shade(tokens.text3, 105)), pen=pg.mkPen(None))
        self._above.setOpts(brush=pg.mkBrush(tokens.accent), pen=pg.mkPen(None))
        self._region.setBrush(pg.mkBrush(shade(tokens.accent, 14)))
        for edge in self._region.lines:
            edge.setPen(pg.mkPen(None))
        self._line.setPen(pg.mkPen(tokens.text, width=1.6))
        self._line.setHoverPen(pg.mkPen(tokens.accent, width=3))
        self._line.label.setColor(tokens.surface)
        self._line.label.fill = pg.mkBrush(tokens.text)
        self._line.label.setFont(font(11, SEMIBOLD, tabular=True))
        self._line.label.update()

    def set_scores(self, ranked: NDArray[np.float64]) -> None:
        """Show ``ranked`` scores, ascending, with the threshold at the lowest."""
        if not len(ranked):
            ranked = np.zeros(1)
        low, high = float(ranked[0]), float(ranked[-1])
        self._log = low > 0 and high / max(float(ranked[len(ranked) // 2]), 1e-12) > _SPREAD
        self.whole = bool(np.all(ranked == np.round(ranked)))
        start, stop = map(self._place, ends(low, high))
        room = (stop - start) * 0.02
        self._edges = np.linspace(start, stop + room, BINS + 1)
        edges = 10**self._edges if self._log else self._edges
        self._counts = np.diff(np.searchsorted(ranked, edges, "left"))
        item = self.getPlotItem()
        item.setXRange(self._edges[0] - room, self._edges[-1] + room)
        top = max(1.0, float(self._counts.max()))
        item.setYRange(-top * 0.012, top * 1.14)
        item.getAxis("left").setTicks([[(v, f"{v:,}") for v in _round_values(top)]])
        item.getAxis("bottom").setTicks([self._value_ticks()])
        self._line.setBounds((self._edges[0], self._edges[-1]))
        self.set_threshold(low)

    def _place(self, score: float) -> float:
        return float(np.log10(score)) if self._log else score

    def _value_ticks(self) -> list[tuple[float, str]]:
        low, high = float(self._edges[0]), float(self._edges[-1])
        if not self._log:
            step = round_step((high - low) / 6)
            values = np.arange(np.ceil(low / step) * step, high, step)
            return [(float(v), f"{v:,.10g}") for v in values]
        ticks = []
        for power in range(int(np.floor(low)), int(np.ceil(high)) + 1):
            for factor in (1, 2, 5):
                value = factor * 10.0**power
                if low <= np.log10(value) <= high:
                    ticks.append((float(np.log10(value)), f"{value:,.10g}"))
        return ticks

    def set_threshold(self, threshold: float) -> None:
        """Move the threshold without emitting a signal."""
        self.threshold = threshold
        self._moving = True
        self._line.setValue(self._place(max(threshold, 1e-12)) if self._log else threshold)
        self._moving = False
        self._show()

    def _dragged(self, line: Any) -> None:
        if self._moving:
            return
        place = float(line.value())
        # A logarithm and back would make a round score slightly smaller.
        score = float(f"{10**place:.12g}") if self._log else place
        if self.whole:
            score = float(round(score))
        if score != self.threshold:
            self.threshold = score
            self._show()
            self.threshold_changed.emit(score)

    def _show(self) -> None:
        at = self._place(self.threshold) if not self._log or self.threshold > 0 else float(self._edges[0])
        left, right = self._edges[:-1], self._edges[1:]
        gap = (right[0] - left[0]) * 0.12
        high = right > at
        for bars, mask in ((self._below, ~high), (self._above, high)):
            bars.setOpts(x0=left[mask], x1=right[mask] - gap, height=self._counts[mask])
        self._region.setRegion((at, self._edges[-1]))
        # Set as the format, because the label updates itself whenever the line moves, ignoring the logarithm.
        shown = threshold_words(self.threshold)
        self._line.label.setFormat(shown)
        self._keep_flag_inside()
        self.setAccessibleDescription(tr("Threshold {value}", value=shown))

    def _keep_flag_inside(self, _box: object = None) -> None:
        """Centre the threshold's figure on its line, except at the ends of the axis, where it would be cut off."""
        box, label = self.getPlotItem().vb, self._line.label
        (left, right), width = box.viewRange()[0], box.width()
        half = label.boundingRect().width() / 2
        at = (float(self._line.value()) - left) / (right - left) * width
        if half <= 0 or width < 4 * half:
            return
        anchor = 0.5 + (at - min(max(at, half), width - half)) / (2 * half)
        label.anchors = [(anchor, 0.5), (anchor, 0.5)]
        label.updatePosition()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move the threshold by a bin, Home to the lowest score."""
        width = float(self._edges[1] - self._edges[0])
        moves = {Qt.Key.Key_Left: -width, Qt.Key.Key_Right: width}
        if event.key() == Qt.Key.Key_Home:
            self._line.setValue(float(self._edges[0]))
        elif (move := moves.get(Qt.Key(event.key()))) is not None:
            self._line.setValue(float(self._line.value()) + move)
        else:
            super().keyPressEvent(event)


def _round_values(top: float) -> list[int]:
    """About three round counts up to ``top``."""
    step = max(1, int(round_step(top / 3)))
    return list(range(step, int(top) + 1, step))
