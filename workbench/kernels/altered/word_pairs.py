"""The corresponding words of two passages: phrases, single words, and replacements."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from workbench.kernels.altered.votes import count_within
from workbench.kernels.compiled import helper, kernel

PHRASE, WORD, REPLACED = range(3)
MOST_PLACES = 24
"""Maximum number of positions of a word in the other passage that are compared, the nearest to the expected one."""
LONGEST_REPLACED = 4
"""Maximum number of words between two pairs, on either side, that may replace each other."""


@kernel
def word_pairs(a: Any, b: Any, start: Any, end: Any, other: Any, other_end: Any) -> Any:
    """Pairs of the words ``a[start:end)`` and ``b[other:other_end)``: int32 [n, 5], by position in ``a``.

    Columns: PHRASE (two or more consecutive words), WORD or REPLACED (words between two pairs on both sides); first and
    last of ``a``; first and last of ``b``. The longest phrases are paired first, then the nearest to the expected
    position; each word once.
    """
    slope = (other_end - other) / max(1, end - start)
    nothing: Any = 0
    heap = [(nothing, nothing, nothing, nothing)]
    heap.pop()
    # The end of the last phrase found on each diagonal, so that none is followed twice.
    followed = np.full(end - start + other_end - other, -1, np.int64)
    for i in range(start, end):
        centre = other + int((i - start) * slope)
        low, high = _nearest(a, b, i, other, other_end, centre)
        for k in range(low, high):
            j = np.int64(b.places[k])
            diagonal = (j - other) - (i - start) + (end - start) - 1
            if i < followed[diagonal]:
                continue
            back, length = 0, 1
            while i - back > start and j - back > other and a.words[i - back - 1] == b.words[j - back - 1]:
                back += 1
            while i + length < end and j + length < other_end and a.words[i + length] == b.words[j + length]:
                length += 1
            followed[diagonal] = i + length
            heap.append((-length - back, abs(centre - j), i - back, j - back))
    heapq.heapify(heap)
    a_free, b_free = np.ones(end - start, np.bool_), np.ones(other_end - other, np.bool_)
    partner, size = np.full(end - start, -1, np.int64), np.zeros(end - start, np.int64)
    while len(heap):
        length, distance, i, j = heapq.heappop(heap)
        length = -length
        begun: Any = -1
        pieces = 0
        for k in range(length + 1):
            free = k < length and a_free[i - start + k] and b_free[j - other + k]
            if free and begun < 0:
                begun = k
            elif not free and begun >= 0:
                if begun == 0 and k == length:
                    pieces = -1
                else:
                    heapq.heappush(heap, (begun - k, distance, i + begun, j + begun))
                begun = -1
        if pieces < 0:
            a_free[i - start : i - start + length] = False
            b_free[j - other : j - other + length] = False
            partner[i - start], size[i - start] = j, length
    return _with_replaced(partner, size, b_free, start, other)


@helper
def _nearest(a: Any, b: Any, i: Any, other: Any, other_end: Any, centre: Any) -> Any:
    """Rows [low, high) of the positions in ``b`` of word i of ``a`` that are examined."""
    word = a.words[i]
    first, last = b.starts[word], b.starts[word + 1]
    low = np.int64(first + count_within(b.places, first, last, np.int64(0), other))
    high = low + count_within(b.places, first, last, other, other_end)
    if high - low > MOST_PLACES:
        middle = first + count_within(b.places, first, last, np.int64(0), centre)
        low = max(low, min(middle - MOST_PLACES // 2, high - MOST_PLACES))
        high = low + MOST_PLACES
    return low, high


@kernel
def beyond(a: Any, b: Any, start: Any, end: Any, other: Any, other_end: Any) -> Any:
    """Number of words in ``a[start:end)`` that occur at more than MOST_PLACES positions in ``b[other:other_end)``."""
    count = 0
    for i in range(start, end):
        first, last = b.starts[a.words[i]], b.starts[a.words[i] + 1]
        count += count_within(b.places, first, last, other, other_end) > MOST_PLACES
    return count


@helper
def _with_replaced(partner: Any, size: Any, b_free: Any, start: Any, other: Any) -> Any:
    rows = np.empty((2 * len(partner) + 1, 5), np.int32)
    n, i, before, before_other = 0, 0, -1, -1
    while i < len(partner):
        if partner[i] < 0:
            i += 1
            continue
        j, length = partner[i] - other, size[i]
        gap, other_gap = i - before, j - before_other
        near = before >= 0 and 0 < gap <= LONGEST_REPLACED and 0 < other_gap <= LONGEST_REPLACED
        if near and b_free[before_other:j].all():
            row = rows[n]
            row[0], row[1], row[2] = REPLACED, start + before, start + i
            row[3], row[4] = other + before_other, other + j
            n += 1
        row = rows[n]
        row[0], row[1], row[2] = PHRASE if length > 1 else WORD, start + i, start + i + length
        row[3], row[4] = other + j, other + j + length
        n += 1
        i += length
        before, before_other = i, j + length
    return rows[:n].copy()


@kernel
def in_order(rows: Any, other: Any, other_end: Any) -> Any:
    """Number of words in the heaviest chain of pairs (not replaced ones) in the same order on both sides."""
    best = np.zeros(other_end - other + 2, np.int64)
    heaviest = 0
    for r in range(len(rows)):
        if rows[r, 0] == REPLACED:
            continue
        weight, at = 0, np.int64(rows[r, 3] - other + 1)
        while at > 0:
            weight = max(weight, best[at])
            at -= at & -at
        weight += rows[r, 2] - rows[r, 1]
        heaviest = max(heaviest, weight)
        at = np.int64(rows[r, 4] - other + 1)
        while at < len(best):
            best[at] = max(best[at], weight)
            at += at & -at
    return heaviest
