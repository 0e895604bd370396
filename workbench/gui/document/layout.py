"""Geometry of one long text: pieces, estimated and exact heights, mapping of positions and offsets.

A ``QTextLayout`` exists only for pieces near the viewport. Paragraphs over 1,200 characters are cut, so that a text on
a single line costs no more than one with many. Heights of pieces never laid out are estimated from character widths and
corrected when they come into view. Offsets are code points; positions are logical pixels from the text's top.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextLayout, QTextLine, QTextOption

from workbench.base.locators import Places
from workbench.base.types import BlockKind, Document
from workbench.gui.kit.code_points import Utf16Map, code_points, is_inside_character, unwrapped, visible
from workbench.gui.theme.tokens import Tokens
from workbench.text.segmenting.segmentation import wrapped_line_ends

LONGEST = 1_200
"""Maximum length of a paragraph, in characters, that is laid out in one piece."""
_PIECE = 600
"""Maximum number of characters in a piece of a longer paragraph."""
_KEPT = 240
"""Number of laid-out pieces cached."""
_CUT_BACK = 200
_TOP = 10.0
_ON_CHARACTER = QTextLine.CursorPosition.CursorOnCharacter
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
FormatsOf = Callable[[int, int, Utf16Map], Sequence[QTextLayout.FormatRange]]


class Flow(NamedTuple):
    """Lines of a piece, one below the other: their layout, UTF-16 map, first offset, length in code points, position in
    the piece, the height of a line in pixels, the offset of each line, and whether some of the text runs from right to
    left.
    """

    layout: QTextLayout
    units: Utf16Map
    start: int
    length: int
    x: float
    y: float
    line_height: float
    begins: Sequence[int]
    turns: bool

    @property
    def height(self) -> float:
        """Height of all lines; if there are none, of one line."""
        return max(1, self.layout.lineCount()) * self.line_height

    def units_at(self, offset: int) -> int:
        """The UTF-16 position in the layout of document ``offset``, clamped to the nearest end."""
        return self.units.to_utf16(min(max(0, offset - self.start), self.length))

    def line_of(self, offset: int) -> QTextLine:
        """The line of the code point at document ``offset``."""
        return self.layout.lineForTextPosition(self.units_at(offset))

    def limits_of(self, line: QTextLine) -> tuple[int, int]:
        """The document offsets at which ``line`` begins and ends."""
        first, last = line.textStart(), line.textStart() + line.textLength()
        return self.start + self.units.from_utf16(first), self.start + self.units.from_utf16(last)


class LaidOutPiece(NamedTuple):
    """A laid-out piece: flows in text order, side by side in a table row; first offset and length in code points."""

    flows: tuple[Flow, ...]
    start: int
    length: int

    @property
    def layout(self) -> QTextLayout:
        """The layout of the first flow; other classes have only one."""
        return self.flows[0].layout

    def flow_of(self, offset: int) -> Flow:
        """The flow with the code point at document ``offset``, which is in this piece."""
        return self.flows[max(0, bisect_right(self.flows, offset, key=lambda flow: flow.start) - 1)]

    def flow_at(self, x: float, y: float) -> Flow:
        """The flow nearest to a point: the last one that begins to its left and above it."""
        before = [flow for flow in self.flows if flow.x <= x] or self.flows[:1]
        left = max(flow.x for flow in before)
        column = [flow for flow in before if flow.x == left]
        return next((flow for flow in reversed(column) if flow.y <= y), column[0])


class DocumentLayout:
    """The position of each character of ``text`` in a column of a given width.

    ``wraps``: offsets of line ends that only wrap prose; they are not shown as line ends.
    """

    def __init__(
        self, text: str, headings: Sequence[tuple[int, int]] = (), wraps: NDArray[np.int32] | None = None
    ) -> None:
        self.text = text
        points = code_points(text)
        self._shown_as: str | None = None
        self._wrapped = wraps is not None and len(wraps) > 0
        self.starts, self.ends, self.numbers, self.continued = _pieces(text, points, wraps)
        self.length = len(points)
        self._wide = np.concatenate([[0], np.cumsum(points >= 0x2000)])
        self._headings = {self.piece_at(start) for start, _ in headings}
        self._laid: OrderedDict[int, LaidOutPiece] = OrderedDict()
        self.heights: NDArray[np.float64] = np.ones(len(self.starts))
        self.tops: NDArray[np.float64] = np.zeros(len(self.starts) + 1)
        self.line_height = 24.0
        self._gap = 9.0
        self._below: NDArray[np.float64] = np.zeros(len(self.starts))
        self._width = 100.0
        self._font = QFont()
        self._bold = QFont()
        self.formats: FormatsOf = lambda _start, _end, _units: ()
        self._option = QTextOption()
        self._option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._option.setTabStopDistance(32)

    unit = 1.0
    printed = False
    """Whether pieces are pictures with marks drawn over them; otherwise text is drawn over marks."""

    # -- measures

    def measure(self, font: QFont, width: float) -> None:
        """Use ``font`` and a column of ``width`` pixels; all heights are estimated again."""
        self._font, self._bold = QFont(font), QFont(font)
        self._bold.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(font)
        self.line_height = float(round(max(metrics.height() * 1.12, font.pixelSize() * 1.68)))
        self._gap = round(self.line_height * 0.38)
        self._width = max(60.0, width)
        self._laid.clear()
        self._space()
        wide = metrics.horizontalAdvance("国") or font.pixelSize()
        narrow = metrics.averageCharWidth()
        count = self.ends - self.starts
        full = self._wide[self.ends] - self._wide[self.starts]
        self.heights = self._estimated(full * wide + (count - full) * narrow, wide / 2)
        self._stack()

    def _estimated(self, pixels: NDArray[np.float64], ragged: float) -> NDArray[np.float64]:
        """Heights of the pieces, whose text would be ``pixels`` long on one line; lines are shorter than the column by
        about ``ragged``.
        """
        lines = np.maximum(1, np.ceil(pixels / max(2 * ragged, self._width - ragged)))
        return np.where(self.ends == self.starts, self.line_height * 0.5, lines * self.line_height + self._below)

    def _space(self) -> None:
        """Set the space below each piece: none before a continuation of the same paragraph."""
        self._below = np.where(np.append(self.continued[1:], False), 0.0, self._gap)

    def _stack(self) -> None:
        self.tops = np.concatenate([[0.0], np.cumsum(self.heights)]) + _TOP

    @property
    def total(self) -> float:
        """Height of the whole text in pixels, as currently estimated."""
        return float(self.tops[-1]) + _TOP

    def show_as(self, shown: str | None) -> None:
        """Draw ``shown``, of the same number of code points, instead of the text; None draws the text."""
        self._shown_as = shown
        self.refresh_formats()

    def refresh_formats(self) -> None:
        """Discard layouts (their formats changed) but keep corrected heights."""
        self._laid.clear()

    # -- pieces

    def piece_at(self, offset: int) -> int:
        """Index of the piece that contains the code point at ``offset``."""
        return self._piece_before(self.starts, offset)

    def piece_at_y(self, y: float) -> int:
        """Index of the piece at height ``y``."""
        return self._piece_before(self.tops, y)

    def _piece_before(self, places: NDArray[Any], place: float) -> int:
        # Not np.clip, which takes ten times as long for one number.
        return min(max(0, int(places.searchsorted(place, "right")) - 1), len(self.starts) - 1)

    def piece(self, index: int) -> LaidOutPiece:
        """Piece ``index``, laid out; its height is corrected."""
        laid = self._laid.get(index)
        if laid is not None:
            self._laid.move_to_end(index)
            return laid
        start, end = int(self.starts[index]), int(self.ends[index])
        flows, bottom = self._lay(index)
        piece = LaidOutPiece(flows, start, end - start)
        self._laid[index] = piece
        if len(self._laid) > _KEPT:
            self._laid.popitem(last=False)
        if end > start:
            height = bottom + float(self._below[index])
            if abs(height - self.heights[index]) > 0.5:
                self.heights[index] = height
                self._stack()
        return piece

    def _lay(self, index: int) -> tuple[tuple[Flow, ...], float]:
        """The flows of a piece, and its height without the space below it."""
        face = self._bold if index in self._headings else self._font
        start, end = int(self.starts[index]), int(self.ends[index])
        flow = self._flow(start, end, face, (0.0, 0.0, self._width), self.line_height)
        return (flow,), flow.height

    def _flow(
        self,
        start: int,
        end: int,
        face: QFont,
        column: tuple[float, float, float],
        line_height: float,
        looks: FormatsOf | None = None,
    ) -> Flow:
        """``[start, end)`` in a ``column`` (left, top and width); ``looks`` are formats that all others override."""
        source = (self._shown_as or self.text)[start:end]
        units = Utf16Map(source)
        shown = visible(unwrapped(source) if self._wrapped else source)
        layout = QTextLayout(shown, face)
        layout.setTextOption(self._option)
        layout.setCacheEnabled(True)
        formats = [*(looks(start, end, units) if looks is not None else ()), *self.formats(start, end, units)]
        if formats:
            layout.setFormats(formats)
        x, y, width = column
        _break_lines(layout, width, line_height)
        begins = [start + units.from_utf16(layout.lineAt(n).textStart()) for n in range(layout.lineCount())]
        turns = _RIGHT_TO_LEFT.search(shown) is not None
        return Flow(layout, units, start, end - start, x, y, line_height, begins, turns)

    def limits(self, index: int) -> tuple[int, int]:
        """Start and end of piece ``index``, which is laid out."""
        piece = self.piece(index)
        return piece.start, piece.start + piece.length

    def cite(self, document: Document) -> None:
        """Number the paragraphs as they are cited."""
        cited = np.fromiter(Places(document).numbers(self.starts.tolist()), np.int64, len(self.starts))
        self.numbers = np.where(self.numbers > 0, cited, 0)

    def number_of(self, index: int) -> str:
        """The number of the paragraph that begins with piece ``index``; empty for other pieces of a paragraph, and
        without a number.
        """
        number = int(self.numbers[index])
        return str(number) if number and not self.continued[index] else ""

    def draw(self, painter: QPainter, index: int, seen: QRectF, ink: QColor) -> None:
        """Draw the visible text of piece ``index``, whose top left corner is the origin."""
        painter.setPen(ink)
        for flow in self.piece(index).flows:
            flow.layout.draw(painter, QPointF(flow.x, flow.y), [], seen.translated(-flow.x, -flow.y))

    def draw_ground(self, painter: QPainter, index: int, tokens: Tokens, *, ignored: bool) -> None:
        """Draw the background of a piece at the origin, below its marks; plain text has none."""

    def is_placed(self, offset: float) -> bool:
        """Whether the position of ``offset`` is known: text is laid out on request."""
        return True

    def settle(self, top: float, height: float) -> float:
        """Lay out the visible part ``[top, top + height)``. Returns the ``top`` that keeps the first line in place."""
        index = self.piece_at_y(top)
        share = (top - self.tops[index]) / self.heights[index]
        self.piece(index)
        top = float(self.tops[index] + share * self.heights[index])
        index += 1
        while index < len(self.starts) and self.tops[index] < top + height:
            self.piece(index)
            index += 1
        return top

    # -- places

    def y_of(self, offset: int) -> float:
        """Top of the line that contains ``offset`` (its piece is laid out)."""
        return self._y_in(self.piece_at(offset), offset)

    def _y_in(self, index: int, offset: int) -> float:
        piece = self.piece(index)
        flow = piece.flow_of(min(offset, piece.start + piece.length - 1))
        line = max(0, bisect_right(flow.begins, offset) - 1)
        return float(self.tops[index]) + flow.y + line * flow.line_height

    def near_y(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Like :meth:`y_of`, for many offsets; estimated where the piece is not laid out."""
        y = self.rough_y(offsets.astype(np.float64))
        pieces = np.clip(np.searchsorted(self.starts, offsets, "right") - 1, 0, len(self.starts) - 1)
        for at, (index, offset) in enumerate(zip(pieces.tolist(), offsets.tolist(), strict=True)):
            if index in self._laid:
                y[at] = self._y_in(index, offset)
        return y

    def rough_y(self, offsets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Estimated heights of many offsets, by proportion within pieces."""
        index = np.clip(np.searchsorted(self.starts, offsets, "right") - 1, 0, len(self.starts) - 1)
        share = (offsets - self.starts[index]) / np.maximum(1, self.ends[index] - self.starts[index])
        y: NDArray[np.float64] = self.tops[index] + np.minimum(1.0, share) * (self.heights[index] - self._gap)
        return y

    def offset_near(self, y: float) -> float:
        """The offset at height ``y``: by line if laid out, else proportionally (fractions keep scrolling smooth)."""
        index = self.piece_at_y(y)
        start, end = int(self.starts[index]), int(self.ends[index])
        share = min(1.0, max(0.0, (y - float(self.tops[index])) / max(1.0, float(self.heights[index]))))
        piece = self._laid.get(index)
        if piece is None or len(piece.flows) > 1:
            return start + (end - start) * share
        [flow] = piece.flows
        lines, part = divmod(max(0.0, y - float(self.tops[index]) - flow.y), flow.line_height)
        if lines >= flow.layout.lineCount():
            return float(end)
        first, last = flow.limits_of(flow.layout.lineAt(int(lines)))
        return first + (last - first) * part / flow.line_height

    def y_near(self, offset: float) -> float:
        """The height at which :meth:`offset_near` returns ``offset``; its piece is laid out."""
        index = self.piece_at(int(offset))
        piece = self.piece(index)
        if len(piece.flows) > 1:
            share = min(1.0, max(0.0, (offset - piece.start) / piece.length))
            return float(self.tops[index] + share * self.heights[index])
        [flow] = piece.flows
        line = flow.line_of(min(int(offset), piece.start + max(0, piece.length - 1)))
        first, last = flow.limits_of(line)
        share = min(1.0, max(0.0, (offset - first) / max(1, last - first)))
        return float(self.tops[index]) + flow.y + (line.lineNumber() + share) * flow.line_height

    def line_limits(self, offset: int) -> tuple[int, int]:
        """The offsets at which the line of the code point at ``offset`` begins and ends."""
        flow = self.piece(self.piece_at(offset)).flow_of(offset)
        return flow.limits_of(flow.line_of(offset))

    def offset_at(self, x: float, y: float) -> int:
        """The caret offset nearest to the point (x from the column's left, y from the text's top)."""
        flow, line = self._line_under(x, y)
        return flow.start + flow.units.from_utf16(line.xToCursor(x - flow.x))

    def character_at(self, x: float, y: float) -> int:
        """The offset of the code point at a point; beside the text of the line, the nearest caret offset."""
        flow, line = self._line_under(x, y)
        place = line.naturalTextRect()
        if not place.left() <= x - flow.x < place.right():
            return self.offset_at(x, y)
        return flow.start + flow.units.from_utf16(
            line.xToCursor(x - flow.x, QTextLine.CursorPosition.CursorOnCharacter)
        )

    def _line_under(self, x: float, y: float) -> tuple[Flow, QTextLine]:
        index = self.piece_at_y(y)
        inner = y - float(self.tops[index])
        flow = self.piece(index).flow_at(x, inner)
        number = int(np.clip((inner - flow.y) // flow.line_height, 0, flow.layout.lineCount() - 1))
        return flow, flow.layout.lineAt(number)

    def x_of(self, offset: int) -> float:
        """Distance of the caret before ``offset`` from the column's left."""
        flow = self.piece(self.piece_at(offset)).flow_of(offset)
        return flow.x + _x(flow.line_of(offset), flow.units_at(offset))

    def boxes(self, index: int, start: int, end: int) -> list[QRectF]:
        """One box per line for the code points ``[start, end)`` in piece ``index``, relative to the piece's top left;
        several where text that runs from right to left separates them.
        """
        return [box for flow in self.piece(index).flows for box in _boxes(flow, start, end)]


def laid_out(document: Document) -> DocumentLayout:
    """The layout of ``document``'s text with its headings, lines that only wrap prose joined into paragraphs, and
    paragraphs numbered as they are cited.

    Takes 0.2 s per million characters and needs no window, so long texts are laid out in a thread.
    """
    headings = [(b.span.start, b.span.end) for b in document.blocks if b.kind is BlockKind.HEADING]
    layout = DocumentLayout(document.text, headings, wrapped_line_ends(document.text, document.blocks))
    layout.cite(document)
    return layout


def _break_lines(layout: QTextLayout, width: float, line_height: float) -> None:
    layout.beginLayout()
    y = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, y + (line_height - line.height()) / 2))
        y += line_height
    layout.endLayout()


