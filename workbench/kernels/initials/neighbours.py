"""Finds all of many integers within an L1 distance of a given one.

The letters are divided into blocks (:class:`Quantiser`), with one table per block, from the hash of its levels to the
integers with them. A neighbour is in the slot of its block's hash, or in one of those of the hashes one level away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.initials.numbers import grouped, without_repeats
from workbench.kernels.initials.windows import MULTIPLIERS, Quantiser, distance, sign

_HALF = 32
"""Bits of a number of an integer: there are fewer than 2^32."""
_WORK = 1 << 21
"""Slots and integers examined between two checks for cancellation: a few hundredths of a second."""
_AT_ONCE = 128
"""Integers looked up together, step by step, so that reads of memory overlap."""
_FEW = 8
"""Signs of a slot that are always compared, even those behind its end: this is faster than a loop that ends earlier."""


@dataclass(frozen=True, slots=True)
class Tables:
    """f distinct integers ``keys`` (uint64 [f], ascending) and b tables of 2^s slots.

    Slot h of table t contains the numbers ``rows[t, firsts[t, h]:firsts[t, h + 1]]`` (uint32 [b, f]) of the integers
    whose block's hash has h as its highest s bits; ``signs`` (uint32 [b, f + 8]) are their :func:`sign`, by which most
    are rejected as too distant. ``firsts`` is uint32 [b, 2^s + 1]. Bit i of ``seen`` (uint8 [b, 2^s], lowest first) is
    set if an integer's hash has i as its highest s + 3 bits: most hashes are rejected by it.
    """

    keys: NDArray[np.uint64]
    firsts: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    signs: NDArray[np.uint32]
    seen: NDArray[np.uint8]

    @property
    def shift(self) -> int:
        """Low bits of a hash that are ignored by ``firsts``."""
        return 65 - int(self.seen.shape[1]).bit_length()


def tables(keys: NDArray[np.uint64], blocks: NDArray[np.uint64], quantiser: Quantiser, progress: Progress) -> Tables:
    """Tables of ``keys`` (distinct, ascending) whose blocks have the hashes ``blocks`` [f, b]. Raises Cancelled."""
    bits = max(1, len(keys).bit_length() - 2)
    firsts = np.zeros((blocks.shape[1], (1 << bits) + 1), np.uint32)
    rows = np.empty((blocks.shape[1], len(keys)), np.uint32)
    seen = np.zeros((blocks.shape[1], 1 << bits), np.uint8)
    for t in range(blocks.shape[1]):
        progress.check()
        finer = blocks[:, t] >> np.uint64(61 - bits)
        rows[t], firsts[t] = grouped((finer >> np.uint64(3)).astype(np.int64), 1 << bits, progress)
        marks = np.zeros(8 << bits, np.bool_)
        marks[finer] = True
        seen[t] = np.packbits(marks, bitorder="little")
    signs = np.zeros((blocks.shape[1], len(keys) + _FEW), np.uint32)
    signs[:, : len(keys)] = sign(keys, quantiser.levels)[rows]
    return Tables(keys, firsts, rows, signs, seen)


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs within the distance, int64: ``mine`` (ascending), and ``other`` (ascending for each of ``mine``)."""

    mine: NDArray[np.int64]
    other: NDArray[np.int64]


def neighbours(
    keys: NDArray[np.uint64], blocks: NDArray[np.uint64], indexed: Tables, quantiser: Quantiser, progress: Progress
) -> Near:
    """All of ``indexed`` within the quantiser's distance of each of ``keys``, with the hashes ``blocks`` of their
    blocks. Raises Cancelled.
    """
    pairs = [np.zeros(0, np.int64)]
    own, at = sign(keys, quantiser.levels), 0
    moves = _moves(quantiser)
    of_tables = indexed.keys, indexed.firsts, indexed.rows, indexed.signs, indexed.seen, indexed.shift
    while at < len(keys) and len(indexed.keys):
        progress.check()
        others, at = _near(keys, blocks, own, at, *moves, *of_tables, quantiser.levels, quantiser.distance)
        progress.check()
        pairs.append(without_repeats(np.sort(others)))
    together = np.concatenate(pairs)
    return Near(together >> _HALF, together & (1 << _HALF) - 1)


