"""The paragraphs of printed pages, from the positions of their lines.

Lines are measured in reading direction: to the right, to the left or down. Lines below each other are a *column*; the
lines of one size in it have a left edge (the least start of several) and a right edge (the common end of at least half
of the lines, which are then justified; otherwise the greatest end that is not far beyond others). A line is *full* if
the first word of the next line would not have fitted on it. The next line of a column belongs to the same paragraph if
a word is divided between them, and otherwise unless

- it is of another size, or one of them is a row of a table (with a wide gap);
- it is farther below than usual for lines of its size;
- the line before it is not full;
- it is indented and the line before it is not (except the second line of a hanging paragraph), or it is less indented
  than the lines before it;
- it begins with the number of a note that is marked earlier on the page.

A paragraph whose last line in a column is full continues in the next column or page, or below a caption or a table,
with the next line of the same size that is not indented and not a note. Footnotes, captions, tables and running heads
in between are placed after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import NamedTuple

from workbench.reading.formats.running_heads import Measure, PdfLine
from workbench.text.segmenting.characters import CharClass, char_class
from workbench.text.segmenting.layout import WIDE_RANGES, line_breaks

FAR = 1.25
"""Line distance, relative to the usual one, from which a line begins a paragraph."""
STILL_NEAR = 1.7
"""The same after a full line that does not end a sentence, as a formula or superscript may push the next line down."""
INDENT = 0.6
"""Indent, relative to the font size, of a line that begins a paragraph."""
FEWEST_RAGGED = 3
"""Number of lines of a block quotation in text that is not justified."""
FEW = 4
"""Number of lines up to which the edges of their column are unknown."""
NEAREST = 200
"""Number of columns compared with one whose edges are unknown."""
LEAST_NOTES = 3
"""Number of numbered lines from which these are notes."""
MOST_BETWEEN = 80
"""Maximum number of paragraphs between two parts of one paragraph."""
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|plate|listing|algorithm|abb(?:ildung|\.)|tabelle|図|表|图|圖)\s*[\dIVX]",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[\ue000-\uf8ff•‣◦▪●○■□◆◇–—*·・※]\s|[(（]?\d{1,2}[.)）]\s")
_LETTERED = re.compile(r"[(（]?\w[.)）]\s")
_NUMBERED = re.compile(r"(\d{1,3})\s")
_MARK = re.compile(r"(?<=[^\s\d_])\d{1,3}(?!\d)")
_ENDED = re.compile(r"[.!?。．！？…][^\w\s]*(?:\d{1,3}|[(\[（【].*)?$")
"""The end of a sentence, with any marks, note numbers or source after it."""
_WIDE = re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in WIDE_RANGES) + "]")
FIRST_WORD = re.compile(f"(?:(?!{_WIDE.pattern})\\S)+|[「『（“‘《〈]*\\S[、。，．：；！？」』）”’》〉]*")
"""The unbreakable first word of a line: it fits on the line before, or is moved to the next line as a whole."""
_STOPS = CharClass.STRONG_STOP | CharClass.WEAK_STOP | CharClass.CLOSER


class PagedLine(NamedTuple):
    """A line of a page; page and line are numbered from 0."""

    page: int
    number: int
    line: PdfLine

    @property
    def text(self) -> str:
        """Its text."""
        return self.line.text


@dataclass(slots=True)
class _Edges:
    """The edges of the lines of one size in a column, in points."""

    left: float
    right: float
    justified: bool
    lines: int
    size: float


@dataclass(slots=True)
class Part:
    """Lines of one paragraph in a column, and the edges of the column; None if no line has a position, and ``around``
    are then the lines of its page. ``size`` numbers the document's font sizes, ascending; lines in larger letters than
    most are headings, which do not continue elsewhere, nor do notes in letters of the text's size, recognised by their
    numbers.
    """

    lines: list[PagedLine]
    column: int = -1
    size: int = 0
    edges: _Edges | None = None
    is_row: bool = False
    goes_on: bool = True
    is_note: bool = False
    around: Sequence[PagedLine] = ()

    @property
    def page(self) -> int:
        """The page of its last line."""
        return self.lines[-1].page


@dataclass(slots=True)
class _Column:
    lines: list[PagedLine]
    number: int
    edges: dict[int, _Edges] = field(default_factory=dict)


def parts_of_pages(pages: Sequence[Sequence[PagedLine]]) -> list[list[Part]]:
    """The parts of paragraphs on each page, in file order."""
    measured = [bool(lines) and all(one.line.measure for one in lines) for lines in pages]
    sizes = _Sizes([_measure(one).size for ok, lines in zip(measured, pages, strict=True) if ok for one in lines])
    columns: list[list[_Column]] = []
    count = 0
    for ok, lines in zip(measured, pages, strict=True):
        own = list(_columns(lines, count)) if ok else []
        count += len(own)
        columns.append(own)
    every = [column for own in columns for column in own]
    _find_edges(every, sizes)
    pitches = _pitches(every, sizes)
    notes = _note_lines(pages)
    parts = []
    for ok, lines, own in zip(measured, pages, columns, strict=True):
        if ok:
            parts.append([part for column in own for part in _in_column(column, sizes, pitches, notes)])
        else:
            parts.append([Part(some, around=lines) for some in _by_words(lines)])
    return parts


def continuation(parts: Sequence[Part | None], at: int) -> int:
    """The number of the part that continues the part ``at``; 0 if none does. None in ``parts`` represents a running
    head.
    """
    part = parts[at]
    if part is None or part.is_row or not part.goes_on or _CAPTION.match(part.lines[0].text):
        return 0
    between = False
    for number in range(at + 1, min(len(parts), at + MOST_BETWEEN)):
        after = parts[number]
        if after is None:
            continue
        if after.page > part.page + 2 or _is_cell(part, after):
            return 0
        if part.edges is None or after.edges is None:
            return number if after.lines[0].page > part.page and _goes_on(part, after) else 0
        is_caption = _CAPTION.match(after.lines[0].text)
        if after.is_note:
            between = True
            continue
        if after.size == part.size and not after.is_row and not is_caption and _turn(after) == _turn(part):
            return number if _is_continued(part, after, between=between) else 0
        if after.size > part.size and not after.is_row and not is_caption:
            return 0
        between = True
    return 0


def _is_cell(part: Part, after: Part) -> bool:
    """Whether ``part`` is in a table cell that continues in the row ``after``, directly below it."""
    if not after.is_row or after.column != part.column or after.page != part.page:
        return False
    above, below = _measure(part.lines[-1]), _measure(after.lines[0])
    near = abs(below.start - above.start) < above.size / 2
    return near and below.base - above.base < STILL_NEAR * above.size


def _note_lines(pages: Sequence[Sequence[PagedLine]]) -> set[tuple[int, int]]:
    """The lines that begin with the number of a note, by page and number: the numbers are consecutive, and occur in
    earlier lines of the page directly after a word or stop.
    """
    notes: set[tuple[int, int]] = set()
    last = 0
    for lines in pages:
        marks: set[int] = set()
        for one in lines:
            number = _NUMBERED.match(one.text)
            if number and int(number[1]) in marks and int(number[1]) in (1, last + 1):
                last = int(number[1])
                notes.add((one.page, one.number))
            marks.update(map(int, _MARK.findall(one.text)), one.line.marks)
    return notes if len(notes) >= LEAST_NOTES else set()


def quotations(pages: Sequence[Sequence[Part]]) -> set[int]:
    """The ids of parts that are indented on both sides relative to their column, as block quotations are.

    Abstracts before the text, captions, lists, tables and parts that do not end like a sentence are excluded.
    """
    recognised: set[int] = set()
    begun = False
    for parts in pages:
        wide = [part for part in parts if len(part.lines) > 1 and part.edges and not part.is_row]
        for part in parts:
            around = [other for other in wide if other.column == part.column and _is_set_in(part, other)]
            if begun and around and _is_prose(part):
                recognised.add(id(part))
            begun |= part in wide and not around and part.goes_on
    return recognised


def _is_set_in(part: Part, other: Part) -> bool:
    """Whether every line of ``part`` is indented on both sides relative to the lines of ``other``. In ragged text, one
    of two lines may be short by chance.
    """
    if part.edges is None or other.edges is None or _turn(part) != _turn(other):
        return False
    if len(part.lines) < FEWEST_RAGGED and not other.edges.justified:
        return False
    step = INDENT * other.edges.size
    far = step if other.edges.justified else 2 * step
    own, around = ([_measure(one) for one in some.lines] for some in (part, other))
    first, last = min(m.start for m in around), max(m.end for m in around)
    return min(m.start for m in own) >= first + step and max(m.end for m in own) <= last - far


def _is_prose(part: Part) -> bool:
    starts = [_measure(one).start for one in part.lines[1:]]
    if part.is_row or not starts or max(starts) - min(starts) > _measure(part.lines[0]).size / 2:
        return False
    text = part.lines[0].text
    is_item = _CAPTION.match(text) or _BULLET.match(text) or _LETTERED.match(text)
    return not is_item and _ENDED.search(part.lines[-1].text) is not None


def _is_continued(part: Part, after: Part, *, between: bool) -> bool:
    assert part.edges is not None
    assert after.edges is not None
    moved = part.column != after.column
    last, first = part.lines[-1], after.lines[0]
    if not (moved or between) or _BULLET.match(first.text):
        return False
    if not _is_full(last, first, part.edges):
        return False
    if not moved and _is_stopped(last.text):
        return False
    step = INDENT * _measure(first).size
    starts = [_measure(one).start for one in after.lines[:2]]
    if len(starts) > 1 and starts[0] > starts[1] + step:
        return False
    own, other = _measure(last).start - part.edges.left, starts[0] - after.edges.left
    return other <= step + (own if len(part.lines) > 1 else 0)


def _measure(one: PagedLine) -> Measure:
    assert one.line.measure is not None
    return one.line.measure


def _turn(part: Part) -> int:
    return _measure(part.lines[0]).turn


class _Sizes:
    """The font sizes of a document, in steps of 2 % or more."""

    def __init__(self, sizes: Sequence[float]) -> None:
        self._last: list[float] = [a for a, b in pairwise([*sorted(set(sizes)), float("inf")]) if b > 1.02 * a]
        counts = Counter(map(self.number, sizes))
        self.usual = max(counts, key=counts.__getitem__, default=0)
        """The number of the size of most lines."""

    def number(self, size: float) -> int:
        """The number of a size, from the smallest."""
        return bisect_left(self._last, size)


def _columns(lines: Sequence[PagedLine], count: int) -> Iterator[_Column]:
    """Runs of consecutive lines, each at least partly below the one before."""
    column: list[PagedLine] = []
    for one in lines:
        if column and not _is_below(_measure(one), _measure(column[-1])):
            yield _Column(column, count)
            column, count = [], count + 1
        column.append(one)
    if column:
        yield _Column(column, count)


def _is_below(line: Measure, above: Measure) -> bool:
    if line.turn != above.turn or line.base <= above.base - above.size / 2:
        return False
    return min(line.end, above.end) > max(line.start, above.start) - above.size


def _find_edges(columns: Sequence[_Column], sizes: _Sizes) -> None:
    known: dict[tuple[int, int], list[_Edges]] = defaultdict(list)
    few: list[tuple[_Column, int, _Edges]] = []
    for column in columns:
        groups: dict[int, list[PagedLine]] = defaultdict(list)
        for one in column.lines:
            groups[sizes.number(_measure(one).size)].append(one)
        for size, lines in groups.items():
            own = column.edges[size] = _edges(lines)
            key = (_measure(lines[0]).turn, size)
            if own.lines > FEW:
                known[key].append(own)
            else:
                few.append((column, size, own))
    for some in known.values():
        some.sort(key=lambda edges: edges.left)
        _widen([edges for edges in some if not edges.justified])
    for column, size, own in few:
        some = known[_measure(column.lines[0]).turn, size]
        # The nearest column with the same start as this one, or with less indent.
        at = bisect_right(some, own.left + 1, key=lambda edges: edges.left)
        like = [
            e
            for e in some[max(0, at - NEAREST) : at]
            if own.left <= (e.left + e.right) / 2 and own.right <= e.right + 1
        ]
        if like:
            column.edges[size] = min(like, key=lambda edges: (abs(edges.left - own.left), -edges.lines))


def _widen(columns: Sequence[_Edges]) -> None:
    """Give columns with the same start, and ends within a few letters of each other, one right edge."""
    alike: list[_Edges] = []
    for edges in sorted(columns, key=lambda edges: (round(edges.left), -edges.right)):
        if alike and (round(edges.left) != round(alike[0].left) or alike[0].right - edges.right > 4 * edges.size):
            alike = []
        alike.append(edges)
        edges.right = alike[0].right


def _edges(lines: Sequence[PagedLine]) -> _Edges:
    whole = [one for one in lines if not _measure(one).is_row] or lines
    text = [*map(_measure, whole)]
    size = text[0].size
    least = max(2, len(text) // 10) if len(text) > FEW else 1
    starts, ends = sorted(m.start for m in text), sorted(m.end for m in text)
    left = next((s for s in starts if _within(starts, s - size / 4, s + size / 4) >= least), starts[0])
    equal, right = max((_within(ends, e - size / 4, e + size / 4), e) for e in ends)
    # Full-width characters end at the same position without justification.
    narrow = sorted(_measure(one).end for one in whole if not _is_wide(one.text))
    drawn_out = _within(narrow, right - size / 4, right + size / 4) >= len(narrow) / 2
    is_justified = len(text) > FEW and equal >= len(text) / 2 and drawn_out
    if not is_justified:
        right = next((e for e in reversed(ends) if _within(ends, e - 3 * size, e) >= least), ends[-1])
    return _Edges(left, right, is_justified, len(text), size)


def _within(ascending: Sequence[float], first: float, last: float) -> int:
    return bisect_right(ascending, last) - bisect_left(ascending, first)


def _pitches(columns: Sequence[_Column], sizes: _Sizes) -> Mapping[int, float]:
    """The usual line distance of each size: the lower quartile."""
    steps: dict[int, list[float]] = defaultdict(list)
    for column in columns:
        for above, below in pairwise(map(_measure, column.lines)):
            size = sizes.number(below.size)
            step = below.base - above.base
            if size == sizes.number(above.size) and step > below.size / 2 and not (above.is_row or below.is_row):
                steps[size].append(step)
    return {size: sorted(some)[len(some) // 4] for size, some in steps.items()}


def _in_column(
    column: _Column, sizes: _Sizes, pitches: Mapping[int, float], notes: Container[tuple[int, int]]
) -> Iterator[Part]:
    part: Part | None = None
    for at, one in enumerate(column.lines):
        measure = _measure(one)
        size = sizes.number(measure.size)
        if part and _is_divided(part, one, pitches):
            part.lines.append(one)
            continue
        begins_note = (one.page, one.number) in notes
        if part and part.size == size and not begins_note:
            after = column.lines[at + 1] if at + 1 < len(column.lines) else None
            if not _begins(part, one, after, pitches.get(size, 0.0)):
                part.lines.append(one)
                continue
        if part:
            yield part
        is_note = begins_note and size == sizes.usual
        goes_on = size <= sizes.usual and not is_note
        part = Part([one], column.number, size, column.edges[size], measure.is_row, goes_on, is_note)
    if part:
        yield part


def _is_divided(part: Part, one: PagedLine, pitches: Mapping[int, float]) -> bool:
    """Whether a word continues from the part's last line to the line ``one`` right below it, whatever its letters."""
    before = part.lines[-1]
    step = _measure(one).base - _measure(before).base
    divided = before.text.endswith(("-", "\u2010")) and before.text[-2:-1].islower() and one.text[0].islower()
    return divided and 0 < step < STILL_NEAR * pitches.get(part.size, 0.0)


