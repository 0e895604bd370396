"""From folded characters to words with offsets, in compiled passes over many documents.

A unit is a word of a script written with spaces, a number, or one character of a script without spaces. A word of the
method is a unit, except that of consecutive characters within a sentence each two are a word, at the position of the
first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.altered.classes import (
    BEFORE_UNIT,
    BIG_UNIT,
    DIGIT,
    ORDINAL,
    UNIT,
    canonical,
    counters,
    lookalikes,
    numerals,
)
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.fold_table import CLASS_SHIFT
from workbench.kernels.mixing import mix
from workbench.kernels.token_pass import FoldedCodes, token_classes
from workbench.text.segmenting.characters import CharClass
from workbench.text.tokens import DIVIDES, SCRIPT

WORD, NUMBER, CHARACTER = np.uint8(0), np.uint8(1), np.uint8(2)
_DIVIDES, _SCRIPT = np.uint8(DIVIDES), np.uint8(SCRIPT)
_STRONG, _WEAK = np.uint32(CharClass.STRONG_STOP), np.uint32(CharClass.WEAK_STOP)
_CLOSER, _GRAPHIC = np.uint32(CharClass.CLOSER), np.uint32(CharClass.GRAPHIC)
_SPACE = np.uint32(CharClass.SPACE)
_SHIFT = np.uint32(CLASS_SHIFT)
_ORDINAL = np.uint32(ord(ORDINAL))
_HALF = tuple(np.uint32(ord(c)) for c in "\n;:；：」』")
_LINE, _COMMA, _WIDE_COMMA = np.uint32(10), np.uint32(ord(",")), np.uint32(ord("，"))
_A, _Z, _ZERO, _NINE = np.uint32(ord("a")), np.uint32(ord("z")), np.uint32(ord("0")), np.uint32(ord("9"))
_ASCII = np.uint32(128)
_LARGEST = 10**17
"""Numbers from here on are distinguished only by their last digits."""


@dataclass(frozen=True, slots=True)
class Units:
    """Units of documents: n rows. ``values`` uint64; ``kinds`` uint8 (WORD, NUMBER, CHARACTER).

    ``first``, ``last`` int32: the folded characters ``[first, last)`` of each; ``stems`` bool: a word of ASCII letters
    and look-alikes only; ``bounds`` int64 [d + 1]: units of document i are ``bounds[i]:bounds[i + 1]``.
    """

    values: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    stems: NDArray[np.bool_]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CutWords:
    """Words of documents: n rows; offsets in the batch.

    ``values`` uint64; ``characters`` uint64: the first character of a pair, 0 for other words. ``start``, ``end``
    int32: the word, or the first character of a pair; ``reach`` int32: the end of the pair if it is undivided;
    ``close`` int32: the end including the stops and closing marks after ``reach``. ``breaks`` uint8: the separator
    before the word: 2 a sentence end or the start of the text, 1 a line end, colon or semicolon, otherwise 0.
    ``bounds`` int64 [d + 1]: words of document i are ``bounds[i]:bounds[i + 1]``.
    """

    values: NDArray[np.uint64]
    characters: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    reach: NDArray[np.int32]
    close: NDArray[np.int32]
    breaks: NDArray[np.uint8]
    bounds: NDArray[np.int64]


def cut_units(folded: FoldedCodes, codes: NDArray[np.uint32]) -> Units:
    """Units of ``folded``, the folded form of ``codes``."""
    size = len(folded.codes)
    values, kinds, stems = np.empty(size, np.uint64), np.empty(size, np.uint8), np.empty(size, np.bool_)
    first, last, bounds = np.empty(size, np.int32), np.empty(size, np.int32), np.zeros(len(folded.bounds), np.int64)
    places = (folded.codes, folded.start, folded.end, folded.bounds, codes)
    tables = (token_classes(), canonical(), lookalikes(), *numerals(), counters())
    n = _units(*places, *tables, values, kinds, first, last, stems, bounds)
    return Units(values[:n], kinds[:n], first[:n], last[:n], stems[:n], bounds)


def pair_words(
    units: Units,
    folded: FoldedCodes,
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    table: NDArray[np.uint32],
) -> CutWords:
    """Words of ``units``; ``table``: character classes (see ``fold_table``), ``ends`` the documents' ends."""
    size = len(units.values)
    values, characters, breaks = np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty(size, np.uint8)
    start, end = np.empty(size, np.int32), np.empty(size, np.int32)
    reach, close = np.empty(size, np.int32), np.empty(size, np.int32)
    bounds = np.zeros(len(units.bounds), np.int64)
    cut = (units.values, units.kinds, units.bounds, folded.start[units.first], folded.end[units.last - 1])
    n = _pairs(*cut, codes, ends, table, values, characters, start, end, reach, close, breaks, bounds)
    return CutWords(values[:n], characters[:n], start[:n], end[:n], reach[:n], close[:n], breaks[:n], bounds)


