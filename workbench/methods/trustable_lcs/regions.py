"""Trustable regions: where one text occurs in the other with few edits.

Source: Huang, Wang and Li (2007), section 4.4 and its figures 3 and 4. Positions are those of text ``a``.
A character of ``a`` that is not matched is one edit at its place; a character of ``b`` that is not matched is one edit
at the point before the next matched character. Edits at the two ends of a region are not inside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_UNIT = 1_000_000
"""Slopes are compared as integers, in millionths, so that nothing depends on rounding."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Curve:
    """Cumulative edits of ``a`` (n characters). ``deleted`` int64 [n + 1]: edits among the first i characters;
    ``inserted`` int64 [n + 1]: edits at points up to and including i."""

    deleted: Ints
    inserted: Ints

    @classmethod
    def of(cls, length: int, matched: tuple[Ints, Ints]) -> Curve:
        """From the matched places in ``a`` (of ``length`` characters) and in ``b``, both ascending.

        Characters of ``b`` before the first match count at point 0, and those after the last at no inner point.
        """
        a, b = matched
        common = np.zeros(length + 1, np.int64)
        common[a + 1] = 1
        deleted = np.arange(length + 1) - np.cumsum(common)
        inserted = np.zeros(length + 1, np.int64)
        if len(a):
            inserted[0] = b[0]
            inserted[a[1:]] += np.diff(b) - 1
        return cls(deleted, np.cumsum(inserted))

    def edits(self, start: int, end: int) -> int:
        """Edits inside ``[start, end)``; 0 if it is empty."""
        if start >= end:
            return 0
        return int(self.deleted[end] - self.deleted[start] + self.inserted[end - 1] - self.inserted[start])

    def points(self) -> tuple[Ints, Ints]:
        """Corners of the curve, for drawing: (positions, cumulative edits), both ascending, from 0 to n.

        An insertion is a vertical step: the same position twice.
        """
        n = len(self.deleted) - 1
        before = self.deleted + np.concatenate([[0], self.inserted[:-1]])
        after = self.deleted + self.inserted
        positions = np.repeat(np.arange(n + 1), 2)
        edits = np.stack([before, after], axis=1).ravel()
        keep = np.ones(len(edits), np.bool_)
        keep[1:] = np.diff(positions) + np.diff(edits) > 0
        positions, edits = positions[keep], edits[keep]
        step = np.stack([np.diff(positions), np.diff(edits)])
        corner = np.ones(len(positions), np.bool_)
        corner[1:-1] = (step[:, 1:] != step[:, :-1]).any(axis=0)
        return positions[corner], edits[corner]


def trustable_region(curve: Curve, block: int, slope: float) -> tuple[int, int] | None:
    """The trustable region ``[start, end)`` of ``a``; None if no block has a slope up to ``slope``.

    Block i of k (from 1) weighs ceil(k/2) - abs(ceil(k/2) - i). Of the runs of blocks with a slope up to ``slope`` the
    heaviest are candidates, and of these those with the fewest blocks; each is extended at both ends, character by
    character and by at most one block, while its slope allows, and the longest is taken. O(n log n).
    """
    n = len(curve.deleted) - 1
    if n == 0:
        return None
    limit = round(slope * _UNIT)
    best: tuple[int, int] | None = None
    for start, end in _base_regions(curve, block, limit):
        for left_first in (True, False):
            grown = _extended(curve, start, end, block, limit, left_first)
            if best is None or grown[1] - grown[0] > best[1] - best[0]:
                best = grown
    return best


def _base_regions(curve: Curve, block: int, limit: int) -> list[tuple[int, int]]:
    """The heaviest runs of blocks with few enough edits, of these the shortest.

    With ``open[i]`` = edits - limit · position at the start of block i and ``close[j]`` at the end of block j, the run
    i..j is allowed where close[j] <= open[i]. The first such i is the heaviest for j, and it is found in the running
    maximum of ``open``.
    """
    n = len(curve.deleted) - 1
    edges = np.minimum(np.arange(0, n + block, block), n)
    starts, ends = edges[:-1], edges[1:]
    k = len(starts)
    opens = _UNIT * (curve.deleted[starts] + curve.inserted[starts]) - limit * starts
    closes = _UNIT * (curve.deleted[ends] + curve.inserted[ends - 1]) - limit * ends
    first = np.searchsorted(np.maximum.accumulate(opens), closes)
    numbers = np.arange(k)
    last = np.flatnonzero(first <= numbers)
    if not len(last):
        return []
    first = first[last]
    half = (k + 1) // 2
    weights = np.concatenate([[0], np.cumsum(half - np.abs(half - (numbers + 1)))])
    weight = weights[last + 1] - weights[first]
    heaviest = weight == weight.max()
    first, last = first[heaviest], last[heaviest]
    fewest = last - first == (last - first).min()
    return [(int(starts[i]), int(ends[j])) for i, j in zip(first[fewest], last[fewest], strict=True)]


def _extended(curve: Curve, start: int, end: int, block: int, limit: int, left_first: bool) -> tuple[int, int]:
    """``[start, end)`` extended at both ends as far as the slope allows."""
    for left in (left_first, not left_first):
        if left:
            at = np.arange(max(0, start - block), start + 1)
            room = limit * (end - at) - _UNIT * (
                curve.deleted[end] - curve.deleted[at] + curve.inserted[end - 1] - curve.inserted[at]
            )
            start = int(at[np.argmax(room >= 0)])
        else:
            at = np.arange(end, min(len(curve.deleted) - 1, end + block) + 1)
            room = limit * (at - start) - _UNIT * (
                curve.deleted[at] - curve.deleted[start] + curve.inserted[at - 1] - curve.inserted[start]
            )
            end = int(at[np.flatnonzero(room >= 0)[-1]])
    return start, end