def _begins(part: Part, one: PagedLine, after: PagedLine | None, pitch: float) -> bool:
    """Whether the line ``one`` begins a new paragraph after ``part``, which has the same size and column."""
    assert part.edges is not None
    before = part.lines[-1]
    above, line = _measure(before), _measure(one)
    step, indent = line.base - above.base, INDENT * line.size
    if step < line.size / 2:
        return line.start - above.end > 1.5 * line.size or line.start < above.end - line.size
    if above.is_row or line.is_row or not _is_full(before, one, part.edges):
        return True
    unfinished = not _is_stopped(before.text)
    if step > (STILL_NEAR if unfinished else FAR) * pitch:
        return True
    if _is_centred(above, part.edges) and _is_centred(line, part.edges):
        return False
    alone = above.base - _measure(part.lines[0]).base < above.size / 2
    start = _start(part)
    if line.start > start + indent:
        return not (alone and (unfinished or _BULLET.match(part.lines[0].text)))
    if line.start < start - indent:
        return not alone
    if _BULLET.match(one.text) and _BULLET.match(part.lines[0].text):
        return True
    indented = line.start > part.edges.left + indent
    # Two lines that are indented on both sides are a short block quotation.
    is_set_in = unfinished and abs(line.start - above.start) < line.size / 4 and part.edges.right - above.end > indent
    return alone and indented and not is_set_in and after is not None and _measure(after).start < line.start - indent


