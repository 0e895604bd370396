"""Where the text of a document is on pages that another program made of its file: a PDF with the same words.

The words may come in another order (notes stand at the foot of their page), and there are more of them (headers,
numbers of lists). Stretches of letters that occur once in the text and once on the pages are the same; they go on as
far as the letters are equal, and what lies between two of them is compared by itself. A letter that no stretch reaches
is nowhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from workbench.base.types import BOX_STEPS, Document, PrintedPage, WordBox
from workbench.reading.formats.paragraphs import CJK
from workbench.reading.printed_pages import PrintedPages

ANCHOR, NEAR = 16, 6
"""Letters of a stretch that is looked for in the whole text, and between two others."""
_LEAST = 3
"""Letters of a stretch within a small gap, unless it begins or ends there."""
_SMALL = 4_000_000
"""Comparisons of letters up to which a gap is compared letter by letter."""


class Stretch(NamedTuple):
    """``length`` letters from ``a`` in the text are those from ``b`` on the pages."""

    a: int
    b: int
    length: int


class MadePages(NamedTuple):
    """The number of ``pages``, where the words of the text are on them, and how many ``words`` of the text there are,
    of which some are ``nowhere`` on the pages.
    """

    pages: int
    boxes: tuple[WordBox, ...]
    words: int
    nowhere: int


def pages_from(boxes: Sequence[WordBox], count: int) -> tuple[PrintedPage, ...]:
    """``count`` pages with the lines that have words of the text."""
    starts: list[list[int]] = [[] for _ in range(count)]
    line = (-1, -1)
    for box in boxes:
        if (box.page, box.line) != line:
            line = box.page, box.line
            starts[box.page].append(box.start)
    return tuple(PrintedPage("", tuple(lines)) for lines in starts)


def made_pages(data: bytes, document: Document) -> MadePages:
    """The pages of the PDF ``data`` that was made of the file of ``document``.

    Raises UnreadableInput where it cannot be opened.
    """
    file = PrintedPages(data, document)
    try:
        sizes = file.sizes()
        letters = [(page, *letter) for page in range(len(sizes)) for letter in file.letters(page)]
    finally:
        file.close()
    offsets = [at for at, c in enumerate(document.text) if not c.isspace()]
    shown = "".join(character for _, _, character, _ in letters)
    own = "".join(document.text[at] for at in offsets)
    places: dict[int, tuple[int, int, tuple[float, ...]]] = {}
    for stretch in aligned(own, shown):
        for step in range(stretch.length):
            page, line, _, box = letters[stretch.b + step]
            places[offsets[stretch.a + step]] = page, line, box
    words = document.text.split()
    boxes = sorted(_boxes(document.text, places, [(s.width, s.height) for s in sizes]))
    return MadePages(len(sizes), tuple(boxes), len(words), _nowhere(document.text, places))


def _nowhere(text: str, places: dict[int, tuple[int, int, tuple[float, ...]]]) -> int:
    """Words of the text with a letter that is nowhere on the pages."""
    missing, at = 0, 0
    for word in text.split():
        at = text.index(word, at)
        missing += any(c.isalnum() and at + step not in places for step, c in enumerate(word))
        at += len(word)
    return missing


def _boxes(
    text: str, places: dict[int, tuple[int, int, tuple[float, ...]]], sizes: Sequence[tuple[float, float]]
) -> Iterator[WordBox]:
    """A box for each word, or part of one on a line of its own; each CJK character is a word."""
    word: list[int] = []
    for at in sorted(places):
        if word and (at != word[-1] + 1 or places[at][:2] != places[word[0]][:2] or CJK.search(text[at - 1 : at + 1])):
            yield _box(places, word, sizes)
            word = []
        word.append(at)
    if word:
        yield _box(places, word, sizes)


def _box(
    places: dict[int, tuple[int, int, tuple[float, ...]]], word: Sequence[int], sizes: Sequence[tuple[float, float]]
) -> WordBox:
    page, line, _ = places[word[0]]
    lefts, tops, rights, bottoms = zip(*(places[at][2] for at in word), strict=True)
    edges = zip((min(lefts), min(tops), max(rights), max(bottoms)), sizes[page] * 2, strict=True)
    steps = (round(BOX_STEPS * min(1.0, max(0.0, edge / length))) for edge, length in edges)
    return WordBox(page, line, word[0], word[-1] + 1, *steps)


def aligned(a: str, b: str) -> list[Stretch]:
    """Stretches of equal letters of ``a`` and ``b``, ordered and disjoint in both, in any order in ``b``."""
    stretches = _anchored(a, b, ANCHOR)
    edges = [Stretch(0, 0, 0), *stretches, Stretch(len(a), len(b), 0)]
    starts = sorted(s.b for s in stretches)
    ends = sorted(s.b + s.length for s in stretches)
    between: list[Stretch] = []
    for before, after in pairwise(edges):
        low, high = before.a + before.length, after.a
        if low < high:
            first = before.b + before.length
            following = bisect_left(starts, first)
            stop = starts[following] if following < len(starts) else len(b)
            inside = _within(a, b, low, high, first, min(stop, first + 2 * (high - low) + _LEAST))
            if not inside and after.b != stop:
                previous = bisect_left(ends, after.b + 1) - 1
                begin = ends[previous] if previous >= 0 else 0
                inside = _within(a, b, low, high, max(begin, after.b - 2 * (high - low) - _LEAST), after.b)
            between += inside
    return sorted(_disjoint([*stretches, *between]))


def _disjoint(stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """Those of ``stretches`` that share no letter of ``b`` with an earlier one, which comes first in the list."""
    taken: list[tuple[int, int]] = []
    for stretch in stretches:
        at = bisect_left(taken, (stretch.b, stretch.b))
        before = at == 0 or taken[at - 1][1] <= stretch.b
        if before and (at == len(taken) or taken[at][0] >= stretch.b + stretch.length):
            taken.insert(at, (stretch.b, stretch.b + stretch.length))
            yield stretch


def _anchored(a: str, b: str, letters: int) -> list[Stretch]:
    """Stretches around those of so many ``letters`` that occur once in either, in the order of ``a``."""
    there, here = _once(b, letters), _once(a, letters)
    stretches: list[Stretch] = []
    taken: set[int] = set()
    end = 0
    for gram, start in here.items():
        place = there.get(gram, -1)
        if start < end or place < 0 or place in taken or place + letters - 1 in taken:
            continue
        low, at = start, place
        while low > end and at > 0 and a[low - 1] == b[at - 1] and at - 1 not in taken:
            low, at = low - 1, at - 1
        high, to = start + letters, place + letters
        while high < len(a) and to < len(b) and a[high] == b[to] and to not in taken:
            high, to = high + 1, to + 1
        stretches.append(Stretch(low, at, high - low))
        taken.update(range(at, to))
        end = high
    return stretches


def _once(text: str, letters: int) -> dict[str, int]:
    """Where each stretch of so many ``letters`` that occurs once begins; in the order of the text."""
    places: dict[str, int] = {}
    twice: set[str] = set()
    for at in range(len(text) - letters + 1):
        gram = text[at : at + letters]
        if places.setdefault(gram, at) != at:
            twice.add(gram)
    return {gram: at for gram, at in places.items() if gram not in twice}


def _within(a: str, b: str, a_start: int, a_end: int, b_start: int, b_end: int) -> list[Stretch]:
    """Stretches in the same order in two gaps."""
    if a_start >= a_end or b_start >= b_end:
        return []
    own, shown = a[a_start:a_end], b[b_start:b_end]
    if len(own) * len(shown) <= _SMALL:
        blocks = SequenceMatcher(None, own, shown, autojunk=False).get_matching_blocks()
        inner = [Stretch(*block) for block in blocks if block.size and _is_sure(Stretch(*block), len(own), len(shown))]
    else:
        inner, last = [], Stretch(0, 0, 0)
        for stretch in [*_ascending(_anchored(own, shown, NEAR)), Stretch(len(own), len(shown), 0)]:
            gap = (last.a + last.length, stretch.a, last.b + last.length, stretch.b)
            if (gap[1] - gap[0]) * (gap[3] - gap[2]) <= _SMALL:
                inner += _within(own, shown, *gap)
            inner += [stretch] if stretch.length else []
            last = stretch
    return [Stretch(a_start + s.a, b_start + s.b, s.length) for s in inner]


def _is_sure(stretch: Stretch, own: int, shown: int) -> bool:
    """Whether a stretch in gaps of these lengths is long enough, or goes on from what is before or after them."""
    begins = stretch.a == stretch.b == 0
    ends = stretch.a + stretch.length == own and stretch.b + stretch.length == shown
    return stretch.length >= _LEAST or begins or ends


def _ascending(stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """Those of ``stretches`` that come after the ones before them in both texts."""
    end = 0
    for stretch in stretches:
        if stretch.b >= end:
            yield stretch
            end = stretch.b + stretch.length
