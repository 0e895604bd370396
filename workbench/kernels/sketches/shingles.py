"""Shingles (token k-grams) as 64-bit hashes, sets of them, and counting common elements of sets.

Hashes represent shingles: among n, two different ones share a hash with a probability of about n^2 / 2^65.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import LETTER, mix, number_below

BASE = np.uint64(0xD1342543DE82EF95)
"""Base of the rolling polynomial."""
_QUARTER = np.uint64(3)


@dataclass(frozen=True, slots=True)
class Rows:
    """Concatenated values (uint64 unless stated otherwise) of d documents; document i has
    ``values[bounds[i]:bounds[i + 1]]``.
    """

    values: NDArray[Any]
    bounds: NDArray[np.int64]

    def of(self, document: int) -> NDArray[Any]:
        """Values of one document."""
        return self.values[self.bounds[document] : self.bounds[document + 1]]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of values of each document."""
        return np.diff(self.bounds)


def shingle_hashes(
    tokens: NDArray[np.uint64], bounds: NDArray[np.int64], k: int, *, short: bool, sampled: bool = False
) -> Rows:
    """Hashes of the k-shingles of documents in text order; equal shingles have equal hashes.

    With ``short``, a document of 1 to k - 1 tokens has one shingle, the whole document; otherwise none. With
    ``sampled``, a quarter of those whose first token has the bit ``LETTER`` are used, chosen by hash; a document
    without any left keeps the first.
    """
    room = len(tokens) + len(bounds)
    values, new_bounds = np.empty(room, np.uint64), np.zeros(len(bounds), np.int64)
    n = _shingle(tokens, bounds, k, power_of(k), short, sampled, values, new_bounds)
    return Rows(values[:n], new_bounds)


def power_of(k: int) -> np.uint64:
    """Factor of the first of k tokens in the rolling polynomial."""
    return np.uint64(pow(int(BASE), k - 1, 1 << 64))


@kernel
def _shingle(
    tokens: Any, bounds: Any, k: Any, power: Any, short: Any, sampled: Any, values: Any, new_bounds: Any
) -> Any:
    """Karp and Rabin's rolling polynomial modulo 2^64 over mixed token values, mixed once more with its length."""
    n = 0
    for d in range(len(bounds) - 1):
        first, last = bounds[d], bounds[d + 1]
        rolled = np.uint64(0)
        length = min(k, last - first)
        for i in range(first, first + length):
            rolled = rolled * BASE + tokens[i]
        if length == k or (short and length > 0):
            values[n] = mix(rolled ^ mix(np.uint64(length)))
            n += 1
        for i in range(first + k, last):
            rolled = (rolled - tokens[i - k] * power) * BASE + tokens[i]
            values[n] = mix(rolled ^ mix(np.uint64(length)))
            n += 1
        if sampled:
            own = values[new_bounds[d] : n]
            n = new_bounds[d] + sample(tokens[first:last], own, len(own))
        new_bounds[d + 1] = n
    return n


@helper
def sample(tokens: Any, hashes: Any, n: Any) -> Any:
    """Keep the sampled ones of ``hashes[:n]`` (shingle i begins with ``tokens[i]``), in place. Returns the number."""
    kept = 0
    for i in range(n):
        if not tokens[i] & LETTER or mix(hashes[i]) & _QUARTER == 0:
            hashes[kept] = hashes[i]
            kept += 1
    return max(kept, min(n, 1))


def distinct(rows: Rows) -> Rows:
    """The set of each document's values, ascending."""
    values, bounds = _ordered(rows), np.zeros(len(rows.bounds), np.int64)
    n = _distinct(values, rows.bounds, bounds)
    return Rows(values[:n].copy(), bounds)


def _ordered(rows: Rows) -> NDArray[np.uint64]:
    values = rows.values.copy()
    for first, last in zip(rows.bounds[:-1].tolist(), rows.bounds[1:].tolist(), strict=True):
        values[first:last].sort()
    return values


