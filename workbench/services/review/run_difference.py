"""Two runs side by side: which passages appeared, which vanished, which are in both."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Matches
from workbench.services.review.coverage import mutual_overlap

SAME = 0.8
"""Smallest mutual overlap, on both sides, at which passages of two runs count as one."""


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Passages only in the second run, only in the first, and in both (as the second has them)."""

    appeared: Matches
    vanished: Matches
    common: Matches


def diff_matches(first: Matches, second: Matches) -> RunDifference:
    """Compare by spans: equal ones first, then one to one those that overlap by SAME on both sides."""
    in_first, in_second = _equal(first, second)
    for i, j in _overlapping(first, np.flatnonzero(~in_first), second, np.flatnonzero(~in_second)):
        in_first[i] = in_second[j] = True
    return RunDifference(second.take(~in_second), first.take(~in_first), second.take(in_second))


def _spans(matches: Matches) -> NDArray[np.void]:
    columns = (matches.a, matches.b, matches.a_start, matches.a_end, matches.b_start, matches.b_end)
    packed = np.ascontiguousarray(np.stack(columns, axis=1), np.int64)
    return packed.view([("", np.int64)] * len(columns)).ravel()


def _equal(first: Matches, second: Matches) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the rows whose spans occur in the other run."""
    if not len(first) or not len(second):
        return np.zeros(len(first), bool), np.zeros(len(second), bool)
    one, two = _spans(first), _spans(second)
    return np.isin(one, two), np.isin(two, one)


def _overlapping(
    first: Matches, rows_first: NDArray[np.intp], second: Matches, rows_second: NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Row pairs of the same documents that overlap enough; each row at most once, best overlap first."""
    by_pair: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for i in rows_first.tolist():
        by_pair[int(first.a[i]), int(first.b[i])].append((int(first.a_start[i]), i))
    for rows in by_pair.values():
        rows.sort()
    scored = []
    for j in rows_second.tolist():
        start, end = int(second.a_start[j]), int(second.a_end[j])
        # Spans that overlap by SAME of the longer one begin at most this far apart.
        reach = (1 - SAME) / SAME * (end - start) + 1
        rows = by_pair.get((int(second.a[j]), int(second.b[j])), [])
        for _, i in rows[bisect_left(rows, (start - reach,)) : bisect_right(rows, (start + reach,))]:
            overlap = min(
                mutual_overlap((first.a_start[i], first.a_end[i]), (start, end)),
                mutual_overlap((first.b_start[i], first.b_end[i]), (second.b_start[j], second.b_end[j])),
            )
            if overlap >= SAME:
                scored.append((-overlap, i, j))
    chosen: list[tuple[int, int]] = []
    taken_first: set[int] = set()
    taken_second: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in taken_first and j not in taken_second:
            taken_first.add(i)
            taken_second.add(j)
            chosen.append((i, j))
    return chosen
