"""Painting a graph of pages: lines by class, pages by role, and as many titles as fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from workbench.base.types import Role
from workbench.gui.charts.relation_looks import draw_arrow, draw_page, relation_pen
from workbench.gui.kit.cues import shade
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.tokens import Tokens
from workbench.services.relations.layout import Drawing

_LABELS, _LABEL_WIDTH, _NAME_WIDTH, _NAME_HEIGHT = 70, 150, 320, 120
_TRIED = 160
"""Maximum number of pages whose titles are placed: those with the most pairs."""
_DASHED = 900
"""Maximum number of lines that are drawn with dashes: many short dashes are slow and indistinguishable."""
_HEAD = 8.0
"""Length of an arrowhead, pixels."""
_NONE: NDArray[np.int64] = np.zeros(0, np.int64)

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GraphContent:
    """The content to draw: positions, pairs, and for every page its title, host, language, role, radius, and whether it
    is stitched.

    ``relation`` gives the class of each pair, parallel to ``drawing.rows``, and ``towards`` the direction of copying: 1
    to ``other``, -1 to ``one``, 0 unknown.
    """

    drawing: Drawing
    titles: Sequence[str] = ()
    hosts: Sequence[str] = ()
    languages: Sequence[str] = ()
    roles: Sequence[Role] = ()
    stitched: frozenset[int] = frozenset()
    relation: Sequence[str] = ()
    towards: Sequence[int] = ()
    radius: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def empty(cls) -> GraphContent:
        """Nothing to draw."""
        none = np.zeros(0)
        return cls(Drawing(_NONE, none, none, _NONE, _NONE, _NONE, _NONE, 0, 0))


class GraphPainter:
    """Paints ``content``; ``points`` float64[n, 2] are the positions of pages, ``radius`` float64[n] their radii, in
    pixels.
    """

    def __init__(
        self,
        painter: QPainter,
        content: GraphContent,
        points: Points,
        radius: NDArray[np.float64],
        tokens: Tokens,
        area: QRectF,
    ) -> None:
        self._painter, self._content, self._points, self._radius = painter, content, points, radius
        self._tokens, self._area = tokens, area

    def whole(self) -> None:
        """Draw all lines, pages and titles."""
        painter, drawing = self._painter, self._content.drawing
        classes: dict[str, list[QLineF]] = {}
        for at, name in enumerate(self._content.relation):
            classes.setdefault(name, []).append(self.segment(at))
        for name, lines in classes.items():
            pen = relation_pen(name, self._tokens)
            many = len(drawing.rows) > _DASHED
            if many:
                pen.setStyle(Qt.PenStyle.SolidLine)
            pen.setColor(shade(pen.color().name(), 120 if many else 215))
            painter.setPen(pen)
            painter.drawLines(lines)
        for at in range(len(drawing.rows)):
            self._head(at, _HEAD)
        for at in range(len(drawing.keys)):
            self.page(at)
        self._titles()

    def segment(self, pair: int) -> QLineF:
        """The line of a pair."""
        drawing = self._content.drawing
        return QLineF(QPointF(*self._points[drawing.one[pair]]), QPointF(*self._points[drawing.other[pair]]))

    def line(self, pair: int, width: float) -> None:
        """Draw the highlighted line of a pair."""
        self._painter.setPen(relation_pen(self._content.relation[pair], self._tokens, width))
        self._painter.drawLine(self.segment(pair))
        self._head(pair, _HEAD + 2 * width)

    def _head(self, pair: int, size: float) -> None:
        """Draw the arrowhead at the copy's end of a pair's line; none if the direction is unknown."""
        towards = self._content.towards[pair] if self._content.towards else 0
        if not towards:
            return
        drawing, line = self._content.drawing, self.segment(pair)
        copy = int(drawing.other[pair] if towards > 0 else drawing.one[pair])
        start, end = (line.p1(), line.p2()) if towards > 0 else (line.p2(), line.p1())
        room = line.length()
        if room > 0:
            end -= (end - start) * min(1.0, (self._radius[copy] + 2) / room)
        draw_arrow(self._painter, relation_pen(self._content.relation[pair], self._tokens).color(), start, end, size)

    def halo(self, pair: int) -> None:
        """Draw the background of the chosen pair's line."""
        self._painter.setPen(QPen(shade(self._tokens.accent, 70), 9))
        self._painter.drawLine(self.segment(pair))

    def page(self, at: int) -> None:
        """Draw a page, with a ring if it is stitched."""
        content, centre = self._content, QPointF(*self._points[at])
        draw_page(self._painter, self._tokens, content.roles[at], centre, float(self._radius[at]))
        if int(content.drawing.keys[at]) in content.stitched:
            pen = QPen(QColor(self._tokens.text), 1.6)
            pen.setDashPattern([2.0, 1.4])
            self._ring(at, pen, 2.6)

    def chosen(self, at: int, *, first: bool) -> None:
        """Draw a selected page with its ring."""
        self.page(at)
        self._ring(at, QPen(QColor(self._tokens.accent), 3 if first else 1.8), 4)

    def _ring(self, at: int, pen: QPen, beyond: float) -> None:
        radius = float(self._radius[at]) + beyond
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(pen)
        self._painter.drawEllipse(QPointF(*self._points[at]), radius, radius)

    def names(self, pages: Iterable[int]) -> None:
        """Draw the titles of pages in boxes beside them, inside the area and without overlaps if there is room."""
        taken: list[QRectF] = []
        for at in pages:
            taken.append(self._name(at, taken))

    def _name(self, at: int, taken: Sequence[QRectF]) -> QRectF:
        """Draw a whole title on as many lines as it needs, and the host below; returns the box."""
        face, small = font(12, MEDIUM, language=self._content.languages[at]), font(11)
        text, host = " ".join(self._content.titles[at].split()), self._content.hosts[at]
        wrap = int(Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere)
        title = QFontMetrics(face).boundingRect(QRect(0, 0, _NAME_WIDTH, _NAME_HEIGHT), wrap, text)
        below = QFontMetrics(small).boundingRect(QRect(0, 0, _NAME_WIDTH, _NAME_HEIGHT), wrap, host)
        title_high = min(title.height(), _NAME_HEIGHT)
        high = title_high + (min(below.height(), _NAME_HEIGHT) if host else 0) + 6
        x, y = self._points[at]
        beside = self._radius[at] + 8
        box = QRectF(x + beside, y - high / 2, max(title.width(), below.width() if host else 0) + 16, high)
        if box.right() > self._area.right() - 4:
            box.moveRight(x - beside)
        for other in taken:
            if box.intersects(other):
                below_it = box.center().y() >= other.center().y()
                box.moveTop(other.bottom() + 2 if below_it else other.top() - high - 2)
        box.moveLeft(max(self._area.left() + 4, box.left()))
        box.moveTop(min(max(self._area.top() + 4, box.top()), self._area.bottom() - high - 4))
        painter = self._painter
        painter.setPen(QPen(QColor(self._tokens.border2), 1))
        painter.setBrush(shade(self._tokens.surface, 238))
        painter.drawRoundedRect(box, 4, 4)
        inside = box.adjusted(7, 3, -7, -3)
        painter.setFont(face)
        painter.setPen(QColor(self._tokens.text))
        painter.drawText(QRectF(inside.left(), inside.top(), inside.width() + 1, title_high), wrap, text)
        if host:
            painter.setFont(small)
            painter.setPen(QColor(self._tokens.text2))
            painter.drawText(inside.adjusted(0, title_high, 1, 0), wrap, host)
        return box

    def _titles(self) -> None:
        """Draw titles of the pages with the most pairs where they cover neither each other nor a page."""
        drawing, content, points = self._content.drawing, self._content, self._points
        degree = np.bincount(drawing.one, minlength=len(points)) + np.bincount(drawing.other, minlength=len(points))
        radius = self._radius[:, None]
        # Left, top, right and bottom of occupied areas: pages, then titles.
        pages = np.concatenate((points - radius, points + radius), axis=1)
        taken = np.concatenate((pages, np.full((_LABELS, 4), np.inf)))
        written = 0
        for at in np.argsort(-degree, kind="stable")[:_TRIED].tolist():
            if written >= _LABELS:
                return
            face, small = font(11, language=content.languages[at]), font(10)
            lines = []
            for words, letters in ((content.titles[at], face), (content.hosts[at], small)):
                metrics = QFontMetrics(letters)
                cut = metrics.elidedText(words, Qt.TextElideMode.ElideRight, _LABEL_WIDTH)
                lines.append((cut, letters, metrics.horizontalAdvance(cut) + 2))
            size = QSizeF(max(width for *_, width in lines), 28 if lines[1][0] else 16)
            box, align = self._free_box(at, size, taken)
            if box is not None:
                taken[len(points) + written] = box.left(), box.top(), box.right(), box.bottom()
                written += 1
                self._painter.fillRect(box, shade(self._tokens.surface, 190))
                colours = (self._tokens.text2, self._tokens.text3)
                for number, ((cut, letters, _), colour) in enumerate(zip(lines, colours, strict=True)):
                    self._painter.setFont(letters)
                    self._painter.setPen(QColor(colour))
                    line = QRectF(box.left(), box.top() + 15 * number, box.width(), 16 if not number else 13)
                    self._painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | align, cut)

    def _free_box(self, at: int, size: QSizeF, taken: Points) -> tuple[QRectF | None, Qt.AlignmentFlag]:
        """Where the title of a page fits: to the right, to the left, above or below; None if nowhere."""
        (x, y), away = self._points[at], float(self._radius[at]) + 4
        left, top = x - size.width() / 2, y - size.height() / 2
        for corner, align in (
            (QPointF(x + away, top), Qt.AlignmentFlag.AlignLeft),
            (QPointF(x - away - size.width(), top), Qt.AlignmentFlag.AlignRight),
            (QPointF(left, y - away - size.height()), Qt.AlignmentFlag.AlignHCenter),
            (QPointF(left, y + away), Qt.AlignmentFlag.AlignHCenter),
        ):
            box = QRectF(corner, size)
            beside = (taken[:, 0] > box.right()) | (taken[:, 2] < box.left())
            free = beside | (taken[:, 1] > box.bottom()) | (taken[:, 3] < box.top())
            if self._area.contains(box) and free.all():
                return box, align
        return None, Qt.AlignmentFlag.AlignLeft
