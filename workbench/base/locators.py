"""Locators: the citable place of a passage, by page and line, by heading and paragraph, or by line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, BlockKind, Document, Span

_SLIDE = re.compile(r"slide\[(\d{1,6})\]")
_NOTES = re.compile(r"(?:quote/)?(footnotes|endnotes)/|slide\[\d{1,6}\]/(notes)/")
_CELL = re.compile(r"^sheet\[\d+\]/([A-Z]{1,3}\d{1,7})$")
_ROW = re.compile(r"/tr\[(\d{1,6})\](?=/|$)")
_SECTION = re.compile(r"/t(?:head|body|foot)\[\d+\]$")
_TIME = re.compile(r"^time\[([\d:]{8,12})\]$")
LONGEST_HEADING = 80
"""Maximum length of a quoted heading, in characters, with the ellipsis of one that was cut."""
_OF_NOTES = {
    "footnotes": Message("footnotes, {paragraphs}").id,
    "endnotes": Message("endnotes, {paragraphs}").id,
    "notes": Message("notes, {paragraphs}").id,
}


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page: the page's number in the file and the line, both from 1, and the page's label (empty: its
    number).
    """

    page: int
    label: str
    line: int

    @property
    def printed(self) -> str:
        """The page number as printed."""
        return self.label or str(self.page)


@dataclass(frozen=True, slots=True)
class PageLocator:
    """A range of lines on printed pages; ``end_of_page`` is the last line of the first page."""

    first: PageLine
    last: PageLine
    end_of_page: int

    @property
    def words(self) -> Message:
        """*p. 13, lines 4–9*."""
        page, line, other = self.first.printed, self.first.line, self.last.line
        if self.first.page != self.last.page:
            last = self.last.printed
            return Message(
                "p. {page}, line {line} – p. {last}, line {other}", page=page, line=line, last=last, other=other
            )
        if line == other:
            return Message("p. {page}, line {line}", page=page, line=line)
        return Message("p. {page}, lines {line}–{other}", page=page, line=line, other=other)

    @property
    def record(self) -> dict[str, Any]:
        """The JSON object: the first page and its lines, and ``last`` if it ends on another page."""
        first, last = self.first, self.last
        whole = _of_page(first, [first.line, self.end_of_page])
        return whole if first.page == last.page else whole | {"last": _of_page(last, [1, last.line])}


def _of_page(at: PageLine, lines: list[int]) -> dict[str, Any]:
    return {"page": at.page, **({"label": at.label} if at.label else {}), "lines": lines}


class Paragraph(NamedTuple):
    """A paragraph, numbered from 1 below the preceding ``heading``, which may be empty. A table is one paragraph, its
    rows are numbered from 1.

    In presentations the numbers start again on each ``slide`` (from 1). ``cell`` is the name of a sheet's cell, such as
    *B3*, ``time`` the start of a subtitle, such as *00:01:02*. Paragraphs of ``notes`` (*footnotes*, *endnotes*, or
    *notes* of a slide) are numbered separately, without a heading.
    """

    heading: str
    number: int
    slide: int = 0
    cell: str = ""
    notes: str = ""
    time: str = ""
    row: int = 0

    @property
    def words(self) -> Message:
        """*2.3 Methods, ¶ 4*; *¶ 4, row 2*; *slide 3, ¶ 2*; *Sheet1, B3*; *footnotes, ¶ 2*; *00:01:02*."""
        return self.to(self)

    def to(self, last: Paragraph) -> Message:
        """The range from here to ``last``, which is below the same heading or in the same notes."""
        if (own := self.cell or self.time) and (other := last.cell or last.time):
            numbers = Message("{first}–{last}", first=own, last=other) if self != last else Message(own)
        elif self.row and last.row and self.number == last.number:
            numbers = (
                Message("¶ {first}, row {row}", first=self.number, row=self.row)
                if self.row == last.row
                else Message("¶ {first}, rows {row}–{last}", first=self.number, row=self.row, last=last.row)
            )
        elif self.number == last.number:
            numbers = Message("¶ {first}", first=self.number)
        else:
            numbers = Message("¶ {first}–{last}", first=self.number, last=last.number)
        if self.notes:
            numbers = Message(_OF_NOTES[self.notes], paragraphs=numbers)
        elif self.heading:
            numbers = Message("{heading}, {paragraphs}", heading=self.heading, paragraphs=numbers)
        return Message("slide {slide}, {paragraphs}", slide=self.slide, paragraphs=numbers) if self.slide else numbers

    @property
    def record(self) -> dict[str, Any]:
        """The JSON object."""
        where = {"slide": self.slide} if self.slide else {}
        more = {
            name: value for name, value in (("cell", self.cell), ("notes", self.notes), ("time", self.time)) if value
        }
        row = {"row": self.row} if self.row else {}
        return {**where, "heading": self.heading, "paragraph": self.number, **more, **row}


