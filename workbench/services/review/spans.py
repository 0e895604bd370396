"""Unions of spans as two columns: disjoint, in order, with gaps between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.types import Ints, Span


def share(part: int, whole: int) -> float:
    """``part`` of ``whole`` as 0..1; 0 for an empty whole."""
    return min(1.0, part / whole) if whole > 0 else 0.0


def mutual_overlap(a: Sequence[int], b: Sequence[int]) -> float:
    """Shared characters of two spans, as a share of the longer one (0..1)."""
    shared = min(a[1], b[1]) - max(a[0], b[0])
    return share(max(0, shared), max(a[1] - a[0], b[1] - b[0]))


class Union(NamedTuple):
    """Disjoint spans ``[start, end)`` in ascending order, int64[n] each; none is empty, none touches the next."""

    start: Ints
    end: Ints

    @property
    def length(self) -> int:
        """Characters in all of them."""
        return int((self.end - self.start).sum())

    def length_before(self, place: Ints) -> Ints:
        """The number of characters before each offset, int64 with the shape of ``place``."""
        sums = np.concatenate(([0], np.cumsum(self.end - self.start)))
        # The last span that begins before a place may reach beyond it.
        begun = np.searchsorted(self.start, place, "left")
        end = np.concatenate(([0], self.end))[begun]
        before: Ints = sums[begun] - np.maximum(0, end - place)
        return before

    def spans(self) -> list[Span]:
        """The spans as a list."""
        return [Span(*pair) for pair in zip(self.start.tolist(), self.end.tolist(), strict=True)]


def union(start: Ints, end: Ints) -> Union:
    """The union of the n spans ``[start, end)``. O(n log n)."""
    some = end > start
    order = np.argsort(start[some], kind="stable")
    start, end = start[some][order], end[some][order]
    if not len(start):
        return Union(start, end)
    reached = np.maximum.accumulate(end)
    first = np.concatenate(([True], start[1:] > reached[:-1]))
    last = np.concatenate((np.flatnonzero(first)[1:] - 1, [len(start) - 1]))
    return Union(start[first], reached[last])


def union_of(spans: Iterable[Span]) -> Union:
    """The union of ``spans``."""
    columns = np.array([tuple(span) for span in spans], np.int64).reshape(-1, 2)
    return union(columns[:, 0], columns[:, 1])


def intersection(a: Union, b: Union) -> Union:
    """The text in both. O((n + m) log(n + m))."""
    place = np.concatenate((a.start, a.end, b.start, b.end))
    step = np.concatenate((np.ones(len(a.start)), -np.ones(len(a.end)), np.ones(len(b.start)), -np.ones(len(b.end))))
    order = np.argsort(place, kind="stable")
    place, depth = place[order], np.cumsum(step[order])
    inside = np.flatnonzero(depth[:-1] == 2) if len(depth) else np.zeros(0, np.int64)
    return union(place[inside], place[inside + 1])


def difference(a: Union, b: Union) -> Union:
    """The text in ``a`` but not in ``b``. O((n + m) log(n + m))."""
    if not len(a.start):
        return a
    low, high = int(a.start[0]), int(a.end[-1])
    gaps = union(np.concatenate(([low], b.end)), np.concatenate((b.start, [high])))
    # A gap before the first span of b, or after its last, may be empty or reversed: union() drops those.
    return intersection(a, gaps)
