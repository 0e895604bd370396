"""The bit mixer behind every hash of tokens and shingles, the order of hashes, and places among values in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel

LETTER = np.uint64(1)
"""Bit set in tokens of ``Tokens.LETTERS`` that are letters of a script with spaces, and not in its other tokens."""
_BUCKET = 16
"""Binary logarithm of the number of hashes, about, that are put in order at once, in the cache of the processor."""
_BUCKETS = 12
"""Largest number of leading bits in the first pass."""
_MOVES = 32
"""Moves per hash, from which on another algorithm is faster."""


@njit(cache=True, nogil=True, inline="always")
def mix(value: Any) -> Any:
    """A bijection that scatters ``value`` (uint64) over all 64 bits.

    Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators (OOPSLA 2014), the generator's
    output function with Stafford's constants (variant 13), after one step of its sequence.
    """
    mixed = value + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def in_order(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[Any]]:
    """``hashes`` ascending, and their stable order, as of ``np.argsort``: uint32 for less than 2 ** 32.

    Hashes that are spread evenly over some range need linear time, whether they occur once or often.
    """
    if len(hashes) < 1 << 32:
        ordered, order, in_time = _in_order(np.ascontiguousarray(hashes))
        if in_time:
            return ordered, order
    order = np.argsort(hashes, kind="stable")
    return hashes[order], order


@kernel
def _in_order(hashes: Any) -> Any:
    """Two passes put hashes into buckets by their leading bits; insertion completes the order."""
    n = len(hashes)
    ordered, order = np.empty(n, np.uint64), np.empty(n, np.uint32)
    if n == 0:
        return ordered, order, True
    low = high = hashes[0]
    for value in hashes:
        low, high = min(low, value), max(high, value)
    width = _bit_length(high - low)
    bits = min(max(0, _bit_length(np.uint64(n)) - _BUCKET), _BUCKETS, width)
    rest = width - bits
    lasts = np.full(1 << bits, n)
    places = np.arange(n).astype(np.uint32)
    values, rows = hashes, places
    if bits > 0:
        values, rows = np.empty(n, np.uint64), np.empty(n, np.uint32)
        _scatter(hashes, places, low, rest, lasts, values, rows)
    moves, starts = 0, np.empty(0, np.int64)
    for bucket in range(1 << bits):
        first, last = (lasts[bucket - 1] if bucket else 0), lasts[bucket]
        own = min(_bit_length(np.uint64(last - first)), rest)
        if (1 << own) > len(starts):
            starts = np.empty(1 << own, np.int64)
        some = slice(first, last)
        base = low + (np.uint64(bucket) << np.uint64(rest) if bits > 0 else np.uint64(0))
        _scatter(values[some], rows[some], base, rest - own, starts[: 1 << own], ordered[some], order[some])
        moves += insertion_sort(ordered[some], order[some], _MOVES * n - moves)
        if moves > _MOVES * n:
            return ordered, order, False
    return ordered, order, True


@helper
def _bit_length(value: Any) -> Any:
    n = 0
    while n < 64 and value >> np.uint64(n):
        n += 1
    return n


@helper
def _scatter(values: Any, rows: Any, low: Any, shift: Any, starts: Any, to_values: Any, to_rows: Any) -> None:
    """Copy to the bucket of each value above ``low`` without its last ``shift`` bits (below 64).

    Afterwards ``starts[i]`` is the end of bucket i.
    """
    shift = np.uint64(shift)
    starts[:] = 0
    for value in values:
        starts[np.int64((value - low) >> shift)] += 1
    total = 0
    for i in range(len(starts)):
        total, starts[i] = total + starts[i], total
    for i in range(len(values)):
        bucket = np.int64((values[i] - low) >> shift)
        at = starts[bucket]
        starts[bucket] = at + 1
        to_values[at], to_rows[at] = values[i], rows[i]


@helper
def insertion_sort(values: Any, rows: Any, most: Any) -> Any:
    """Stable insertion sort of ``values``, with ``rows`` beside them.

    Returns the number of moves and stops when there are more than ``most``.
    """
    moves = 0
    for i in range(1, len(values)):
        value = values[i]
        if values[i - 1] <= value:
            continue
        row, at = rows[i], i
        while at > 0 and values[at - 1] > value:
            values[at], rows[at] = values[at - 1], rows[at - 1]
            at -= 1
        values[at], rows[at] = value, row
        moves += i - at
        if moves > most:
            break
    return moves


@helper
def number_below(ascending: Any, value: Any) -> Any:
    """How many of the ``ascending`` numbers are below ``value``: ``np.searchsorted`` for numbers of one kind, which
    numba compiles in a fifth of the time.
    """
    return first_from(ascending, 0, len(ascending), value)


@helper
def first_from(ascending: Any, low: Any, high: Any, value: Any) -> Any:
    """First k in [low, high) with ``ascending[k] >= value``, otherwise ``high``."""
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def shell_sort(values: Any) -> Any:
    """Put ``values`` in ascending order, and return them: ``np.sort`` takes numba several times as long to compile, and
    is faster from some hundred values on.
    """
    gap = len(values)
    while gap > 1:
        gap = max(1, (5 * gap - 1) // 11)
        for i in range(gap, len(values)):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
    return values
