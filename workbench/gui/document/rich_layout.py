"""Geometry of a document laid out as a page: headings, lists, tables, quotations, code, emphasis, places of pictures.

It is built only from the blocks and text formats that the document's reader stored: nothing in the file is interpreted,
executed or fetched.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QTextCharFormat, QTextLayout

from workbench.base.types import Block, BlockClass, Document, LookKind
from workbench.gui.document.layout import DocumentLayout, Flow
from workbench.gui.i18n import trn
from workbench.gui.kit.code_points import Utf16Map
from workbench.gui.theme.fonts import MONO, SEMIBOLD, font
from workbench.gui.theme.tokens import Tokens
from workbench.text.markup.frames import INDENT, Cell, Frame, column_edges, frames_of, size_of

_PAD = 6.0
"""Padding of a cell, in pixels."""
_PICTURE = 2.4
"""Height of a picture's placeholder, in lines."""


class _Part(NamedTuple):
    """A part of a table row: start, end, and its cell."""

    start: int
    end: int
    cell: Cell


class _Shape(NamedTuple):
    """The shape of a piece: its enclosing blocks, list marker, whether it begins and ends its block, and the parts of a
    table row with the edges of its columns.
    """

    frame: Frame
    marker: str = ""
    begins: bool = True
    ends: bool = True
    parts: tuple[_Part, ...] = ()
    edges: tuple[float, ...] = (0.0, 1.0)

    @property
    def size(self) -> float:
        """Font size relative to the text's."""
        return size_of(self.frame)

    @property
    def indent(self) -> float:
        """Indent, relative to the text's font size."""
        return INDENT * (self.frame.lists + self.frame.quotes)


