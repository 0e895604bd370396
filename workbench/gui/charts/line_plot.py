"""Lines over two axes, with bands; distinguished by colour, dashes and markers, even where they coincide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen, QPolygonF, QResizeEvent

from workbench.base.types import Floats
from workbench.gui.charts.plane import Plane
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded, restored
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT, Tokens

_DASHES: tuple[list[float], ...] = ([], [6, 3], [1.5, 2.5], [7, 2.5, 1.5, 2.5], [3, 3])
_MARKERS = 5
_MARKED = 9
"""Number of markers along a line of many points."""
_LEGEND_LINE = 15.0
"""Height of a line of the legend, logical pixels."""
_SIGN = 25
"""Width of the symbol before the text of an entry."""
_REACH = 14
"""Logical pixels from a point within which a click selects it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """n points as a line, by x.

    ``low`` and ``high`` bound a band (n each). ``faint`` marks a reference drawn behind the others; ``dots`` draws no
    line. ``steps``: y is constant back to the previous point, like precision between two levels of recall, which a
    straight line would overstate. ``bare`` draws no markers, as for the outline of bars. ``look`` numbers the colour,
    dashes and marker; -1 uses the trace's index.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    faint: bool = False
    dots: bool = False
    steps: bool = False
    bare: bool = False
    look: int = -1


@guarded
class LinePlot(Plane):
    """Draws :class:`Trace`. ``picked`` emits trace and point of a click near a point."""

    picked = Signal(int, int)

    def __init__(
        self, name: str, x_title: str = "", y_title: str = "", tokens: Tokens = LIGHT, *, marked: bool = False
    ) -> None:
        super().__init__(name, x_title, y_title, tokens)
        self.traces: tuple[Trace, ...] = ()
        self._marked = marked
        self._fitted = False
        self.legend = True
        self.dot: tuple[float, float] | None = None
        """Values of the emphasised point."""

    def set_traces(self, traces: Sequence[Trace]) -> None:
        """Show other lines."""
        self.traces = tuple(traces)
        self.redraw()

    def set_dot(self, dot: tuple[float, float] | None) -> None:
        """Highlight a point (values of x and y)."""
        if dot != self.dot:
            before = self._dot_area()
            self.dot = dot
            self.update(before.united(self._dot_area()).toAlignedRect())

    def at(self, x: float, y: float) -> QPointF:
        """The pixel position of the values."""
        return self.point(self.x_scale.place(x), self.y_scale.place(y))

    def polygon(self, x: Floats, y: Floats) -> QPolygonF:
        """The pixel positions of n values."""
        area = self.area()
        across = area.left() + self.x_scale.places(x) * area.width()
        down = area.bottom() - self.y_scale.places(y) * area.height()
        return QPolygonF([QPointF(*pair) for pair in zip(across.tolist(), down.tolist(), strict=True)])

    def _dot_area(self) -> QRectF:
        if self.dot is None:
            return QRectF()
        centre = self.at(*self.dot)
        return QRectF(centre.x() - 9, centre.y() - 9, 18, 18)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw bands, then lines, with references behind."""
        order = sorted(range(len(self.traces)), key=lambda at: not self.traces[at].faint)
        for at in order:
            trace = self.traces[at]
            if trace.low is not None and trace.high is not None and len(trace.x):
                (x, low), (_, high) = corners(trace, trace.low), corners(trace, trace.high)
                ring = self.polygon(np.concatenate((x, x[::-1])), np.concatenate((low, high[::-1])))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(shade(self.colour(at), 40))
                painter.drawPolygon(ring)
        for at in order:
            self._draw_trace(painter, at)

    def _draw_trace(self, painter: QPainter, at: int) -> None:
        trace = self.traces[at]
        if not len(trace.x):
            return
        points = self.polygon(trace.x, trace.y)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self.pen(at))
        if not trace.dots:
            painter.drawPolyline(self.polygon(*corners(trace, trace.y)))
        if self._has_markers(trace) or len(trace.x) == 1:
            n = len(trace.x)
            # Markers of different lines are staggered, so that coincident lines remain distinguishable.
            shift = at / max(1, len(self.traces)) if n > _MARKED else 0.0
            step = max(1.0, n / _MARKED)
            for k in range(min(n, _MARKED) if not trace.dots else n):
                self._marker(painter, at, points.at(min(n - 1, int((k + shift) * step) if not trace.dots else k)))

    def _has_markers(self, trace: Trace) -> bool:
        return not trace.bare and (self._marked or trace.dots or trace.faint)

    def colour(self, at: int) -> str:
        """Colour of a trace."""
        return self.tokens.text3 if self.traces[at].faint else self.tokens.source(self._look(at) + 2)

    def _look(self, at: int) -> int:
        return at if self.traces[at].look < 0 else self.traces[at].look

    def pen(self, at: int) -> QPen:
        """Pen of a trace."""
        faint = self.traces[at].faint
        pen = QPen(shade(self.colour(at), 150 if faint else 255), 1.4 if faint else 1.9)
        dashes = _DASHES[self._look(at) % len(_DASHES)] if not faint else [2, 3]
        if dashes:
            pen.setDashPattern(dashes)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        return pen

    def _marker(self, painter: QPainter, at: int, centre: QPointF) -> None:
        with restored(painter):
            painter.setPen(QPen(QColor(self.colour(at)), 1.4))
            painter.setBrush(QColor(self.tokens.surface))
            draw_marker(painter, self._look(at), centre, 3.4)

    def draw_words(self, painter: QPainter, area: QRectF) -> None:
        """Draw the legend, in lines above the area."""
        if not self.legend or (len(self.traces) < 2 and not any(t.faint for t in self.traces)):
            return
        painter.setFont(font(11))
        metrics = QFontMetrics(painter.font())
        for at, (left, line, room) in enumerate(self._legend(area.width())):
            x, y = area.left() + left, 2.0 + _LEGEND_LINE * line
            if y > self.top - _LEGEND_LINE:
                break
            trace = self.traces[at]
            painter.setPen(self.pen(at))
            if not trace.dots:
                painter.drawLine(QPointF(x, y + 7), QPointF(x + 20, y + 7))
            if self._has_markers(trace):
                self._marker(painter, at, QPointF(x + 10, y + 7))
            painter.setPen(QColor(self.tokens.text2))
            words = metrics.elidedText(trace.name, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(x + _SIGN, y, room + 2, _LEGEND_LINE), int(Qt.AlignmentFlag.AlignVCenter), words)

    def _legend(self, width: float) -> list[tuple[float, int, int]]:
        """For each trace's entry in ``width`` pixels: its position in its line, the line, and the width of its text."""
        metrics = QFontMetrics(font(11))
        places, x, line = [], 0.0, 0
        for trace in self.traces:
            room = min(metrics.horizontalAdvance(trace.name) + 3, int(width) - _SIGN - 9)
            if x and x + _SIGN + room + 3 > width:
                x, line = 0.0, line + 1
            places.append((x, line, room))
            x += _SIGN + room + 14
        return places

    def fit_words(self) -> None:
        """Make room for the figures of the axis on the left and for the whole legend above, at any size."""
        self._fitted = True
        self.fit_left()
        entries = self._legend(self.area().width()) if len(self.traces) > 1 or any(t.faint for t in self.traces) else []
        self.top = 10 + int(_LEGEND_LINE) * (entries[-1][1] + 1 if entries else 0)
        self.redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The legend may need a new layout."""
        super().resizeEvent(event)
        if self._fitted:
            self.fit_words()

    def draw_over(self, painter: QPainter, area: QRectF) -> None:
        """Draw the line and the point."""
        super().draw_over(painter, area)
        if self.dot is not None:
            painter.setPen(QPen(QColor(self.tokens.surface), 2))
            painter.setBrush(QColor(self.tokens.text))
            painter.drawEllipse(self.at(*self.dot), 6, 6)

    def nearest(self, at: QPointF) -> tuple[int, int, float]:
        """Trace, number and distance in pixels of the nearest point; (-1, -1, inf) if there is none."""
        area = self.area()
        best = (-1, -1, float("inf"))
        for number, trace in enumerate(self.traces):
            if trace.faint or not len(trace.x):
                continue
            across = area.left() + self.x_scale.places(trace.x) * area.width() - at.x()
            down = area.bottom() - self.y_scale.places(trace.y) * area.height() - at.y()
            far = np.hypot(across, down)
            row = int(np.argmin(far))
            if far[row] < best[2]:
                best = (number, row, float(far[row]))
        return best

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click near a point picks it."""
        if self.mark is None and self.dot is None and event.button() == Qt.MouseButton.LeftButton:
            trace, row, far = self.nearest(event.position())
            if far <= _REACH:
                self.picked.emit(trace, row)
        super().mousePressEvent(event)


