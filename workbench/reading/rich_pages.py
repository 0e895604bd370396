"""Pages for a document without any, laid out from its blocks: headings, lists, tables, quotations, pictures.

As in the page of such a document in Review, everything comes from the stored blocks and looks: no style sheet is
applied, and nothing in the file is interpreted, executed or fetched. The bundled fonts draw the letters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.resources import resource
from workbench.base.types import BlockClass, Document, LookKind, PrintedPage, Span
from workbench.reading.printed_pages import NOWHERE, PagePlaces, Pages, Picture, Size
from workbench.text.markup.frames import INDENT, Frame, column_edges, frames_of, size_of

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_WIDTH, _HEIGHT = 560.0, 900.0
"""Size of a page in points; the last page is only as high as its content."""
_MARGIN = 28.0
_SIZE = 11.0
"""Font size of the text, in points; others are relative to it."""
_LEADING = 1.4
_GAP = 0.7
"""Gap between blocks, relative to the font size."""
_PAD = 4.0
"""Padding of a cell, in points."""
_PICTURE = 2.4
"""Height of the placeholder of a picture, in lines."""
_INK, _RULE, _GREY = (24, 28, 34), (150, 156, 164), (226, 229, 233)
_FINE = 64
"""Font size in pixels at which widths are measured."""
_UNIT = re.compile(r"[\u2e80-\uffef](?:[、。，．：；）」』！？])*|[^\s\u2e80-\uffef]+\s*|\s+")
"""An unbreakable unit: a wide character with marks that must not begin a line, or a word with the following space."""
_FONTS = {
    "zh": ("PalimpsestUI-Regular.otf", "PalimpsestSansSC.otf", "PalimpsestSansJP.otf"),
    "": ("PalimpsestUI-Regular.otf", "PalimpsestSansJP.otf", "PalimpsestSansSC.otf"),
}
_BOLD = "PalimpsestUI-SemiBold.otf"


class _Line(NamedTuple):
    """Letters of the text from ``start``, each with its distance from the left; ``top`` and size in points."""

    start: int
    text: str
    lefts: tuple[float, ...]
    top: float
    size: float
    is_bold: bool


class _Box(NamedTuple):
    """A rectangle, filled or outlined."""

    left: float
    top: float
    right: float
    bottom: float
    is_filled: bool


class RichPages(Pages):
    """The pages of ``document``; the ``document`` attribute contains their line starts."""

    def __init__(self, document: Document) -> None:
        self._fonts = _Fonts("zh" if document.language.startswith("zh") else "")
        lines, self._boxes, bottom = _Layout(document, self._fonts).whole()
        count = max(1, int(bottom // _HEIGHT) + 1)
        self._lines: list[list[_Line]] = [[] for _ in range(count)]
        for line in lines:
            self._lines[int(line.top // _HEIGHT)].append(line)
        self._last = min(_HEIGHT, bottom - (count - 1) * _HEIGHT + _MARGIN)
        pages = tuple(PrintedPage("", tuple(line.start for line in own)) for own in self._lines)
        self.document = replace(document, extraction=replace(document.extraction, pages=pages))
        super().__init__(self.document, ())

    def close(self) -> None:
        """See :meth:`Pages.close`."""

    def sizes(self) -> list[Size]:
        """See :meth:`Pages.sizes`."""
        return [Size(_WIDTH, _HEIGHT)] * (len(self._lines) - 1) + [Size(_WIDTH, self._last)]

    def picture(self, index: int, scale: float) -> Picture:
        """See :meth:`Pages.picture`."""
        from PIL import Image, ImageDraw

        size, above = self.sizes()[index], index * _HEIGHT
        page = Image.new("RGB", (round(size.width * scale), round(size.height * scale)), (255, 255, 255))
        draw = ImageDraw.Draw(page)
        for box in self._boxes:
            if box.bottom > above and box.top < above + size.height:
                edges = tuple(
                    round(edge * scale) for edge in (box.left, box.top - above, box.right, box.bottom - above)
                )
                draw.rectangle(edges, fill=_GREY if box.is_filled else None, outline=_RULE)
        for line in self._lines[index]:
            middle = (line.top - above + _LEADING * line.size / 2) * scale
            at = 0
            file_of = partial(self._fonts.file_of, is_bold=line.is_bold)
            for unit in _UNIT.findall(line.text):
                for name, letters in groupby(unit, file_of):
                    word = "".join(letters)
                    face = _font(name, max(1, round(line.size * scale)))
                    draw.text((line.lefts[at] * scale, middle), word, _INK, face, "lm")
                    at += len(word)
        red, green, blue = page.split()
        return Picture(page.width, page.height, Image.merge("RGBX", (blue, green, red, red)).tobytes())

    def places(self, index: int) -> PagePlaces:
        """See :meth:`Pages.places`."""
        offsets, boxes, numbers = [], [], []
        for number, line in enumerate(self._lines[index]):
            top = line.top - index * _HEIGHT
            for at, c in enumerate(line.text):
                if not c.isspace():
                    offsets.append(line.start + at)
                    boxes.append((line.lefts[at], top, line.lefts[at + 1], top + _LEADING * line.size))
                    numbers.append(number)
        if not offsets:
            return NOWHERE
        order = np.argsort(offsets, kind="stable")
        columns = ((offsets, "i4"), (boxes, "f4"), (numbers, "i4"))
        return PagePlaces(*(np.array(values)[order].astype(kind) for values, kind in columns))


class _Fonts:
    """The bundled font for a character, and the character's width in it."""

    def __init__(self, language: str) -> None:
        self._files = _FONTS[language]
        self._of: dict[tuple[str, bool], str] = {}
        self._widths: dict[tuple[str, bool], float] = {}

    def file_of(self, character: str, *, is_bold: bool) -> str:
        """The font's file."""
        key = character, is_bold
        if key not in self._of:
            files = (_BOLD, *self._files) if is_bold else self._files
            self._of[key] = next((name for name in files if _has(name, character)), self._files[1])
        return self._of[key]

    def width(self, character: str, *, is_bold: bool) -> float:
        """Relative to the font size."""
        key = character, is_bold
        if key not in self._widths:
            face = _font(self.file_of(character, is_bold=is_bold), _FINE)
            self._widths[key] = face.getlength(character) / _FINE
        return self._widths[key]