@dataclass(frozen=True, slots=True)
class ParagraphLocator:
    """A range of paragraphs; ``sections``: below two headings, which may have the same words."""

    first: Paragraph
    last: Paragraph
    sections: bool = False

    @property
    def words(self) -> Message:
        """*2.3 Methods, ¶ 4–6*, or *2.3 Methods, ¶ 4 – 2.4 Results, ¶ 1*."""
        first, last = self.first, self.last
        if not self.sections and (first.slide, first.notes) == (last.slide, last.notes):
            return first.to(last)
        return Message("{first} – {last}", first=first.words, last=last.words)

    @property
    def record(self) -> dict[str, Any]:
        """The JSON object, with ``last`` if it ends in another paragraph."""
        one = self.first == self.last and not self.sections
        return self.first.record | ({} if one else {"last": self.last.record})


@dataclass(frozen=True, slots=True)
class LineLocator:
    """Lines of a plain text, from 1."""

    first: int
    last: int

    @property
    def words(self) -> Message:
        """*lines 4–9*."""
        if self.first == self.last:
            return Message("line {line}", line=self.first)
        return Message("lines {first}–{last}", first=self.first, last=self.last)

    @property
    def record(self) -> dict[str, Any]:
        """The JSON object."""
        return {"lines": [self.first, self.last]}


Locator = PageLocator | ParagraphLocator | LineLocator


class Places:
    """The places of a document: by page and line if it has pages, by heading and paragraph if it has blocks, otherwise
    by line.
    """

    def __init__(self, document: Document) -> None:
        self._text, self._blocks, self._pages = document.text, document.blocks, document.extraction.pages
        self._lines = sorted(
            (offset, number, line)
            for number, page in enumerate(self._pages)
            for line, offset in enumerate(page.lines, 1)
        )
        self._paragraphs = list(_counted(document.blocks))
        self._rows = list(_rows(document.blocks))

    def of(self, span: Span) -> Locator:
        """The place of ``span``."""
        last = max(span.start, span.end - 1)
        if self._lines:
            first, end = self._page_line(span.start), self._page_line(last)
            lines = len(self._pages[first.page - 1].lines)
            return PageLocator(first, end, end.line if end.page == first.page else lines)
        if self._blocks:
            first_block, last_block = self._block(span.start), self._block(last)
            sections = self._paragraphs[first_block][0] != self._paragraphs[last_block][0]
            return ParagraphLocator(self._paragraph(first_block), self._paragraph(last_block), sections)
        line = self._text.count("\n", 0, span.start) + 1
        return LineLocator(line, line + self._text.count("\n", span.start, last))

    def numbers(self, offsets: Iterable[int]) -> Iterator[int]:
        """The number by which the paragraph (in plain text, the line) at each of the ascending ``offsets`` is cited,
        from 1.

        0 for further offsets in the same paragraph or table, for headings, and for blocks that are not content. Pages
        are ignored.
        """
        line, before, last = 1, 0, (-1, 0, "")
        for offset in offsets:
            if not self._blocks:
                line, before = line + self._text.count("\n", before, offset), offset
                yield line
                continue
            at = self._block(offset)
            block, paragraph = self._blocks[at], (*self._paragraphs[at], _notes(self._blocks[at]))
            is_cited = block.verdict is BlockClass.CONTENT and block.kind is not BlockKind.HEADING
            yield paragraph[1] if is_cited and paragraph != last else 0
            last = paragraph if is_cited else last

    def _page_line(self, offset: int) -> PageLine:
        at = bisect_right(self._lines, offset, key=lambda line: line[0]) - 1
        _, number, line = self._lines[max(0, at)]
        return PageLine(number + 1, self._pages[number].label, line)

    def _block(self, offset: int) -> int:
        return max(0, bisect_right(self._blocks, offset, key=lambda block: block.span.start) - 1)

    def _paragraph(self, at: int) -> Paragraph:
        heading, number = self._paragraphs[at]
        words = " ".join(self._text[slice(*self._blocks[heading].span)].split()) if heading >= 0 else ""
        block = self._blocks[at]
        cell, time = (own[1] if (own := named.search(block.path)) else "" for named in (_CELL, _TIME))
        if len(words) > LONGEST_HEADING:
            words = f"{words[: LONGEST_HEADING - 1].rstrip()}…"
        return Paragraph(words, max(1, number), _slide(block), cell, _notes(block), time, self._rows[at])


