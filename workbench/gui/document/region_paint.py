"""Painting of regions in a document view: a light tint, and a numbered bracket at the margin as its second cue."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from workbench.gui.document.surface import DocumentSurface
from workbench.gui.kit.cues import draw_bracket, shade
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import Tokens

TINT = 18
"""Opacity of the tint, out of 255: marks on it keep their contrast."""


def paint_regions(painter: QPainter, view: DocumentSurface) -> None:
    """Draw the visible part of the regions of ``view`` on its viewport, under the text and without their names."""
    first, last = view.visible_offsets()
    height = float(view.viewport().height())
    for number, (start, end) in enumerate(view.regions, 1):
        if start < last and end > first:
            _region(painter, view, number, (start, end), (start >= first, end <= last), height)


def paint_region_names(painter: QPainter, view: DocumentSurface) -> None:
    """Draw the name of each visible region, at its first line or at the top edge."""
    first, last = view.visible_offsets()
    for number, (start, end) in enumerate(view.regions, 1):
        if start < last and end > first:
            top = view.lines.y_of(start) - view.top if start >= first else 0.0
            # Avoid covering a line number by half.
            painter.fillRect(QRectF(0, max(0.0, top + 1), view.gutter - 9, 22), QColor(view.tokens.surface))
            _name(painter, view.tokens, number, max(2.0, top + 5))


def _region(
    painter: QPainter, view: DocumentSurface, number: int, span: tuple[int, int], ends: tuple[bool, bool], height: float
) -> None:
    """``ends``: whether the first and the last line of the region are visible."""
    lines, tokens = view.lines, view.tokens
    line = lines.line_height
    top = lines.y_of(span[0]) - view.top if ends[0] else -line
    bottom = lines.y_of(max(span[0], span[1] - 1)) - view.top + line if ends[1] else height + line
    left, right = float(view.gutter), float(view.viewport().width() - view.margin)
    tint = shade(tokens.accent, TINT)
    begin = left + lines.x_of(span[0]) if ends[0] else left
    # Where the region ends with its line, its end stands at the beginning of the next.
    within_line = ends[1] and lines.y_of(span[1]) < lines.y_of(max(span[0], span[1] - 1)) + line
    finish = left + lines.x_of(span[1]) if within_line else right
    if bottom - top < 1.5 * line:
        painter.fillRect(QRectF(begin, top, finish - begin, bottom - top), tint)
    else:
        painter.fillRect(QRectF(begin, top, right - begin, line), tint)
        painter.fillRect(QRectF(left, top + line, right - left, bottom - top - 2 * line), tint)
        painter.fillRect(QRectF(left, bottom - line, finish - left, line), tint)
    draw_bracket(painter, tokens, left - 5, top + 2, bottom - 2)


def _name(painter: QPainter, tokens: Tokens, number: int, y: float) -> None:
    """The region's number at the outer edge of the gutter."""
    text = f"R{number}"
    spot = QRectF(2, y, 7.0 + 7 * len(text), 15)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.accent))
    painter.drawRoundedRect(spot, 3, 3)
    painter.setFont(font(10, SEMIBOLD, tabular=True))
    painter.setPen(QColor(tokens.accent_text))
    painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)
