"""Counts common elements of documents with posting lists, and sums products of weights along them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.compiled import helper, kernel

_STEP = 1 << 22
"""Postings between two checks for cancellation: a few hundredths of a second."""
_FEW = 32
"""Number of documents up to which insertion sort is fastest."""
_BUCKET = 8
"""Number of keys of a bucket up to which all are compared."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Posting lists of some documents: columns of l rows.

    List i belongs to document ``owner[i]`` (ascending) and contains rows ``first[i]:last[i]`` of the postings; int64
    each.
    """

    owner: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def take(self, rows: NDArray[Any]) -> Lists:
        """Lists chosen by an index or a mask."""
        return Lists(self.owner[rows], self.first[rows], self.last[rows])


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Pairs of documents and indexed documents with a common list: columns of n int64 rows, by ``mine``, then
    ``other``.

    ``lists``: the number of lists of ``mine`` that contain ``other``.
    """

    mine: NDArray[np.int64]
    other: NDArray[np.int64]
    lists: NDArray[np.int64]

    def take(self, rows: NDArray[Any]) -> CandidatePairs:
        """Pairs chosen by an index or a mask."""
        return CandidatePairs(self.mine[rows], self.other[rows], self.lists[rows])


def candidate_pairs(
    lists: Lists, holders: NDArray[np.uint32], limits: NDArray[np.int64], size: int, progress: Progress
) -> Iterator[CandidatePairs]:
    """Pairs of each document i with the documents on its lists among the first ``limits[i]`` of ``size`` indexed ones,
    in batches.

    ``holders`` are the postings, ascending within each list. ``progress`` is checked between batches of lists. Raises
    Cancelled.
    """
    state = np.zeros(size, np.int32), np.empty(size, np.int32)
    work = np.cumsum(lists.last - lists.first)
    if not len(work):
        return
    some = np.searchsorted(work, np.arange(_STEP, work[-1] + 1, _STEP))
    bounds = np.unique([0, *np.searchsorted(lists.owner, lists.owner[some]), len(work)])
    for start, stop in pairwise(bounds.tolist()):
        yield _meet(lists, work, start, stop, holders, limits, state, progress)


def _meet(
    lists: Lists,
    work: NDArray[np.int64],
    begin: int,
    end: int,
    holders: NDArray[np.uint32],
    limits: NDArray[np.int64],
    state: tuple[NDArray[np.int32], NDArray[np.int32]],
    progress: Progress,
) -> CandidatePairs:
    """Pairs of the owners of the lists from ``begin`` to ``end`` with the documents on these.

    ``work``: number of postings of each list and all before it.
    """
    before = int(work[begin - 1]) if begin else 0
    cuts = np.searchsorted(work[begin:end], np.arange(before + _STEP, work[end - 1], _STEP))
    rows = np.empty((3, 64), np.int64)
    n = known = 0
    for start, stop in pairwise([begin, *(begin + cuts).tolist(), end]):
        progress.check()
        part = (lists.owner[start:stop], lists.first[start:stop], lists.last[start:stop])
        following = int(lists.owner[stop]) if stop < end else -1
        rows, n, known = _count(*part, following, holders, limits, *state, known, rows, n)
    return CandidatePairs(*rows[:, :n])


@kernel
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
    i = 0
    while i < len(owner):
        mine = owner[i]
        limit = limits[mine]
        while i < len(owner) and owner[i] == mine:
            for p in range(first[i], last[i]):
                document = holders[p]
                if document >= limit:
                    break
                if counts[document] == 0:
                    touched[known] = document
                    known += 1
                counts[document] += 1
            i += 1
        if i == len(owner) and mine == following:
            break
        while n + known > rows.shape[1]:
            rows = np.concatenate((rows, np.empty_like(rows)), axis=1)
        documents = touched[:known]
        if known > _FEW:
            documents = np.sort(documents)
        else:
            _insertion_sort(documents)
        for document in documents:
            rows[0, n], rows[1, n], rows[2, n] = mine, document, counts[document]
            counts[document] = 0
            n += 1
        known = 0
    return rows, n, known