@kernel
def letters_values(codes: Any, ends: Any) -> Any:
    """The values, uint64[n], of n words of letters without variants or look-alikes, which end in ``codes`` at ``ends``
    (int64[n]).
    """
    values = np.zeros(len(ends), np.uint64)
    start = 0
    for word in range(len(ends)):
        for at in range(start, ends[word]):
            values[word] = mix(values[word] + np.uint64(codes[at]))
        start = ends[word]
    return values


@kernel
def _units(
    codes: Any,
    starts: Any,
    ends: Any,
    bounds: Any,
    text: Any,
    classes: Any,
    variants: Any,
    latin: Any,
    numeral: Any,
    worth: Any,
    counter: Any,
    values: Any,
    kinds: Any,
    first: Any,
    last: Any,
    stems: Any,
    unit_bounds: Any,
) -> Any:
    n = 0
    for d in range(len(bounds) - 1):
        i, stop = bounds[d], bounds[d + 1]
        while i < stop:
            code = variants[codes[i]]
            spaced = (classes[codes[i]] & _SCRIPT) == 0
            first[n], stems[n] = i, False
            if spaced and not _digit(code):
                i = _word(codes, starts, ends, text, classes, i, stop)
                values[n], stems[n] = _word_value(codes, variants, latin, np.int64(first[n]), i)
                kinds[n], last[n] = WORD, i
                n += 1
                continue
            if spaced:
                end = _word(codes, starts, ends, text, classes, i, stop)
                digits = i
                while digits < end and _digit(codes[digits]):
                    digits += 1
                if digits < end and (classes[codes[digits]] & _SCRIPT) == 0:
                    values[n], stems[n] = _word_value(codes, variants, latin, i, end)
                    kinds[n], last[n] = WORD, end
                    n += 1
                    i = end
                    continue
            if spaced or _numeral(codes, starts, ends, text, classes, variants, numeral, i, stop) != 0:
                end, value = _number(codes, starts, ends, text, classes, variants, numeral, worth, i, stop)
                alone = not spaced and end == i + 1
                if alone:
                    ordinal = i > bounds[d] and codes[i - 1] == _ORDINAL
                    alone = not ordinal and not (end < stop and counter[variants[codes[end]]])
                if not alone:
                    values[n] = mix(np.uint64(value) ^ np.uint64(0xA5A5A5A5A5A5A5A5))
                    kinds[n], last[n] = NUMBER, end
                    n += 1
                    i = end
                    continue
            values[n] = mix(np.uint64(code))
            kinds[n], last[n] = CHARACTER, i + 1
            n += 1
            i += 1
        unit_bounds[d + 1] = n
    return n


@helper
def _digit(code: Any) -> Any:
    return _ZERO <= code <= _NINE


@helper
def _divided(starts: Any, ends: Any, text: Any, classes: Any, i: Any) -> Any:
    """Whether a word separator is between the folded characters i - 1 and i."""
    dividing = np.uint8(0)
    for o in range(ends[i - 1], starts[i]):
        dividing |= classes[text[o]] & _DIVIDES
    return dividing != 0


@helper
def _word(codes: Any, starts: Any, ends: Any, text: Any, classes: Any, i: Any, stop: Any) -> Any:
    """The end of the word of a spaced script that begins at i."""
    i += 1
    while i < stop and (classes[codes[i]] & _SCRIPT) == 0 and not _divided(starts, ends, text, classes, i):
        i += 1
    return i


@helper
def _word_value(codes: Any, variants: Any, latin: Any, i: Any, end: Any) -> Any:
    """Value of a word, and whether it consists of ASCII letters after folding look-alikes."""
    letters, other = False, False
    for k in range(i, end):
        letters |= _A <= codes[k] <= _Z
        other |= codes[k] >= _ASCII
    mixed = letters and other
    value, ascii_letters = np.uint64(0), True
    for k in range(i, end):
        code = variants[codes[k]]
        if mixed:
            code = latin[code]
        ascii_letters &= _A <= code <= _Z
        value = mix(value + np.uint64(code))
    return value, ascii_letters