def _slide(block: Block) -> int:
    slide = _SLIDE.match(block.path)
    return int(slide[1]) if slide else 0


def _notes(block: Block) -> str:
    notes = _NOTES.match(block.path)
    return notes[1] or notes[2] if notes else ""


def _counted(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """For each block, the index of the heading above it on its slide (-1: none), and the number of content paragraphs
    since; for a note, -1 and the number of paragraphs so far in notes of its kind.
    """
    heading, number, in_table, slide = -1, 0, False, 0
    of_notes: Counter[str] = Counter()
    for at, block in enumerate(blocks):
        if slide != (slide := _slide(block)):
            heading, number, in_table = -1, 0, False
            of_notes.clear()
        is_content = block.verdict is BlockClass.CONTENT
        if notes := _notes(block):
            of_notes[notes] += is_content
            yield -1, of_notes[notes]
            continue
        if is_content:
            is_cell = block.kind is BlockKind.TABLE_CELL
            if block.kind is BlockKind.HEADING:
                heading, number = at, 0
            elif not (is_cell and in_table):
                number += 1
            in_table = is_cell
        yield heading, number


def _rows(blocks: Sequence[Block]) -> Iterator[int]:
    """For each block the number of its row in its table, whose head and body are counted through; 0 outside tables.

    A table inside a row belongs to that row, unless the outer table only arranges others: it has text of its own in
    one row at most.
    """
    cells = [list(_ROW.finditer(block.path)) if block.kind is BlockKind.TABLE_CELL else [] for block in blocks]
    own: defaultdict[str, set[str]] = defaultdict(set)
    for rows in filter(None, cells):
        own[_table(rows[-1])].add(_section(rows[-1]) + rows[-1][1])
    section, above, last = "", 0, 0
    for rows in cells:
        if not rows:
            section, above, last = "", 0, 0
            yield 0
            continue
        row = next((row for row in rows if len(own[_table(row)]) > 1), rows[-1])
        if section != (section := _section(row)):
            above = last
        last = above + int(row[1])
        yield last


def _section(row: re.Match[str]) -> str:
    """The path of what contains a row: a table, or its head or body."""
    return row.string[: row.start()]


def _table(row: re.Match[str]) -> str:
    return _SECTION.sub("", _section(row))


def place(document: Document, span: Span) -> Locator:
    """The place of ``span`` in ``document``; for many spans of one document see :class:`Places`."""
    return Places(document).of(span)
