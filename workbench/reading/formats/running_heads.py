"""Running heads: the headers, footers and page numbers repeated on the pages of a printed document.

A line is recognised by its position and by the lines at that position on other pages. *Edge lines* are the EDGE lines
nearest to the top and to the bottom of a page. An edge line is

- a *page number* if it is a number, alone or with a word or the number of pages, and at least two pages continue the
  same numbering;
- a *running header* or *footer* if consecutive pages, or every other page (left and right pages differ), have the same
  words at the same height: at least LEAST of them, or 2 in documents of up to SHORT pages. Its numbers may count
  the pages;
- the same if at least half of the pages have, at its height, a line that begins or ends with the page's number: the
  header of a chapter that is no longer than a page;
- a *running header* if at least half of the pages have a line at its height, in letters no larger than those of the
  text, with nothing above it and a wide gap below it;
- a *running footer* if it is below a wide gap and lower than everything on most other pages, in letters no larger than
  those of the text, such as a journal's note on its first page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from statistics import median
from typing import NamedTuple

from workbench.base.messages import Message

EDGE = 3
"""Number of lines at the top, and at the bottom, of a page that may be running heads."""
LEAST, SHORT = 3, 5
"""Minimum number of pages that repeat a running head; documents of up to SHORT pages need only 2."""
HEIGHT = 0.015
"""Share of the page's height by which the position of a running head may differ between pages."""
APART = 1.6
"""Distance, relative to the usual line distance, from which a line at the top is separate from the text."""
NUMBERS = 8
"""How many of a line's numbers, from the first, may count the pages."""
LETTERS = 3
"""Minimum number of letters of a repeated line: a single bracket or rule is not a running head."""
_NUMBER = re.compile(
    r"\W*(?:(?:page|p\.|seite|頁|第)\s*)?(?P<number>\d{1,5}|[ivx]|[ivxlcdm]{2,9})(?:\s*(?:of|/|／|von|\()\s*\d{1,5}\)?)?\s*(?:頁|页|ページ)?\W*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<!\d)\d{1,9}(?!\d)|(?<!\w)(?:[ivx]|[ivxlcdm]{2,})(?!\w)", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


class Measure(NamedTuple):
    """The position of a line, in points along and across its reading direction: ``start`` and ``end``, ``base`` (more
    is farther down), the ``size`` of its letters and the length of its first ``word``. ``turn`` is the direction: 0
    right, 1 left, 2 down, 3 up; a table row has a wide gap.
    """

    turn: int
    start: float
    end: float
    base: float
    size: float
    word: float
    is_row: bool


class SeenWord(NamedTuple):
    """A word of a line that was read from a picture: its span in the line's text, and its box as shares of the page's
    width and height.
    """

    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float


class PdfLine(NamedTuple):
    """A line of a page, its distance from the top of the page as a share of the page's height, the index of each of its
    characters among those of the page, and its measures, if the file has them; the ``words`` of a line that was read
    from a picture; whether its last hyphen ``divides`` a word, if the file states it.
    """

    text: str
    top: float
    places: tuple[int, ...] = ()
    measure: Measure | None = None
    words: tuple[SeenWord, ...] = ()
    divides: bool | None = None
    marks: tuple[int, ...] = ()

    @property
    def area(self) -> float:
        """Share of the page covered by the boxes of its words."""
        return sum((word.right - word.left) * (word.bottom - word.top) for word in self.words)


class _Edge(NamedTuple):
    """An edge line: its page and line from 0, whether it is at the top of the page, and its text."""

    page: int
    line: int
    is_top: bool
    top: float
    text: str


def running_heads(pages: Sequence[Sequence[PdfLine]]) -> dict[tuple[int, int], Message]:
    """The running heads among the lines of ``pages``, by page and line from 0, each with the rule by which it was
    recognised.
    """
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
            count = len({e.page for e in run})
            if count >= least:
                heads += run
                rules |= {(e.page, e.line): _rule(count, is_top=is_top) for e in run}
    for e in _with_numbers(edges, heads, len(pages)):
        rules.setdefault((e.page, e.line), Message("running header") if e.is_top else Message("running footer"))
    for at in _apart(pages):
        rules.setdefault(at, Message("running header"))
    rules |= {at: Message("running footer") for at in _below_all(pages, rules)}
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
    """The words of a line: unchanged, and with each of its numbers replaced by its offset from the page index."""
    text = " ".join(edge.text.casefold().split())
    forms = {text}
    for number in islice(_DIGITS.finditer(text), NUMBERS):
        value = _value(number[0])
        if value is not None:
            forms.add(f"{text[: number.start()]}{value - edge.page:+}{text[number.end() :]}")
    return forms


def _runs(members: Sequence[_Edge]) -> Iterator[list[_Edge]]:
    """Runs of lines with the same words at one height, on pages at most two apart."""
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


def _with_numbers(edges: Sequence[_Edge], heads: Sequence[_Edge], pages: int) -> Iterator[_Edge]:
    """Lines that begin or end with the number of their page, at heights where at least half of the pages have one.

    At the bottom, only at heights of other running heads: the notes of a book may be numbered like its pages.
    """
    of_heads, of_tops = _offsets(heads), _offsets([e for e in edges if e.is_top])
    numbered = [
        e for e in edges if any(n - e.page in (of_tops if e.is_top else of_heads) for n in _numbers_at_ends(e.text))
    ]
    heights: dict[tuple[bool, int], set[int]] = defaultdict(set)
    for e in [*heads, *(e for e in numbered if e.is_top)]:
        for step in (-1, 0, 1):
            heights[e.is_top, round(e.top / HEIGHT) + step].add(e.page)
    for e in numbered:
        if 2 * len(heights[e.is_top, round(e.top / HEIGHT)]) >= pages > 1:
            yield e


def _usual(pages: Sequence[Sequence[PdfLine]]) -> tuple[float, float]:
    """The size of the letters of most lines, and the usual distance between lines; 0 if unknown."""
    sizes = Counter(round(line.measure.size, 1) for lines in pages for line in lines if line.measure)
    usual = max(sizes, key=sizes.__getitem__, default=0.0)
    steps = sorted(
        below.measure.base - above.measure.base
        for lines in pages
        for above, below in pairwise(lines)
        if above.measure and below.measure and 0 < below.measure.base - above.measure.base < 3 * usual
    )
    return usual, steps[len(steps) // 4] if steps else 0.0


def _below_all(pages: Sequence[Sequence[PdfLine]], heads: Container[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lowest line of a page, if it is separate from the text and below everything on most other pages."""
    usual, pitch = _usual(pages)
    bodies: list[list[tuple[float, int]]] = []
    for page, lines in enumerate(pages):
        across = [(line.measure.base, n) for n, line in enumerate(lines) if line.measure and line.measure.turn == 0]
        bodies.append(sorted((base, n) for base, n in across if (page, n) not in heads))
    lowest = [own[-1][0] for own in bodies if own]
    if not pitch or len(lowest) < LEAST:
        return
    *_, second, last = sorted(lowest)
    # One page may have more than the others, which must be equally full.
    full = sum(second - pitch <= base <= second for base in lowest)
    if last <= second + APART * pitch or 2 * full < len(lowest) - 1:
        return
    page = next(page for page, own in enumerate(bodies) if own and own[-1][0] == last)
    below = [(base, n) for base, n in bodies[page] if base > second + APART * pitch]
    above = [base for base, _ in bodies[page] if base <= second + APART * pitch]
    if not above or below[0][0] - above[-1] < APART * pitch or len(below) > EDGE:
        return
    for _, n in below:
        measure = pages[page][n].measure
        if measure and measure.size < 1.02 * usual:
            yield page, n


def _apart(pages: Sequence[Sequence[PdfLine]]) -> Iterator[tuple[int, int]]:
    """The lines at the top of pages that are separate from the text, if at least half of the pages have such lines."""
    usual, pitch = _usual(pages)
    if not pitch:
        return
    gap = APART * pitch
    tops: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for page, lines in enumerate(pages):
        bases = [line.measure.base if line.measure and line.measure.turn == 0 else None for line in lines]
        across = [base for base in bases if base is not None]
        first = min(across, default=0.0)
        after = min((base for base in across if base > first + usual / 2), default=None)
        if after is None or after - first < gap:
            continue
        own = [(page, n) for n, base in enumerate(bases) if base is not None and base < first + usual / 2]
        if all(line.measure and line.measure.size < 1.02 * usual for line in (lines[n] for _, n in own)):
            tops[round(first)] += own
    for height in tops:
        near = [at for step in (-1, 0, 1) for at in tops.get(height + step, ())]
        count = len({page for page, _ in near})
        if count >= LEAST and 2 * count >= len(pages):
            yield from tops[height]


def _offsets(edges: Sequence[_Edge]) -> frozenset[int]:
    """Offsets between printed page numbers and positions in the file on which two or more pages agree."""
    counts = Counter(offset for offset, _ in {(n - e.page, e.page) for e in edges for n in _numbers_at_ends(e.text)})
    return frozenset(offset for offset, count in counts.items() if count > 1)


def _numbers_at_ends(text: str) -> set[int]:
    words = text.split()
    ends = {word.strip("|–—-[]()·•.") for word in (words[:1] + words[-1:])}
    return {n for word in ends if word and _DIGITS.fullmatch(word) and (n := _value(word)) is not None}


def _value(word: str) -> int | None:
    """The value of ``word`` as a number in Arabic or Roman digits; None if it is not a number."""
    if word.isdigit():
        return int(word)
    values: Mapping[str, int] = _ROMAN
    digits = [values.get(c, 0) for c in word.casefold()]
    if not all(digits):
        return None
    return sum(-n if n < after else n for n, after in pairwise([*digits, 0]))
