"""Positions of a document's text on pages that another program made from its file: a PDF with the same words.

Most of the text is on the pages in order, between additional words (headers, list numbers): a longest common
subsequence of letters, ignoring case. In the rest (such as footnotes), stretches of letters that occur once in both are
matched as far as the letters are equal. Other letters, such as those of speaker notes and pictures, are on no page.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import BOX_STEPS, Document, PrintedPage, WordBox
from workbench.reading.formats.paragraphs import CJK
from workbench.reading.formats.text_pictures import OF_PICTURE
from workbench.reading.printed_pages import PrintedPages

ANCHOR = 16
"""Fewest letters of a stretch whose order differs between pages and text."""
_LEAST = 4
"""Fewest letters of an isolated stretch."""
_SPOKEN = "/notes/"
"""Part of the path of speaker notes, which are not on the slides."""
_TAKEN, _TAKEN_THERE = "\ue000", "\ue001"
"""Replace letters that have already been placed."""


class EqualStretch(NamedTuple):
    """``length`` letters from ``a`` in the text that equal those from ``b`` on the pages."""

    a: int
    b: int
    length: int


class MadePages(NamedTuple):
    """The number of ``pages``, the positions of the text's words on them, and the numbers of ``words`` in the text and
    of those that are ``nowhere`` on the pages.
    """

    pages: int
    boxes: tuple[WordBox, ...]
    words: int
    nowhere: int


def pages_from(boxes: Sequence[WordBox], count: int) -> tuple[PrintedPage, ...]:
    """``count`` pages with the lines that contain words of the text."""
    starts: list[list[int]] = [[] for _ in range(count)]
    line = (-1, -1)
    for box in boxes:
        if (box.page, box.line) != line:
            line = box.page, box.line
            starts[box.page].append(box.start)
    return tuple(PrintedPage("", tuple(lines)) for lines in starts)


def made_pages(data: bytes, document: Document) -> MadePages:
    """The pages of the PDF ``data``, made from the file of ``document``.

    Raises UnreadableInput if it cannot be opened.
    """
    file = PrintedPages(data, document)
    try:
        sizes = file.sizes()
        letters = [(page, *letter) for page in range(len(sizes)) for letter in file.letters(page)]
    finally:
        file.close()
    elsewhere = {
        at
        for block in document.blocks
        if _SPOKEN in block.path or block.path.startswith(OF_PICTURE)
        for at in range(*block.span)
    }
    offsets = [at for at, c in enumerate(document.text) if not c.isspace() and at not in elsewhere]
    shown = "".join(_small(character) for _, _, character, _ in letters)
    own = "".join(_small(document.text[at]) for at in offsets)
    places: dict[int, tuple[int, int, tuple[float, ...]]] = {}
    lines = [letter[:2] for letter in letters]
    breaks = {at for at, line in enumerate(lines) if at == 0 or line != lines[at - 1]}
    for stretch in aligned(own, shown, breaks):
        for step in range(stretch.length):
            page, line, _, box = letters[stretch.b + step]
            places[offsets[stretch.a + step]] = page, line, box
    words = document.text.split()
    boxes = sorted(_boxes(document.text, places, [(s.width, s.height) for s in sizes]))
    return MadePages(len(sizes), tuple(boxes), len(words), _words_on_no_page(document.text, places))


def _small(character: str) -> str:
    """A letter in lower case, since styles may show it as a capital."""
    small = character.lower()
    return small if len(small) == 1 else character


def _words_on_no_page(text: str, places: dict[int, tuple[int, int, tuple[float, ...]]]) -> int:
    """Number of words of the text with a letter that is on no page."""
    missing, at = 0, 0
    for word in text.split():
        at = text.index(word, at)
        missing += any(c.isalnum() and at + step not in places for step, c in enumerate(word))
        at += len(word)
    return missing


def _boxes(
    text: str, places: dict[int, tuple[int, int, tuple[float, ...]]], sizes: Sequence[tuple[float, float]]
) -> Iterator[WordBox]:
    """A box for each word, or each part of a word on a line of its own; each CJK character is a word."""
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


def aligned(a: str, b: str, breaks: Container[int] = ()) -> list[EqualStretch]:
    """Stretches of equal letters of ``a`` and ``b``, ordered and disjoint in ``a``, disjoint in ``b``.

    If letters could be before or after an insertion in ``b``, they are divided at its ``breaks`` (starts of lines).
    """
    # Processes that only show pages do not load the compiler.
    from workbench.kernels.edit_script import TooDifferent, common_blocks

    try:
        blocks = common_blocks(_codes(a), _codes(b)).tolist()
    except TooDifferent:
        blocks = []
    stretches = _sure(_divided([EqualStretch(*block) for block in blocks], a, b, breaks))
    own, shown = list(a), list(b)
    for stretch in stretches:
        own[stretch.a : stretch.a + stretch.length] = _TAKEN * stretch.length
        shown[stretch.b : stretch.b + stretch.length] = _TAKEN_THERE * stretch.length
    return sorted([*stretches, *_anchored("".join(own), "".join(shown), ANCHOR)])


def _codes(text: str) -> NDArray[np.uint32]:
    # A copy, since kernels are compiled for writable arrays.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).copy()


def _divided(stretches: Sequence[EqualStretch], a: str, b: str, breaks: Container[int]) -> list[EqualStretch]:
    """``stretches`` with their boundaries moved to line starts where the letters permit."""
    divided: list[EqualStretch] = []
    for after in stretches:
        while divided and (before := divided[-1]).a + before.length == after.a:
            end, start = before.b + before.length, after.b
            shifts = list(_shifts(a, b, before, after))
            # One stretch is more likely than two.
            whole = next((shift for shift in shifts if shift in (-before.length, after.length)), 0)
            best = next((shift for shift in shifts if end + shift in breaks and start + shift in breaks), whole)
            divided[-1] = EqualStretch(before.a, before.b, before.length + best)
            after = EqualStretch(after.a + best, start + best, after.length - best)
            if divided[-1].length:
                break
            divided.pop()
        if after.length:
            divided.append(after)
    return divided


def _shifts(a: str, b: str, before: EqualStretch, after: EqualStretch) -> Iterator[int]:
    """Distances, in letters, by which the boundary between two stretches adjacent in the text can be moved, nearest
    first.
    """
    yield 0
    end, start = before.b + before.length, after.b
    for shift in range(1, before.length + 1):
        if a[after.a - shift] != b[start - shift] or start - shift < end - shift:
            break
        yield -shift
    for shift in range(after.length):
        if a[after.a + shift] != b[end + shift] or end + shift >= start + shift:
            break
        yield shift + 1


def _sure(stretches: Sequence[EqualStretch]) -> list[EqualStretch]:
    """The ``stretches`` that are long, or continue another one in the text: others may be coincidences."""
    ends = [0, *(s.a + s.length for s in stretches)]
    starts = [*(s.a for s in stretches), -1]
    return [
        stretch
        for at, stretch in enumerate(stretches)
        if stretch.length >= _LEAST or stretch.a == ends[at] or starts[at + 1] == stretch.a + stretch.length
    ]


def _anchored(a: str, b: str, letters: int) -> list[EqualStretch]:
    """Stretches around runs of this many ``letters`` that occur once in both, in the order of ``a``."""
    there, here = _once(b, letters), _once(a, letters)
    stretches: list[EqualStretch] = []
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
        stretches.append(EqualStretch(low, at, high - low))
        taken.update(range(at, to))
        end = high
    return stretches


def _once(text: str, letters: int) -> dict[str, int]:
    """The start of each run of this many ``letters`` that occurs once, in text order."""
    places: dict[str, int] = {}
    twice: set[str] = set()
    for at in range(len(text) - letters + 1):
        gram = text[at : at + letters]
        if places.setdefault(gram, at) != at:
            twice.add(gram)
    return {gram: at for gram, at in places.items() if gram not in twice}