@helper
def _number(
    codes: Any,
    starts: Any,
    ends: Any,
    text: Any,
    classes: Any,
    variants: Any,
    numeral: Any,
    worth: Any,
    i: Any,
    stop: Any,
) -> Any:
    """End and value of the number that begins at i: digits, numerals and units, with or without thousands commas."""
    total: Any = 0
    section: Any = 0
    digits: Any = 0
    present = False
    begin = i
    while i < stop:
        code = variants[codes[i]]
        adjacent = i == begin or not _divided(starts, ends, text, classes, i)
        if _digit(code):
            if not adjacent and not _thousands(codes, starts, ends, text, classes, i, stop):
                break
            digits, present = digits * 10 + np.int64(code - _ZERO), True
        else:
            kind = _numeral(codes, starts, ends, text, classes, variants, numeral, i, stop)
            if not adjacent or kind == 0:
                break
            if kind == DIGIT:
                digits, present = digits * 10 + worth[code], True
            elif kind == UNIT:
                section += (digits if present else 1) * worth[code]
                digits, present = 0, False
            else:
                whole = section + digits
                total += (whole if whole or present else 1) * worth[code]
                section, digits, present = 0, 0, False
        # Of too large numbers the last digits are used, so that long strings of digits remain distinct.
        total, section, digits = total % _LARGEST, section % _LARGEST, digits % _LARGEST
        i += 1
    return i, total + section + digits


@helper
def _numeral(
    codes: Any, starts: Any, ends: Any, text: Any, classes: Any, variants: Any, numeral: Any, i: Any, stop: Any
) -> Any:
    """The class of the numeral at i, 0 for none; BEFORE_UNIT is a digit before a unit, otherwise none."""
    kind = numeral[variants[codes[i]]]
    if kind != BEFORE_UNIT:
        return kind
    if i + 1 < stop and not _divided(starts, ends, text, classes, i + 1):
        following = numeral[variants[codes[i + 1]]]
        if UNIT <= following <= BIG_UNIT:
            return DIGIT
    return np.uint8(0)


@helper
def _thousands(codes: Any, starts: Any, ends: Any, text: Any, classes: Any, i: Any, stop: Any) -> Any:
    """Whether a comma precedes i and exactly three digits follow it."""
    if starts[i] - ends[i - 1] != 1 or not _digit(codes[i - 1]):
        return False
    if text[ends[i - 1]] != _COMMA and text[ends[i - 1]] != _WIDE_COMMA:
        return False
    for k in range(i, i + 3):
        if k >= stop or not _digit(codes[k]) or (k > i and starts[k] != ends[k - 1]):
            return False
    return i + 3 >= stop or not _digit(codes[i + 3]) or starts[i + 3] != ends[i + 2]


@kernel
def _pairs(
    units: Any,
    kinds: Any,
    unit_bounds: Any,
    unit_start: Any,
    unit_end: Any,
    text: Any,
    text_ends: Any,
    table: Any,
    values: Any,
    characters: Any,
    start: Any,
    end: Any,
    reach: Any,
    close: Any,
    breaks: Any,
    bounds: Any,
) -> Any:
    n = 0
    for d in range(len(unit_bounds) - 1):
        first, last = unit_bounds[d], unit_bounds[d + 1]
        before, paired = 2, False
        for i in range(first, last):
            after = _break(text, table, unit_end[i], unit_start[i + 1]) if i + 1 < last else 2
            character = kinds[i] == CHARACTER
            pairs = character and after == 0 and kinds[min(i + 1, last - 1)] == CHARACTER
            # The last character of a stretch belongs to the preceding pair.
            if pairs or not paired:
                values[n] = mix(mix(units[i]) + units[i + 1]) if pairs else units[i]
                characters[n] = units[i] if character else 0
                start[n], end[n], reach[n] = unit_start[i], unit_end[i], unit_end[i + pairs]
                breaks[n] = before
                o = np.int64(reach[n])
                while o < text_ends[d] and (table[text[o]] >> _SHIFT) & (_STRONG | _WEAK):
                    o += 1
                while o < text_ends[d] and (table[text[o]] >> _SHIFT) & _CLOSER:
                    o += 1
                close[n] = o
                n += 1
            before, paired = after, pairs
        bounds[d + 1] = n
    return n


@helper
def _break(text: Any, table: Any, start: Any, end: Any) -> Any:
    """2 if a sentence ends in ``text[start:end)``, 1 for a lesser division, otherwise 0."""
    lesser, lines = 0, 0
    for o in range(start, end):
        code = text[o]
        kind = table[code] >> _SHIFT
        if kind & _STRONG:
            return 2
        if kind & _WEAK:
            inside = (
                end - start == 1
                and table[text[start - 1]] >> _SHIFT & _GRAPHIC
                and table[text[end]] >> _SHIFT & _GRAPHIC
            )
            if not inside:
                return 2
        if code == _LINE:
            lines += 1
            if lines == 2:
                return 2
        elif not kind & _SPACE:
            lines = 0
        for half in _HALF:
            if code == half:
                lesser = 1
    return lesser
