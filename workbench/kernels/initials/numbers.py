"""Distinct values of a long array and their positions, computed in pieces, with checks for cancellation in between."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.compiled import kernel
from workbench.kernels.mixing import in_order

Number = TypeVar("Number", bound=np.generic)
_HIGH, _ODD = np.uint64(0xFFFFFFFF00000000), np.uint64(0x9E3779B97F4A7C15)
_STEP = 1 << 18
"""Values between two checks for cancellation: a few hundredths of a second."""


def numbered(
    keys: NDArray[np.uint64], progress: Progress
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Like ``np.unique`` with ``return_index`` and ``return_inverse``: the distinct values in order, the first position
    of each, and the number of each key. Raises Cancelled.
    """
    number = np.empty(len(keys), np.int64)
    pieces = []
    for at in range(0, len(keys), _STEP):
        progress.check()
        piece = keys[at : at + _STEP]
        ascending, order = in_order(piece)
        new = _new(ascending)
        number[at : at + _STEP][order] = np.cumsum(new) - 1
        pieces.append((ascending[new], at + order[new].astype(np.int64)))
    runs = [distinct for distinct, _ in pieces]
    while len(runs) > 1:
        merged = []
        for i in range(0, len(runs), 2):
            progress.check()
            together = np.concatenate(runs[i : i + 2])
            together.sort(kind="stable")  # detects that both are ascending, and merges them
            merged.append(without_repeats(together))
        runs = merged
    distinct = runs[0] if runs else np.zeros(0, np.uint64)
    first = np.empty(len(distinct), np.int64)
    for i in range(len(pieces) - 1, -1, -1):
        progress.check()
        own, places = pieces[i]
        of_own = np.searchsorted(distinct, own)
        first[of_own] = places
        some = slice(i * _STEP, (i + 1) * _STEP)
        number[some] = of_own[number[some]]
    return distinct, first, number


def in_slot_order(
    keys: NDArray[np.uint64], hashes: NDArray[np.uint64], progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The position of each distinct key, in order of the first bits of its hash, and the number of each key.

    A key has one number for each piece that it is in. Raises Cancelled.
    """
    number, first, n = np.empty(len(keys), np.int64), [np.zeros(0, np.int64)], 0
    for at in range(0, len(keys), _STEP):
        progress.check()
        some = slice(at, at + _STEP)
        # Equal keys are side by side; others with the same bits rarely are in between, and then are looked up twice.
        _, order = in_order((hashes[some] & _HIGH) | (keys[some] * _ODD >> np.uint64(32)))
        new = _new(keys[some][order])
        number[some][order] = n - 1 + np.cumsum(new)
        first.append(at + order[new].astype(np.int64))
        n += len(first[-1])
    return np.concatenate(first), number


def _new(ascending: NDArray[Number]) -> NDArray[np.bool_]:
    """Which values of an ascending array differ from the preceding value."""
    new = np.ones(len(ascending), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return new


def without_repeats(ascending: NDArray[Number]) -> NDArray[Number]:
    """The distinct values of an ascending array."""
    return ascending[_new(ascending)]


def grouped(number: NDArray[np.int64], size: int, progress: Progress) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the numbers 0 to ``size`` - 1, ascending for each: i has ``order[bounds[i]:bounds[i + 1]]``.

    Raises Cancelled.
    """
    bounds = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(number, minlength=size), out=bounds[1:])
    order, free = np.empty(len(number), np.int64), bounds[:-1].copy()
    for at in range(0, len(number), 4 * _STEP):
        progress.check()
        _fill(number, at, min(at + 4 * _STEP, len(number)), free, order)
    return order, bounds


@kernel
def _fill(number: Any, first: Any, last: Any, free: Any, order: Any) -> None:
    for i in range(first, last):
        order[free[number[i]]] = i
        free[number[i]] += 1
