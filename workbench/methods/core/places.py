"""The same words of a suspect at several places of one source: one passage, and a note of the other places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.places import OTHER_PLACES, STARTS
from workbench.base.types import Ints, Matches


def once(matches: Matches) -> Matches:
    """The fewest of ``matches`` that cover what all cover in the suspects, in their order; of alike ones the longest.

    Meant for equal text: what another place of the same source says again is counted in the evidence of the passage
    that covers it, as :mod:`workbench.base.places` says. O(n log n).
    """
    n = len(matches)
    if not n:
        return matches
    order = np.lexsort((matches.b_start, -matches.a_end, matches.a_start, matches.b, matches.a))
    of = _pairs(matches.a[order], matches.b[order])
    shift = of * (int(matches.a_end.max()) + 1)
    start, end = matches.a_start[order] + shift, matches.a_end[order] + shift
    reached = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] >= reached[:-1])))
    kept = np.ones(n, np.bool_)
    holder = np.arange(n)
    for low, high in zip(first.tolist(), np.append(first[1:], n).tolist(), strict=True):
        if high - low > 1:
            _cover(start[low:high].tolist(), end[low:high].tolist(), low, kept, holder)
    dropped = np.flatnonzero(~kept)
    chosen = np.sort(order[kept])
    row = np.empty(n, np.int64)
    row[chosen] = np.arange(len(chosen))
    others = row[order[holder[dropped]]], matches.b_start[order[dropped]]
    taken = matches.take(chosen)
    return with_places(taken, *others)


def with_places(matches: Matches, row: Ints, start: Ints) -> Matches:
    """``matches`` with evidence of further places: the match and the offset in its source of each."""
    order = np.lexsort((start, row))
    row, start = row[order], start[order]
    count = np.bincount(row, minlength=len(matches))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    evidence: dict[str, Any] = dict(matches.evidence) | {OTHER_PLACES: count}
    for k, name in enumerate(STARTS):
        evidence[name] = np.full(len(matches), -1, np.int64)
        evidence[name][row[rank == k]] = start[rank == k]
    columns: Mapping[str, Any] = {name: getattr(matches, name) for name in matches.columns()}
    return Matches(**columns, evidence=evidence, gaps=matches.gaps)


def _pairs(a: Ints, b: Ints) -> Ints:
    """A number for each pair, of rows in the order of pairs."""
    new = np.concatenate(([True], (a[1:] != a[:-1]) | (b[1:] != b[:-1])))
    return np.cumsum(new) - 1


def _cover(start: list[int], end: list[int], low: int, kept: Any, holder: Any) -> None:
    """Mark in ``kept`` the fewest ranges that cover a cluster (ordered by start), and who says again what the others
    do in ``holder``."""
    chosen: list[int] = []
    at, reached = 0, start[0]
    while at < len(start):
        best = at
        while at < len(start) and (start[at] <= reached):
            best = at if end[at] > end[best] else best
            at += 1
        chosen.append(best)
        reached = end[best]
        # What ends within the chosen one adds nothing.
        while at < len(start) and end[at] <= reached:
            at += 1
    starts = [start[i] for i in chosen]
    for i in range(len(start)):
        holder[low + i] = low + chosen[max(0, bisect_right(starts, start[i]) - 1)]
    kept[low : low + len(start)] = False
    kept[[low + i for i in chosen]] = True
