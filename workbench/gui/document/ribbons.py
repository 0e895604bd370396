"""The bands between two documents that join each passage with its counterpart.

All are drawn at once, as one picture: the cost hardly grows with their number. Every band lies between two curves from
the left edge to the right, so each column of pixels contains one span of each band: the spans are added up column by
column.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.base.types import Matches
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import TIER_PENS, shade
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

Floats = NDArray[np.float64]

_DASHES = {Qt.PenStyle.SolidLine: (1.0, 1.0), Qt.PenStyle.DashLine: (4.0, 6.0), Qt.PenStyle.DotLine: (1.0, 3.0)}
"""Length of a dash and its period, in line widths."""


def bend(width: int) -> Floats:
    """The progress of a curve from its left to its right end at each border of ``width`` columns, float64[width+1].

    The curves are cubic Bézier curves that leave and arrive horizontally, with their handles in the middle.
    """
    t = np.linspace(0, 1, 257)
    across = 1.5 * t * (1 - t) + t**3
    step = np.interp(np.arange(width + 1) / width, across, t)
    return 3 * step**2 - 2 * step**3


def curves(left: Floats, right: Floats, width: int) -> Floats:
    """Heights of the curves from ``left`` to ``right`` (float64[n]) at the borders of columns, float64[n, width+1]."""
    return left[:, None] + (right - left)[:, None] * bend(width)


def coverage(top: Floats, bottom: Floats, height: int) -> NDArray[np.float32]:
    """How many spans, from ``top`` to ``bottom`` (float64[n, width]), cover each pixel, float32[width, height].

    A partly covered pixel counts as that fraction.
    """
    width = top.shape[1]
    row = height + 2
    at = np.clip(np.stack((top, np.maximum(top, bottom))), 0, height)
    pixel = at.astype(np.int64)
    part = at - pixel
    sign = np.array([1, -1])[:, None, None]
    places = np.arange(width) * row + np.stack((pixel, pixel + 1))
    change = np.bincount(places.ravel(), (sign * np.stack((1 - part, part))).ravel(), width * row)
    return np.cumsum(change.reshape(width, row), axis=1)[:, :height].astype(np.float32)


def picture(
    corners: Floats,
    pens: list[Qt.PenStyle],
    size: tuple[int, int],
    ratio: float,
    inks: tuple[QColor, QColor],
    thickness: float = 1.0,
) -> QImage:
    """The bands with these ``corners`` (top and bottom at the left, at the right, float64[n, 4]) on a transparent
    background.

    ``pens`` are the styles of their outlines; ``inks`` the translucent colours of band and outline. ``size`` and the
    ``thickness`` of outlines are in logical pixels, each ``ratio`` pixels of the picture.
    """
    width, height = (max(1, round(side * ratio)) for side in size)
    tops, bottoms = (curves(corners[:, k] * ratio, corners[:, k + 2] * ratio, width) for k in (0, 1))
    middles = [(edge[:, 1:] + edge[:, :-1]) / 2 for edge in (tops, bottoms)]
    starts, ends = [], []
    for edge, middle in zip((tops, bottoms), middles, strict=True):
        length = np.hypot(np.diff(edge, axis=1), 1)
        run = np.cumsum(length, axis=1)
        thick = length * thickness * ratio
        for style in set(pens):
            on, period = (part * ratio for part in _DASHES[style])
            rows = np.array([pen == style for pen in pens])
            if on < period:
                thick[rows] *= run[rows] % period < on
        starts.append(middle - thick / 2)
        ends.append(middle + thick / 2)
    layers = (
        (coverage(middles[0], middles[1], height), inks[0].alphaF()),
        (coverage(np.vstack(starts), np.vstack(ends), height), inks[1].alphaF()),
    )
    # Each layer transmits 1 - alpha.
    clear = np.exp(sum((times * np.float32(np.log1p(-alpha)) for times, alpha in layers), np.float32(0)))
    alpha = np.rint((1 - clear.T) * np.float32(255)).astype(np.uint8)
    ink = np.array([inks[0].blueF(), inks[0].greenF(), inks[0].redF(), 1.0])
    looks = np.rint(np.arange(256)[:, None] * ink).astype(np.uint8).view(np.uint32)[:, 0]
    shown = looks[alpha]
    image = QImage(shown.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()
    image.setDevicePixelRatio(ratio)
    return image


WIDTH = 68
_BEYOND = 0.7
"""Ends farther away than this many pane heights are drawn at that distance, so that the lines remain curves."""
_STEP = 3.0
"""Ribbons whose four corners agree to within this many pixels are drawn once."""


@guarded
class Ribbons(QWidget):
    """Ribbons for the rows of ``matches`` visible in either pane; a click opens the match.

    ``swapped``: the suspect's pane (``left``) is on the right.
    """

    clicked = Signal(int)

    def __init__(self, left: DocumentView, right: DocumentView, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens, self._left, self._right = tokens, left, right
        self._matches = Matches.empty()
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._drawn: tuple[NDArray[np.int64], NDArray[np.float64]] = (np.zeros(0, np.int64), np.zeros((0, 4)))
        """Numbers and corners of the visible ribbons, the topmost last."""
        self.active = -1
        self.together: frozenset[int] = frozenset()
        """Numbers of the emphasised matches."""
        self.source = 1
        """Number of the source that colours them."""
        self.swapped = False
        self.setAccessibleName(tr("Lines between matching passages"))
        self.setFixedWidth(WIDTH)
        left.moved.connect(self.update)
        right.moved.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    def set_matches(self, matches: Matches, numbers: NDArray[np.int64]) -> None:
        """Show ``matches`` (a_* on the left), numbered ``numbers``."""
        self._matches, self._numbers = matches, numbers
        self.update()

    def set_active(self, number: int, together: Collection[int] = ()) -> None:
        """Highlight the match ``number`` (-1: none), and those ``together`` with it."""
        self.active, self.together = number, frozenset((number, *together)) - {-1}
        self.update()

    def visible_rows(self) -> NDArray[np.int64]:
        """Rows with an end visible in either pane."""
        m = self._matches
        a0, a1 = self._left.visible_offsets()
        b0, b1 = self._right.visible_offsets()
        in_view = ((m.a_end > a0) & (m.a_start < a1)) | ((m.b_end > b0) & (m.b_start < b1))
        return np.flatnonzero(in_view)

    def _corners(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Top and bottom at the left, top and bottom at the right, pixels in this widget, float64[n, 4]."""
        m, height = self._matches, self.height()
        parts = []
        for view, start, end in ((self._left, m.a_start, m.a_end), (self._right, m.b_start, m.b_end)):
            top, line = view.top, view.lines.line_height
            parts.append(view.lines.near_y(start[rows]) - top + 3)
            parts.append(view.lines.near_y(np.maximum(0, end[rows] - 1)) - top + line - 3)
        corners = np.stack(parts, axis=1)
        return corners.clip(-_BEYOND * height, (1 + _BEYOND) * height)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw each distinct ribbon, highlighted ones above the others and the active one on top."""
        with painting(self) as painter:
            painter.fillRect(self.rect(), QColor(self.tokens.sunken))
            rows = self.visible_rows() if len(self._matches) else np.zeros(0, np.int64)
            corners = self._corners(rows)
            active = np.isin(self._numbers[rows], list(self.together))
            _, first = np.unique(np.round(corners / _STEP), axis=0, return_index=True)
            keep = np.zeros(len(rows), np.bool_)
            keep[first] = True
            if self.swapped:
                corners = corners[:, [2, 3, 0, 1]]
            below, above = np.flatnonzero(keep & ~active), np.flatnonzero(active)
            above = above[np.argsort(self._numbers[rows[above]] == self.active, kind="stable")]
            order = np.concatenate((below, above))
            self._drawn = self._numbers[rows[order]], corners[order]
            colour = self.tokens.source(self.source)
            for part, alpha, outline, thickness in (
                (below, self.tokens.ribbon_alpha, 110, 1.0),
                (above, self.tokens.ribbon_active_alpha, 235, 1.5),
            ):
                # The picture has the height that the ribbons need; at a multiple of 4 it begins at a whole pixel.
                top = max(0, int(corners[part].min(initial=self.height())) - 4) // 4 * 4
                bottom = min(self.height(), int(corners[part].max(initial=0)) + 4)
                if len(part) and top < bottom:
                    pens = [TIER_PENS[tier] for tier in self._matches.tier[rows[part]].tolist()]
                    inks, size = (shade(colour, alpha), shade(colour, outline)), (self.width(), bottom - top)
                    ratio = self.devicePixelRatioF()
                    painter.drawImage(0, top, picture(corners[part] - top, pens, size, ratio, inks, thickness))
            for place in above.tolist():
                self._name(painter, int(self._numbers[rows[place]]), corners[place].tolist())

    def _name(self, painter: QPainter, number: int, corners: list[float]) -> None:
        """Draw the number of a match on its ribbon."""
        left0, left1, right0, right1 = corners
        height = self.height()
        if max(left1, right1) < 0 or min(left0, right0) > height:
            return
        middle = min(height - 12.0, max(12.0, (left0 + left1 + right0 + right1) / 4))
        text = f"#{number + 1}"
        half = 9 + 4.0 * len(text)
        spot = QRectF(self.width() / 2 - half, middle - 9.5, 2 * half, 19)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.tokens.source(self.source)))
        painter.drawRoundedRect(spot, 9.5, 9.5)
        painter.setPen(QColor(self.tokens.surface))
        painter.setFont(font(11, SEMIBOLD, tabular=True))
        painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the topmost ribbon under the pointer."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        numbers, corners = self._drawn
        x, y = event.position().x(), event.position().y()
        if not len(numbers) or not 0 <= x < self.width():
            return
        tops, bottoms = (curves(corners[:, k], corners[:, k + 2], self.width())[:, int(x)] for k in (0, 1))
        hit = np.flatnonzero((tops <= y) & (y <= bottoms))
        if len(hit):
            self.clicked.emit(int(numbers[hit[-1]]))
