"""A passage quoted in full with its differences marked; plain text, drawn like the documents."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.base.types import Span
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.kit.code_points import unwrapped
from workbench.gui.kit.cues import draw_apart, draw_difference, shade
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import text_font
from workbench.gui.theme.tokens import LIGHT, Tokens
from workbench.services.review.word_marks import outside

_PAD = 9
_LINES = 5
_LONGEST = 400
"""Maximum number of characters quoted."""


@guarded
class PassageQuote(QWidget):
    """Shows the first lines of a passage; a click goes there. ``differences`` are (start, end, kind)."""

    clicked = Signal()

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens = tokens
        self._lines = DocumentLayout("")
        self._language = "und"
        self._differences: Sequence[tuple[int, int, str]] = ()
        self._parts: Sequence[Span] = ()
        self._gaps: Sequence[Span] = ()
        self._colour = tokens.source(1)
        self._cut = False
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumHeight(40)

    def show_passage(
        self,
        text: str,
        language: str,
        colour: str,
        differences: Sequence[tuple[int, int, str]] = (),
        gaps: Sequence[Span] = (),
    ) -> None:
        """Quote ``text``; ``colour`` tints it except its ``gaps``, which are framed: they are not part of the match."""
        nearest = min((d[0] for d in differences), default=0)
        start = max(0, nearest - 30) if nearest > 160 else 0
        shift, end = start - (1 if start else 0), start + _LONGEST
        excerpt = ("…" if start else "") + unwrapped(text[start:end])
        length = len(excerpt)
        excerpt += "…" if end < len(text) else ""
        self._lines = DocumentLayout(excerpt)
        self._language, self._colour = language, colour
        self._differences = [
            (max(0, s - shift), min(length, e - shift), kind) for s, e, kind in differences if s - shift < length
        ]
        whole = [Span(0, length)]
        self._parts = outside(whole, [Span(max(0, gap.start - shift), max(0, gap.end - shift)) for gap in gaps])
        self._gaps = outside(whole, self._parts)
        self.setAccessibleName(excerpt)
        self._measure()
        self.updateGeometry()
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def _measure(self) -> None:
        self._lines.measure(text_font(self._language, 13), max(80, self.width() - 2 * _PAD))
        piece = self._lines.piece(0)
        count = piece.layout.lineCount()
        self._cut = count > _LINES
        self.setFixedHeight(round(min(count, _LINES) * self._lines.line_height) + 2 * _PAD - 4)

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setPen(QPen(QColor(self.tokens.border), 1))
            painter.setBrush(QColor(self.tokens.sunken))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            painter.setClipRect(QRectF(_PAD - 2, _PAD - 4, self.width() - 2 * _PAD + 4, self.height() - 2 * _PAD + 8))
            painter.translate(_PAD, _PAD - 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade(self._colour, self.tokens.highlight_alpha))
            for part in self._parts:
                for box in self._lines.boxes(0, *part):
                    painter.drawRoundedRect(box.adjusted(-1, 2, 1, -2), 3, 3)
            for gap in self._gaps:
                for box in self._lines.boxes(0, *gap):
                    draw_apart(painter, box.adjusted(0, 2, 0, -2), self._colour)
            for start, end, kind in self._differences:
                for box in self._lines.boxes(0, start, end):
                    draw_difference(painter, box.adjusted(0, 2, 0, -2), kind, self.tokens)
            painter.setPen(QColor(self.tokens.text))
            self._lines.piece(0).layout.draw(painter, QPointF(0, 0))
            if self._cut:
                painter.resetTransform()
                painter.setClipping(False)
                painter.setPen(QColor(self.tokens.text3))
                painter.drawText(
                    QRectF(self.rect()).adjusted(0, 0, -8, -1),
                    Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight,
                    "…",
                )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()
