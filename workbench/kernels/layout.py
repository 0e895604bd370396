"""The compiled layout rule: which line ends also end segments, in many texts in one pass.

It uses the properties width, list marker, heading, table row and unfinished end of a line. Equals
:func:`workbench.text.segmenting.segmentation.hard_breaks`, and ``_lines`` and ``_continues`` of
:mod:`workbench.text.segmenting.layout`, from whose constants the table here is built.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Block
from workbench.kernels.code_points import CODE_POINTS
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import number_below, shell_sort
from workbench.text.segmenting import layout
from workbench.text.segmenting.characters import CharClass, char_class
from workbench.text.segmenting.layout import (
    CJK_SLACK,
    FULL_SHARE,
    NARROWEST,
    QUOTE,
    RUNNING_LINES,
    SURELY_PROSE,
    WIDEST,
)
from workbench.text.segmenting.segmentation import Layout

_STOPS_BEFORE = 0x20000
"""There are no stops or closers from this code point on."""
_SETS_BEFORE = 0x10000

WIDE, SPACE, STOP, LOWER = np.uint32(1), np.uint32(2), np.uint32(4), np.uint32(8)
_WORD, _BULLET, _DASH, _DIGIT, _KANJI, _LETTER, _LATIN = (np.uint32(1 << bit) for bit in range(4, 11))
_ROMAN, _ROMAN_LETTER, _COMMA, _HYPHEN, _BAR = (np.uint32(1 << bit) for bit in range(11, 16))
CLOSING, OPENING = np.uint32(1 << 16), np.uint32(1 << 17)
_ROUND_OPEN, _ROUND_CLOSE, _OPEN, _CLOSE, _POINT, _LIST_POINT = (np.uint32(1 << bit) for bit in range(18, 24))
_ALNUM, _ROW = np.uint32(1 << 24), np.uint32(1 << 25)
_SPELLED = np.uint32(26)
"""From this bit on: the number (1 to 26) of the letter a to z, ignoring case; 0 for other code points."""

_SETS = (
    (layout.BULLET, _BULLET),
    (layout.DASH, _DASH),
    (layout.DIGIT, _DIGIT),
    (layout.KANJI_DIGIT, _KANJI),
    (layout.LETTER, _LETTER),
    (layout.LATIN, _LATIN),
    (layout.ROMAN, _ROMAN),
    (layout.ROMAN_LETTER, _ROMAN_LETTER),
    (layout.COMMA, _COMMA),
    (layout.HYPHEN, _HYPHEN),
    (layout.BAR, _BAR),
    (layout.CLOSING, CLOSING),
    (layout.OPENING, OPENING),
    ("(（", _ROUND_OPEN),
    (")）", _ROUND_CLOSE),
    (r"(（\[［", _OPEN),
    (r")）\]］", _CLOSE),
    (".．", _POINT),
    (".．、", _LIST_POINT),
    (r"\t|", _ROW),
)

LINE_FEED, _TAB, _BLANK, _IDEOGRAPHIC, _PIPE, _HASH = (np.uint32(ord(c)) for c in "\n\t \u3000|#")
NO_MARKER, BULLET, _DASHED, _ROUNDED, _DOTTED, _KANJI_NUMBER, _LETTERED = range(7)
MARKERS = 7
_LONGEST = max(map(len, layout.UNFINISHED))
_ONE, _TOGETHER = np.uint64(1), np.uint64(16)
"""Number of code points examined for a line end in one step."""


def _spelled(word: str) -> int:
    """The word's letters, 5 bits each, the last one lowest."""
    return sum((ord(c) - ord("a") + 1) << 5 * i for i, c in enumerate(reversed(word)))


_UNFINISHED = np.array(sorted(map(_spelled, layout.UNFINISHED)), np.int64)


