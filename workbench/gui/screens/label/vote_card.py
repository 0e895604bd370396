"""One annotator's label for an entry, as a card."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from workbench.base.types import Label
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.services.labels.definitions import LabelSet

_LEAST, _LONGEST, _HEIGHT = 120, 240, 46


@guarded
class VoteCard(QWidget):
    """The annotator's name and note above, the value with its colour below; the whole note is the tip."""

    def __init__(self, theme: Theme, vote: Label, label_set: LabelSet) -> None:
        super().__init__()
        self._theme, self._vote = theme, vote
        value = label_set.value(vote.value)
        self._colour = value.colour if value is not None else 1
        self._above = f"{vote.who} · {' '.join(vote.note.split())}" if vote.note else vote.who
        self.setAccessibleName(f"{vote.who}: {vote.value}. {vote.note}".strip())
        self.setToolTip(f"{vote.who}: {vote.value}\n{vote.note}".strip())
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As wide as its words need, within limits."""
        above = QFontMetrics(font(12)).horizontalAdvance(self._above) + 24
        below = QFontMetrics(font(14, SEMIBOLD)).horizontalAdvance(self._vote.value) + 46
        return QSize(max(_LEAST, min(_LONGEST, max(above, below))), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """As :meth:`sizeHint`."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, name and note, spot and value."""
        tokens = self._theme.tokens
        with painting(self) as painter:
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            room = self.width() - 22
            middle = Qt.AlignmentFlag.AlignVCenter
            for words, face, colour, left, top in (
                (self._above, font(12), tokens.text2, 11, 4),
                (self._vote.value, font(14, SEMIBOLD), tokens.text, 28, 22),
            ):
                painter.setFont(face)
                painter.setPen(QColor(colour))
                cut = QFontMetrics(face).elidedText(words, Qt.TextElideMode.ElideRight, room - left + 11)
                painter.drawText(QRectF(left, top, room, 19), middle, cut)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.source(self._colour)))
            painter.drawEllipse(QRectF(12, 27, 10, 10))
