"""Counts what documents share by means of posting lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.base.progress import Progress

_STEP = 1 << 22
"""Postings between two checks for cancellation: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Posting lists of some documents: columns of l rows.

    List i belongs to document ``owner[i]`` (ascending) and holds rows ``first[i]:last[i]`` of the postings; int64 each.
    """

    owner: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Documents and the indexed ones they meet: columns of n int64 rows, ordered by ``mine``, then ``other``.

    ``lists``: the number of lists of ``mine`` that contain ``other``.
    """

    mine: NDArray[np.int64]
    other: NDArray[np.int64]
    lists: NDArray[np.int64]


def candidate_pairs(
    lists: Lists, holders: NDArray[np.uint32], limits: NDArray[np.int64], size: int, progress: Progress
) -> Iterator[CandidatePairs]:
    """Documents that each document i shares a list with among the first ``limits[i]`` of ``size`` indexed documents, in
    batches.

    ``holders`` are the postings, ascending within each list. ``progress`` is checked between batches of lists. Raises
    Cancelled.
    """
    state = np.zeros(size, np.int32), np.empty(size, np.int32)
    documents, edges = np.unique(lists.owner, return_index=True)
    work = np.add.reduceat(lists.last - lists.first, edges) if len(edges) else edges
    cuts = np.flatnonzero(np.diff(np.cumsum(work) // _STEP)) + 1
    for group in np.split(documents, cuts) if len(documents) else ():
        rows = slice(*np.searchsorted(lists.owner, [group[0], group[-1] + 1]).tolist())
        yield _meet(Lists(lists.owner[rows], lists.first[rows], lists.last[rows]), holders, limits, state, progress)


def _meet(
    lists: Lists,
    holders: NDArray[np.uint32],
    limits: NDArray[np.int64],
    state: tuple[NDArray[np.int32], NDArray[np.int32]],
    progress: Progress,
) -> CandidatePairs:
    """Documents that the owners of ``lists`` share a list with."""
    work = np.cumsum(lists.last - lists.first)
    edges = [0, *np.searchsorted(work, np.arange(_STEP, work[-1], _STEP)).tolist(), len(work)]
    rows = np.empty((64, 3), np.int64)
    n = known = 0
    for start, stop in pairwise(edges):
        progress.check()
        part = (lists.owner[start:stop], lists.first[start:stop], lists.last[start:stop])
        following = int(lists.owner[stop]) if stop < len(work) else -1
        rows, n, known = _count(*part, following, holders, limits, *state, known, rows, n)
    return CandidatePairs(*np.ascontiguousarray(rows[:n].T))


@njit(cache=True, nogil=True)
def _count(
    owner: Any,
    first: Any,
    last: Any,
    following: Any,
    holders: Any,
    limits: Any,
    counts: Any,
    touched: Any,
    known: Any,
    rows: Any,
    n: Any,
) -> Any:
    """Add to ``counts``; after a document's last list, append its rows to ``rows`` and reset its counts."""
    for i in range(len(owner)):
        limit = limits[owner[i]]
        for p in range(first[i], last[i]):
            document = holders[p]
            if document >= limit:
                break
            if counts[document] == 0:
                touched[known] = document
                known += 1
            counts[document] += 1
        if (owner[i + 1] if i + 1 < len(owner) else following) == owner[i]:
            continue
        while n + known > len(rows):
            rows = np.concatenate((rows, np.empty_like(rows)))
        for document in np.sort(touched[:known]):
            rows[n] = (owner[i], np.int64(document), np.int64(counts[document]))
            counts[document] = 0
            n += 1
        known = 0
    return rows, n, known