def _start(part: Part) -> float:
    """The start of a part's last printed line, which the file may have split."""
    last = _measure(part.lines[-1])
    near = takewhile(lambda one: abs(one.base - last.base) < one.size / 2, map(_measure, reversed(part.lines)))
    return min(one.start for one in near)


def _is_full(one: PagedLine, after: PagedLine, edges: _Edges) -> bool:
    """Whether the first word of ``after`` would not have fitted on the line ``one``."""
    line, following = _measure(one), _measure(after)
    if edges.lines == 1 and _is_stopped(one.text):
        return False
    left, inset = edges.right - line.end, line.start - edges.left
    is_inset = False
    if inset > INDENT * line.size > abs(following.start - line.start) and _goes_on_in(one, after, edges):
        # Indented on both sides, like block quotations, though not always equally.
        left, is_inset = left - inset, True
    elif _is_centred(line, edges) and _is_centred(following, edges):
        return following.word + _slack(one) > left + inset
    if edges.justified and not (is_inset or _is_wide(one.text) or one.text.endswith(("-", "\u2010"))):
        return left < line.size * 0.35
    return following.word + _slack(one) > left


def _slack(one: PagedLine) -> float:
    return _measure(one).size * (1 if _is_wide(one.text) else 0.35)


def _goes_on_in(one: PagedLine, after: PagedLine, edges: _Edges) -> bool:
    """Whether an indented line may continue in the next one: in a justified column, or within a sentence."""
    within = not _is_stopped(one.text) and (after.text[0].islower() or _is_wide(after.text[0]))
    return edges.justified or within


def _is_centred(line: Measure, edges: _Edges) -> bool:
    before, behind = line.start - edges.left, edges.right - line.end
    return before > line.size and abs(before - behind) < line.size / 2


def _is_wide(text: str) -> bool:
    return _WIDE.match(text[-1:]) is not None


def _is_stopped(text: str) -> bool:
    return bool(char_class(text[-1]) & _STOPS)


def _by_words(lines: Sequence[PagedLine]) -> Iterator[list[PagedLine]]:
    """The paragraphs of wrapped lines, determined from their words."""
    text = "\n".join(one.text for one in lines)
    breaks, at, first = frozenset(line_breaks(text)), 0, 0
    for number, one in enumerate(lines, 1):
        at += len(one.text) + 1
        if number == len(lines) or at in breaks:
            yield list(lines[first:number])
            first = number


def _goes_on(before: Part, after: Part) -> bool:
    """Whether, judging by the words, a page's last body line continues in the first of the next page."""
    text = "\n".join(one.text for one in before.around or before.lines)
    return len(text) + 1 not in line_breaks("\n".join((text, *(one.text for one in after.around or after.lines))))
