"""From code points to fingerprints in one compiled pass over many documents.

Equals the plain reference: ``segments`` of :mod:`workbench.text.segmenting.segmentation` (given its ``hard_breaks``),
each folded by :mod:`workbench.text.normalisation` and fingerprinted by :mod:`workbench.kernels.rabin`. Segments
with a code point that needs context are marked, for the caller to fold with the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import trimmed
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.fold_table import CLASS_SHIFT, CONTEXT, EXPANDS, VALUE, FoldTable
from workbench.kernels.layout import line_end
from workbench.kernels.rabin import padded_fingerprint, reduction_table
from workbench.text.segmenting.characters import CharClass

_VALUE, _EXPANDS, _CONTEXT = np.uint32(VALUE), np.uint32(EXPANDS), np.uint32(CONTEXT)
_STRONG = np.uint32(CharClass.STRONG_STOP << CLASS_SHIFT)
_STOP = np.uint32((CharClass.STRONG_STOP | CharClass.WEAK_STOP) << CLASS_SHIFT)
_CLOSER = np.uint32(CharClass.CLOSER << CLASS_SHIFT)
_SPACE = np.uint32(CharClass.SPACE << CLASS_SHIFT)
_GRAPHIC = np.uint32(CharClass.GRAPHIC << CLASS_SHIFT)
_SPECIAL = _STOP | _CONTEXT | _EXPANDS
_ONE = np.uint64(1)
_PADDING = np.uint64(8)
"""Zeros before the letters of a segment, as required for fingerprints."""


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


def has_open_lines(
    codes: NDArray[np.uint32], document_ends: NDArray[np.int64], table: FoldTable, has_lines: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which documents have a line end that, if it were not a hard break, would not end a segment: bool [d].

    Line ends after a stop (and its closers), or with only white space before or after them, always end one.
    ``has_lines`` bool [d]: the document may have line ends.
    """
    is_open = np.zeros(len(document_ends), np.bool_)
    if has_lines.any():
        _open_lines(codes, document_ends, table.words, has_lines, is_open)
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
    """Segments of ``codes`` (concatenated documents, the i-th ending at ``document_ends[i]``, non-decreasing).

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
        table.ties,
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


@kernel
def _open_lines(codes: Any, ends: Any, words: Any, has_lines: Any, is_open: Any) -> Any:
    for d in range(len(ends)):
        if has_lines[d]:
            start, end = trimmed(codes, ends[d - 1] if d else 0, ends[d], words, _SPACE)
            at = line_end(codes, start, end)
            while at < end and not is_open[d]:
                is_open[d] = not _ended(codes, start, at, words)
                at = line_end(codes, at + 1, end)


@helper
def _ended(codes: Any, a: Any, b: Any, words: Any) -> Any:
    """Whether ``[a, b)``, which is not only white space, ends in a stop, its closers and white space."""
    while words[codes[b - 1]] & _SPACE:
        b -= 1
    while b > a and words[codes[b - 1]] & _CLOSER:
        b -= 1
    return b > a and words[codes[b - 1]] & _STOP != 0


@kernel
def _scan(
    codes: Any,
    ends: Any,
    breaks: Any,
    words: Any,
    expansions: Any,
    ties: Any,
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
    letters = np.zeros(1 << 10, np.uint32)
    for edge in breaks:
        while document < len(ends) and ends[document] <= piece:
            bounds[document + 1] = rows
            document += 1
        first, end = trimmed(codes, piece, edge, words, _SPACE)
        if len(letters) < end - first + np.int64(_PADDING):
            letters = np.zeros(2 * (end - first) + np.int64(_PADDING), np.uint32)
        while first < end:
            while words[codes[first]] & _SPACE:
                first += 1
            # Unsigned positions, which save a check for negative ones.
            at, stop, known, n = np.uint64(first), np.uint64(end), np.uint64(first), _PADDING
            context = False
            while at < stop:
                word = words[codes[at]]
                value = word & _VALUE
                if word & _SPECIAL:
                    if word & _CONTEXT and at > first:
                        context |= _interact(codes[at - _ONE], codes[at], words, ties)
                    if word & _STOP and at >= known:
                        known, is_end = _after_stops(codes, at, np.uint64(first), stop, words)
                        stop = known if is_end else stop
                    if word & _EXPANDS:
                        size = np.uint64(expansions[value])
                        if n + size + (stop - at) > np.uint64(len(letters)):
                            letters = np.concatenate((letters, np.zeros(len(letters) + np.int64(size), np.uint32)))
                        for k in range(size):
                            letters[n + k] = expansions[np.uint64(value) + _ONE + k]
                        n += size
                        at += _ONE
                        continue
                letters[n] = value  # overwritten by the next one if it is dropped
                n += np.uint64(value != 0)
                at += _ONE
            folded = np.int64(n - _PADDING)
            if context or folded >= min_length:
                prints[rows] = np.uint64(0)
                if not context:
                    prints[rows] = padded_fingerprint(letters, _PADDING, n, table, bits)
                starts[rows], stops[rows], lengths[rows] = first, stop, folded
                rows += 1
            else:
                short[document] += 1
            first = np.int64(stop)
        piece = edge
    while document < len(ends):
        bounds[document + 1] = rows
        document += 1
    return rows


@helper
def _interact(before: Any, code: Any, words: Any, ties: Any) -> Any:
    """Whether NFKC may join or reorder ``code``, which needs context, with the text before it: the code point
    ``before``, or a base and marks, up to it, that do not interact.
    """
    if words[before] & _CONTEXT:
        # Marks in order are unchanged; a mark that may compose could do so with the base.
        return ties[before] & 3 > 1 or ties[code] & 3 > 0 or ties[before] >> 2 > ties[code] >> 2
    return (ties[before] & 3) + (ties[code] & 3) > 1


@helper
def _after_stops(codes: Any, run: Any, first: Any, edge: Any, words: Any) -> Any:
    """The end of the run of stops that begins at ``run``, in a segment that begins at ``first``, and whether it ends
    the segment (rules 2 and 3); if so, closers and further stops are included. Positions are uint64.
    """
    at = run
    strong = np.uint32(0)
    while at < edge and words[codes[at]] & _STOP:
        strong |= words[codes[at]] & _STRONG
        at += _ONE
    if not strong and run > first and at < edge:
        before, after = words[codes[run - _ONE]], words[codes[at]]
        if before & after & _GRAPHIC and not after & _CLOSER:
            return at, False
    while at < edge and words[codes[at]] & (_STOP | _CLOSER):
        at += _ONE
    return at, True
