"""Cues in addition to colour: the underlines of match tiers and of differences.

Exact matches have a solid line, matches exact ignoring symbols a dashed one, altered ones a wavy one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from workbench.base.types import Tier
from workbench.gui.i18n import tr
from workbench.gui.problems import painting
from workbench.gui.theme.tokens import Tokens


class TierLook(NamedTuple):
    """A tier's name and meaning, and the line that frames its ribbon; ``Tokens.tier`` is its shade."""

    words: str
    rule: str
    pen: Qt.PenStyle


TIER_PENS = {
    Tier.EXACT: Qt.PenStyle.SolidLine,
    Tier.FOLDED: Qt.PenStyle.DashLine,
    Tier.ALTERED: Qt.PenStyle.DotLine,
}
"""The lines that frame ribbons."""


def tier_look(value: int, *, translated: bool = False) -> TierLook:
    """The look of the tier with this value; matches of texts in two languages (``translated``) share one name, since
    their words are not comparable.
    """
    tier = tuple(Tier)[value]
    pen = TIER_PENS[tier]
    if translated:
        return TierLook(tr("In another language"), tr("Sentences correspond in the order of both texts"), pen)
    rule = {
        Tier.EXACT: tr("The same, character for character"),
        Tier.FOLDED: tr("The same except for punctuation, width, case or spaces"),
        Tier.ALTERED: tr("Some words or characters differ"),
    }[tier]
    return TierLook(tr(tier.title), rule, pen)


def recognised_look(value: int) -> TierLook:
    """The look of a match of this tier in recognised text, where no match is exact."""
    look = tier_look(value)
    if value == Tier.ALTERED:
        return look
    return look._replace(
        words=tr("The same as read from a picture"), rule=tr("Text recognition may have misread either side")
    )


def shade(colour: str, alpha: int) -> QColor:
    """``colour`` (``#RRGGBB``) with ``alpha`` 0 to 255."""
    shaded = QColor(colour)
    shaded.setAlpha(alpha)
    return shaded


def draw_focus(painter: QPainter, widget: QWidget, colour: str) -> None:
    """Draw a frame around ``widget`` if it has the keyboard focus."""
    if widget.hasFocus():
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colour), 2))
        painter.drawRect(QRectF(widget.rect()).adjusted(1, 1, -1, -1))


def blank(widget: QWidget, colour: str) -> QPixmap:
    """A pixmap of the size and resolution of ``widget``, filled with ``colour``."""
    ratio = widget.devicePixelRatioF()
    pixmap = QPixmap(round(widget.width() * ratio), round(widget.height() * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(colour))
    return pixmap


def draw_tier_line(painter: QPainter, box: QRectF, tier: int, colour: QColor, width: float = 1.2) -> None:
    """The underline of ``tier`` (a value of Tier) at the bottom of ``box``."""
    y = box.bottom() - width / 2
    if tier != Tier.ALTERED:
        pen = QPen(colour, width)
        if tier == Tier.FOLDED:
            pen.setDashPattern([3.5, 2.5])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(QPointF(box.left() + 1, y), QPointF(box.right() - 1, y))
    else:
        draw_wave(painter, box.left() + 1, box.right() - 1, y - 0.5, colour, width)


def draw_wave(painter: QPainter, left: float, right: float, y: float, colour: QColor, width: float) -> None:
    """A wavy line of height 4 around ``y`` from ``left`` to ``right``."""
    tile = _wave(colour.rgba(), width, painter.device().devicePixelRatioF())
    painter.drawTiledPixmap(QRectF(round(left), round(y) - 2, right - round(left), 4), tile)


@lru_cache(maxsize=64)
def _wave(rgba: int, width: float, ratio: float) -> QPixmap:
    """One period of a wave, as a pixmap: drawing curves as paths for every line would take a whole frame."""
    tile = QPixmap(round(6 * ratio), round(4 * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    path = QPainterPath(QPointF(-3, 2))
    for x in (-3, 0, 3, 6):
        bend = -1.9 if x % 2 else 1.9
        path.quadTo(QPointF(x + 1.5, 2 + bend), QPointF(x + 3, 2))
    with painting(tile) as painter:
        painter.setPen(QPen(QColor.fromRgba(rgba), width))
        painter.drawPath(path)
    return tile


def difference_colour(tokens: Tokens, kind: str) -> str:
    """The token colour of a difference, or of common text."""
    return {
        "inserted": tokens.inserted,
        "deleted": tokens.deleted,
        "replaced": tokens.replaced,
        "phrase": tokens.kept,
        "word": tokens.kept,
    }[kind]


def difference_words(kind: str) -> str:
    """The name of a difference, or of common text."""
    return {
        "inserted": tr("New words"),
        "deleted": tr("Words left out"),
        "replaced": tr("Replaced words"),
        "phrase": tr("Phrase continued"),
        "word": tr("Same word"),
    }[kind]


def draw_difference(painter: QPainter, box: QRectF, kind: str, tokens: Tokens) -> None:
    """Tint ``box`` and add the cue of ``kind``.

    Differences: inserted double line, deleted struck through, replaced framed. Common text: phrase thick line, word
    dotted line.
    """
    colour = QColor(difference_colour(tokens, kind))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(shade(colour.name(), 24 if kind == "word" else 58))
    painter.drawRoundedRect(box, 2, 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.3))
    if kind in ("phrase", "word"):
        style = Qt.PenStyle.SolidLine if kind == "phrase" else Qt.PenStyle.DotLine
        painter.setPen(QPen(colour, 2.2 if kind == "phrase" else 1.6, style, Qt.PenCapStyle.FlatCap))
        y = box.bottom() - 0.5
        # Gaps at both ends separate neighbours.
        painter.drawLine(QPointF(box.left() + 1, y), QPointF(box.right() - 1, y))
    elif kind == "inserted":
        for rise in (0.0, 3.0):
            y = box.bottom() - 0.5 - rise
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    elif kind == "deleted":
        y = box.center().y() + 0.5
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    else:
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)


def draw_apart(painter: QPainter, box: QRectF, colour: str) -> None:
    """Draw a dotted frame around ``box`` for text within the limits of a match that is not part of it."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(shade(colour, 200), 1, Qt.PenStyle.DotLine))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)


def draw_region(painter: QPainter, box: QRectF, tokens: Tokens) -> None:
    """Tint ``box`` like a region, with a region's bracket at its left."""
    painter.fillRect(box, shade(tokens.accent, 40))
    draw_bracket(painter, tokens, box.left() + 2, box.top() + 1, box.bottom() - 1)


def draw_bracket(painter: QPainter, tokens: Tokens, x: float, top: float, bottom: float) -> None:
    """The left bracket of a region from ``top`` to ``bottom``."""
    painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))
    for y in (top, bottom):
        painter.drawLine(QPointF(x - 1, y), QPointF(x + 5, y))