@helper
def _insertion_sort(values: Any) -> None:
    for k in range(1, len(values)):
        value, at = values[k], k
        while at > 0 and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@kernel
def bucket_starts(keys: Any, low: Any, high: Any, bits: Any) -> Any:
    """Starts, relative to ``low``, of the keys of ``keys[low:high]`` (uint64, ascending) with each value of the first
    ``bits`` (1 to 31) bits: int32 [2 ** bits + 1].
    """
    starts = np.empty((1 << bits) + 1, np.int32)
    shift, n = np.uint64(64 - bits), 0
    for row in range(low, high):
        bucket = np.int64(keys[row] >> shift)
        while n <= bucket:
            starts[n] = row - low
            n += 1
    starts[n:] = high - low
    return starts


@kernel
def equal_range(keys: Any, low: Any, high: Any, starts: Any, sought: Any, limits: Any, table: Any) -> None:
    """Find each of ``sought`` in ``keys[low:high]`` (uint64, ascending): from ``limits[0, i, table]`` to
    ``limits[1, i, table]``, which are equal if it is absent.

    ``starts``: the :func:`bucket_starts` of these, so that the search is within the bucket of the key; or empty: as
    hashes are spread evenly, the search then begins at the expected position of a key and continues outwards in growing
    steps.
    """
    size = np.uint64(high - low)
    wide = np.int64(np.sqrt(high - low)) + 1
    shift, buckets = np.uint64(64), len(starts) - 1
    while buckets > 1:
        buckets >>= 1
        shift -= np.uint64(1)
    for i in range(len(sought)):
        key = sought[i]
        a, b, step = low, high, wide
        guess = low + np.int64(((key >> np.uint64(32)) * size) >> np.uint64(32))
        if len(starts):
            bucket = np.int64(key >> shift)
            a, b = low + starts[bucket], low + starts[bucket + 1]
            if b - a <= _BUCKET <= high - a:
                # Always as many, even those of the next bucket: this is faster than a loop that ends earlier.
                below = upto = np.int64(0)
                for row in range(_BUCKET):
                    other = keys[np.uint64(a) + np.uint64(row)]
                    below += np.int64(other < key)
                    upto += np.int64(other <= key)
                limits[0, i, table], limits[1, i, table] = a + below, a + upto
                continue
        elif low < high and keys[guess] < key:
            a = guess + 1
            while a + step < high and keys[a + step] < key:
                a += step + 1
                step *= 2
            b = min(high, a + step)
        elif low < high:
            b = guess
            while b - step >= low and keys[b - step] >= key:
                b -= step
                step *= 2
            a = max(low, b - step)
        while a < b:
            middle = (a + b) >> 1
            if keys[middle] < key:
                a = middle + 1
            else:
                b = middle
        limits[0, i, table] = start = a
        step = np.int64(1)
        while a < high and keys[a] == key:
            a += step
            step *= 2
        b = min(a, high)
        a = max(start, a - (step >> 1) + 1) if step > 1 else start
        while a < b:
            middle = (a + b) >> 1
            if keys[middle] <= key:
                a = middle + 1
            else:
                b = middle
        limits[1, i, table] = a


@kernel
def add_products(first: Any, last: Any, own: Any, holders: Any, weights: Any, limit: Any, sums: Any) -> None:
    """Add to ``sums[d]`` (float64) the products of ``own[i]`` with the weight of document d, for all lists i.

    List i contains the rows ``[first[i], last[i])`` of ``holders`` (uint32, ascending within a list) and ``weights``
    (float64); documents from ``limit`` on are skipped. int64 limits and float64 ``own`` of equal length. Sums are
    computed in the order of the lists, so they do not depend on how the work is divided.
    """
    for i in range(len(first)):
        for row in range(first[i], last[i]):
            holder = holders[row]
            if holder >= limit:
                break
            sums[holder] += own[i] * weights[row]
