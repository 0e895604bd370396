"""From code points to fingerprints in one compiled pass over many documents.

Equals the plain reference: ``segments`` of :mod:`workbench.text.segmenting.segmentation` (given its ``hard_breaks``),
each folded by :mod:`workbench.text.normalisation` and fingerprinted by :mod:`workbench.kernels.rabin`. Segments
with a code point that needs context are marked, for the caller to fold with the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.code_points import trimmed
from workbench.kernels.fold_table import CLASS_SHIFT, CONTEXT, EXPANDS, VALUE, FoldTable
from workbench.kernels.rabin import reduction_table, slice_fingerprint
from workbench.text.segmenting.characters import CharClass

_VALUE, _EXPANDS, _CONTEXT = np.uint32(VALUE), np.uint32(EXPANDS), np.uint32(CONTEXT)
_STRONG = np.uint32(CharClass.STRONG_STOP << CLASS_SHIFT)
_STOP = np.uint32((CharClass.STRONG_STOP | CharClass.WEAK_STOP) << CLASS_SHIFT)
_CLOSER = np.uint32(CharClass.CLOSER << CLASS_SHIFT)
_SPACE = np.uint32(CharClass.SPACE << CLASS_SHIFT)
_GRAPHIC = np.uint32(CharClass.GRAPHIC << CLASS_SHIFT)
_MARK = _STOP | _CONTEXT
_LINE_FEED = np.uint32(10)
_PLACE, _PLACES = np.uint64(32), np.uint64(2**32 - 1)


@dataclass(frozen=True, slots=True)
class Pass:
    """Segments of a batch: columns of equal length m, in text order.

    ``fingerprints`` uint64 (0: needs the reference), ``start`` and ``end`` int32 offsets in the batch, ``length`` int32
    folded characters. ``bounds`` int64 [d + 1]: rows of document i are ``bounds[i]:bounds[i + 1]``; ``short`` int64 [d]
    counts segments that were dropped as too short.
    """

    fingerprints: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    length: NDArray[np.int32]
    bounds: NDArray[np.int64]
    short: NDArray[np.int64]


def has_open_lines(codes: NDArray[np.uint32], document_ends: NDArray[np.int64], table: FoldTable) -> NDArray[np.bool_]:
    """Which documents have a line end at which a segment would continue if it were not a hard break: bool [d].

    It would not after a stop (and its closers), nor if there is only white space before or after it.
    """
    is_open = np.zeros(len(document_ends), np.bool_)
    _open_lines(codes, document_ends, np.flatnonzero(codes == _LINE_FEED), table.words, is_open)
    return is_open


def digest_pass(
    codes: NDArray[np.uint32],
    document_ends: NDArray[np.int64],
    breaks: NDArray[np.int64],
    table: FoldTable,
    *,
    bits: int = 64,
    min_length: int = 5,
) -> Pass:
    """Segments of ``codes`` (documents end to end, the i-th ending at ``document_ends[i]``, non-decreasing).

    ``breaks`` are the hard breaks, ascending, and include every document end that is not 0 (duplicates are harmless).
    ``min_length`` (>= 1) is in folded characters.
    """
    room = len(codes) + 1
    fingerprints = np.empty(room, np.uint64)
    start, end, length = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    bounds = np.zeros(len(document_ends) + 1, np.int64)
    short = np.zeros(len(document_ends), np.int64)
    m = _scan(
        codes,
        document_ends,
        breaks,
        table.words,
        table.expansions,
        reduction_table(bits),
        np.uint64(bits),
        min_length,
        fingerprints,
        start,
        end,
        length,
        bounds,
        short,
    )
    return Pass(fingerprints[:m], start[:m], end[:m], length[:m], bounds, short)


@njit(cache=True, nogil=True)
def _open_lines(codes: Any, ends: Any, line_ends: Any, words: Any, is_open: Any) -> Any:
    k = 0
    first = 0
    for d in range(len(ends)):
        if k < len(line_ends) and line_ends[k] < ends[d]:
            start, end = trimmed(codes, first, ends[d], words, _SPACE)
            while k < len(line_ends) and line_ends[k] < ends[d]:
                if start < line_ends[k] < end and not is_open[d]:
                    is_open[d] = not _ended(codes, start, line_ends[k], words)
                k += 1
        first = ends[d]


@njit(cache=True, nogil=True)
def _ended(codes: Any, a: Any, b: Any, words: Any) -> Any:
    """Whether ``[a, b)``, which is not all white space, ends in a stop, its closers and white space."""
    while words[codes[b - 1]] & _SPACE:
        b -= 1
    while b > a and words[codes[b - 1]] & _CLOSER:
        b -= 1
    return b > a and words[codes[b - 1]] & _STOP != 0


@njit(cache=True, nogil=True)
def _scan(
    codes: Any,
    ends: Any,
    breaks: Any,
    words: Any,
    expansions: Any,
    table: Any,
    bits: Any,
    min_length: Any,
    prints: Any,
    starts: Any,
    stops: Any,
    lengths: Any,
    bounds: Any,
    short: Any,
) -> Any:
    rows = 0
    document = 0
    piece = 0
    letters = np.empty(1 << 10, np.uint32)
    marks = np.empty(1 << 10, np.uint64)
    for edge in breaks:
        while document < len(ends) and ends[document] <= piece:
            bounds[document + 1] = rows
            document += 1
        at, end = trimmed(codes, piece, edge, words, _SPACE)
        if len(marks) <= end - at:
            marks = np.empty(2 * (end - at), np.uint64)
        count, all_marks = _fold(codes[at:end], words, expansions, letters, marks)
        while count < 0:
            letters = np.empty(2 * (len(letters) + end - at), np.uint32)
            count, all_marks = _fold(codes[at:end], words, expansions, letters, marks)
        first = at
        letter = 0
        mark = 0
        while at < end:
            while words[codes[at]] & _SPACE:
                letter += _size(words[codes[at]], expansions)
                at += 1
            stop, stop_letter, mark, context = _segment_end(
                codes, at, first, end, count, words, expansions, marks[:all_marks], mark
            )
            folded = stop_letter - letter
            if context or folded >= min_length:
                prints[rows] = np.uint64(0)
                if not context:
                    prints[rows] = slice_fingerprint(letters, letter, stop_letter, table, bits)
                starts[rows], stops[rows], lengths[rows] = at, stop, folded
                rows += 1
            else:
                short[document] += 1
            at, letter = stop, stop_letter
        piece = edge
    while document < len(ends):
        bounds[document + 1] = rows
        document += 1
    return rows


@njit(cache=True, nogil=True)
def _fold(codes: Any, words: Any, expansions: Any, letters: Any, marks: Any) -> Any:
    """Write what ``codes`` fold to, one by one, to ``letters``, and those that are stops or need context to ``marks``:
    the place, and above its 32 bits the letters before it.

    Returns the numbers of letters and marks; (-1, 0) if there is too little room for the letters. Free of branches that
    depend on the text, save for the few characters that expand.
    """
    n = np.uint64(0)
    m = np.uint64(0)
    if len(codes) > len(letters):
        return -1, 0
    for i in range(len(codes)):
        word = words[codes[i]]
        value = word & _VALUE
        marks[m] = n << _PLACE | np.uint64(i)  # written over by the next one if it is none
        m += np.uint64(word & _MARK != 0)
        if word & _EXPANDS:
            size = np.uint64(expansions[value])
            if n + size + np.uint64(len(codes) - i) > np.uint64(len(letters)):
                return -1, 0
            for k in range(size):
                letters[n + k] = expansions[np.uint64(value) + np.uint64(1) + k]
            n += size
        else:
            letters[n] = value  # likewise, if it is dropped
            n += np.uint64(value != 0)
    return np.int64(n), np.int64(m)


@njit(cache=True, nogil=True)
def _size(word: Any, expansions: Any) -> Any:
    """Letters that a code point with this word folds to."""
    value = word & _VALUE
    return np.int64(expansions[value]) if word & _EXPANDS else np.int64(value != 0)


@njit(cache=True, nogil=True, inline="always")  # a call takes as long as the rest of it
def _segment_end(
    codes: Any,
    start: Any,
    first: Any,
    edge: Any,
    count: Any,
    words: Any,
    expansions: Any,
    marks: Any,
    mark: Any,
) -> Any:
    """End of the segment that begins at ``start`` in the piece ``[first, edge)`` of ``count`` letters (rules 2 and 3).

    Neither the segment nor the piece begins with white space, and the piece does not end with it. No mark before number
    ``mark`` is in the segment. Returns the end, the number of letters before it, the number of a mark likewise for what
    follows, and whether any character of the segment needs context.
    """
    context = False
    while mark < len(marks):
        at = first + np.int64(marks[mark] & _PLACES)
        letter = np.int64(marks[mark] >> _PLACE)
        mark += 1
        if at < start:
            continue
        word = words[codes[at]]
        context |= word & _CONTEXT != 0
        if not word & _STOP:
            continue
        run = at
        strong = False
        while at < edge and words[codes[at]] & _STOP:
            word = words[codes[at]]
            strong |= word & _STRONG != 0
            context |= word & _CONTEXT != 0
            letter += _size(word, expansions)
            at += 1
        mark += at - run - 1
        if not strong and run > start and at < edge:
            before, after = words[codes[run - 1]], words[codes[at]]
            if before & after & _GRAPHIC and not after & _CLOSER:
                continue
        while at < edge and words[codes[at]] & (_STOP | _CLOSER):
            word = words[codes[at]]
            context |= word & _CONTEXT != 0
            letter += _size(word, expansions)
            at += 1
        return at, letter, mark, context
    return edge, count, mark, context
