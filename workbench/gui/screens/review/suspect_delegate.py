"""How a suspect is drawn in the list."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath

from workbench.base.percent import percent
from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit.cards import LEFT, RIGHT, CardDelegate, draw_line
from workbench.gui.kit.words import score_figure
from workbench.gui.screens.review.suspects import ITEM_ROLE, SuspectItem, count_words, row_state
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens

_HEIGHT = 76
_BAR, _LEAST_BAR, _GAP = 84, 30, 8
"""Pixels of the bar, where there is room and where there is little, and before it."""


class SuspectDelegate(CardDelegate):
    """Three lines: title and score; best source and state; counts, languages, and a bar of coverage by tier."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _HEIGHT, ITEM_ROLE)

    def draw(self, painter: QPainter, item: SuspectItem, tokens: Tokens, area: QRect) -> None:
        """Draw one suspect."""
        bar = _words(painter, item, tokens, area)
        if bar:
            _bar(painter, item, tokens, QRectF(area.right() - 14 - bar, area.top() + 55, bar, 5))


def _words(painter: QPainter, item: SuspectItem, tokens: Tokens, area: QRect) -> int:
    """Draw the three lines; the width that the last leaves for the bar, none where whole documents were compared."""
    row = item.row
    left, width, top = area.left() + 14, area.width() - 28, area.top()
    figure = font(15, SEMIBOLD, tabular=True)
    used = draw_line(painter, score_figure(row.score), figure, tokens.text, QRect(left, top + 9, width, 19), RIGHT)
    title = font(13, SEMIBOLD, language=row.language)
    draw_line(painter, row.title or row.id, title, tokens.text, QRect(left, top + 9, width - used - 10, 19), LEFT)
    words, role = row_state(item)
    used = draw_line(painter, words, font(11), getattr(tokens, role), QRect(left, top + 29, width, 18), RIGHT)
    source = font(12, language=item.source_language)
    draw_line(painter, item.source, source, tokens.text2, QRect(left, top + 29, width - used - 10, 18), LEFT)
    languages = row.language if item.source_language == row.language else f"{row.language} → {item.source_language}"
    share = percent(item.coverage)
    if item.counted is not None and percent(item.counted) != share:
        share = f"{share} → {percent(item.counted)}"
    if item.verdict_counts:
        judged = sum(count for _, count in item.verdict_counts)
        parts = [
            judged_words(judged, item.passages),
            *(f"{n:,} {state_words(v)[0].lower()}" for v, n in item.verdict_counts),
        ]
    elif item.whole:
        parts = [count_words(item), *[tr("contained {share}", share=share)] * (item.coverage > 0), languages]
    else:
        parts = [count_words(item), share, languages]
    face = font(11, tabular=True)
    least = 0 if item.whole else _LEAST_BAR + _GAP
    while len(parts) > 1 and _used(face, " · ".join(parts)) > width - least:
        parts.pop()
    line = " · ".join(parts)
    bar = 0 if item.whole else max(_LEAST_BAR, min(_BAR, width - _GAP - _used(face, line)))
    room = width - (bar + _GAP if bar else 0)
    draw_line(painter, line, face, tokens.text3, QRect(left, top + 49, room, 17), LEFT)
    return bar


def _used(face: QFont, words: str) -> int:
    """Pixels that ``words`` take on one line, uncut: their width is a fraction, and rounded."""
    return QFontMetrics(face).horizontalAdvance(words) + 2


def judged_words(judged: int, passages: int) -> str:
    """How many of the passages are judged."""
    return tr("{judged} of {total} judged", judged=f"{judged:,}", total=f"{passages:,}")


def _bar(painter: QPainter, item: SuspectItem, tokens: Tokens, box: QRectF) -> None:
    """The share of the suspect that its passages cover, split by tier."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.track))
    painter.drawRoundedRect(box, 2.5, 2.5)
    total = sum(item.tiers)
    if not total:
        return
    filled = max(4.0, box.width() * min(1.0, item.coverage))
    clip = QPainterPath()
    clip.addRoundedRect(QRectF(box.left(), box.top(), filled, box.height()), 2.5, 2.5)
    painter.setClipPath(clip)
    left = box.left()
    for tier, count in enumerate(item.tiers):
        width = filled * count / total
        painter.fillRect(QRectF(left, box.top(), width, box.height()), QColor(tokens.tier(tier)))
        left += width
    painter.setClipping(False)
