"""Continues runs across places where the same text is segmented differently.

A copy with a comma for a full stop, or without a line end, has different segments but the same letters. The Rabin
fingerprint of a concatenation is computed from those of its parts and their lengths, so such places can be bridged
without the text: beyond the end of a run, segments are joined on either side until both sides have the same number of
letters, and compared there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.digest.runs import Digests, Runs
from workbench.kernels.mixing import number_below
from workbench.kernels.rabin import joined, reduction_table

_LARGE = 255


@dataclass(frozen=True, slots=True)
class SmallNumbers:
    """n numbers in [0, 2^32): ``codes`` uint8 [n]; numbers from 255 on have the code 255 and are in ``large`` (uint32),
    their positions, ascending, in ``places`` (uint32).
    """

    codes: NDArray[np.uint8]
    places: NDArray[np.uint32]
    large: NDArray[np.uint32]

    @classmethod
    def of(cls, numbers: NDArray[np.uint32]) -> SmallNumbers:
        """``numbers`` in this form."""
        places = np.flatnonzero(numbers >= _LARGE)
        codes = np.minimum(numbers, _LARGE).astype(np.uint8)
        return cls(codes, places.astype(np.uint32), numbers[places].astype(np.uint32))

    def at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers at ``places``: int64."""
        numbers = self.codes[places].astype(np.int64)
        some = np.flatnonzero(numbers == _LARGE)
        numbers[some] = self.large[np.searchsorted(self.places, places[some])]
        return numbers

    def sums(self, first: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums of the numbers in each of the ranges ``[first, end)``, 0 for an empty one: int64."""
        totals = np.empty(len(first), np.int64)
        _sums(first, end, self.codes, self.places, self.large, totals)
        return totals


@kernel
def number_at(place: Any, codes: Any, places: Any, large: Any) -> Any:
    """The number at ``place`` of the :class:`SmallNumbers` with these columns: int64."""
    if codes[place] < _LARGE:
        return np.int64(codes[place])
    return np.int64(large[number_below(places, np.uint32(place))])


@kernel
def _sums(first: Any, end: Any, codes: Any, places: Any, large: Any, totals: Any) -> None:
    for i in range(len(first)):
        total = 0
        for place in range(first[i], end[i]):
            total += number_at(place, codes, places, large)
        totals[i] = total


MOST_PARTS = 16
"""Maximum number of segments joined at one place, on both sides together."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Rows of passages (int64 [r] each), distinct, in the order of their original runs.

    Query document, query segments ``[query, query_end)``, positions ``[place, place_end)`` of the text. ``bridged``
    (bool): whether it contains a place where the two sides are segmented differently.
    """

    document: NDArray[np.int64]
    query: NDArray[np.int64]
    query_end: NDArray[np.int64]
    place: NDArray[np.int64]
    place_end: NDArray[np.int64]
    bridged: NDArray[np.bool_]

    @classmethod
    def of(cls, runs: Runs) -> Passages:
        """The runs as passages, unchanged."""
        ends = (runs.query + runs.length, runs.place + runs.length)
        return cls(runs.document, runs.query, ends[0], runs.place, ends[1], np.zeros(len(runs.query), np.bool_))


def bridge(
    runs: Runs,
    digests: Digests,
    lengths: NDArray[np.int32],
    text: NDArray[np.uint64],
    text_lengths: SmallNumbers,
    bits: int = 64,
) -> Passages:
    """``runs`` continued at both ends as far as the letters agree; runs that grow into the same passage are merged.

    ``lengths`` int32 [m] and ``text_lengths``, one per position of the text, are the folded characters of segments.
    """
    rows = np.empty((len(runs.query), 5), np.int64)
    bridged = np.zeros(len(rows), np.bool_)
    _bridge(
        runs.document,
        runs.query,
        runs.place,
        runs.length,
        digests.fingerprints,
        lengths,
        digests.bounds,
        text,
        text_lengths.codes,
        text_lengths.places,
        text_lengths.large,
        reduction_table(bits),
        np.uint64(bits),
        rows,
        bridged,
    )
    if not bridged.any():
        return Passages.of(runs)
    _, first = np.unique(rows, axis=0, return_index=True)
    first.sort()
    rows = rows[first]
    return Passages(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3], rows[:, 4], bridged[first])


@helper
def _block(
    j: Any,
    p: Any,
    step: Any,
    first: Any,
    last: Any,
    prints: Any,
    lengths: Any,
    text: Any,
    text_lengths: Any,
    long_places: Any,
    long_lengths: Any,
    table: Any,
    bits: Any,
) -> Any:
    """Number of segments on each side, starting at ``j`` and ``p`` in direction ``step``, that contain the same
    letters, or (0, 0).
    """
    if not first <= j < last or text[p] == 0:
        return 0, 0
    n, m = np.int64(lengths[j]), number_at(p, text_lengths, long_places, long_lengths)
    a = b = 1
    while n != m:  # most never become equally long, and need no fingerprint
        if a + b == MOST_PARTS:
            return 0, 0
        if n < m:
            k = j + step * a
            if not first <= k < last:
                return 0, 0
            n += np.int64(lengths[k])
            a += 1
        else:
            k = p + step * b
            if text[k] == 0:
                return 0, 0
            m += number_at(k, text_lengths, long_places, long_lengths)
            b += 1
    j, p = min(j, j + step * (a - 1)), min(p, p + step * (b - 1))
    mine, theirs = prints[j], text[p]
    for k in range(j + 1, j + a):
        mine = joined(mine, prints[k], np.int64(lengths[k]), table, bits)
    for k in range(p + 1, p + b):
        theirs = joined(theirs, text[k], number_at(k, text_lengths, long_places, long_lengths), table, bits)
    return (a, b) if mine == theirs else (0, 0)


@kernel
def _bridge(
    document: Any,
    query: Any,
    place: Any,
    length: Any,
    prints: Any,
    lengths: Any,
    bounds: Any,
    text: Any,
    text_lengths: Any,
    long_places: Any,
    long_lengths: Any,
    table: Any,
    bits: Any,
    rows: Any,
    bridged: Any,
) -> Any:
    theirs = (text_lengths, long_places, long_lengths)
    for row in range(len(query)):
        d = document[row]
        first, last = bounds[d], bounds[d + 1]
        j, p = query[row], place[row]
        j_end, p_end = j + length[row], p + length[row]
        while True:
            a, b = _block(j - 1, p - 1, -1, first, last, prints, lengths, text, *theirs, table, bits)
            if a == 0:
                break
            j, p = j - a, p - b
            bridged[row] |= a + b > 2
        while True:
            a, b = _block(j_end, p_end, 1, first, last, prints, lengths, text, *theirs, table, bits)
            if a == 0:
                break
            j_end, p_end = j_end + a, p_end + b
            bridged[row] |= a + b > 2
        rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4] = d, j, j_end, p, p_end
