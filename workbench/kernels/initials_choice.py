"""Which of many stretches are reported: at each letter the best one in each other document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.initials_extension import HOLDER, SCORE

_WORK = 1 << 25
"""Letters between two looks for a cancel: some hundredths of a second."""


def free_parts(
    rows: NDArray[np.int64], letters: int, least: int, check: Callable[[], None]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What better stretches leave of each row of ``extended``, of a document of so many ``letters``.

    Rows are taken by other document, the best score first; each gets the longest part of its letters that no row before
    it got, if that has ``least`` letters. Returns the numbers of the rows that got one, in that order, and the parts
    (begin and end, int64 [k, 2]). Raises what ``check`` raises.
    """
    order = np.lexsort((-rows[:, SCORE], rows[:, HOLDER]))
    parts = np.zeros((len(order), 2), np.int64)
    taken = np.zeros(letters, np.bool_)
    at = first = 0
    while at < len(order):
        check()
        at, first = _take(rows, order, at, first, least, taken, parts)
    got = parts[:, 1] > parts[:, 0]
    return order[got], parts[got]


@njit(cache=True, nogil=True)
def _take(rows: Any, order: Any, at: Any, first: Any, least: Any, taken: Any, parts: Any) -> Any:
    """Rows from ``at`` on, until they took ``_WORK``; those of the same document begin at ``first``."""
    work = 0
    while at < len(order) and work < _WORK:
        row = rows[order[at]]
        if rows[order[first], HOLDER] != row[HOLDER]:
            for i in range(first, at):
                taken[parts[i, 0] : parts[i, 1]] = False
            first = at
        begin, best, run = row[0], 0, 0
        for i in range(row[0], row[1]):
            run = 0 if taken[i] else run + 1
            if run > best:
                best, begin = run, i + 1 - run
        work += row[1] - row[0] + 8
        if best >= least:
            parts[at, 0], parts[at, 1] = begin, begin + best
            taken[begin : begin + best] = True
        at += 1
    return at, first