def _boxes(flow: Flow, start: int, end: int) -> Iterator[QRectF]:
    """The boxes of the code points ``[start, end)`` in ``flow``, relative to the top left of its piece."""
    low, high = flow.units_at(start), flow.units_at(end)
    if high <= low:
        return
    top = flow.layout.lineForTextPosition(low).lineNumber()
    bottom = flow.layout.lineForTextPosition(high - 1).lineNumber()
    for number in range(top, bottom + 1):
        line = flow.layout.lineAt(number)
        if flow.turns:
            first, last = line.textStart(), line.textStart() + line.textLength()
            stretches = _stretches(line, max(low, first), min(high, last))
        else:
            right = _x(line, high) if number == bottom else line.naturalTextRect().right()
            stretches = [(_x(line, low if number == top else line.textStart()), right)]
        for left, right in stretches:
            yield QRectF(flow.x + left, flow.y + number * flow.line_height, right - left, flow.line_height)


def _stretches(line: QTextLine, low: int, high: int) -> list[tuple[float, float]]:
    """Left and right ends of the UTF-16 units ``[low, high)``, which may be apart in ``line``."""
    whole = line.naturalTextRect()
    stretches: list[tuple[float, float]] = []
    # The cursor is no measure: between two directions, it has two places.
    for box in sorted((run.boundingRect() for run in line.glyphRuns(low, high - low)), key=QRectF.left):
        left, right = max(box.left(), whole.left()), min(box.right(), whole.right())
        if stretches and left < stretches[-1][1] + 0.5:
            stretches[-1] = stretches[-1][0], max(stretches[-1][1], right)
        elif left < right:
            stretches.append((left, right))
    # A tab has no glyph.
    one, other = _x(line, low), _x(line, high)
    return stretches or [(min(one, other), max(one, other))]