class RichLayout(DocumentLayout):
    """The position of each character of ``document``, which has blocks, on a generated page."""

    def __init__(self, document: Document) -> None:
        # Line ends within a block are kept: in code, verse, or an address.
        super().__init__(document.text)
        self.cite(document)
        self._shapes = self._shape(document.blocks)
        self._sizes = np.array([shape.size for shape in self._shapes])
        self._indents = np.array([shape.indent for shape in self._shapes])
        self._begin_sections = np.array([shape.frame.level > 0 and shape.begins for shape in self._shapes])
        self._begin_sections[0] = False
        self._above: NDArray[np.float64] = np.zeros(len(self.starts))
        self.heights, self.tops = np.ones(len(self.starts)), np.zeros(len(self.starts) + 1)
        looks = document.extraction.looks
        at = np.array(list(_pictures(document)), np.int64)
        self._pictures = np.bincount(self.starts.searchsorted(at), minlength=len(self.starts) + 1)
        """The number of pictures above each piece, and below the last."""
        self._looks = [look for look in looks if not look.kind & LookKind.PICTURE]
        self._look_ends = np.array([look.span.end for look in self._looks], np.int64)

    def _shape(self, blocks: Sequence[Block]) -> list[_Shape]:
        """The shapes of all pieces; the pieces of a table row are merged."""
        own = np.array([block.span.start for block in blocks], np.int64).searchsorted(self.starts, "right") - 1
        frames = frames_of(blocks)
        columns = column_edges(blocks, frames)
        shapes: list[_Shape] = []
        kept: list[int] = []
        ends: list[int] = []
        seen: set[str] = set()
        number = -1
        for index, block in enumerate(own.tolist()):
            start, end = int(self.starts[index]), int(self.ends[index])
            # Text before the first block, or after the end of a block, is in no block.
            frame = frames[block] if block >= 0 and start < max(1, blocks[block].span.end) else Frame()
            cell = frame.cell
            if cell is not None and cell.table in columns:
                part = _Part(start, end, cell)
                before = shapes[-1].parts if shapes else ()
                if before and before[-1].cell.row == cell.row and cell.column >= before[-1].cell.column:
                    shapes[-1] = shapes[-1]._replace(parts=(*before, part))
                    ends[-1] = end
                    continue
                shape = _Shape(Frame(), parts=(part,), edges=columns[cell.table])
            else:
                marker = ""
                if frame.item and frame.item not in seen:
                    seen.add(frame.item)
                    marker = f"{frame.number}." if frame.number else "•"
                shape = _Shape(frame, marker, block != number or block < 0)
                if shapes and block == number:
                    shapes[-1] = shapes[-1]._replace(ends=False)
            number = block
            shapes.append(shape)
            kept.append(index)
            ends.append(end)
        self.starts, self.ends = self.starts[kept], np.array(ends, np.int64)
        self.numbers, self.continued = self.numbers[kept], self.continued[kept]
        return shapes

    # -- measures

    def _space(self) -> None:
        gaps = []
        for shape, following in pairwise([*self._shapes, _Shape(Frame())]):
            if shape.parts:
                gap = 0.0 if following.parts else self._gap
            elif not shape.ends:
                gap = 0.0
            elif shape.frame.lists and following.frame.lists:
                gap = self._gap / 3
            else:
                gap = self._gap
            gaps.append(gap)
        self._below = np.array(gaps)
        self._above = np.where(self._begin_sections, self._gap * self._sizes, 0.0)
        picture = _PICTURE * self.line_height + self._gap
        self._above += np.where(self._pictures[:-1] > 0, picture, 0.0)
        if self._pictures[-1]:
            self._below[-1] += picture

    def _estimated(self, pixels: NDArray[np.float64], ragged: float) -> NDArray[np.float64]:
        width = np.maximum(4 * ragged, self._width - self._indents * self._font.pixelSize() - ragged)
        lines = np.maximum(1, np.ceil(pixels * self._sizes / width))
        code = np.array([shape.frame.is_code for shape in self._shapes])
        empty = np.where(code, self.line_height, self.line_height * 0.5)
        full = lines * np.round(self.line_height * self._sizes) + self._below + self._above
        return np.where(self.ends == self.starts, empty, full)

    def _lay(self, index: int) -> tuple[tuple[Flow, ...], float]:
        shape, above = self._shapes[index], float(self._above[index])
        if shape.parts:
            return self._lay_row(shape, above)
        indent = shape.indent * self._font.pixelSize()
        column = (indent, above, max(60.0, self._width - indent))
        flow = self._flow(
            int(self.starts[index]),
            int(self.ends[index]),
            self._face(shape.frame),
            column,
            float(round(self.line_height * shape.size)),
            self._formats_of_looks,
        )
        return (flow,), above + flow.height

    def _lay_row(self, shape: _Shape, above: float) -> tuple[tuple[Flow, ...], float]:
        bottoms: dict[int, float] = {}
        flows = []
        for start, end, cell in shape.parts:
            top = bottoms.get(cell.column, above + _PAD / 2)
            left, right = (self._width * edge for edge in shape.edges[cell.column - 1 : cell.column + 1])
            column = (left + _PAD, top, max(20.0, right - left - 2 * _PAD))
            face = QFont(self._bold if cell.is_heading else self._font)
            flow = self._flow(start, end, face, column, self.line_height, self._formats_of_looks)
            flows.append(flow)
            bottoms[cell.column] = top + flow.height
        return tuple(flows), max(bottoms.values()) + _PAD / 2

    def _face(self, frame: Frame) -> QFont:
        face = QFont(self._font)
        face.setPixelSize(max(1, round(face.pixelSize() * _Shape(frame).size)))
        if frame.level:
            face.setWeight(SEMIBOLD)
        if frame.is_code:
            face.setFamilies([*MONO, *face.families()])
        return face

    def _formats_of_looks(self, start: int, end: int, units: Utf16Map) -> Sequence[QTextLayout.FormatRange]:
        """Bold, italic and code in a piece."""
        formats = []
        for look in self._looks[int(self._look_ends.searchsorted(start, "right")) :]:
            if look.span.start >= end:
                break
            part = QTextLayout.FormatRange()
            part.start = units.to_utf16(max(0, look.span.start - start))
            part.length = units.to_utf16(min(end, look.span.end) - start) - part.start
            written = QTextCharFormat()
            if look.kind & LookKind.BOLD:
                written.setFontWeight(SEMIBOLD)
            if look.kind & LookKind.ITALIC:
                written.setFontItalic(True)
            if look.kind & LookKind.CODE:
                written.setFontFamilies([*MONO, *self._font.families()])
            part.format = written
            formats.append(part)
        return formats

    # -- drawing

    def draw_ground(self, painter: QPainter, index: int, tokens: Tokens, *, ignored: bool) -> None:
        """Draw the background of a piece: tint, bars of quotations, list markers, table lines."""
        shape, above = self._shapes[index], float(self._above[index])
        below = float(self._below[index])
        inner = QRectF(0, above, self._width, float(self.heights[index]) - above - below)
        if ignored:
            painter.fillRect(inner.adjusted(-4, -above, 4, below), QColor(tokens.sunken))
        if count := int(self._pictures[index]):
            self._draw_picture(painter, 0.0, count, tokens)
        if index == len(self._shapes) - 1 and (count := int(self._pictures[-1])):
            self._draw_picture(painter, inner.bottom() + self._gap, count, tokens)
        if shape.parts:
            self._draw_cells(painter, shape, inner, tokens)
            return
        size = self._font.pixelSize()
        for quote in range(shape.frame.quotes):
            left = (shape.frame.lists + quote) * INDENT * size + 0.4 * size
            painter.fillRect(
                QRectF(left, above, 3, inner.height() + (0 if shape.ends else below)), QColor(tokens.border2)
            )
        if shape.frame.is_code:
            ground = inner.adjusted(shape.indent * size - _PAD, 0, 0, 0)
            painter.fillRect(ground, QColor(tokens.sunken))
            painter.fillRect(QRectF(ground.left(), ground.top(), 2, ground.height()), QColor(tokens.border))
        if shape.marker:
            painter.setPen(QColor(tokens.text2))
            painter.setFont(self._font)
            where = QRectF(0, above, shape.indent * size - 0.5 * size, self.line_height)
            painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shape.marker)

    def _draw_cells(self, painter: QPainter, shape: _Shape, inner: QRectF, tokens: Tokens) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.border2), 1))
        headings = {part.cell.column for part in shape.parts if part.cell.is_heading}
        for column, (left, right) in enumerate(pairwise(shape.edges), 1):
            box = QRectF(self._width * left, inner.top(), self._width * (right - left), inner.height())
            if column in headings:
                painter.fillRect(box, QColor(tokens.sunken))
            painter.drawRect(box)

    def _draw_picture(self, painter: QPainter, top: float, count: int, tokens: Tokens) -> None:
        box = QRectF(0.5, top + 0.5, min(260.0, self._width), _PICTURE * self.line_height)
        painter.setBrush(QColor(tokens.sunken))
        painter.setPen(QPen(QColor(tokens.text3), 1, Qt.PenStyle.DashLine))
        painter.drawRect(box)
        painter.setFont(font(12))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, trn("{count} picture", "{count} pictures", count))


def _pictures(document: Document) -> Iterator[int]:
    """The positions of pictures in the content; pages have many small ones in their menus."""
    spans = [block.span for block in document.blocks]
    for span, kind in document.extraction.looks:
        if kind & LookKind.PICTURE:
            at = max(0, bisect_right(spans, span.start, key=lambda of: of.start) - 1)
            if document.blocks[at].verdict is BlockClass.CONTENT:
                yield span.start