@kernel
def _distinct(values: Any, old: Any, new: Any) -> Any:
    n = 0
    for d in range(len(old) - 1):
        first = n
        for i in range(old[d], old[d + 1]):
            if n == first or values[i] != values[n - 1]:
                values[n] = values[i]
                n += 1
        new[d + 1] = n
    return n


def without_repeats(rows: Rows) -> Rows:
    """Each document's values once, in the order of their first occurrence: faster than :func:`distinct`."""
    values, bounds = np.empty_like(rows.values), np.zeros(len(rows.bounds), np.int64)
    n = _without_repeats(rows.values, rows.bounds, values, bounds)
    return Rows(values[:n].copy(), bounds)


@kernel
def _without_repeats(values: Any, old: Any, kept: Any, new: Any) -> Any:
    n = 0
    slots = np.empty(0, np.int32)
    for d in range(len(old) - 1):
        own, slots = without_repeats_of(values[old[d] : old[d + 1]], slots, kept[n:])
        n += own
        new[d + 1] = n
    return n


@helper
def without_repeats_of(values: Any, slots: Any, kept: Any) -> Any:
    """Write the values of one document into ``kept``, each once, in order.

    By open addressing in ``slots`` (int32, or a longer array if this has no room for twice the values), which contain
    indexes into ``kept`` from 1. Returns the number and the slots.
    """
    room = 64
    while room < 2 * len(values):
        room *= 2
    if room > len(slots):
        slots = np.empty(room, np.int32)
    slots[:room] = 0
    mask = np.uint64(room - 1)
    n = 0
    for value in values:
        at = value & mask
        while slots[at] and kept[slots[at] - 1] != value:
            at = (at + np.uint64(1)) & mask
        if not slots[at]:
            kept[n] = value
            n += 1
            slots[at] = n
    return n, slots


def occurrences(rows: Rows) -> NDArray[np.int64]:
    """Occurrences in its document of each value of the sets :func:`distinct` of ``rows``: int64, parallel to them."""
    values = _ordered(rows)
    first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    first[rows.bounds[rows.bounds < len(values)]] = True
    return np.diff(np.flatnonzero(first), append=len(values))


def shared(a: Rows, of_a: NDArray[np.int64], b: Rows, of_b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sizes of the intersections of set ``of_a[i]`` of ``a`` with set ``of_b[i]`` of ``b``: int64, parallel to both."""
    counts = np.zeros(len(of_a), np.int64)
    _shared(a.values, a.bounds, of_a, b.values, b.bounds, of_b, counts)
    return counts


@kernel
def _shared(a: Any, bounds_a: Any, of_a: Any, b: Any, bounds_b: Any, of_b: Any, counts: Any) -> None:
    """The lower and the upper halves of two sets are merged in alternating steps, which do not depend on each
    other.
    """
    for row in range(len(of_a)):
        i, end_a = bounds_a[of_a[row]], bounds_a[of_a[row] + 1]
        j, end_b = bounds_b[of_b[row]], bounds_b[of_b[row] + 1]
        if i == end_a or j == end_b:
            continue
        k = half_a = (i + end_a) // 2
        m = half_b = j + number_below(b[j:end_b], a[half_a])
        n = 0
        while i < half_a and j < half_b and k < end_a and m < end_b:
            # Without branches, as these would be unpredictable.
            x, y, v, w = a[i], b[j], a[k], b[m]
            n += (x == y) + (v == w)
            i += x <= y
            j += y <= x
            k += v <= w
            m += w <= v
        counts[row] = n + _merged(a, i, half_a, b, j, half_b) + _merged(a, k, end_a, b, m, end_b)


@helper
def _merged(a: Any, i: Any, end_a: Any, b: Any, j: Any, end_b: Any) -> Any:
    """Number of common values of ``a[i:end_a]`` and ``b[j:end_b]``."""
    n = 0
    while i < end_a and j < end_b:
        x, y = a[i], b[j]
        n += x == y
        i += x <= y
        j += y <= x
    return n
