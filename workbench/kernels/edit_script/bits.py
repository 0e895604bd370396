"""Longest common subsequence by bit-parallel rows, with checkpoints for the traceback.

Row j is a bit vector over ``a`` whose zero bits mark the columns where the length of the longest common subsequence
with ``b[:j + 1]`` grows. Every K-th row is kept (K about sqrt(len(b))); the traceback recomputes the rows between two
checkpoints. Twice the time of the length alone, 2 K len(a) / 64 words of memory. Source: Hyyrö, Bit-parallel LCS-length
computation revisited, 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

CODES = 0x110002
"""Symbols are below this number: code points, and two more for seams between stretches."""

_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@njit(cache=True, nogil=True)
def spacing(rows: int) -> int:
    """Rows from one checkpoint to the next."""
    return max(64, int(np.sqrt(float(rows))))


@njit(cache=True, nogil=True)
def symbols_of(a: Any, number: Any) -> Any:
    """Where each symbol occurs in ``a``: (starts, places, slot, dense).

    ``number`` is int32 [CODES] filled with -1; the symbols of ``a`` are numbered in it (:func:`forget` undoes that).
    Places of symbol q are ``places[starts[q]:starts[q + 1]]``, ascending. Symbols in more than a third of the words
    have a bit row ``dense[slot[q]]`` (there are fewer than 192 of these); the others have slot -1.
    """
    n = len(a)
    words = (n + 63) // 64
    symbols = 0
    for i in range(n):
        if number[a[i]] < 0:
            number[a[i]] = symbols
            symbols += 1
    starts = np.zeros(symbols + 1, np.int64)
    for i in range(n):
        starts[number[a[i]] + 1] += 1
    for q in range(symbols):
        starts[q + 1] += starts[q]
    at = starts[:-1].copy()
    places = np.empty(n, np.int32)
    for i in range(n):
        q = number[a[i]]
        places[at[q]] = i
        at[q] += 1
    slot = np.full(symbols, -1, np.int32)
    rows = 0
    for q in range(symbols):
        if 3 * (starts[q + 1] - starts[q]) > words:
            slot[q] = rows
            rows += 1
    dense = np.zeros((rows, words), np.uint64)
    for q in range(symbols):
        if slot[q] >= 0:
            for i in range(starts[q], starts[q + 1]):
                dense[slot[q], places[i] >> 6] |= _ONE << np.uint64(places[i] & 63)
    return starts, places, slot, dense


@njit(cache=True, nogil=True)
def forget(a: Any, number: Any) -> None:
    """Reset ``number`` to -1 where the symbols of ``a`` were numbered."""
    for i in range(len(a)):
        number[a[i]] = -1


@njit(cache=True, nogil=True)
def _step(state: Any, words: int, q: int, table: Any) -> None:
    """The next row for symbol ``q``, in the first ``words`` words."""
    starts, places, slot, dense = table
    carry = _ZERO
    if slot[q] >= 0:
        bits = dense[slot[q]]
        for t in range(words):
            s = state[t]
            u = s & bits[t]
            x = s + u
            y = x + carry
            state[t] = y | (s - u)
            carry = _ONE if (x < s or y < x) else _ZERO
        return
    i, end, t = starts[q], starts[q + 1], -1
    while True:  # only words with an occurrence, or reached by a carry, change
        if carry != _ZERO:
            t += 1
        elif i < end:
            t = int(places[i] >> 6)
        else:
            return
        if t >= words:
            return
        here = _ZERO
        while i < end and places[i] >> 6 == t:
            here |= _ONE << np.uint64(places[i] & 63)
            i += 1
        s = state[t]
        u = s & here
        x = s + u
        y = x + carry
        state[t] = y | (s - u)
        carry = _ONE if (x < s or y < x) else _ZERO


@njit(cache=True, nogil=True)
def forward(b: Any, first: int, last: int, number: Any, table: Any, state: Any, checkpoints: Any) -> None:
    """Rows ``first`` up to ``last`` of ``b``: advances ``state``, saving every K-th row to ``checkpoints`` first."""
    step = spacing(len(b))
    for j in range(first, last):
        if j % step == 0:
            checkpoints[j // step] = state
        q = number[b[j]]
        if q >= 0:
            _step(state, len(state), q, table)


@njit(cache=True, nogil=True)
def backward(
    b: Any, block: int, column: int, number: Any, table: Any, checkpoints: Any, rows: Any, pairs: Any, count: int
) -> Any:
    """Walk back through the rows of checkpoint ``block`` from ``column``; (column left over, pairs found).

    Matched (column, row) pairs are appended to ``pairs`` from the last to the first. ``rows`` is scratch,
    uint64 [K + 1, words].
    """
    step = spacing(len(b))
    first = block * step
    j = min(first + step, len(b)) - 1
    i = column
    if i < 0:
        return i, count
    words = (i >> 6) + 1
    state = checkpoints[block, :words].copy()
    rows[0, :words] = state
    for row in range(first, j + 1):
        q = number[b[row]]
        if q >= 0:
            _step(state, words, q, table)
        rows[row - first + 1, :words] = state
    while i >= 0 and j >= first:
        word, bit = i >> 6, np.uint64(i & 63)
        if (rows[j - first + 1, word] >> bit) & _ONE:
            i -= 1
        elif not (rows[j - first, word] >> bit) & _ONE:
            j -= 1
        else:
            pairs[count, 0] = i
            pairs[count, 1] = j
            count += 1
            i -= 1
            j -= 1
    return i, count


@njit(cache=True, nogil=True)
def solve(a: Any, b: Any, number: Any) -> Any:
    """Matched (place in a, place in b) of a longest common subsequence, from the last to the first: int32 [m, 2]."""
    words = (len(a) + 63) // 64
    table = symbols_of(a, number)
    step = spacing(len(b))
    blocks = (len(b) + step - 1) // step
    checkpoints = np.empty((blocks, words), np.uint64)
    state = np.full(words, _ONES)
    forward(b, 0, len(b), number, table, state, checkpoints)
    rows = np.empty((min(step, len(b)) + 1, words), np.uint64)
    pairs = np.empty((min(len(a), len(b)), 2), np.int32)
    column, count = len(a) - 1, 0
    for block in range(blocks - 1, -1, -1):
        column, count = backward(b, block, column, number, table, checkpoints, rows, pairs, count)
    forget(a, number)
    return pairs[:count]
