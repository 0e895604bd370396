"""The bands between two documents that join each passage with its counterpart."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from workbench.base.types import Matches
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import shade, tier_look
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

WIDTH = 68
_BEYOND = 0.7
"""Ends further away than this many pane heights are drawn at that distance: very tall paths are slow to fill."""
_STEP = 3.0
"""Ribbons whose four corners agree to this many pixels are drawn once."""


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
        self._paths: list[tuple[int, QPainterPath]] = []
        self.active = -1
        self.together: frozenset[int] = frozenset()
        """Numbers of the matches that are emphasised."""
        self.source = 1
        """Number of the source whose colour they have."""
        self.swapped = False
        self.setAccessibleName(tr("Lines between matching passages"))
        self.setFixedWidth(WIDTH)
        left.moved.connect(self.update)
        right.moved.connect(self.update)

    def sizeHint(self) -> QSize:
        """A fixed width."""
        return QSize(WIDTH, 200)

    def set_matches(self, matches: Matches, numbers: NDArray[np.int64]) -> None:
        """Show ``matches`` (a_* on the left), numbered ``numbers``."""
        self._matches, self._numbers = matches, numbers
        self.update()

    def set_active(self, number: int, together: Collection[int] = ()) -> None:
        """Emphasise the match ``number`` (-1: none), and those ``together`` with it."""
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
        """Draw each distinct ribbon, those emphasised above the others and the active one on top."""
        with painting(self) as painter:
            painter.fillRect(self.rect(), QColor(self.tokens.sunken))
            self._paths = []
            rows = self.visible_rows() if len(self._matches) else np.zeros(0, np.int64)
            if not len(rows):
                return
            corners = self._corners(rows)
            active = np.isin(self._numbers[rows], list(self.together))
            _, first = np.unique(np.round(corners / _STEP), axis=0, return_index=True)
            keep = np.zeros(len(rows), np.bool_)
            keep[first] = True
            above = np.flatnonzero(active)
            above = above[np.argsort(self._numbers[rows[above]] == self.active, kind="stable")]
            for place in np.flatnonzero(keep & ~active).tolist() + above.tolist():
                self._ribbon(painter, int(rows[place]), corners[place].tolist())

    def _ribbon(self, painter: QPainter, row: int, corners: list[float]) -> None:
        left0, left1, right0, right1 = corners[2:] + corners[:2] if self.swapped else corners
        width, height = float(self.width()), self.height()
        if max(left1, right1) < 0 or min(left0, right0) > height:
            return
        number = int(self._numbers[row])
        active = number in self.together
        path = _band(left0, left1, right0, right1, width)
        self._paths.append((number, path))
        colour, tier = self.tokens.source(self.source), int(self._matches.tier[row])
        painter.setBrush(shade(colour, self.tokens.ribbon_active_alpha if active else self.tokens.ribbon_alpha))
        pen = QPen(shade(colour, 235 if active else 110), 1.5 if active else 1)
        pen.setStyle(tier_look(tier).pen)
        painter.setPen(pen)
        painter.drawPath(path)
        if active:
            middle = min(height - 12.0, max(12.0, (left0 + left1 + right0 + right1) / 4))
            text = f"#{number + 1}"
            half = 9 + 4.0 * len(text)
            spot = QRectF(width / 2 - half, middle - 9.5, 2 * half, 19)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(spot, 9.5, 9.5)
            painter.setPen(QColor(self.tokens.surface))
            painter.setFont(font(11, SEMIBOLD, tabular=True))
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the topmost ribbon under the pointer."""
        for number, path in reversed(self._paths):
            if path.contains(event.position()):
                self.clicked.emit(number)
                return


def _band(left0: float, left1: float, right0: float, right1: float, width: float) -> QPainterPath:
    middle = width / 2
    path = QPainterPath(QPointF(0, left0))
    path.cubicTo(middle, left0, middle, right0, width, right0)
    path.lineTo(width, right1)
    path.cubicTo(middle, right1, middle, left1, 0, left1)
    path.closeSubpath()
    return path