@lru_cache(maxsize=1)
def line_table() -> NDArray[np.uint32]:
    """Properties of each code point as bits: uint32 [0x110000]."""
    table = np.zeros(CODE_POINTS, np.uint32)
    characters = np.arange(CODE_POINTS, dtype=np.uint32).view("<U1")
    table[np.strings.isspace(characters)] |= SPACE
    table[np.strings.islower(characters)] |= LOWER
    table[np.strings.isalnum(characters)] |= _ALNUM | _WORD
    table[ord("_")] |= _WORD
    for first, last in layout.WIDE_RANGES:
        table[first : last + 1] |= WIDE
    ending = CharClass.STRONG_STOP | CharClass.WEAK_STOP | CharClass.CLOSER
    for code in range(_STOPS_BEFORE):
        character = chr(code)
        if unicodedata.category(character)[0] in "PS" and char_class(character) & ending:
            table[code] |= STOP
    plane = "".join(map(chr, range(_SETS_BEFORE)))
    for members, flag in _SETS:
        for run in re.finditer(f"[{members}]+", plane):
            table[run.start() : run.end()] |= flag
    for run in re.finditer("[a-z]", plane, re.IGNORECASE):
        number = next(n for n, a in enumerate(ascii_lowercase, 1) if re.fullmatch(a, run.group(), re.IGNORECASE))
        table[run.start()] |= np.uint32(number << int(_SPELLED))
    return table


@helper
def line_end(codes: Any, a: Any, b: Any) -> Any:
    """The first line end in ``[a, b)``, or ``b``: int64."""
    at, end = np.uint64(a), np.uint64(b)  # unsigned, which saves a check for negative positions
    while at + _TOGETHER <= end:
        hits = np.uint32(0)
        for k in range(_TOGETHER):
            hits |= np.uint32(codes[at + k] == LINE_FEED)
        if hits:
            break
        at += _TOGETHER
    while at < end and codes[at] != LINE_FEED:
        at += _ONE
    return np.int64(at)


