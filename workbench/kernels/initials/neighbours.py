"""Finds all of many integers that lie within an L1 distance of a given one.

The letters are divided into d + 1 blocks. Two integers within a distance of d agree completely in at least one block
(the pigeonhole principle), so one table per block, from its levels to the integers that have them, finds every
neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.compiled import kernel
from workbench.kernels.initials.numbers import grouped, without_repeats
from workbench.kernels.initials.windows import digits, distance, grey

_HALF = 32
"""Bits of a number of an integer: there are fewer than 2^32."""
_WORK = 1 << 22
"""Comparisons between two checks for cancellation: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Tables:
    """f distinct integers ``keys`` (uint64 [f], ascending) and b tables of 2^s slots.

    Slot h of table t holds the integers ``rows[t, firsts[t, h]:firsts[t, h + 1]]`` (uint64 [b, f]): those whose block's
    hash has h as its highest s bits. ``firsts`` is uint32 [b, 2^s + 1].
    """

    keys: NDArray[np.uint64]
    firsts: NDArray[np.uint32]
    rows: NDArray[np.uint64]

    @property
    def shift(self) -> int:
        """Low bits of a hash that are ignored."""
        return 65 - int(self.firsts.shape[1] - 1).bit_length()


def tables(keys: NDArray[np.uint64], blocks: NDArray[np.uint64], progress: Progress) -> Tables:
    """Tables of ``keys`` (distinct, ascending) whose blocks have the hashes ``blocks`` [f, b]. Raises Cancelled."""
    bits = max(1, len(keys).bit_length() - 2)
    firsts = np.zeros((blocks.shape[1], (1 << bits) + 1), np.uint32)
    rows = np.empty((blocks.shape[1], len(keys)), np.uint64)
    for t in range(blocks.shape[1]):
        progress.check()
        order, firsts[t] = grouped((blocks[:, t] >> np.uint64(64 - bits)).astype(np.int64), 1 << bits, progress)
        rows[t] = keys[order]
    return Tables(keys, firsts, rows)


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs within the distance, int64 each: ``mine`` (ascending), and ``other`` (ascending for each of ``mine``)."""

    mine: NDArray[np.int64]
    other: NDArray[np.int64]


def neighbours(
    keys: NDArray[np.uint64], blocks: NDArray[np.uint64], indexed: Tables, levels: int, most: int, progress: Progress
) -> Near:
    """All of ``indexed`` within ``most`` of each of ``keys``. Raises Cancelled."""
    pairs = [np.zeros(0, np.int64)]
    if len(indexed.keys):
        work = _work(blocks, indexed.firsts, indexed.shift)
        for first, last in _stretches(work):
            progress.check()
            mine, other = _near(keys, blocks, first, last, indexed.firsts, indexed.rows, indexed.shift, levels, most)
            progress.check()
            pairs.append(without_repeats(np.sort(mine << _HALF | np.searchsorted(indexed.keys, other))))
    together = np.concatenate(pairs)
    return Near(together >> _HALF, together & (1 << _HALF) - 1)


def _stretches(work: NDArray[np.int64]) -> Sequence[tuple[int, int]]:
    """Rows in order, split into stretches of about ``_WORK`` comparisons."""
    cuts = np.flatnonzero(np.diff(np.cumsum(work) // _WORK)) + 1
    edges = [0, *cuts.tolist(), len(work)]
    return list(pairwise(edges))


@kernel
def _work(blocks: Any, firsts: Any, shift: Any) -> Any:
    comparisons = np.zeros(len(blocks), np.int64)
    for i in range(len(blocks)):
        for t in range(blocks.shape[1]):
            slot = blocks[i, t] >> np.uint64(shift)
            comparisons[i] += 1 + np.int64(firsts[t, slot + np.uint64(1)]) - np.int64(firsts[t, slot])
    return comparisons


@kernel
def _near(
    keys: Any, blocks: Any, first: Any, last: Any, firsts: Any, rows: Any, shift: Any, levels: Any, most: Any
) -> Any:
    mine, others = np.empty(64, np.int64), np.empty(64, np.uint64)
    one = np.uint64(1)
    inner, known = grey(levels)
    n = 0
    for i in range(first, last):
        key = keys[i]
        for t in range(blocks.shape[1]):
            slot = blocks[i, t] >> np.uint64(shift)
            others_in_slot = rows[t, firsts[t, slot] : firsts[t, slot + np.uint64(1)]]
            # Most are far away: their levels in Gray code differ in more bits than the levels may differ by. A loop of
            # its own, without branches, is compiled to instructions for several numbers at once.
            close = 0
            if most <= 2:
                for r in range(len(others_in_slot)):
                    x = key ^ others_in_slot[r]
                    x = (x ^ ((x >> one) & inner)) & known
                    x &= x - one
                    close += (x & (x - one)) == 0
            else:
                for r in range(len(others_in_slot)):
                    close += digits(key ^ others_in_slot[r], levels) <= most
            if not close:
                continue
            for r in range(len(others_in_slot)):
                other = others_in_slot[r]
                if most <= 2:
                    x = key ^ other
                    x = (x ^ ((x >> one) & inner)) & known
                    x &= x - one
                    if x & (x - one):
                        continue
                if digits(key ^ other, levels) > most or distance(key, other, levels, most) > most:
                    continue
                if n == len(others):
                    mine = np.concatenate((mine, np.empty_like(mine)))
                    others = np.concatenate((others, np.empty_like(others)))
                mine[n], others[n] = i, other
                n += 1
    return mine[:n], others[:n]
