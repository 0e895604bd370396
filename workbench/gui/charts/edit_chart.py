"""Cumulative edits against position: where a text occurs in another with few edits, and where it does not.

Source: Huang, Wang and Li (2007), figure 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from workbench.base.types import Ints
from workbench.gui.charts.chart import Chart
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

_STEPS = 50
"""Number of presses of an arrow key from one end of the text to the other."""
_BEYOND = 0.12
"""Share of a region's length by which its slope line is extended, so that the curve visibly leaves it."""
_NONE = np.zeros(0, np.int64)


@guarded
class EditChart(Chart):
    """Positions of the suspect in characters run across, edits up.

    Regions are shaded, numbered and framed; from the start of each a dashed line rises by the slope threshold.
    ``jumped`` emits the position that was clicked or reached with the arrow keys.
    """

    jumped = Signal(int)

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__(tokens)
        self._positions, self._edits, self._slope = _NONE, _NONE, 0.0
        self._regions: tuple[tuple[int, int], ...] = ()
        self._drawn: list[Any] = []
        self.place = 0.0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Edits against position"))
        self.setMinimumSize(180, 150)
        item = self.getPlotItem()
        item.vb.setDefaultPadding(0.02)
        self._curve = pg.PlotDataItem(autoDownsample=True, clipToView=True)
        self._here = pg.InfiniteLine(0, 90, movable=False)
        item.addItem(self._curve)
        item.addItem(self._here)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.set_tokens(tokens)

    def show_curve(self, positions: Ints, edits: Ints, slope: float, regions: Sequence[tuple[int, int]]) -> None:
        """Show corners of the curve (int64 of equal length, ascending) and ``regions`` as spans of positions."""
        self._positions, self._edits, self._slope = positions, edits, slope
        self._regions = tuple(regions)
        self._curve.setData(positions, edits)
        last, top = (float(positions[-1]), float(edits[-1])) if len(positions) else (1.0, 1.0)
        top = max([top, *(y for _start, (_x, y) in self.slope_lines())])
        item = self.getPlotItem()
        item.setXRange(0, max(1.0, last))
        item.setYRange(0, max(1.0, top) * 1.05)
        self._mark_regions()
        spans = enumerate(self._regions, 1)
        words = [tr("region {number}: {start} to {end}", number=n, start=f"{s:,}", end=f"{e:,}") for n, (s, e) in spans]
        self.setAccessibleDescription(", ".join(words))

    def clear_curve(self) -> None:
        """Show nothing."""
        self.show_curve(_NONE, _NONE, 0.0, ())

    def edits_at(self, position: float) -> float:
        """The curve at ``position``, before any insertion there."""
        if not len(self._positions):
            return 0.0
        at = int(np.searchsorted(self._positions, position, "left"))
        if at < len(self._positions) and self._positions[at] == position:
            return float(self._edits[at])
        return float(np.interp(position, self._positions, self._edits))

    def slope_lines(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The line of the slope threshold for each region: both ends as (position, edits)."""
        last = float(self._positions[-1]) if len(self._positions) else 0.0
        lines = []
        for start, end in self._regions:
            # Edits at the start of a region are not inside it.
            low = self._after(start)
            to = min(last, end + max(40.0, _BEYOND * (end - start)))
            lines.append(((float(start), low), (to, low + self._slope * (to - start))))
        return lines

    def _after(self, position: int) -> float:
        """The curve at ``position``, after any insertion there."""
        at = int(np.searchsorted(self._positions, position, "right")) - 1
        if at >= 0 and self._positions[at] == position:
            return float(self._edits[at])
        return self.edits_at(position)

    def _mark_regions(self) -> None:
        item = self.getPlotItem()
        for part in self._drawn:
            item.removeItem(part)
        self._drawn = []
        tokens = self.tokens
        lines = self.slope_lines() if len(self._positions) else []
        for number, ((start, end), line) in enumerate(zip(self._regions, lines, strict=False), 1):
            area = pg.LinearRegionItem((start, end), movable=False, brush=pg.mkBrush(shade(tokens.accent, 26)))
            for edge in area.lines:
                edge.setPen(pg.mkPen(shade(tokens.accent, 170), width=1, style=Qt.PenStyle.DotLine))
            area.setZValue(-5)
            (x0, y0), (x1, y1) = line
            rise = pg.PlotDataItem(
                [x0, x1], [y0, y1], pen=pg.mkPen(tokens.danger, width=1.4, style=Qt.PenStyle.DashLine)
            )
            name = pg.TextItem(f"R{number}", color=tokens.accent, anchor=(0, 0))
            name.setFont(font(11, SEMIBOLD))
            name.setPos(start, self.getPlotItem().vb.viewRange()[1][1])
            for part in (area, rise, name):
                item.addItem(part)
                self._drawn.append(part)

    def set_place(self, position: float) -> None:
        """Mark the reader's position."""
        self.place = position
        self._here.setValue(position)

    def set_tokens(self, tokens: Tokens) -> None:
        super().set_tokens(tokens)
        item = self.getPlotItem()
        for side, words in (("left", tr("Edits")), ("bottom", tr("Position in the suspect (characters)"))):
            axis = item.getAxis(side)
            axis.setTextPen(tokens.text3)
            axis.setPen(pg.mkPen(tokens.border2))
            axis.setStyle(tickFont=font(11, tabular=True), tickLength=-3, tickTextOffset=5, maxTickLevel=0)
            axis.enableAutoSIPrefix(False)
            axis.setLabel(words, color=tokens.text2, **{"font-size": "11px"})
        item.showGrid(x=True, y=True, alpha=0.08)
        self._curve.setPen(pg.mkPen(tokens.text, width=1.8))
        self._here.setPen(pg.mkPen(tokens.replaced, width=1.4))
        self._mark_regions()

    def _clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._jump(self.getPlotItem().vb.mapSceneToView(event.scenePos()).x())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move through the text, Home and End to its ends."""
        last = float(self._positions[-1]) if len(self._positions) else 0.0
        moves = {
            Qt.Key.Key_Left: self.place - last / _STEPS,
            Qt.Key.Key_Right: self.place + last / _STEPS,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: last,
        }
        to = moves.get(Qt.Key(event.key()))
        if to is None or event.modifiers():
            super().keyPressEvent(event)
        else:
            self._jump(to)

    def _jump(self, position: float) -> None:
        if len(self._positions):
            self.jumped.emit(int(min(max(0.0, position), float(self._positions[-1]))))