@helper
def marker_of(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Kind of the list marker at the start of the line ``[a, b)``."""
    head = table[codes[a]]
    second = table[codes[a + 1]] if a + 1 < b else np.uint32(0)
    if head & _BULLET:
        return BULLET
    if head & _DASH and second & SPACE:
        return _DASHED
    if head & _OPEN:
        digits = _length(codes, a + 1, b, table, _DIGIT, 4)
        if 1 <= digits <= 3 and _is(codes, a + 1 + digits, b, table, _CLOSE):
            return _ROUNDED
        if head & _ROUND_OPEN:
            return _in_brackets(codes, a + 1, b, table)
    elif head & _DIGIT:
        return _number(codes, a, b, table)
    elif head & _KANJI:
        digits = _length(codes, a, b, table, _KANJI, 4)
        after = a + digits
        if digits <= 3 and _is(codes, after, b, table, _LIST_POINT) and not _is(codes, after + 1, b, table, _KANJI):
            return _KANJI_NUMBER
    elif (head & _LATIN and second & _ROUND_CLOSE and _is(codes, a + 2, b, table, SPACE)) or (
        head & _ROMAN and second & (_LIST_POINT | SPACE)
    ):
        return _LETTERED
    return NO_MARKER


@helper
def _in_brackets(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """The same, for a line that begins with a round bracket, ``[a, b)`` being the text after it."""
    digits = _length(codes, a, b, table, _KANJI, 4)
    if 1 <= digits <= 3 and _is(codes, a + digits, b, table, _ROUND_CLOSE):
        return _KANJI_NUMBER
    if _is(codes, a, b, table, _LETTER) and _is(codes, a + 1, b, table, _ROUND_CLOSE):
        return _LETTERED
    letters = _length(codes, a, b, table, _ROMAN_LETTER, 5)
    if 2 <= letters <= 4 and _is(codes, a + letters, b, table, _ROUND_CLOSE):
        return _LETTERED
    return NO_MARKER


@helper
def _number(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """The same, for a line that begins with a digit."""
    digits = _length(codes, a, b, table, _DIGIT, 4)
    at = a + digits
    if digits <= 3 and not _is(codes, at + 1, b, table, _DIGIT):
        if _is(codes, at, b, table, _ROUND_CLOSE):
            return _ROUNDED
        if _is(codes, at, b, table, _LIST_POINT):
            return _DOTTED
    groups = 0
    while digits <= 2 and groups < 3 and _is(codes, at, b, table, _POINT):
        more = _length(codes, at + 1, b, table, _DIGIT, 3)
        if not 1 <= more <= 2:
            break
        at += 1 + more
        groups += 1
    if groups:
        if _is(codes, at, b, table, _POINT):
            at += 1
        if _is(codes, at, b, table, SPACE):
            return _DOTTED
    return NO_MARKER


@helper
def _is(codes: Any, at: Any, b: Any, table: Any, flag: Any) -> Any:
    return at < b and table[codes[at]] & flag != 0


@helper
def _length(codes: Any, a: Any, b: Any, table: Any, flag: Any, most: Any) -> Any:
    """Number of consecutive code points with ``flag`` from ``a`` on, at most ``most``."""
    n = 0
    while n < most and a + n < b and table[codes[a + n]] & flag:
        n += 1
    return n


@helper
def is_structural(codes: Any, a: Any, b: Any, table: Any, seen: Any) -> Any:
    """Whether the line ``[a, b)``, trimmed, is a heading, a table row or a rule; ``seen`` is the union of its flags."""
    if seen & _BAR or (codes[a] == _HASH and _is_heading(codes, a, b, table)):
        return True
    if (seen & _ROW or (seen & SPACE and _has_gap(codes, a, b))) and _is_row(codes, a, b, table):
        return True
    return b - a >= 3 and not seen & (_ALNUM | STOP) and _few_kinds(codes, a, b)


@helper
def _is_heading(codes: Any, a: Any, b: Any, table: Any) -> Any:
    n = 0
    while n < 7 and a + n < b and codes[a + n] == _HASH:
        n += 1
    return n <= 6 and (a + n == b or table[codes[a + n]] & SPACE != 0)


@helper
def _has_gap(codes: Any, a: Any, b: Any) -> Any:
    """Whether ``[a, b)`` contains three plain spaces in a row."""
    has_gap = False
    for i in range(a + 2, b):
        has_gap |= (codes[i] == _BLANK) & (codes[i - 1] == _BLANK) & (codes[i - 2] == _BLANK)
    return has_gap


@helper
def _is_row(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Whether ``[a, b)`` contains a tab, two ``|`` or two gaps; the first gap consists of plain spaces only."""
    pipes = gaps = blanks = 0
    spaced = False
    for i in range(a, b):
        c = codes[i]
        if c == _BLANK:
            blanks += 1
            continue
        space = table[c] & SPACE != 0
        pipes += c == _PIPE
        gaps += blanks >= 3 and not space and (gaps > 0 or not spaced)
        if c == _TAB or pipes == 2 or gaps == 2:
            return True
        blanks = 0
        spaced = space
    return False


@helper
def _few_kinds(codes: Any, a: Any, b: Any) -> Any:
    """Whether ``[a, b)`` contains at most two kinds of code points, not counting spaces."""
    first = second = codes[a]
    for i in range(a, b):
        c = codes[i]
        if c in (_BLANK, _IDEOGRAPHIC, first, second):
            continue
        if second != first:
            return False
        second = c
    return True


@helper
def first_piece(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Columns of the first unbreakable piece of ``[a, b)``."""
    n = 0
    while a + n < b and not table[codes[a + n]] & (SPACE | WIDE):
        n += 1
    return n if n else 2


@helper
def is_unfinished(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Whether the line ``[a, b)`` ends in a comma, a hyphen after a letter, or a word that ends no complete line."""
    last = table[codes[b - 1]]
    if last & _COMMA or (last & _HYPHEN and b - 2 >= a and table[codes[b - 2]] & _WORD):
        return True
    spelled = np.int64(0)
    n = 0
    while n <= _LONGEST and b - 1 - n >= a:
        letter = np.int64(table[codes[b - 1 - n]] >> _SPELLED)
        if letter == 0:
            break
        spelled |= letter << (5 * n)
        n += 1
    if n == 0 or n > _LONGEST or b - 1 - n < a or not table[codes[b - 1 - n]] & SPACE:
        return False
    at = number_below(_UNFINISHED, spelled)
    return at < len(_UNFINISHED) and _UNFINISHED[at] == spelled


_INDENT, _QUOTE = np.uint32(0x3000), np.uint32(ord(QUOTE))
_START, _END, _FIRST, _LAST, _WIDTH, _UNIT, _MARKER, _REGION, _QUOTED, _RUNNING = range(10)
"""Columns of a line: its start, its line end, its trimmed ``[first, last)``; its width in columns and that of its first
piece; kind of list marker; its region, -1 for none; number of quote marks before it; 1 for a running line, otherwise 0.
"""
_COLUMNS = 10


def batch_breaks(
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    blocks: Sequence[Sequence[Block]],
    layout: Layout | str,
    is_open: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Hard breaks of concatenated documents, and the ends of the documents other than 0: ascending, possibly with
    duplicates.

    Document i ends at ``ends[i]`` and has ``blocks[i]``. The line ends of a document that is not ``is_open`` are
    omitted, as they do not affect its segments. Raises ValueError for an unknown ``layout``.
    """
    layout = Layout(layout)
    starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
    of_document = [list(chain.from_iterable([block[0] for block in own])) for own in blocks]
    sizes = np.fromiter(map(len, of_document), np.int64, len(of_document))
    inside = np.fromiter(chain.from_iterable(of_document), np.int64, int(sizes.sum()))
    inside = np.minimum(inside + np.repeat(starts, sizes), np.repeat(ends, sizes))
    edges = np.sort(np.concatenate([starts, ends, inside]))
    edges = edges[np.diff(edges, prepend=-1) > 0]
    line_breaks = edges[:0]
    if len(edges) > 1 and layout is not Layout.NEVER and is_open.any():
        # Among documents that end at the same position, the last owns the piece after it, if there is one.
        document = np.searchsorted(starts, edges[:-1], side="right") - 1
        line_breaks = _scan(codes, edges, is_open[document], layout is Layout.ALWAYS, line_table())
    return np.sort(np.concatenate([edges[edges > 0], line_breaks]), kind="stable")


@kernel
def _scan(codes: Any, edges: Any, is_open: Any, always: Any, table: Any) -> Any:
    """Offsets one past the line ends that end a segment, piece by piece; ``always``: all line ends."""
    breaks = np.empty(1 << 6, np.int64)
    lines = np.empty((1 << 6, _COLUMNS), np.int64)
    n = np.int64(0)
    for piece in range(len(edges) - 1):
        if not is_open[piece]:
            continue
        first, end = edges[piece], edges[piece + 1]
        if always:
            at = line_end(codes, first, end)
            while at < end:
                if n == len(breaks):
                    breaks = np.concatenate((breaks, np.empty_like(breaks)))
                breaks[n] = at + 1
                n += 1
                at = line_end(codes, at + 1, end)
        else:
            size, blank = _read(codes, first, end, table, lines)
            while size < 0:
                lines = np.empty((2 * len(lines), _COLUMNS), np.int64)
                size, blank = _read(codes, first, end, table, lines)
            if n + size > len(breaks):
                breaks = np.concatenate((breaks, np.empty(len(breaks) + size, np.int64)))
            if size > 1 and not blank:
                n = _breaks(codes, table, lines[:size], breaks, n)
    return breaks[:n]


@helper
def _breaks(codes: Any, table: Any, lines: Any, breaks: Any, n: Any) -> Any:
    """Write the breaks of a piece with these ``lines`` to ``breaks`` from index n on. Returns the index after them."""
    size = len(lines)
    item, regions = np.empty(size, np.bool_), np.empty((size, 2), np.int64)
    kinds = np.zeros(MARKERS, np.int64)
    for i in range(size):
        kinds[lines[i, _MARKER]] += 1
    for i in range(size):
        marker = lines[i, _MARKER]
        item[i] = marker == BULLET or (marker != NO_MARKER and kinds[marker] > 1)
    count = _regions(lines, size, regions)
    for i in range(size):
        lines[i, _RUNNING] = i + 1 < size and _runs(codes, table, lines, item, i)
    widths = _wrap_widths(codes, table, lines, regions, count)
    cut = _cut(lines, size)
    in_item = False
    for i in range(size - 1):
        region = lines[i, _REGION]
        in_item = item[i] or (in_item and i > 0 and lines[i - 1, _REGION] == region)
        together = region >= 0 and lines[i + 1, _REGION] == region and not item[i + 1]
        if together:
            together = not ((_indented(codes, lines, i + 1) and not in_item) or _turn(codes, table, lines, i))
        if together:
            together = _continues(codes, table, lines, i) or _full(codes, table, lines, i, widths[region])
            together |= lines[i, _END] - lines[i, _START] == cut
        if not together:
            breaks[n] = lines[i, _END] + 1
            n += 1
    return n


@helper
def _read(codes: Any, a: Any, b: Any, table: Any, lines: Any) -> Any:
    """Fill ``lines`` (with region 0 for every line that belongs to one). Returns their number, or -1 if there is too
    little room, and whether all are blank.
    """
    size = 0
    blank = True
    at = a
    while True:
        if size == len(lines):
            return -1, False
        end = line_end(codes, at, b)
        first, last = at, end
        quoted = 0
        while first < end and (table[codes[first]] & SPACE or codes[first] == _QUOTE):
            quoted += codes[first] == _QUOTE
            first += 1
        while last > first and table[codes[last - 1]] & SPACE:
            last -= 1
        line = lines[size]
        line[_START], line[_END], line[_QUOTED] = at, end, quoted
        if first == end:
            line[_FIRST] = line[_LAST] = at
            line[_WIDTH], line[_UNIT], line[_MARKER], line[_REGION] = 0, 0, NO_MARKER, -1
        else:
            blank = False
            seen = np.uint64(0)
            wide = np.uint32(0)
            for code in codes[first:last]:
                word = table[code]
                seen |= word
                wide += word & WIDE
            line[_FIRST], line[_LAST], line[_WIDTH] = first, last, last - first + np.int64(wide)
            line[_UNIT] = first_piece(codes, first, last, table)
            line[_MARKER] = marker_of(codes, first, last, table)
            line[_REGION] = -1 if is_structural(codes, first, last, table, seen) else 0
        size += 1
        if end >= b:
            return size, blank
        at = end + 1


@helper
def _regions(lines: Any, size: Any, regions: Any) -> Any:
    """Number the regions and write each one's ``[first, past last)`` lines. Returns their number."""
    count = 0
    for i in range(size):
        if lines[i, _REGION] < 0:
            continue
        if i and lines[i - 1, _REGION] >= 0 and lines[i, _QUOTED] == lines[i - 1, _QUOTED]:
            regions[count - 1, 1] = i + 1
        else:
            regions[count, 0], regions[count, 1] = i, i + 1
            count += 1
        lines[i, _REGION] = count - 1
    return count


@helper
def _wrap_widths(codes: Any, table: Any, lines: Any, regions: Any, count: Any) -> Any:
    """The wrap width that applies to each region; 0 if there is none."""
    widths = np.zeros(count, np.int64)
    running = np.zeros(count, np.int64)
    for r in range(count):
        running[r] = lines[regions[r, 0] : regions[r, 1], _RUNNING].sum()
        widths[r] = _wrapped_width(codes, table, lines, regions[r, 0], regions[r, 1], running[r])
    proven = shell_sort(widths[widths > 0])
    if len(proven):
        inherited = proven[(len(proven) - 1) // 2]
    else:
        inherited = _wrapped_width(codes, table, lines, 0, regions[count - 1, 1] if count else 0, running.sum())
    for r in range(count):
        if running[r] < RUNNING_LINES:
            widths[r] = inherited
            if not inherited:
                width = _own_width(lines[regions[r, 0] : regions[r, 1], _WIDTH].copy())
                widths[r] = width if SURELY_PROSE <= width <= WIDEST else 0
    return widths


@helper
def _own_width(widths: Any) -> Any:
    """The width that a tenth of the lines exceed; changes the order of ``widths``."""
    n = len(widths)
    return shell_sort(widths)[n - 1 - n // 10]


@helper
def _wrapped_width(codes: Any, table: Any, lines: Any, a: Any, b: Any, running: Any) -> Any:
    """Wrap width established by the ``running`` lines of ``lines[a:b]``; 0 if there is none."""
    if running < RUNNING_LINES:
        return 0
    every = np.empty(running, np.int64)
    n = 0
    for i in range(a, b):
        if lines[i, _RUNNING]:
            every[n] = lines[i, _WIDTH]
            n += 1
    width = _own_width(every)
    if not NARROWEST <= width <= WIDEST:
        return 0
    full = 0
    for i in range(a, b):
        full += lines[i, _RUNNING] and _full(codes, table, lines, i, width)
    return width if full >= FULL_SHARE * running else 0


@helper
def _cut(lines: Any, size: Any) -> Any:
    """The number of characters after which the text was cut, whatever their width; 0 if it was not."""
    sizes = np.empty(size, np.int64)
    n = 0
    for i in range(size):
        if lines[i, _RUNNING]:
            sizes[n] = lines[i, _END] - lines[i, _START]
            n += 1
    if n < RUNNING_LINES:
        return 0
    ordered = shell_sort(sizes[:n])
    best = most = times = 0
    for at in range(n):
        times = times + 1 if at and ordered[at] == ordered[at - 1] else 1
        if times >= best:
            best, most = times, ordered[at]
    return most if most >= NARROWEST and best >= FULL_SHARE * n else 0


@helper
def _runs(codes: Any, table: Any, lines: Any, item: Any, i: Any) -> Any:
    """Whether line ``i`` is a running line."""
    if lines[i, _REGION] < 0 or lines[i + 1, _REGION] != lines[i, _REGION]:
        return False
    if item[i + 1] or _indented(codes, lines, i + 1) or lines[i, _WIDTH] > WIDEST:
        return False
    return not table[codes[lines[i, _LAST] - 1]] & STOP


@helper
def _indented(codes: Any, lines: Any, i: Any) -> Any:
    return lines[i, _FIRST] > lines[i, _START] and codes[lines[i, _START]] == _INDENT


@helper
def _turn(codes: Any, table: Any, lines: Any, i: Any) -> Any:
    """Whether line ``i`` ends one turn of a dialogue and the next line begins another."""
    closing, opening = table[codes[lines[i, _LAST] - 1]], table[codes[lines[i + 1, _FIRST]]]
    return closing & CLOSING != 0 and opening & OPENING != 0


@helper
def _full(codes: Any, table: Any, lines: Any, i: Any, width: Any) -> Any:
    """Whether the first piece of line ``i + 1`` would not have fitted on line ``i`` within ``width`` columns."""
    wide = (table[codes[lines[i, _LAST] - 1]] | table[codes[lines[i + 1, _FIRST]]]) & WIDE
    slack = CJK_SLACK if wide else 1
    return width > 0 and lines[i, _WIDTH] <= WIDEST and lines[i, _WIDTH] + lines[i + 1, _UNIT] + slack > width


@helper
def _continues(codes: Any, table: Any, lines: Any, i: Any) -> Any:
    if lines[i, _WIDTH] < NARROWEST:
        return False
    if table[codes[lines[i + 1, _FIRST]]] & LOWER:
        return True
    return is_unfinished(codes, lines[i, _FIRST], lines[i, _LAST], table)
