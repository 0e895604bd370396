"""Running heads: the headers, footers and page numbers that a printed document repeats from page to page.

A line is one of them by its place and by what other pages have there. *Edge lines* are the EDGE lines nearest to the
top and to the bottom of a page. An edge line is

- a *page number* where it is a number alone, or with a word or the number of pages, and two pages or more count on in
  the same way;
- a *running header* or *footer* where pages that follow each other, or every other page (left and right pages have
  their own), have the same words at the same height: at least LEAST of them, of documents of up to SHORT pages 2. The
  first or last number in it may count the pages;
- the same where it is at a height at which at least half of the pages have one, and has the number of its page: the
  header of a chapter that is no longer than a page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from workbench.base.messages import Message

EDGE = 3
"""Lines at the top of a page, and at its bottom, that may be running heads."""
LEAST, SHORT = 3, 5
"""Pages that repeat a running head; documents of up to SHORT pages need only 2."""
HEIGHT = 0.015
"""Share of a page's height by which a running head's place may differ from page to page."""
LETTERS = 3
"""Letters that a repeated line has at least: a bracket or a rule alone is no running head."""
_NUMBER = re.compile(
    r"\W*(?:(?:page|p\.|seite|頁|第)\s*)?(?P<number>\d{1,5}|[ivx]|[ivxlcdm]{2,9})(?:\s*(?:of|/|／|von)\s*\d{1,5})?\s*(?:頁|页|ページ)?\W*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<!\d)\d{1,9}(?!\d)|(?<!\w)(?:[ivx]|[ivxlcdm]{2,})(?!\w)", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


class Measure(NamedTuple):
    """Where a line is, in points along the way that it is read and across it: ``start`` and ``end``, ``base`` (more is
    farther down), the ``size`` of its letters and the length of its first ``word``. ``turn`` is 0 to the right, 1 to
    the left, 2 down and 3 up; a row of a table has a wide gap.
    """

    turn: int
    start: float
    end: float
    base: float
    size: float
    word: float
    is_row: bool


class PdfLine(NamedTuple):
    """A line of a page, its distance from the top of the page as a share of the page's height, where each of its
    characters is among those of the page, and where it is on it, if the file says so.
    """

    text: str
    top: float
    places: tuple[int, ...] = ()
    measure: Measure | None = None


class _Edge(NamedTuple):
    """An edge line: its page and line from 0, whether it is at the page's top, and its text."""

    page: int
    line: int
    is_top: bool
    top: float
    text: str


def running_heads(pages: Sequence[Sequence[PdfLine]]) -> dict[tuple[int, int], Message]:
    """The running heads among the lines of ``pages``, by page and line from 0, each with the rule that it follows."""
    edges = [edge for page, lines in enumerate(pages) for edge in _edges(page, lines)]
    numbers = _page_numbers(edges)
    rules: dict[tuple[int, int], Message] = {(e.page, e.line): Message("page number") for e in numbers}
    heads = list(numbers)
    least = 2 if len(pages) <= SHORT else LEAST
    groups: dict[tuple[bool, str], list[_Edge]] = defaultdict(list)
    for edge in edges:
        if sum(c.isalpha() for c in edge.text) >= LETTERS:
            for words in _words(edge):
                groups[edge.is_top, words].append(edge)
    for (is_top, _), members in groups.items():
        for run in _runs(members):
            if len(run) >= least:
                heads += run
                rules |= {(e.page, e.line): _rule(len(run), is_top=is_top) for e in run}
    heights = Counter((e.is_top, round(e.top / HEIGHT)) for e in heads)
    usual = {place for place, count in heights.items() if 2 * count >= len(pages) > 1}
    offsets = _offsets(heads)
    for e in edges:
        near = any((e.is_top, round(e.top / HEIGHT) + step) in usual for step in (-1, 0, 1))
        if near and (e.page, e.line) not in rules and any(n - e.page in offsets for n in _numbers_in(e.text)):
            rules[e.page, e.line] = Message("running header") if e.is_top else Message("running footer")
    return rules


def _rule(pages: int, *, is_top: bool) -> Message:
    if is_top:
        return Message("running header, the same on {count} pages", count=pages)
    return Message("running footer, the same on {count} pages", count=pages)


def _edges(page: int, lines: Sequence[PdfLine]) -> Iterator[_Edge]:
    ranked = sorted(range(len(lines)), key=lambda i: lines[i].top)
    for rank, i in enumerate(ranked):
        below = len(ranked) - 1 - rank
        if min(rank, below) < EDGE:
            is_top = rank < below or (rank == below and lines[i].top < 1 / 2)
            yield _Edge(page, i, is_top, lines[i].top, lines[i].text)


def _words(edge: _Edge) -> set[str]:
    """The words of a line as they are, and with its first or last number as what it is beyond the page's place."""
    text = " ".join(edge.text.casefold().split())
    forms = {text}
    numbers = list(_DIGITS.finditer(text))
    for number in numbers[:1] + numbers[-1:]:
        value = _value(number[0])
        if value is not None:
            forms.add(f"{text[: number.start()]}{value - edge.page:+}{text[number.end() :]}")
    return forms


def _runs(members: Sequence[_Edge]) -> Iterator[list[_Edge]]:
    """Lines of the same words at one height, on pages at most two apart."""
    middle = median(e.top for e in members)
    ordered = sorted(e for e in members if abs(e.top - middle) <= HEIGHT)
    run = ordered[:1]
    for before, after in pairwise(ordered):
        if after.page - before.page > 2:
            yield run
            run = []
        run.append(after)
    yield run


def _page_numbers(edges: Sequence[_Edge]) -> list[_Edge]:
    counted: dict[tuple[bool, int], list[_Edge]] = defaultdict(list)
    for edge in edges:
        match = _NUMBER.fullmatch(edge.text)
        number = _value(match["number"]) if match else None
        if match and number is not None:
            counted[match["number"].isdigit(), number - edge.page].append(edge)
    return [edge for members in counted.values() if len({e.page for e in members}) > 1 for edge in members]


def _offsets(heads: Sequence[_Edge]) -> frozenset[int]:
    """What two running heads or more say that a page's number is beyond its place in the file."""
    counts = Counter(offset for e in heads for offset in {n - e.page for n in _numbers_in(e.text)})
    return frozenset(offset for offset, count in counts.items() if count > 1)


def _numbers_in(text: str) -> list[int]:
    return [n for word in _DIGITS.findall(text) if (n := _value(word)) is not None]


def _value(word: str) -> int | None:
    """The number that ``word`` is in Arabic or Roman digits; None if it is none."""
    if word.isdigit():
        return int(word)
    values: Mapping[str, int] = _ROMAN
    digits = [values.get(c, 0) for c in word.casefold()]
    if not all(digits):
        return None
    return sum(-n if n < after else n for n, after in pairwise([*digits, 0]))
