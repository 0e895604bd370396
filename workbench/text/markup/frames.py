"""The context of blocks: the headings, lists, tables and quotations named by their paths.

Paths, as written by readers, are ``/html[1]/body[1]/ul[1]/li[2]`` in web pages, prefixed by the
chapter's file in books; ``ol[1]/li[2]/p[7]`` in other formats, which name only the ancestors of the paragraph ``p[7]``;
``sheet[1]/B3`` in workbooks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from workbench.base.types import Block, BlockKind

_STEP = re.compile(r"([a-z]+[1-6]?)(?:\[(\d{1,9})\])?")
_CELL = re.compile(
    r"(?P<row>(?P<table>(?:.*/)?table(?:\[\d+\])?)(?:/t(?:head|body|foot)(?:\[\d+\])?)?/tr(?:\[\d+\])?)"
    r"/(?P<name>td|th)(?:\[(?P<number>\d{1,4})\])?(?:/.*)?"
)
_SHEET = re.compile(r"(?P<table>sheet\[\d+\])/(?P<column>[A-Z]{1,3})(?P<row>\d{1,7})")
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_QUOTES = frozenset(("blockquote", "quote"))
_NOTES = frozenset(("footnotes", "endnotes", "notes"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_USUAL_LEVEL = 2
"""Level of a heading whose path does not name it."""
_DEEPEST = 8
"""Deepest nesting level distinguished for lists and quotations."""
_SIZES = {1: 1.6, 2: 1.35, 3: 1.18, 4: 1.08}
"""Font sizes of headings by level, relative to the text."""
_SMALL = 0.9
"""Font size of notes, relative to the text."""
INDENT = 1.6
"""Indent of a list or quotation, in font sizes of the text."""
_MOST_COLUMNS = 12
_LONGEST_ROW = 2_000
"""Longest row, in characters, of a table shown in columns; layout tables have longer ones."""
_BLOCK = 30
"""Characters added to the length of each block."""
_NARROWEST, _WIDEST = 14, 80
"""Range, in characters, in which the longest cell determines a column's width."""


class Cell(NamedTuple):
    """A cell of a table: the paths of the ``table`` and its ``row``, its ``column`` from 1, whether it is a heading."""

    table: str
    row: str
    column: int
    is_heading: bool


class Frame(NamedTuple):
    """The context of a block: the ``level`` of a heading, 1 to 6, else 0; the number of lists and quotations around it;
    the path and number of its list item (number 0: unnumbered); its cell.
    """

    level: int = 0
    lists: int = 0
    quotes: int = 0
    item: str = ""
    number: int = 0
    cell: Cell | None = None
    is_note: bool = False
    is_code: bool = False


def frames_of(blocks: Sequence[Block]) -> list[Frame]:
    """The context of each of the ``blocks`` of a document from its path, otherwise from its kind."""
    frames = []
    row = ""
    cells: dict[str, dict[str, int]] = {}
    for block in blocks:
        frame = _frame(block)
        match = _CELL.fullmatch(block.path)
        if match is not None:
            if not f"{row}/".startswith(f"{match['row']}/"):
                # Another row, and not the one around a table in a cell.
                cells.pop(match["row"], None)
            row, name, number = match["row"], match["name"], int(match["number"] or 1)
            # Paths number the cells of each name separately.
            counts = cells.setdefault(row, {"td": 0, "th": 0})
            counts[name] = number
            frame = frame._replace(cell=Cell(match["table"], row, sum(counts.values()), name == "th"))
        elif (sheet := _SHEET.fullmatch(block.path)) is not None:
            column = reduce(lambda before, letter: 26 * before + ord(letter) - 64, sheet["column"], 0)
            frame = frame._replace(cell=Cell(sheet["table"], f"{sheet['table']}/{sheet['row']}", column, False))
        else:
            row = ""
        frames.append(frame)
    return frames


def _frame(block: Block) -> Frame:
    """The context of ``block`` without its cell."""
    level = lists = quotes = number = end = 0
    item = ""
    is_numbered = is_note = False
    for step in block.path.split("/"):
        end += len(step) + 1
        match = _STEP.fullmatch(step)
        name = match[1] if match is not None else ""
        if name in _LISTS:
            lists, is_numbered = lists + 1, name == "ol"
        elif match is not None and name == "li":
            item, number = block.path[: end - 1], int(match[2] or 1) if is_numbered else 0
        level = int(name[1]) if name in _HEADINGS else level
        lists += name == "dd"
        quotes += name in _QUOTES
        is_note = is_note or name in _NOTES
    if block.kind is BlockKind.HEADING:
        level = level or _USUAL_LEVEL
    elif block.kind is BlockKind.LIST_ITEM and not lists:
        lists, item = 1, item or block.path or str(block.span.start)
    is_code = block.kind is BlockKind.PREFORMATTED
    return Frame(level, min(lists, _DEEPEST), min(quotes, _DEEPEST), item, number, None, is_note, is_code)


def size_of(frame: Frame) -> float:
    """Font size of a block relative to the text's."""
    return _SIZES.get(frame.level, _SMALL if frame.is_note else 1.0)


def column_edges(blocks: Sequence[Block], frames: Sequence[Frame]) -> dict[str, tuple[float, ...]]:
    """The edges of the columns, from 0 to 1, of each table that can be shown in columns; longer cells make a column
    wider, but not in proportion.
    """
    rows: dict[tuple[str, str], int] = {}
    longest: dict[str, dict[int, int]] = {}
    for block, frame in zip(blocks, frames, strict=True):
        if frame.cell is not None:
            table, row, column, _ = frame.cell
            length = block.span.end - block.span.start
            rows[table, row] = rows.get((table, row), 0) + length + _BLOCK
            columns = longest.setdefault(table, {})
            columns[column] = max(columns.get(column, 0), length)
    for (table, _), characters in rows.items():
        if characters > _LONGEST_ROW:
            longest.pop(table, None)
    edges = {}
    for table, columns in longest.items():
        if 1 < max(columns) <= _MOST_COLUMNS:
            widths = [sqrt(min(_WIDEST, max(_NARROWEST, columns.get(at, 0)))) for at in range(1, max(columns) + 1)]
            edges[table] = (0.0, *(end / sum(widths) for end in accumulate(widths)))
    return edges
