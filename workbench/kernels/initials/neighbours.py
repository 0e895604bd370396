"""Finds all of many integers within an L1 distance of a given one.

The letters are divided into d + 1 blocks. Two integers within a distance of d agree completely in at least one block
(the pigeonhole principle), so one table per block, from its levels to the integers with them, finds every
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
from workbench.kernels.initials.windows import distance, sign

_HALF = 32
"""Bits of a number of an integer: there are fewer than 2^32."""
_WORK = 1 << 22
"""Comparisons between two checks for cancellation: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Tables:
    """f distinct integers ``keys`` (uint64 [f], ascending) and b tables of 2^s slots.

    Slot h of table t contains the numbers ``rows[t, firsts[t, h]:firsts[t, h + 1]]`` (uint32 [b, f]) of the integers
    whose block's hash has h as its highest s bits; ``signs`` (uint32 [b, f]) are their :func:`sign`, by which most are
    rejected as too distant. ``firsts`` is uint32 [b, 2^s + 1].
    """

    keys: NDArray[np.uint64]
    firsts: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    signs: NDArray[np.uint32]

    @property
    def shift(self) -> int:
        """Low bits of a hash that are ignored."""
        return 65 - int(self.firsts.shape[1] - 1).bit_length()


def tables(keys: NDArray[np.uint64], blocks: NDArray[np.uint64], levels: int, progress: Progress) -> Tables:
    """Tables of ``keys`` (distinct, ascending, of digits below ``levels``) whose blocks have the hashes ``blocks`` [f,
    b]. Raises Cancelled.
    """
    bits = max(1, len(keys).bit_length() - 2)
    firsts = np.zeros((blocks.shape[1], (1 << bits) + 1), np.uint32)
    rows = np.empty((blocks.shape[1], len(keys)), np.uint32)
    for t in range(blocks.shape[1]):
        progress.check()
        rows[t], firsts[t] = grouped((blocks[:, t] >> np.uint64(64 - bits)).astype(np.int64), 1 << bits, progress)
    return Tables(keys, firsts, rows, sign(keys, levels)[rows])


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs within the distance, int64: ``mine`` (ascending), and ``other`` (ascending for each of ``mine``)."""

    mine: NDArray[np.int64]
    other: NDArray[np.int64]


def neighbours(
    keys: NDArray[np.uint64], blocks: NDArray[np.uint64], indexed: Tables, levels: int, most: int, progress: Progress
) -> Near:
    """All of ``indexed`` within ``most`` of each of ``keys``. Raises Cancelled."""
    pairs = [np.zeros(0, np.int64)]
    if len(indexed.keys):
        work, own = _work(blocks, indexed.firsts, indexed.shift), sign(keys, levels)
        of_tables = indexed.keys, indexed.firsts, indexed.rows, indexed.signs
        for first, last in _stretches(work):
            progress.check()
            others = _near(keys, blocks, own, first, last, *of_tables, indexed.shift, levels, most)
            progress.check()
            pairs.append(without_repeats(np.sort(others)))
    together = np.concatenate(pairs)
    return Near(together >> _HALF, together & (1 << _HALF) - 1)


def _stretches(work: NDArray[np.int64]) -> Sequence[tuple[int, int]]:
    """Consecutive ranges of rows of about ``_WORK`` comparisons each."""
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
    keys: Any,
    blocks: Any,
    own: Any,
    first: Any,
    last: Any,
    indexed: Any,
    firsts: Any,
    rows: Any,
    signs: Any,
    shift: Any,
    levels: Any,
    most: Any,
) -> Any:
    """Pairs of a key's number and that of an ``indexed`` key within the distance, each as one integer; some twice."""
    pairs = np.empty(64, np.int64)
    one = np.uint32(1)
    n = 0
    for i in range(first, last):
        for t in range(blocks.shape[1]):
            slot = blocks[i, t] >> np.uint64(shift)
            start, end = firsts[t, slot], firsts[t, slot + np.uint64(1)]
            others = signs[t, start:end]
            if most <= 2:
                # A separate 32-bit loop without branches is vectorised.
                close = np.uint32(0)
                for r in range(len(others)):
                    x = np.uint32(own[i] ^ others[r])
                    x = np.uint32(x & np.uint32(x - one))
                    close = np.uint32(close + np.uint32(np.uint32(x & np.uint32(x - one)) == 0))
                if not close:
                    continue
            for r in range(len(others)):
                x = own[i] ^ others[r]
                for _ in range(most):
                    x &= x - one
                if x:
                    continue
                other = np.int64(rows[t, start + r])
                if distance(keys[i], indexed[other], levels, most) > most:
                    continue
                if n == len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[n] = (i << _HALF) | other
                n += 1
    return pairs[:n]
