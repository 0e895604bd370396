"""Documents × documents: the similarity of each pair, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.base.types import Ints
from workbench.gui.i18n import tr
from workbench.gui.kit.columns import decimal
from workbench.gui.kit.cues import draw_focus, shade
from workbench.gui.kit.words import score_figure
from workbench.gui.problems import guarded, painting, restored
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT, Tokens, luminance, mixed

_LABEL, _EDGE, _GAP = 150, 18, 8
_LEGIBLE, _WRITTEN = 13.0, 34.0
"""Minimum cell size in pixels for which titles, and figures in cells, are drawn."""
_LARGEST = 52.0


@dataclass(frozen=True, slots=True)
class MatrixContent:
    """n documents by ``keys``, ``value`` float32[n, n] (NaN: no pair), ``row`` int32[n, n] (-1: no pair).

    ``titles``, ``hosts`` and ``languages`` of the documents; ``bounds`` are the positions where clusters begin;
    ``figure`` is the name of the values.
    """

    keys: Ints
    titles: Sequence[str]
    hosts: Sequence[str]
    languages: Sequence[str]
    value: NDArray[np.float32]
    row: NDArray[np.int32]
    bounds: Sequence[int]
    figure: str

    @classmethod
    def empty(cls) -> MatrixContent:
        """No documents."""
        square = np.zeros((0, 0), np.float32)
        return cls(np.zeros(0, np.int64), (), (), (), square, square.astype(np.int32), (), "")


@guarded
class PairMatrix(QWidget):
    """``pair_chosen`` and ``opened`` emit a pair's row in the run's columns.

    Arrow keys move the chosen cell, with Ctrl to the next pair in that direction; Enter opens it.
    """

    pair_chosen = Signal(int)
    opened = Signal(int)

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens = tokens
        self._content = MatrixContent.empty()
        self._image = QImage()
        self._image_for = ""
        """The theme in which the image shows the content; "" for none."""
        self.cell = (-1, -1)
        """Chosen row and column; -1 for none."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(240, 200)
        self.setAccessibleName(tr("Matrix of pages"))

    def set_content(self, content: MatrixContent) -> None:
        """Show ``content``; the chosen pair remains chosen if still present."""
        i, j = self.cell
        row = int(self._content.row[i, j]) if i >= 0 else -1
        self._content, self.cell, self._image_for = content, (-1, -1), ""
        self.choose_pair(row)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def choose_pair(self, row: int) -> None:
        """Highlight the pair in ``row`` of the run's columns (-1: none) without emitting a signal."""
        cells = np.argwhere(self._content.row == row).tolist() if row >= 0 else []
        self.cell = (cells[0][0], cells[0][1]) if cells else (-1, -1)
        self.update()

    def _area(self) -> tuple[QRectF, float]:
        """The square of the cells, and the size of a cell in pixels."""
        count = max(1, len(self._content.keys))
        room = min(self.width() - _LABEL - _EDGE, self.height() - _LABEL - _EDGE)
        cell = min(_LARGEST, room / count)
        if cell < _LEGIBLE:
            cell = min(self.width(), self.height() - 30) / count - 2 * _EDGE / count
            side = cell * count
            return QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side), cell
        side = cell * count
        left = _LABEL + max(0.0, (self.width() - _LABEL - _EDGE - side) / 2)
        top = _LABEL + max(0.0, (self.height() - _LABEL - _EDGE - side) / 2)
        return QRectF(left, top, side, side), cell

    def cell_centre(self, i: int, j: int) -> QPointF:
        """The middle of row ``i``, column ``j``, in pixels."""
        area, cell = self._area()
        return QPointF(area.left() + (j + 0.5) * cell, area.top() + (i + 0.5) * cell)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self, smooth=False) as painter:
            painter.fillRect(self.rect(), QColor(self.tokens.surface))
            count = len(self._content.keys)
            area, cell = self._area()
            if count:
                if self.tokens.name != self._image_for:
                    self._image, self._image_for = self._drawn(), self.tokens.name
                painter.drawImage(area, self._image)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._frames(painter, area, cell)
                if cell >= _LEGIBLE:
                    self._titles(painter, area, cell)
                if cell >= _WRITTEN:
                    self._figures(painter, area, cell)
            if self.cell[0] >= 0:
                i, j = self.cell
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(shade(self.tokens.accent, 120), 1))
                painter.drawRect(QRectF(area.left(), area.top() + i * cell, area.width(), max(2.0, cell)))
                painter.drawRect(QRectF(area.left() + j * cell, area.top(), max(2.0, cell), area.height()))
                size = max(7.0, cell)
                middle = self.cell_centre(i, j)
                painter.setPen(QPen(QColor(self.tokens.accent), 2.4))
                painter.drawRect(QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size))
            draw_focus(painter, self, self.tokens.accent)

    def _strength(self) -> NDArray[np.float32]:
        """Values scaled to 0 to 1; figures that exceed 1 are scaled logarithmically."""
        value = self._content.value
        most = float(np.nanmax(value)) if np.isfinite(value).any() else 1.0
        if most <= 1:
            return value.clip(0, 1)
        strength: NDArray[np.float32] = (np.log1p(np.maximum(value, 0)) / np.log1p(most)).astype(np.float32)
        return strength

    def _drawn(self) -> QImage:
        tokens = self.tokens
        table = np.array(
            [_rgb(mixed(tokens.accent, tokens.surface, 70 + round(185 * at / 255))) for at in range(256)], np.uint32
        )
        strength = self._strength()
        there = np.isfinite(strength)
        pixels = np.full(strength.shape, _rgb(tokens.sunken), np.uint32)
        pixels[there] = table[(strength[there] * 255).astype(np.uint8)]
        np.fill_diagonal(pixels, _rgb(tokens.track))
        pixels = np.ascontiguousarray(pixels)
        height, width = len(pixels), len(pixels)
        return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGB32).copy()

    def _frames(self, painter: QPainter, area: QRectF, cell: float) -> None:
        tokens, count = self.tokens, len(self._content.keys)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if cell >= _LEGIBLE:
            painter.setPen(QPen(QColor(tokens.surface), 1))
            for at in range(1, count):
                painter.drawLine(
                    QPointF(area.left() + at * cell, area.top()), QPointF(area.left() + at * cell, area.bottom())
                )
                painter.drawLine(
                    QPointF(area.left(), area.top() + at * cell), QPointF(area.right(), area.top() + at * cell)
                )
        painter.setPen(QPen(QColor(tokens.border2), 1))
        painter.drawRect(area)
        edges = [*self._content.bounds, count]
        for start, end in pairwise(edges):
            side = (end - start) * cell
            if side >= 4:
                painter.drawRect(QRectF(area.left() + start * cell, area.top() + start * cell, side, side))

    def _titles(self, painter: QPainter, area: QRectF, cell: float) -> None:
        for at, title in enumerate(self._content.titles):
            face = font(11, language=self._content.languages[at])
            metrics = QFontMetrics(face)
            host, room = self._content.hosts[at], _LABEL - 2 * _GAP
            words = " ".join(title.split())
            if host:
                host = metrics.elidedText(host, Qt.TextElideMode.ElideMiddle, room // 2)
                start = metrics.elidedText(
                    words, Qt.TextElideMode.ElideRight, room - metrics.horizontalAdvance(f" · {host}")
                )
                words = f"{start} · {host}"
            text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.setFont(face)
            painter.setPen(QColor(self.tokens.text if at in self.cell else self.tokens.text2))
            box = QRectF(area.left() - _LABEL, area.top() + at * cell, _LABEL - _GAP, cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            with restored(painter):
                painter.translate(area.left() + (at + 0.5) * cell, area.top() - _GAP)
                painter.rotate(-90)
                painter.drawText(QRectF(0, -cell / 2, _LABEL, cell), Qt.AlignmentFlag.AlignVCenter, text)

    def _figures(self, painter: QPainter, area: QRectF, cell: float) -> None:
        painter.setFont(font(11, tabular=True))
        strength = self._strength()
        for i, j in np.argwhere(self._content.row >= 0).tolist():
            value = float(self._content.value[i, j])
            ground = mixed(self.tokens.accent, self.tokens.surface, 70 + round(185 * float(strength[i, j])))
            dark = luminance(ground) < 0.32
            colours = (self.tokens.text, self.tokens.accent_text)
            light, ink = sorted(colours, key=luminance, reverse=True)
            painter.setPen(QColor(light if dark else ink))
            box = QRectF(area.left() + j * cell, area.top() + i * cell, cell, cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, score_figure(value))

    # -- pointer and keys

    def _at(self, place: QPointF) -> tuple[int, int]:
        """Row and column at ``place``; -1 outside."""
        area, cell = self._area()
        if not len(self._content.keys) or not area.contains(place):
            return -1, -1
        last = len(self._content.keys) - 1
        i, j = int((place.y() - area.top()) / cell), int((place.x() - area.left()) / cell)
        return min(i, last), min(j, last)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        i, j = self._at(event.position())
        if i < 0 or i == j:
            QToolTip.hideText()
            return
        value = float(self._content.value[i, j])
        written = tr("no pair") if np.isnan(value) else f"{self._content.figure} {decimal(value)}"
        words = f"{self._named(i)}\n{self._named(j)}\n{written}"
        QToolTip.showText(event.globalPosition().toPoint(), words, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(*self._at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(*self._at(event.position()))
            self._open()

    def event(self, event: QEvent) -> bool:
        """Suppress the tooltip of the window behind."""
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)

    def _choose(self, i: int, j: int) -> None:
        if i < 0:
            return
        self.cell = (i, j)
        row = int(self._content.row[i, j])
        words = f"{self._named(i)}, {self._named(j)}"
        self.setAccessibleDescription(words if row >= 0 else f"{words}: {tr('no pair')}")
        if row >= 0:
            self.pair_chosen.emit(row)
        self.update()

    def _named(self, at: int) -> str:
        """The whole title of a document, and its host."""
        return " · ".join(filter(None, (self._content.titles[at], self._content.hosts[at])))

    def _open(self) -> None:
        if self.cell[0] >= 0 and self._content.row[self.cell] >= 0:
            self.opened.emit(int(self._content.row[self.cell]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See the class."""
        ways = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        key, count = Qt.Key(event.key()), len(self._content.keys)
        if key in ways and count:
            i, j = self.cell
            if i < 0:
                there = np.argwhere(self._content.row >= 0)
                self._choose(*(int(v) for v in (there[0] if len(there) else (0, 0))))
                return
            down, right = ways[key]
            far = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            while 0 <= i + down < count and 0 <= j + right < count:
                i, j = i + down, j + right
                if not far or self._content.row[i, j] >= 0:
                    self._choose(i, j)
                    break
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        else:
            super().keyPressEvent(event)


def _rgb(colour: str) -> int:
    """``#RRGGBB`` as the number of an opaque pixel."""
    return 0xFF000000 | int(colour[1:], 16)
