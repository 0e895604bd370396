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
from workbench.kernels.rabin import append, reduction_table
from workbench.text.segmenting.characters import CharClass

_VALUE, _EXPANDS, _CONTEXT = np.uint32(VALUE), np.uint32(EXPANDS), np.uint32(CONTEXT)
_STRONG = np.uint32(CharClass.STRONG_STOP << CLASS_SHIFT)
_STOP = np.uint32((CharClass.STRONG_STOP | CharClass.WEAK_STOP) << CLASS_SHIFT)
_CLOSER = np.uint32(CharClass.CLOSER << CLASS_SHIFT)
_SPACE = np.uint32(CharClass.SPACE << CLASS_SHIFT)
_LINE_FEED = np.uint32(10)
_GRAPHIC = np.uint32(CharClass.GRAPHIC << CLASS_SHIFT)


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
    return Pass(fingerprints[:m].copy(), start[:m].copy(), end[:m].copy(), length[:m].copy(), bounds, short)


def has_open_lines(codes: NDArray[np.uint32], document_ends: NDArray[np.int64], table: FoldTable) -> NDArray[np.bool_]:
    """Which documents have a line end at which a segment would continue if it were not a hard break: bool [d].

    It would not after a stop (and its closers), nor if there is only white space before or after it.
    """
    is_open = np.zeros(len(document_ends), np.bool_)
    _open_lines(codes, document_ends, table.words, is_open)
    return is_open


@njit(cache=True, nogil=True)
def _open_lines(codes: Any, ends: Any, words: Any, is_open: Any) -> Any:
    start = 0
    for d in range(len(ends)):
        ended = True
        line_end = False
        closing = False
        for i in range(start, ends[d]):
            word = words[codes[i]]
            if word & _SPACE:
                line_end |= codes[i] == _LINE_FEED and not ended
                closing = False
                continue
            if line_end:
                is_open[d] = True
                break
            if word & _STOP:
                ended = closing = True
            elif not (word & _CLOSER and closing):
                ended = closing = False
        start = ends[d]


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
    for edge in breaks:
        while document < len(ends) and ends[document] <= piece:
            bounds[document + 1] = rows
            document += 1
        first = piece
        while first < edge:
            stop = _segment_end(codes, first, edge, piece, words)
            a, b = trimmed(codes, first, stop, words, _SPACE)
            if a < b:
                state, folded, context = _fold(codes, a, b, words, expansions, table, bits)
                if context or folded >= min_length:
                    prints[rows] = np.uint64(0) if context else state
                    starts[rows], stops[rows], lengths[rows] = a, b, folded
                    rows += 1
                else:
                    short[document] += 1
            first = stop
        piece = edge
    while document < len(ends):
        bounds[document + 1] = rows
        document += 1
    return rows


@njit(cache=True, nogil=True)
def _segment_end(codes: Any, first: Any, edge: Any, piece: Any, words: Any) -> Any:
    """End of the segment that begins at ``first`` in the piece ``[piece, edge)`` (rules 2 and 3)."""
    at = first
    while at < edge:
        if not words[codes[at]] & _STOP:
            at += 1
            continue
        run = at
        strong = False
        while at < edge and words[codes[at]] & _STOP:
            strong |= (words[codes[at]] & _STRONG) != 0
            at += 1
        if not strong and run > piece and at < edge:
            before, after = words[codes[run - 1]], words[codes[at]]
            if before & after & _GRAPHIC and not after & _CLOSER:
                continue
        while at < edge and words[codes[at]] & (_STOP | _CLOSER):
            at += 1
        return at
    return edge


@njit(cache=True, nogil=True)
def _fold(codes: Any, a: Any, b: Any, words: Any, expansions: Any, table: Any, bits: Any) -> Any:
    """Fingerprint of the folded ``[a, b)``, its folded length, and whether any character needs context."""
    state = np.uint64(1)
    folded = 0
    seen = np.uint32(0)
    for i in range(a, b):
        word = words[codes[i]]
        seen |= word
        value = word & _VALUE
        if word & _EXPANDS:
            for k in range(expansions[value]):
                state = append(state, expansions[value + np.uint32(1 + k)], table, bits)
                folded += 1
        elif value:
            state = append(state, value, table, bits)
            folded += 1
    if state == np.uint64(0):
        state = np.uint64(1)
    return state, folded, (seen & _CONTEXT) != 0
