"""Positions of the lines of a PDF's pages in the extracted text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from workbench.base.types import BOX_STEPS, BlockClass, Document, WordBox
from workbench.reading.formats.running_heads import PdfLine


def page_path(index: int) -> str:
    """The path of a block of the page ``index``, from 0."""
    return f"page[{index + 1}]"


def lines_in_text(document: Document, index: int, lines: Sequence[PdfLine]) -> Iterator[tuple[int, PdfLine]]:
    """The ``lines`` of the page ``index`` that occur in the text, each with its start in the text."""
    left, at = list(lines), 0
    for start in _starts(document, index):
        order = [*range(at, len(left)), *range(at)]
        there = [number for number in order if _begins(document.text, start, left[number].text)]
        if there:
            # Another line may begin with the same number as the page number.
            at = max(there, key=lambda number: len(left[number].text))
            yield start, left.pop(at)


def words_in_text(document: Document, pages: Mapping[int, Sequence[PdfLine]]) -> Iterator[WordBox]:
    """Positions in the text and on the page of the words on ``pages`` (from 0) that were recognised in pictures."""
    text = document.text
    for page, lines in pages.items():
        for number, (begin, line) in enumerate(lines_in_text(document, page, lines)):
            for word in line.words:
                start, length = begin + word.start, word.end - word.start
                # The hyphen of a divided word is not in the text.
                same = length if text.startswith(line.text[word.start : word.end], start) else length - 1
                if same:
                    right = word.left + same / length * (word.right - word.left)
                    box = (round(BOX_STEPS * min(1.0, edge)) for edge in (word.left, word.top, right, word.bottom))
                    yield WordBox(page, number, start, start + same, *box)


def _starts(document: Document, index: int) -> Iterator[int]:
    """The starts of a page's lines in the text: of its body in order, then of its running heads."""
    pages = document.extraction.pages
    starts = pages[index].lines if index < len(pages) else ()
    yield from starts
    ascending = sorted(starts)
    for block in document.blocks:
        if block.path == page_path(index) and (block.rule or block.verdict is BlockClass.NON_CONTENT):
            at = bisect_left(ascending, block.span.start)
            if at == len(ascending) or ascending[at] >= block.span.end:
                yield block.span.start


def _begins(text: str, start: int, line: str) -> bool:
    """Whether ``line`` begins at ``start`` of ``text``, where its hyphen may have been removed."""
    return text.startswith(line, start) or (
        line.endswith(("-", "\u00ad", "\u2010")) and text.startswith(line[:-1], start)
    )