def _x(line: QTextLine, position: int) -> float:
    place: Any = line.cursorToX(position)
    return float(place[0] if isinstance(place, tuple) else place)


Pieces = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]


def _pieces(text: str, points: NDArray[np.uint32], wraps: NDArray[np.int32] | None) -> Pieces:
    """Starts and ends of the pieces, their paragraph numbers from 1 (0 for empty ones), and which pieces continue a
    paragraph.
    """
    breaks = np.flatnonzero(points == 10)
    if wraps is not None:
        breaks = np.setdiff1d(breaks, wraps, assume_unique=True)
    first = np.concatenate([[0], breaks + 1]).astype(np.int64)
    last = np.concatenate([breaks, [len(points)]]).astype(np.int64)
    filled = last > first
    number = np.where(filled, np.cumsum(filled), 0)
    long = np.flatnonzero(last - first > LONGEST)
    if not len(long):
        return first, last, number, np.zeros(len(first), np.bool_)
    starts: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.int64]] = []
    numbers: list[NDArray[np.int64]] = []
    continued: list[NDArray[np.bool_]] = []
    begin = 0
    for row in [*long.tolist(), len(first)]:
        starts.append(first[begin:row])
        ends.append(last[begin:row])
        numbers.append(number[begin:row])
        continued.append(np.zeros(row - begin, np.bool_))
        if row < len(first):
            cuts = _cuts(text, int(first[row]), int(last[row]))
            starts.append(np.array(cuts[:-1], np.int64))
            ends.append(np.array(cuts[1:], np.int64))
            numbers.append(np.full(len(cuts) - 1, number[row]))
            continued.append(np.arange(len(cuts) - 1) > 0)
        begin = row + 1
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(numbers), np.concatenate(continued)


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Offsets that cut ``[start, end)`` into pieces of at most 600, after 。 or a space if possible."""
    cuts = [start]
    while end - cuts[-1] > _PIECE:
        limit = cuts[-1] + _PIECE
        window = text[limit - _CUT_BACK : limit]
        back = max(window.rfind("。"), window.rfind("．")) + 1 or window.rfind(" ") + 1
        cut = limit - _CUT_BACK + back if back else limit
        while cut > limit - _CUT_BACK and is_inside_character(text, cut):
            cut -= 1
        cuts.append(cut)
    return [*cuts, end]
