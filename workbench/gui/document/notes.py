"""Remarks on stretches of a text that are not matches: quotations, and text that other documents also contain."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from workbench.gui.kit.cues import shade
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import Tokens

HATCH = 70
"""Opacity of the hatching, out of 255, so that text on it remains legible."""
_BELOW = 2.0
"""Distance of a bar from the top of its line, so that it does not look like an underline of the text above."""
BARS = (1.5, 3.0, 4.5)
"""Heights of the bars above text contained in few, some or many other documents, logical pixels."""


class Note(NamedTuple):
    """A remark on code points ``[start, end)``, in ``words``.

    ``level`` 0: the stretch is hatched, with ``sign`` in the margin; 1 to 3: a bar of that height is above it.
    """

    start: int
    end: int
    words: str
    level: int = 0
    sign: str = ""


def inside(notes: Sequence[Note], start: int, end: int) -> Sequence[Note]:
    """The ``notes`` (in order, without overlaps) that share a code point with ``[start, end)``."""
    low = bisect_right(notes, start, key=itemgetter(1))
    return notes[low : bisect_left(notes, end, key=itemgetter(0))]


def draw_hatching(painter: QPainter, box: QRectF, tokens: Tokens) -> None:
    """Hatch ``box``."""
    painter.fillRect(box, QBrush(shade(tokens.text3, HATCH), Qt.BrushStyle.BDiagPattern))


def draw_bar(painter: QPainter, box: QRectF, level: int, tokens: Tokens) -> None:
    """Draw a bar along the top of ``box``, higher for text in more documents."""
    height = BARS[level - 1]
    painter.fillRect(QRectF(box.left(), box.top() + _BELOW, box.width(), height), QColor(tokens.rarity[level - 1]))


def draw_sign(painter: QPainter, sign: str, top: float, height: float, tokens: Tokens) -> None:
    """Draw ``sign`` at the outer edge of the margin, in the line at ``top``, with a line to the text."""
    painter.setFont(font(12, SEMIBOLD))
    painter.setPen(QPen(QColor(tokens.text2), 1))
    painter.drawText(QRectF(2, top, 14, height), Qt.AlignmentFlag.AlignCenter, sign)
    painter.drawLine(QPointF(16, top + 4), QPointF(16, top + height - 4))
