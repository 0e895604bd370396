"""The properties of a line that the layout rule uses, in compiled code: width, list marker, heading, table row,
unfinished end.

Equals ``_lines`` and ``_continues`` of :mod:`workbench.text.segmenting.layout`, whose constants the table here is built
from.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from string import ascii_lowercase
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS
from workbench.text.segmenting import layout
from workbench.text.segmenting.characters import CharClass, char_class

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
"""From this bit on: the letter a to z (1 to 26) that the code point is in any case, else 0."""

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
"""Code points that are looked at in one step, for a line end among them."""


def _spelled(word: str) -> int:
    """The word's letters, 5 bits each, the last one lowest."""
    return sum((ord(c) - ord("a") + 1) << 5 * i for i, c in enumerate(reversed(word)))


_UNFINISHED = np.array(sorted(map(_spelled, layout.UNFINISHED)), np.int64)


@lru_cache(maxsize=1)
def line_table() -> NDArray[np.uint32]:
    """One word for each code point: uint32 [0x110000]."""
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


@njit(cache=True, nogil=True)
def line_end(codes: Any, a: Any, b: Any) -> Any:
    """The first line end in ``[a, b)``, or ``b``: int64."""
    at, end = np.uint64(a), np.uint64(b)  # unsigned, which spares a check for negative places
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


@njit(cache=True, nogil=True)
def marker_of(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Kind of the list marker the line ``[a, b)`` begins with."""
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


@njit(cache=True, nogil=True)
def _in_brackets(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """The same, for a line that begins with a round bracket."""
    digits = _length(codes, a, b, table, _KANJI, 4)
    if 1 <= digits <= 3 and _is(codes, a + digits, b, table, _ROUND_CLOSE):
        return _KANJI_NUMBER
    if _is(codes, a, b, table, _LETTER) and _is(codes, a + 1, b, table, _ROUND_CLOSE):
        return _LETTERED
    letters = _length(codes, a, b, table, _ROMAN_LETTER, 5)
    if 2 <= letters <= 4 and _is(codes, a + letters, b, table, _ROUND_CLOSE):
        return _LETTERED
    return NO_MARKER


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _is(codes: Any, at: Any, b: Any, table: Any, flag: Any) -> Any:
    return at < b and table[codes[at]] & flag != 0


@njit(cache=True, nogil=True)
def _length(codes: Any, a: Any, b: Any, table: Any, flag: Any, most: Any) -> Any:
    """Number of consecutive code points with ``flag`` from ``a`` on, at most ``most``."""
    n = 0
    while n < most and a + n < b and table[codes[a + n]] & flag:
        n += 1
    return n


@njit(cache=True, nogil=True)
def is_structural(codes: Any, a: Any, b: Any, table: Any, seen: Any) -> Any:
    """Whether the line ``[a, b)``, trimmed, is a heading, a table row or a rule; ``seen`` holds all its flags."""
    if seen & _BAR or (codes[a] == _HASH and _is_heading(codes, a, b, table)):
        return True
    if (seen & _ROW or (seen & SPACE and _has_gap(codes, a, b))) and _is_row(codes, a, b, table):
        return True
    return b - a >= 3 and not seen & (_ALNUM | STOP) and _few_kinds(codes, a, b)


@njit(cache=True, nogil=True)
def _is_heading(codes: Any, a: Any, b: Any, table: Any) -> Any:
    n = 0
    while n < 7 and a + n < b and codes[a + n] == _HASH:
        n += 1
    return n <= 6 and (a + n == b or table[codes[a + n]] & SPACE != 0)


@njit(cache=True, nogil=True)
def _has_gap(codes: Any, a: Any, b: Any) -> Any:
    """Whether ``[a, b)`` contains three plain spaces in a row."""
    has_gap = False
    for i in range(a + 2, b):
        has_gap |= (codes[i] == _BLANK) & (codes[i - 1] == _BLANK) & (codes[i - 2] == _BLANK)
    return has_gap


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def first_piece(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Columns of the first unbreakable piece of ``[a, b)``."""
    n = 0
    while a + n < b and not table[codes[a + n]] & (SPACE | WIDE):
        n += 1
    return n if n else 2


@njit(cache=True, nogil=True)
def is_unfinished(codes: Any, a: Any, b: Any, table: Any) -> Any:
    """Whether the line ``[a, b)`` ends in a comma, a hyphen after a letter, or a word that no complete line ends in."""
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
    at = np.searchsorted(_UNFINISHED, spelled)
    return at < len(_UNFINISHED) and _UNFINISHED[at] == spelled
