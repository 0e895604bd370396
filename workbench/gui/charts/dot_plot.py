"""All matches of a pair at a glance: one text across, the other down; copied passages appear as diagonals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from workbench.base.types import Matches, Tier
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.cues import blank, draw_focus, shade
from workbench.gui.problems import guarded, painting, restored
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT, Tokens

_LEFT, _TOP, _EDGE = 46, 30, 24
_PENS = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)


@guarded
class DotPlot(QWidget):
    """Suspect offsets run across, source offsets down. A click opens the nearest match; arrow keys step.

    ``set_view`` frames the parts visible in both panes.
    """

    clicked = Signal(int)

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens = tokens
        self._matches = Matches.empty()
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._lengths = (1, 1)
        self._view = (0, 0, 0, 0)
        self.active = -1
        self.source = 1
        """Number of the source that colours the matches."""
        self._pixmap = QPixmap()
        self._drawn_for: tuple[object, ...] = ()
        self.setMinimumSize(180, 180)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Dot plot"))

    def set_matches(self, matches: Matches, numbers: NDArray[np.int64], a_length: int, b_length: int) -> None:
        """Show ``matches`` of texts of these lengths."""
        self._matches, self._numbers = matches, numbers
        self._lengths = (max(1, a_length), max(1, b_length))
        self.setAccessibleDescription(trn("{count} match", "{count} matches", len(matches)))
        self._drawn_for = ()
        self.update()

    def set_active(self, number: int) -> None:
        """Highlight the match ``number``."""
        self.active = number
        self.update()

    def set_view(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        """Frame the offsets visible in both panes."""
        self._view = (*a, *b)
        self.update()

    def _area(self) -> QRectF:
        """The plot's square-scaled area: one scale for both texts, so that equal text lies at 45 degrees."""
        width, height = self.width() - _LEFT - _EDGE, self.height() - _TOP - _EDGE
        scale = min(width / self._lengths[0], height / self._lengths[1])
        across, down = self._lengths[0] * scale, self._lengths[1] * scale
        if min(across, down) < 0.35 * max(across, down):
            across, down = width, height
        return QRectF(_LEFT, _TOP, across, down)

    def _segments(self) -> NDArray[np.float64]:
        """x0, y0, x1, y1 of every match in pixels, float64[n, 4]."""
        area, m = self._area(), self._matches
        x, y = area.width() / self._lengths[0], area.height() / self._lengths[1]
        return np.stack(
            [
                area.left() + m.a_start * x,
                area.top() + m.b_start * y,
                area.left() + m.a_end * x,
                area.top() + m.b_end * y,
            ],
            axis=1,
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Matches from the cache, the frame of the visible part, the active match."""
        key = (self.width(), self.height(), self.tokens.name, self.source, self.devicePixelRatioF())
        if key != self._drawn_for:
            self._pixmap, self._drawn_for = self._drawn(), key
        with painting(self) as painter:
            painter.drawPixmap(0, 0, self._pixmap)
            area = self._area()
            a0, a1, b0, b1 = self._view
            x, y = area.width() / self._lengths[0], area.height() / self._lengths[1]
            seen = QRectF(area.left() + a0 * x, area.top() + b0 * y, (a1 - a0) * x, (b1 - b0) * y)
            painter.setPen(QPen(shade(self.tokens.text2, 160), 1))
            painter.setBrush(shade(self.tokens.accent, 22))
            painter.drawRoundedRect(seen.intersected(area), 2, 2)
            for row in np.flatnonzero(self._numbers == self.active):
                x0, y0, x1, y1 = self._segments()[row].tolist()
                painter.setPen(QPen(QColor(self.tokens.source(self.source)), 3.2))
                painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(QPointF((x0 + x1) / 2, (y0 + y1) / 2), 8, 8)
            draw_focus(painter, self, self.tokens.accent)

    def _drawn(self) -> QPixmap:
        pixmap = blank(self, self.tokens.surface)
        with painting(pixmap) as painter:
            area = self._area()
            painter.setPen(QPen(QColor(self.tokens.border), 1))
            painter.setBrush(QColor(self.tokens.sunken))
            painter.drawRect(area)
            self._axes(painter, area)
            segments, tiers = self._segments(), self._matches.tier
            for tier in Tier:
                lines = [QLineF(*row) for row in segments[tiers == tier].tolist()]
                pen = QPen(shade(self.tokens.source(self.source), 220), 1.8)
                pen.setStyle(_PENS[tier] if len(lines) < 400 else Qt.PenStyle.SolidLine)
                painter.setPen(pen)
                painter.drawLines(lines)
        return pixmap

    def _axes(self, painter: QPainter, area: QRectF) -> None:
        painter.setFont(font(11))
        painter.setPen(QColor(self.tokens.text2))
        painter.drawText(QRectF(area.left(), area.bottom() + 2, area.width(), 16), tr("Suspect →"))
        with restored(painter):
            painter.translate(area.right() + 14, area.top())
            painter.rotate(90)
            painter.drawText(QPointF(0, 0), tr("Source →"))
        painter.setFont(font(11, tabular=True))
        for axis, length in enumerate(self._lengths):
            for value in _ticks(length):
                share = value / length
                painter.setPen(QPen(shade(self.tokens.border2, 120), 1))
                if axis == 0:
                    x = area.left() + share * area.width()
                    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
                    box = QRectF(x - 40, area.top() - 20, 80, 16)
                    place = Qt.AlignmentFlag.AlignCenter
                else:
                    y = area.top() + share * area.height()
                    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
                    box = QRectF(0, y - 8, _LEFT - 6, 16)
                    place = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.setPen(QColor(self.tokens.text3))
                painter.drawText(box, place, f"{value:,}")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the match nearest to the pointer, within 24 pixels."""
        if not len(self._matches) or event.button() != Qt.MouseButton.LeftButton:
            return
        x0, y0, x1, y1 = self._segments().T
        px, py = event.position().x(), event.position().y()
        dx, dy = x1 - x0, y1 - y0
        along = np.clip(((px - x0) * dx + (py - y0) * dy) / np.maximum(1e-9, dx * dx + dy * dy), 0, 1)
        distance = np.hypot(x0 + along * dx - px, y0 + along * dy - py)
        best = int(np.argmin(distance))
        if distance[best] <= 24:
            self.clicked.emit(int(self._numbers[best]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys step through the matches in order of the suspect."""
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or event.modifiers() or not len(self._numbers):
            super().keyPressEvent(event)
            return
        here = np.flatnonzero(self._numbers == self.active)
        place = int(here[0]) + step if len(here) else 0
        self.clicked.emit(int(self._numbers[min(len(self._numbers) - 1, max(0, place))]))


def _ticks(length: int) -> list[int]:
    """About four round values in (0, ``length``]."""
    rough = max(1.0, length / 4)
    power = 10 ** int(np.floor(np.log10(rough)))
    step = next(int(power * f) for f in (1, 2, 5, 10) if power * f >= rough)
    return list(range(step, length + 1, max(1, step)))
