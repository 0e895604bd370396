"""Histograms of scores, one row per label, so that no label's bars hide another's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPen

from workbench.base.types import Floats, Ints
from workbench.gui.charts.plane import Plane
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import SEMIBOLD, font

BINS = 56
_STEEP = 12.0
"""Ratio of the highest to the median bin above which counts are drawn logarithmically."""
_LABEL = 15
"""Height of a row's text, logical pixels."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """The scores of the items with one label, lowest first; ``look`` is 1 for positive items, 0 for negative and -1 for
    unlabelled ones. ``unreported`` items have no score.
    """

    name: str
    ascending: Floats
    look: int
    unreported: int = 0


@guarded
class LabelHistogram(Plane):
    """Rows of bars over one axis of scores; each row has its own scale and shows the count of its highest bar."""

    def __init__(self, name: str, x_title: str) -> None:
        super().__init__(name, x_title)
        self.rows: tuple[LabelRow, ...] = ()
        self._counts: list[Ints] = []
        self._places: Floats = np.array([0.0, 1.0])
        self.log_counts: bool | None = None
        """Logarithmic counts; None: if they differ much."""
        self.left = 12
        self.brushable = True

    def set_rows(self, rows: Sequence[LabelRow]) -> None:
        """Show other scores on the same axis."""
        self.rows = tuple(rows)
        self.count()

    def count(self) -> None:
        """Recount: the axis has changed."""
        self._places, edges = self.x_scale.edges(BINS)
        self._counts = []
        for row in self.rows:
            below = np.searchsorted(row.ascending, edges, "left")
            below[-1] = len(row.ascending)
            self._counts.append(np.diff(below))
        self.redraw()

    @property
    def is_logarithmic(self) -> bool:
        """Whether counts are drawn logarithmically."""
        if self.log_counts is not None:
            return self.log_counts
        filled = [counts[counts > 0] for counts in self._counts]
        return any(len(c) and float(c.max()) > _STEEP * float(np.median(c)) for c in filled)

    def draw_axes(self, painter: QPainter, area: QRectF) -> None:
        """The axis of scores; rows show their highest counts."""
        self.draw_x_axis(painter, area)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Bars of every row."""
        if not self.rows:
            return
        height, logarithmic = area.height() / len(self.rows), self.is_logarithmic
        for number, (row, counts) in enumerate(zip(self.rows, self._counts, strict=True)):
            base = area.top() + (number + 1) * height
            room = height - 4 - (_LABEL if height > 2 * _LABEL else 0)
            values = np.log1p(counts) if logarithmic else counts.astype(np.float64)
            top = max(float(values.max(initial=0)), 1e-9)
            painter.setPen(QPen(QColor(self.tokens.border), 1))
            painter.drawLine(int(area.left()), int(base), int(area.right()), int(base))
            hatched = row.look < 0
            painter.setPen(QPen(shade(self.tokens.text3, 170), 1) if hatched else Qt.PenStyle.NoPen)
            painter.setBrush(self._fill(row.look))
            for i in np.flatnonzero(counts).tolist():
                left = area.left() + float(self._places[i]) * area.width()
                right = area.left() + float(self._places[i + 1]) * area.width()
                tall = max(1.5, float(values[i]) / top * room)
                painter.drawRect(QRectF(left, base - tall, max(1.0, right - left - 1.0), tall))
            if height > 2 * _LABEL:
                self._words(painter, area, base - height, row, counts, logarithmic=logarithmic)

    def mark_stretches(self, area: QRectF) -> list[tuple[float, float]]:
        """Stretches over the bars of each row, but not over its text."""
        height = area.height() / max(1, len(self.rows))
        words = _LABEL + 1 if height > 2 * _LABEL else 0
        if not self.rows:
            return super().mark_stretches(area)
        tops = [area.top() + number * height for number in range(len(self.rows))]
        return [(top + words, top + height) for top in tops]

    def _fill(self, look: int) -> QBrush:
        if look > 0:
            return QBrush(QColor(self.tokens.accent))
        if look == 0:
            return QBrush(shade(self.tokens.text3, 150))
        return QBrush(shade(self.tokens.text3, 130), Qt.BrushStyle.BDiagPattern)

    def _words(
        self, painter: QPainter, area: QRectF, top: float, row: LabelRow, counts: Ints, *, logarithmic: bool
    ) -> None:
        parts = [trn("{count} item", "{count} items", len(row.ascending) + row.unreported)]
        if row.unreported:
            parts.append(tr("{count} not reported", count=f"{row.unreported:,}"))
        if len(counts) and counts.max():
            parts.append(tr("highest bar {count}", count=f"{int(counts.max()):,}"))
        if logarithmic:
            parts.append(tr("log counts"))
        box = QRectF(area.left(), top + 1, area.width(), _LABEL)
        painter.setFont(font(11, SEMIBOLD))
        metrics = QFontMetrics(painter.font())
        name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, int(area.width() / 2))
        self._haloed(painter, box, Qt.AlignmentFlag.AlignLeft, name, self.tokens.text)
        painter.setFont(font(11, tabular=True))
        left = metrics.horizontalAdvance(name) + 10
        room = int(area.width() - left)
        words = QFontMetrics(painter.font()).elidedText(" · ".join(parts), Qt.TextElideMode.ElideRight, room)
        self._haloed(painter, box.adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignLeft, words, self.tokens.text3)

    @staticmethod
    def _haloed(painter: QPainter, box: QRectF, side: Qt.AlignmentFlag, words: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        painter.drawText(box, int(side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), words)
