"""Locators: where a passage is as people cite it, by page and line, by heading and paragraph, or by line."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from workbench.base.messages import Message
from workbench.base.types import BlockClass, BlockKind, Document, PrintedPage, Span

LONGEST_HEADING = 80
"""Characters of a heading that are given."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page, from 1: the page's number in the file, its printed label (empty: its number), the line."""

    page: int
    label: str
    line: int

    @property
    def printed(self) -> str:
        """The page as its reader finds it."""
        return self.label or str(self.page)


@dataclass(frozen=True, slots=True)
class PageLocator:
    """From line to line of printed pages; ``end_of_page`` is the last line on the first one."""

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
        """The JSON object: the first page and its lines, and ``last`` where it ends on another one."""
        first, last = self.first, self.last
        whole = _of_page(first, [first.line, self.end_of_page])
        return whole if first.page == last.page else whole | {"last": _of_page(last, [1, last.line])}


def _of_page(at: PageLine, lines: list[int]) -> dict[str, Any]:
    return {"page": at.page, **({"label": at.label} if at.label else {}), "lines": lines}


@dataclass(frozen=True, slots=True)
class ParagraphLocator:
    """Paragraphs, from 1, below the nearest ``heading`` before them, which may be empty."""

    heading: str
    first: int
    last: int

    @property
    def words(self) -> Message:
        """*2.3 Methods, ¶ 4*."""
        numbers = Message("¶ {first}", first=self.first)
        if self.last > self.first:
            numbers = Message("¶ {first}–{last}", first=self.first, last=self.last)
        return Message("{heading}, {paragraphs}", heading=self.heading, paragraphs=numbers) if self.heading else numbers

    @property
    def record(self) -> dict[str, Any]:
        """The JSON object; ``last_paragraph`` only where there are several."""
        whole: dict[str, Any] = {"heading": self.heading, "paragraph": self.first}
        return whole | {"last_paragraph": self.last} if self.last > self.first else whole


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


def place(document: Document, span: Span) -> Locator:
    """Where ``span`` of ``document`` is: by page and line where it has pages, by heading and paragraph where it has
    blocks, otherwise by line.
    """
    last = max(span.start, span.end - 1)
    pages = document.extraction.pages
    if any(page.lines for page in pages):
        first, end = _page_line(pages, span.start), _page_line(pages, last)
        lines = len(pages[first.page - 1].lines)
        return PageLocator(first, end, end.line if end.page == first.page else lines)
    if document.blocks:
        return _paragraphs(document, span.start, last)
    line = document.text.count("\n", 0, span.start) + 1
    return LineLocator(line, line + document.text.count("\n", span.start, last))


def _page_line(pages: tuple[PrintedPage, ...], offset: int) -> PageLine:
    with_lines = [number for number, page in enumerate(pages) if page.lines]
    at = max(0, bisect_right(with_lines, offset, key=lambda number: pages[number].lines[0]) - 1)
    page = pages[with_lines[at]]
    return PageLine(with_lines[at] + 1, page.label, max(1, bisect_right(page.lines, offset)))


def _paragraphs(document: Document, start: int, last: int) -> ParagraphLocator:
    blocks = document.blocks
    at, end = (max(0, bisect_right(blocks, offset, key=lambda b: b.span.start) - 1) for offset in (start, last))
    above = next((i for i in range(at, -1, -1) if _is_heading(document, i)), -1)
    heading = " ".join(document.text[slice(*blocks[above].span)].split())[:LONGEST_HEADING] if above >= 0 else ""
    counted = [i for i in range(above + 1, end + 1) if i in (at, end) or _is_paragraph(document, i)]
    before = bisect_right(counted, at)
    return ParagraphLocator(heading, max(1, before), max(1, len(counted)))


def _is_heading(document: Document, at: int) -> bool:
    block = document.blocks[at]
    return block.kind is BlockKind.HEADING and block.verdict is BlockClass.CONTENT


def _is_paragraph(document: Document, at: int) -> bool:
    block = document.blocks[at]
    return block.kind is not BlockKind.HEADING and block.verdict is BlockClass.CONTENT