@guarded
class CurvePlot(LinePlot):
    """A curve with a point that can be dragged along it. ``slid`` emits the row of the first trace."""

    slid = Signal(int)

    def is_grab_at(self, at: QPointF) -> bool:
        """Anywhere: the point moves to the nearest place on the curve."""
        return self.dot is not None

    def dragged_to(self, at: QPointF) -> None:
        """Slide the point."""
        _, row, _ = self.nearest(at)
        if row >= 0:
            self.slid.emit(row)


def corners(trace: Trace, y: Floats) -> tuple[Floats, Floats]:
    """The corner points of the stepped line of ``y``."""
    if not trace.steps or not len(y):
        return trace.x, y
    x = np.concatenate(([min(0.0, float(trace.x[0]))], np.repeat(trace.x, 2)[:-1]))
    return x, np.repeat(y, 2)


def draw_marker(painter: QPainter, number: int, centre: QPointF, size: float) -> None:
    """Draw a disc, square, triangle, diamond or cross of radius ``size``, by ``number``."""
    x, y = centre.x(), centre.y()
    kind = number % _MARKERS
    if kind == 0:
        painter.drawEllipse(centre, size, size)
    elif kind == 1:
        painter.drawRect(QRectF(x - size, y - size, 2 * size, 2 * size))
    elif kind == 2:
        painter.drawPolygon(QPolygonF([QPointF(x, y - size), QPointF(x + size, y + size), QPointF(x - size, y + size)]))
    elif kind == 3:
        rim = [QPointF(x, y - size), QPointF(x + size, y), QPointF(x, y + size), QPointF(x - size, y)]
        painter.drawPolygon(QPolygonF(rim))
    else:
        painter.drawLine(QPointF(x - size, y - size), QPointF(x + size, y + size))
        painter.drawLine(QPointF(x - size, y + size), QPointF(x + size, y - size))
