"""Counting what documents share by way of posting lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.base.progress import Watcher

_STEP = 1 << 22
"""Postings between two looks for a cancel: some hundredths of a second."""


class Counter:
    """Counts, for one document after another, in how many of its posting lists each of ``size`` others stands."""

    def __init__(self, holders: NDArray[np.uint32], size: int, watch: Watcher) -> None:
        """``holders`` is all lists end to end, each ascending; ``watch`` is asked between some of the lists."""
        self._holders = holders
        self._counts = np.zeros(size, np.int32)
        self._touched = np.empty(size, np.int32)
        self._watch = watch

    def count(
        self, first: NDArray[np.int64], last: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Of the first ``limit`` documents those on a list, ascending, and on how many lists each stands.

        List i is ``holders[first[i]:last[i]]``. Raises Cancelled.
        """
        work = np.cumsum(last - first)
        edges = np.searchsorted(work, np.arange(_STEP, work[-1] if len(work) else 0, _STEP))
        n = 0
        for starts, ends in zip(np.split(first, edges), np.split(last, edges), strict=True):
            n = _count(starts, ends, self._holders, limit, self._counts, self._touched, n)
            self._watch.check()
        found = np.sort(self._touched[:n])
        counts = self._counts[found].astype(np.int64)
        self._counts[found] = 0
        return found, counts


@njit(cache=True)
def _count(first: Any, last: Any, holders: Any, limit: Any, counts: Any, touched: Any, known: Any) -> Any:
    for i in range(len(first)):
        for p in range(first[i], last[i]):
            document = holders[p]
            if document >= limit:
                break
            if counts[document] == 0:
                touched[known] = document
                known += 1
            counts[document] += 1
    return known
