"""Small drawn figures: a ring for a share, a bar for an evidence figure, a swatch of a tier or difference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from workbench.base.messages import percent
from workbench.gui.kit.cues import draw_difference, draw_region, draw_tier_line, shade
from workbench.gui.kit.layouts import clear
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

_RING, _WORD = 66, 16
"""Pixels of a ring, and of the line below it."""
_INSIDE = 46
"""Pixels across which a percentage fits into the ring."""


@guarded
class Ring(QWidget):
    """A share, 0 to 1, as a ring with its percentage, and its name below."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens, self._colour = tokens, tokens.accent
        self._share: float | None = None
        self._word = ""
        self.setFixedSize(_RING, _RING + _WORD)

    def show_share(self, share: float | None, colour: str, tokens: Tokens, name: str, word: str) -> None:
        """Show ``share`` (None: not yet known); ``name`` describes it, ``word`` is its short form."""
        self._share, self._colour, self.tokens, self._word = share, colour, tokens, word
        self.setToolTip(name)
        self.setAccessibleName(f"{name}: {self._text()}")
        self.setFixedWidth(max(_RING, QFontMetrics(font(11)).horizontalAdvance(word) + 2))
        self.update()

    def _text(self) -> str:
        """The percentage as lists and reports have it: only a share of 1 shows 100 %."""
        return "…" if self._share is None else percent(self._share)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            area = QRectF((self.width() - 56) / 2, 5, 56, 56)
            painter.setPen(QPen(QColor(self.tokens.track), 6))
            painter.drawEllipse(area)
            painter.setPen(QPen(QBrush(QColor(self._colour)), 6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawArc(area, 90 * 16, round(-360 * 16 * (self._share or 0)))
            painter.setPen(QColor(self.tokens.text))
            words = self._text()
            for size in (15, 14, 13, 12):
                painter.setFont(font(size, SEMIBOLD, tabular=True))
                if painter.fontMetrics().horizontalAdvance(words) <= _INSIDE:
                    break
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)
            painter.setFont(font(11))
            painter.setPen(QColor(self.tokens.text2))
            painter.drawText(QRectF(0, _RING, self.width(), _WORD), Qt.AlignmentFlag.AlignCenter, self._word)


class FigureWords(NamedTuple):
    """One figure: name, note, value, its share (0 to 1) of the maximum (None: no bar), and a tooltip.

    ``signed``: the share, from -1 to 1, is a bar to the left or the right of the middle.
    """

    name: str
    note: str
    value: str
    share: float | None
    tip: str = ""
    signed: bool = False


_LINE, _BAR, _MARGIN = 18, 15, 3
"""Heights: of the line with name and value, of the bar, and of the margin without a bar."""


@guarded
class FigureBar(QWidget):
    """One figure in words, with a bar for its share; a note that does not fit beside it is below it, in full."""

    def __init__(self, words: FigureWords, colour: str, tokens: Tokens) -> None:
        super().__init__()
        self.setToolTip(words.tip)
        self._words, self._colour, self._tokens = words, colour, tokens
        self._fit()
        self.setAccessibleName(f"{words.name} {words.value} {words.note}".strip())

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Adapt the height to the text at this width."""
        of_name, of_value, of_note = font(12), font(12, MEDIUM, tabular=True), font(11)
        self._after = QFontMetrics(of_name).horizontalAdvance(self._words.name) + 8
        self._room = self.width() - self._after - QFontMetrics(of_value).horizontalAdvance(self._words.value) - 8
        note = QFontMetrics(of_note)
        self.is_note_below = note.horizontalAdvance(self._words.note) > self._room
        room = QRect(0, 0, self.width(), 1 << 12)
        wrapped = note.boundingRect(room, Qt.TextFlag.TextWordWrap, self._words.note).height()
        self._below = wrapped if self.is_note_below else 0
        self.setFixedHeight(_LINE + self._below + (_MARGIN if self._words.share is None else _BAR))

    def paintEvent(self, event: QPaintEvent) -> None:
        name, note, value, share, _tip, signed = self._words
        tokens, width, middle = self._tokens, self.width(), Qt.AlignmentFlag.AlignVCenter
        with painting(self) as painter:
            painter.setFont(font(12))
            painter.setPen(QColor(tokens.text))
            painter.drawText(QRectF(0, 0, width, _LINE), middle, name)
            painter.setFont(font(12, MEDIUM, tabular=True))
            painter.drawText(QRectF(0, 0, width, _LINE), middle | Qt.AlignmentFlag.AlignRight, value)
            painter.setFont(font(11))
            painter.setPen(QColor(tokens.text3))
            if self.is_note_below:
                painter.drawText(QRectF(0, _LINE - 2, width, self._below), Qt.TextFlag.TextWordWrap, note)
            else:
                painter.drawText(QRectF(self._after, 0, self._room, _LINE), middle, note)
            if share is not None:
                top = self.height() - 11
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(tokens.track))
                painter.drawRoundedRect(QRectF(0, top, width, 5), 2.5, 2.5)
                painter.setBrush(QColor(tokens.text3 if share < 0 else self._colour))
                whole = width / 2 if signed else float(width)
                length = max(4.0, whole * min(1.0, abs(share)))
                start = (whole if share >= 0 else whole - length) if signed else 0.0
                if share:
                    painter.drawRoundedRect(QRectF(start, top, length, 5), 2.5, 2.5)


def show_figures(layout: QBoxLayout, figures: Iterable[FigureWords], colour: str, tokens: Tokens) -> None:
    """Replace the contents of ``layout`` with a bar for each of ``figures``."""
    clear(layout)
    for words in figures:
        layout.addWidget(FigureBar(words, colour, tokens))


@guarded
class Swatch(QWidget):
    """A sample for legends: a tier or rarity (0 to 2), a source, a difference (by name), a region, or ignored text."""

    def __init__(
        self,
        tokens: Tokens,
        tier: int | None = None,
        difference: str = "",
        source: int = 0,
        *,
        cue: Literal["", "region", "hatching", "bar", "compared"] = "",
        rarity: int | None = None,
    ) -> None:
        super().__init__()
        self._cue, self._rarity = cue, rarity
        self.tokens, self._tier, self._difference, self._source = tokens, tier, difference, source
        self.setFixedSize(18, 14)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def show_tier(self, tier: int, tokens: Tokens) -> None:
        """Show the sample of ``tier``."""
        self._tier = tier
        self.set_tokens(tokens)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            box = QRectF(1, 1, 16, 12)
            if self._difference:
                draw_difference(painter, box, self._difference, self.tokens)
                return
            if self._cue:
                self._draw_cue(painter, box)
                return
            colour = self.tokens.text3
            if self._source:
                colour = self.tokens.source(self._source)
            elif self._rarity is not None:
                colour = self.tokens.rarity[self._rarity]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade(colour, 110 if self._tier is None else 50))
            painter.drawRoundedRect(box, 3, 3)
            cue = self._tier if self._rarity is None else self._rarity
            if cue is not None:
                draw_tier_line(painter, box, cue, QColor(colour if self._tier is None else self.tokens.text), 1.6)

    def _draw_cue(self, painter: QPainter, box: QRectF) -> None:
        if self._cue == "region":
            draw_region(painter, box, self.tokens)
        elif self._cue == "hatching":
            painter.fillRect(box, QBrush(QColor(self.tokens.text3), Qt.BrushStyle.BDiagPattern))
        elif self._cue == "bar":
            painter.fillRect(QRectF(box.left(), box.top() + 2, box.width(), 4), QColor(self.tokens.rarity[1]))
        else:
            painter.setFont(font(11, SEMIBOLD))
            painter.setPen(QColor(self.tokens.accent))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "a=A")