def _moves(quantiser: Quantiser) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """What is added to a block's hash to look it up: 0, or one level of a letter more or less. Block b has the moves
    ``moves[bounds[b]:bounds[b + 1]]``.
    """
    moves, loose = [], quantiser.block_numbers(quantiser.distance)[0]
    for block in range(quantiser.blocks):
        levels = MULTIPLIERS[quantiser.of_block(block)] if block < loose else MULTIPLIERS[:0]
        moves.append(np.concatenate((np.zeros(1, np.uint64), levels, np.uint64(0) - levels)))
    return np.concatenate(moves), np.cumsum([0, *map(len, moves)], dtype=np.int64)


@kernel
def _near(
    keys: Any,
    blocks: Any,
    own: Any,
    at: Any,
    moves: Any,
    bounds: Any,
    indexed: Any,
    firsts: Any,
    rows: Any,
    signs: Any,
    seen: Any,
    shift: Any,
    levels: Any,
    most: Any,
) -> Any:
    """Pairs of a key's number and that of an ``indexed`` key within the distance, each as one integer, some twice: of
    the keys from ``at`` on, until ``_WORK`` is used up; and the next key.
    """
    pairs = np.empty(64, np.int64)
    size = _AT_ONCE * len(moves) + 1
    slots, who = np.empty(size, np.uint32), np.empty(size, np.uint32)
    begins, ends = np.empty(size, np.uint32), np.empty(size, np.uint32)
    fine, three, seven, one, limit = np.uint64(shift - 3), np.uint64(3), np.uint64(7), np.uint64(1), np.uint32(most)
    n = work = 0
    while at < len(keys) and work < _WORK:
        end = min(at + _AT_ONCE, len(keys))
        for t in range(len(bounds) - 1):
            present = np.int64(0)
            for i in range(at, end):
                for m in range(bounds[t], bounds[t + 1]):
                    bit = (blocks[i, t] + moves[m]) >> fine
                    slots[present], who[present] = bit >> three, i
                    present += np.int64((seen[t, bit >> three] >> (bit & seven)) & one)
            work += (end - at) * (bounds[t + 1] - bounds[t]) + present
            # Loops this short wait for many reads of memory at once; the sum keeps the second one from being left out.
            for p in range(present):
                slot = np.uint64(slots[p])
                begins[p], ends[p] = firsts[t, slot], firsts[t, slot + one]
            total = np.uint32(0)
            for p in range(present):
                total += signs[t, np.uint64(begins[p])]
            slots[present] = total
            close = np.int64(0)
            for p in range(present):
                mine, first, last = own[np.uint64(who[p])], np.uint64(begins[p]), np.uint64(ends[p])
                few = np.uint32(0)
                for r in range(_FEW):
                    few = np.uint32(few + np.uint32(_different(mine, signs[t, first + np.uint64(r)]) <= limit))
                if last - first > np.uint64(_FEW):
                    rest = signs[t, first + np.uint64(_FEW) : last]
                    for r in range(len(rest)):
                        few = np.uint32(few + np.uint32(_different(mine, rest[r]) <= limit))
                    work += len(rest)
                begins[close], ends[close], who[close] = begins[p], ends[p], who[p]
                close += np.int64(few > 0)
            for p in range(close):
                number = np.int64(who[p])
                for r in range(begins[p], ends[p]):
                    if _different(own[number], signs[t, r]) > limit:
                        continue
                    other = np.int64(rows[t, r])
                    if distance(keys[number], indexed[other], levels, most) > most:
                        continue
                    if n == len(pairs):
                        pairs = np.concatenate((pairs, np.empty_like(pairs)))
                    pairs[n] = (number << _HALF) | other
                    n += 1
        at = end
    return pairs[:n], at


@helper
def _different(x: Any, y: Any) -> Any:
    """Number of different bits, without branches and in 32 bits, so that loops are vectorised."""
    bits = np.uint32(x ^ y)
    bits = np.uint32(bits - np.uint32((bits >> np.uint32(1)) & np.uint32(0x55555555)))
    bits = np.uint32(
        np.uint32(bits & np.uint32(0x33333333)) + np.uint32((bits >> np.uint32(2)) & np.uint32(0x33333333))
    )
    bits = np.uint32(np.uint32(bits + np.uint32(bits >> np.uint32(4))) & np.uint32(0x0F0F0F0F))
    return np.uint32(np.uint32(bits * np.uint32(0x01010101)) >> np.uint32(24))
