"""How a suspect is drawn in the list."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.gui.i18n import tr, trn
from workbench.gui.models.suspects import ITEM_ROLE, SuspectItem
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.gui.views.review.verdicts import state_words

HEIGHT = 76
_BAR = 84
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class SuspectDelegate(QStyledItemDelegate):
    """Three lines: title and score; best source and state; languages, counts, and a bar of coverage by tier."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Every row is as high."""
        return QSize(200, HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one suspect."""
        item: SuspectItem = index.data(ITEM_ROLE)
        tokens = self._theme.tokens
        area, state = QRect(option.rect), option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(tokens.accent_soft))
            painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), QColor(tokens.accent))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(tokens.hover))
        painter.setPen(QColor(tokens.border))
        painter.drawLine(area.left() + 14, area.bottom(), area.right() - 12, area.bottom())
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(tokens.accent), 1))
            painter.drawRect(QRectF(area).adjusted(1.5, 1.5, -1.5, -1.5))
        _words(painter, item, tokens, area)
        if not item.whole:
            _bar(painter, item, tokens, QRectF(area.right() - 14 - _BAR, area.top() + 55, _BAR, 5))
        painter.restore()


def _words(painter: QPainter, item: SuspectItem, tokens: Tokens, area: QRect) -> None:
    row = item.row
    left, width, top = area.left() + 14, area.width() - 28, area.top()
    score = f"{row.score:.2f}" if row.score < 10 else f"{row.score:,.0f}"
    used = _text(painter, score, font(15, SEMIBOLD, tabular=True), tokens.text, QRect(left, top + 9, width, 19), _RIGHT)
    title = font(13, SEMIBOLD, language=row.language)
    _text(painter, row.title or row.id, title, tokens.text, QRect(left, top + 9, width - used - 10, 19), _LEFT)
    words, role = state_words(item.state)
    used = _text(painter, words, font(11), getattr(tokens, role), QRect(left, top + 29, width, 18), _RIGHT)
    source = font(12, language=item.source_language)
    _text(painter, item.source, source, tokens.text2, QRect(left, top + 29, width - used - 10, 18), _LEFT)
    languages = row.language if item.source_language == row.language else f"{row.language} → {item.source_language}"
    share = f"{int(row.coverage * 100)}%"
    if item.whole:
        parts = [languages, trn("{count} pair", "{count} pairs", item.matches)]
        parts += [tr("contained {share}", share=share)] * (row.coverage > 0)
    else:
        parts = [languages, trn("{count} match", "{count} matches", item.matches), share]
    line, room = " · ".join(parts), width - (0 if item.whole else _BAR + 8)
    _text(painter, line, font(11, tabular=True), tokens.text3, QRect(left, top + 49, room, 17), _LEFT)


def _text(painter: QPainter, text: str, face: QFont, colour: str, box: QRect, side: Qt.AlignmentFlag) -> int:
    """Draw one elided line; its width."""
    metrics = QFontMetrics(face)
    cut = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, max(0, box.width()))
    painter.setFont(face)
    painter.setPen(QColor(colour))
    painter.drawText(box, int(side | Qt.TextFlag.TextSingleLine), cut)
    return metrics.horizontalAdvance(cut)


def _bar(painter: QPainter, item: SuspectItem, tokens: Tokens, box: QRectF) -> None:
    """The share of the suspect that its passages cover, split by tier."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.track))
    painter.drawRoundedRect(box, 2.5, 2.5)
    total = sum(item.tiers)
    if not total:
        return
    filled = max(4.0, box.width() * min(1.0, item.row.coverage))
    clip = QPainterPath()
    clip.addRoundedRect(QRectF(box.left(), box.top(), filled, box.height()), 2.5, 2.5)
    painter.setClipPath(clip)
    left = box.left()
    for tier, count in enumerate(item.tiers):
        width = filled * count / total
        painter.fillRect(QRectF(left, box.top(), width, box.height()), QColor(tokens.tier(tier)))
        left += width
    painter.setClipping(False)
