"""Trustable regions over arrays: the edits along a text, the region, and its passages.

Source: Huang, Wang and Li (2007), section 4.4 and its figures 3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import number_below

UNIT = 1_000_000
"""Slopes are compared as integers, in millionths, so that results do not depend on rounding."""

EXACT, FOLDED, ALTERED = 0, 1, 2
"""The similarity of both sides of a passage: values of :class:`workbench.base.types.Tier`."""


@kernel
def matched_places(blocks: Any, kept_a: Any, kept_b: Any) -> Any:
    """Positions in both texts of the characters of ``blocks`` (index in a, in b, length), which are indexes into
    ``kept_a`` and ``kept_b``: int64 [m] and int64 [m].
    """
    size = 0
    for i in range(len(blocks)):
        size += blocks[i, 2]
    here, there = np.empty(size, np.int64), np.empty(size, np.int64)
    at = 0
    for i in range(len(blocks)):
        for k in range(blocks[i, 2]):
            here[at] = kept_a[blocks[i, 0] + k]
            there[at] = kept_b[blocks[i, 1] + k]
            at += 1
    return here, there


@kernel
def cumulative_edits(length: int, a: Any, b: Any) -> Any:
    """Characters of a text of ``length`` that are not matched among the first i, and characters of the other that are
    not matched at points up to and including i: int64 [length + 1] each.

    ``a`` and ``b`` are the matched positions, ascending. Characters before the first match count at point 0, those
    after the last match nowhere.
    """
    deleted, inserted = np.empty(length + 1, np.int64), np.empty(length + 1, np.int64)
    row = missing = more = 0
    if len(a):
        more = b[0]
    for i in range(length + 1):
        deleted[i] = missing
        if row < len(a) and a[row] == i:
            if row:
                more += b[row] - b[row - 1] - 1
            row += 1
        else:
            missing += 1
        inserted[i] = more
    return deleted, inserted


@helper
def _room(deleted: Any, inserted: Any, start: int, end: int, limit: int) -> Any:
    """The remaining allowance in the non-empty ``[start, end)``, in millionths of an edit."""
    edits = deleted[end] - deleted[start] + inserted[end - 1] - inserted[start]
    return limit * (end - start) - UNIT * edits


@helper
def _extended(deleted: Any, inserted: Any, start: int, end: int, block: int, limit: int, left_first: bool) -> Any:
    """``[start, end)`` extended at both ends by up to ``block`` as far as ``limit`` permits."""
    for side in range(2):
        if (side == 0) == left_first:
            for at in range(max(0, start - block), start):
                if _room(deleted, inserted, at, end, limit) >= 0:
                    start = at
                    break
        else:
            for at in range(min(len(deleted) - 1, end + block), end, -1):
                if _room(deleted, inserted, start, at, limit) >= 0:
                    end = at
                    break
    return start, end


@kernel
def longest_region(deleted: Any, inserted: Any, block: int, limit: int) -> Any:
    """``[start, end)`` of the trustable region, (-1, -1) if none; ``limit``: millionths of an edit per character.

    With ``opens[i]`` = edits - limit · position at the start of block i and ``closes`` likewise at the end of block j,
    the run i..j is valid if closes <= opens[i]. The first such i is the heaviest for j, and is found in the running
    maximum of ``opens``. O(n / block · log(n / block) + blocks of the best runs).
    """
    n = len(deleted) - 1
    k = (n + block - 1) // block
    highest, weights = np.empty(k, np.int64), np.zeros(k + 1, np.int64)
    first = np.empty(k, np.int64)
    half = (k + 1) // 2
    heaviest, fewest = np.int64(-1), k
    for j in range(k):
        at = j * block
        opened = UNIT * (deleted[at] + inserted[at]) - limit * at
        highest[j] = max(opened, highest[j - 1]) if j else opened
        weights[j + 1] = weights[j] + half - abs(half - (j + 1))
        end = min(at + block, n)
        closed = UNIT * (deleted[end] + inserted[end - 1]) - limit * end
        first[j] = number_below(highest[: j + 1], closed)
        if first[j] > j:
            continue
        weight = weights[j + 1] - weights[first[j]]
        if weight > heaviest:
            heaviest, fewest = weight, j - first[j]
        elif weight == heaviest:
            fewest = min(fewest, j - first[j])
    best_start = best_end = -1
    for j in range(k):
        if first[j] > j or j - first[j] != fewest or weights[j + 1] - weights[first[j]] != heaviest:
            continue
        for left_first in (True, False):
            start, end = _extended(
                deleted, inserted, first[j] * block, min((j + 1) * block, n), block, limit, left_first
            )
            if best_end < 0 or end - start > best_end - best_start:
                best_start, best_end = start, end
    return best_start, best_end


@kernel
def passages(a: Any, b: Any, raw_a: Any, raw_b: Any, window: int) -> Any:
    """Passages of the matched positions ``a`` and ``b`` (ascending, at least one), cut where more than ``window``
    characters are between them: int64 [p, 7].

    Columns: start and end in either text, characters matched, edits, and the similarity of the sides (``EXACT`` ...).
    """
    count = 1
    for i in range(1, len(a)):
        count += a[i] - a[i - 1] > window or b[i] - b[i - 1] > window
    rows = np.empty((count, 7), np.int64)
    row = first = 0
    for i in range(1, len(a) + 1):
        if i < len(a) and a[i] - a[i - 1] <= window and b[i] - b[i - 1] <= window:
            continue
        a_start, a_end, b_start, b_end = a[first], a[i - 1] + 1, b[first], b[i - 1] + 1
        edits = a_end - a_start + b_end - b_start - 2 * (i - first)
        tier = ALTERED
        if edits == 0:
            tier = EXACT
            for at in range(a_end - a_start):
                if raw_a[a_start + at] != raw_b[b_start + at]:
                    tier = FOLDED
                    break
        out = rows[row]
        out[0], out[1], out[2], out[3], out[4], out[5], out[6] = a_start, a_end, b_start, b_end, i - first, edits, tier
        first = i
        row += 1
    return rows
