"""The confusion matrix as four cells to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.cues import draw_focus, shade
from workbench.gui.problems import guarded, painting, restored
from workbench.gui.theme.fonts import MEDIUM, SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

CELLS = (("true_positive", "false_positive"), ("false_negative", "true_negative"))
"""Rows: selected and not; columns: positive and negative."""
_HEAD, _SIDE, _WRAPPED_SIDE = 22, 24, 38
"""Space above and beside the cells; the text beside low cells takes two lines, and beside lower ones it is upright."""


def cell_words(cell: str) -> str:
    """A cell in words."""
    return {
        "true_positive": tr("True positives"),
        "false_positive": tr("False positives"),
        "false_negative": tr("False negatives"),
        "true_negative": tr("True negatives"),
    }[cell]


def _rows() -> tuple[str, str]:
    return tr("Selected"), tr("Not selected")


@guarded
class ConfusionMatrix(QWidget):
    """Counts of the four cells. ``chosen`` emits the cell that is clicked or reached with the arrow keys."""

    chosen = Signal(str)
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tokens = LIGHT
        self.cell = "false_positive"
        self._counts: Mapping[str, int] = {}
        self._notes = ("", "")
        self.setMinimumSize(170, 78)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Confusion matrix"))
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(260, 160)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def show_counts(self, counts: Mapping[str, int], unlabelled: tuple[str, str]) -> None:
        """Show counts by cell, and a note on unlabelled items beside each row."""
        if (counts, unlabelled) != (self._counts, self._notes):
            self._counts, self._notes = counts, unlabelled
            self._describe()
            self.update()

    def choose(self, cell: str) -> None:
        """Highlight a cell; "" for none."""
        self.cell = cell
        self._describe()
        self.update()

    def _describe(self) -> None:
        words = [f"{cell_words(cell)} {count:,}" for cell, count in self._counts.items()]
        chosen = tr("selected: {cell}", cell=cell_words(self.cell)) if self.cell else ""
        self.setAccessibleDescription(", ".join([*words, chosen]))

    def _side(self, height: float) -> int:
        """Space for the text beside cells of ``height``."""
        if self._widest(_rows()) <= height:
            return _SIDE
        word = self._widest([word for words in _rows() for word in words.split()])
        return _WRAPPED_SIDE if word <= height else word + 10

    @staticmethod
    def _widest(texts: Sequence[str]) -> int:
        return max(map(QFontMetrics(font(11)).horizontalAdvance, texts))

    def _box(self, row: int, column: int) -> QRectF:
        height = (self.height() - _HEAD - 8) / 2
        side = self._side(height)
        width = (self.width() - side - 8) / 2
        return QRectF(side + column * (width + 4), _HEAD + row * (height + 4), width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setFont(font(11))
            painter.setPen(QColor(self.tokens.text2))
            middle = int(Qt.AlignmentFlag.AlignCenter)
            for column, words in enumerate((tr("Labelled positive"), tr("Labelled negative"))):
                box = self._box(0, column)
                painter.drawText(QRectF(box.left(), 2, box.width(), _HEAD - 4), middle, words)
            wrapped = middle | int(Qt.TextFlag.TextWordWrap)
            for row, words in enumerate(_rows()):
                box = self._box(row, 0)
                with restored(painter):
                    painter.translate(2, box.center().y())
                    beside = QRectF(0, -box.height() / 2, box.left() - 6, box.height())
                    if box.left() <= _WRAPPED_SIDE:
                        painter.rotate(-90)
                        beside = QRectF(beside.top(), 0, beside.height(), beside.width())
                    painter.drawText(beside, wrapped, words)
                for column in range(2):
                    with restored(painter):
                        self._draw_cell(painter, row, column)
            draw_focus(painter, self, self.tokens.accent)

    def _draw_cell(self, painter: QPainter, row: int, column: int) -> None:
        cell, box = CELLS[row][column], self._box(row, column)
        wrong = cell.startswith("false")
        tint = self.tokens.danger if wrong else self.tokens.ok
        on = cell == self.cell
        painter.setBrush(shade(tint, 58 if on else 24))
        painter.setPen(QPen(QColor(tint if on else self.tokens.border), 2 if on else 1))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        painter.setPen(QColor(self.tokens.text))
        painter.setFont(font(18 if box.height() > 54 else 14, SEMIBOLD, tabular=True))
        count = f"{self._counts.get(cell, 0):,}" if self._counts else "–"
        count = f"{'✗' if wrong else '✓'} {count}" if box.height() < 38 else count
        note = self._notes[row] if column else ""
        low = box.height() < 38
        upper = QRectF(
            box.left() + 6, box.top() + 3, box.width() - 12, box.height() - 6 if low else box.height() * 0.56
        )
        painter.drawText(upper, int(Qt.AlignmentFlag.AlignCenter), count)
        if low:
            return
        painter.setFont(font(11, MEDIUM if on else font(11).weight()))
        painter.setPen(QColor(self.tokens.text2))
        metrics = QFontMetrics(painter.font())
        mark = "✓ " if not wrong else "✗ "
        words = metrics.elidedText(mark + cell_words(cell), Qt.TextElideMode.ElideRight, int(box.width() - 8))
        lower = QRectF(box.left() + 4, upper.bottom() - 2, box.width() - 8, 16)
        painter.drawText(lower, int(Qt.AlignmentFlag.AlignCenter), words)
        if note and box.height() > 72:
            painter.setPen(QColor(self.tokens.text3))
            note = metrics.elidedText(note, Qt.TextElideMode.ElideRight, int(box.width() - 8))
            painter.drawText(lower.translated(0, 15), int(Qt.AlignmentFlag.AlignCenter), note)

    def _place(self) -> tuple[int, int]:
        places = {cell: (row, column) for row, line in enumerate(CELLS) for column, cell in enumerate(line)}
        return places.get(self.cell, (0, 0))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        for row in range(2):
            for column in range(2):
                if self._box(row, column).contains(event.position()):
                    self.chosen.emit(CELLS[row][column])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move from cell to cell; Enter moves to the list."""
        row, column = self._place()
        moves = {
            Qt.Key.Key_Left: (row, 0),
            Qt.Key.Key_Right: (row, 1),
            Qt.Key.Key_Up: (0, column),
            Qt.Key.Key_Down: (1, column),
        }
        place = moves.get(Qt.Key(event.key()))
        if place is not None:
            self.chosen.emit(CELLS[place[0]][place[1]])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)
