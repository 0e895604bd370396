"""Second cues beside colour: how each tier of match and each kind of difference is underlined.

Exact matches are filled only; matches exact ignoring symbols have a dashed line; altered ones a wavy line.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from workbench.gui.theme.tokens import Tokens

TIERS = ("Exact", "Exact ignoring symbols", "Altered")
DIFFERENCES: Mapping[str, str] = {"inserted": "Inserted", "deleted": "Deleted", "replaced": "Replaced"}


def shade(colour: str, alpha: int) -> QColor:
    """``colour`` (``#RRGGBB``) with ``alpha`` 0 to 255."""
    made = QColor(colour)
    made.setAlpha(alpha)
    return made


def draw_tier_line(painter: QPainter, box: QRectF, tier: int, colour: QColor, width: float = 1.2) -> None:
    """The underline of ``tier`` (0 none, 1 dashed, 2 wavy) at the bottom of ``box``."""
    y = box.bottom() - width / 2
    if tier == 1:
        pen = QPen(colour, width)
        pen.setDashPattern([3.5, 2.5])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(QPointF(box.left() + 1, y), QPointF(box.right() - 1, y))
    elif tier == 2:
        draw_wave(painter, box.left() + 1, box.right() - 1, y - 0.5, colour, width)


def draw_wave(painter: QPainter, left: float, right: float, y: float, colour: QColor, width: float) -> None:
    """A wavy line of height 3 from ``left`` to ``right``."""
    path = QPainterPath(QPointF(left, y))
    x, up = left, True
    while x < right:
        step = min(3.0, right - x)
        path.quadTo(QPointF(x + step / 2, y + (-2.2 if up else 2.2)), QPointF(x + step, y))
        x, up = x + step, not up
    painter.setPen(QPen(colour, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def difference_colour(tokens: Tokens, kind: str) -> str:
    """The token colour of a difference."""
    return {"inserted": tokens.inserted, "deleted": tokens.deleted, "replaced": tokens.replaced}[kind]


def draw_difference(painter: QPainter, box: QRectF, kind: str, tokens: Tokens) -> None:
    """Tint ``box`` and add the cue of ``kind``: inserted double line, deleted struck through, replaced framed."""
    colour = QColor(difference_colour(tokens, kind))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(shade(colour.name(), 58))
    painter.drawRoundedRect(box, 2, 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.3))
    if kind == "inserted":
        for rise in (0.0, 3.0):
            y = box.bottom() - 0.5 - rise
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    elif kind == "deleted":
        y = box.center().y() + 0.5
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    else:
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