@cache
def _font(name: str, pixels: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(resource("fonts", name)), pixels, layout_engine=ImageFont.Layout.BASIC)


def _has(name: str, character: str) -> bool:
    face = _font(name, _FINE)
    missing = face.getmask("\uffff")
    own = face.getmask(character)
    return character.isspace() or (own.size, bytes(own)) != (missing.size, bytes(missing))


class _Piece(NamedTuple):
    """A stretch of the text with its surroundings."""

    span: Span
    frame: Frame


class _Layout:
    """Lays out the blocks of a document from the top down, as if on one page of unlimited height."""

    def __init__(self, document: Document, fonts: _Fonts) -> None:
        self._text, self._fonts = document.text, fonts
        self._blocks = document.blocks
        pictures = [look.span.start for look in document.extraction.looks if look.kind & LookKind.PICTURE]
        spans = [block.span for block in self._blocks]
        # Pages have many small pictures in their menus.
        self._pictures = [at for at in pictures if self._is_content(spans, at)]
        self._lines: list[_Line] = []
        self._boxes: list[_Box] = []
        self._top = _MARGIN

    def _is_content(self, spans: list[Span], at: int) -> bool:
        block = self._blocks[max(0, bisect_left(spans, at + 1, key=lambda span: span.start) - 1)]
        return block.verdict is BlockClass.CONTENT

    def whole(self) -> tuple[list[_Line], list[_Box], float]:
        """All lines and boxes, and the total height."""
        frames = frames_of(self._blocks)
        edges = column_edges(self._blocks, frames)
        pieces = [_Piece(block.span, frame) for block, frame in zip(self._blocks, frames, strict=True)]
        pieces = pieces or [_Piece(Span(0, len(self._text)), Frame())]
        seen: set[str] = set()

        def row_of(piece: _Piece) -> str:
            cell = piece.frame.cell
            return cell.row if cell is not None and cell.table in edges else f"{piece.span.start}:"

        for _, members in groupby(pieces, row_of):
            row = list(members)
            first = row[0]
            self._draw_pictures(first.span.start)
            cell = first.frame.cell
            if cell is not None and cell.table in edges:
                self._add_row(row, edges[cell.table])
                continue
            # An item continues after a list within it.
            begins = bool(first.frame.item) and first.frame.item not in seen
            seen.add(first.frame.item)
            self._add_block(first, is_item=begins)
        self._draw_pictures(len(self._text) + 1)
        return self._lines, self._boxes, self._top

    def _draw_pictures(self, before: int) -> None:
        count = bisect_left(self._pictures, before + 1)
        if count:
            del self._pictures[:count]
            height = _PICTURE * _LEADING * _SIZE
            self._fit(height)
            self._boxes.append(_Box(_MARGIN, self._top, _MARGIN + 200, self._top + height, is_filled=False))
            self._top += height + _GAP * _SIZE

    def _fit(self, height: float) -> None:
        """Continue at the top of the next page if ``height`` does not fit on this one."""
        page = self._top // _HEIGHT
        if self._top + height > (page + 1) * _HEIGHT - _MARGIN:
            self._top = (page + 1) * _HEIGHT + _MARGIN

    def _add_block(self, piece: _Piece, *, is_item: bool) -> None:
        frame = piece.frame
        left = _MARGIN + INDENT * _SIZE * (frame.lists + frame.quotes)
        if frame.level:
            self._top += _GAP * _SIZE
        size = _SIZE * size_of(frame)
        begin = self._top
        lines = self._wrapped(piece.span, size, _WIDTH - _MARGIN - left, is_bold=frame.level > 0)
        for number, (start, text, lefts) in enumerate(lines):
            self._fit(_LEADING * size)
            if not number:
                begin = self._top
                if is_item:
                    middle = self._top + _LEADING * size / 2
                    self._boxes.append(_Box(left - 10, middle - 1.5, left - 7, middle + 1.5, is_filled=True))
            moved = tuple(left + at for at in lefts)
            self._lines.append(_Line(start, text, moved, self._top, size, frame.level > 0))
            self._top += _LEADING * size
        if frame.quotes and begin // _HEIGHT == self._top // _HEIGHT:
            self._boxes.append(_Box(left - 8, begin, left - 6, self._top, is_filled=True))
        self._top += (_GAP / 3 if frame.lists else _GAP) * _SIZE

    def _add_row(self, row: list[_Piece], edges: tuple[float, ...]) -> None:
        """Add a table row; one that is higher than a page continues on the next."""
        width, step = _WIDTH - 2 * _MARGIN, _LEADING * _SIZE
        most = int((_HEIGHT - 2 * _MARGIN - 2 * _PAD) // step)
        cells = []
        counts: dict[int, int] = {}
        for piece in row:
            cell = piece.frame.cell
            assert cell is not None
            left, right = (_MARGIN + width * edge for edge in edges[cell.column - 1 : cell.column + 1])
            lines = list(self._wrapped(piece.span, _SIZE, max(20.0, right - left - 2 * _PAD), is_bold=cell.is_heading))
            at = counts.get(cell.column, 0)
            cells.append((left, at, lines, cell.is_heading))
            counts[cell.column] = at + len(lines)
        count = max(counts.values())
        self._fit(min(count, most) * step + 2 * _PAD)
        begin = self._top
        for left, first, lines, is_heading in cells:
            for number, (start, text, lefts) in enumerate(lines, first):
                page, at = divmod(number, most)
                moved = tuple(left + _PAD + x for x in lefts)
                self._lines.append(
                    _Line(start, text, moved, begin + page * _HEIGHT + _PAD + at * step, _SIZE, is_heading)
                )
        for page in range(max(1, -(-count // most))):
            top = begin + page * _HEIGHT
            self._top = top + min(count - page * most, most) * step + 2 * _PAD
            for column, (one, other) in enumerate(pairwise(edges), 1):
                is_heading = any(piece.frame.cell and piece.frame.cell[2:] == (column, True) for piece in row)
                self._boxes.append(_Box(_MARGIN + width * one, top, _MARGIN + width * other, self._top, is_heading))

    def _wrapped(
        self, span: Span, size: float, width: float, *, is_bold: bool
    ) -> Iterator[tuple[int, str, tuple[float, ...]]]:
        """The lines of a stretch: start, text, left edges of the letters, and right edge of the last."""
        for match in re.finditer(r"[^\n]+", self._text[slice(*span)]):
            start = span.start + match.start()
            line, used = "", 0.0
            widths: list[float] = []
            for unit in _units(match[0], size, width):
                own = [self._fonts.width(c, is_bold=is_bold) * size for c in unit]
                if line and used + sum(own[: len(unit.rstrip())]) > width:
                    yield start, line, tuple(accumulate(widths, initial=0.0))
                    start, line, used, widths = start + len(line), "", 0.0, []
                line, used = line + unit, used + sum(own)
                widths += own
            if line.strip():
                yield start, line, tuple(accumulate(widths, initial=0.0))


def _units(text: str, size: float, width: float) -> Iterator[str]:
    """Unbreakable units; words longer than a line are broken."""
    most = max(1, int(width / size))
    for unit in _UNIT.findall(text):
        for at in range(0, len(unit), most) if len(unit) > 2 * most else (0,):
            yield unit[at : at + most] if len(unit) > 2 * most else unit
