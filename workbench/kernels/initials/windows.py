"""Windows of initials as integers: the count of each letter in a window, compared with its expected count.

A letter with count c and expected count e has the level ``floor((c - e) / width + levels / 2)``, clipped to
``[0, levels)``. No width is below 1, so one letter more or less changes one level by at most one: two windows that
differ by k replaced, missing or extra letters have an L1 distance of at most 2 k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.compiled import kernel
from workbench.kernels.mixing import mix, number_below

MULTIPLIERS = mix.py_func(np.arange(26, dtype=np.uint64)) | np.uint64(1)
"""An odd number of 64 random bits for each letter: uint64 [26]."""
_STEP = 1 << 19
"""Windows between two checks for cancellation: less than a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Quantiser:
    """Maps counts to levels, and levels to an integer and to the hashes of blocks of letters.

    ``level`` uint8 [26, n + 1]: the level of each letter at each count. ``weight`` uint64 [26]: the value of each
    letter's digit in the integer in base ``levels``, in letter order; 0 for unused letters. 20 letters take 20, 40 or
    60 bits with 2, 4 or 8 levels. ``block`` uint8 [26]: the block of each letter. The hash of a block is the sum of its
    letters' levels multiplied by ``MULTIPLIERS``, so that one level more or less in a letter adds a known number.

    Two integers within ``distance`` of each other agree completely in the last block, or differ by at most one level in
    one of the others (the pigeonhole principle); for an odd distance, the latter.
    """

    level: NDArray[np.uint8]
    weight: NDArray[np.uint64]
    block: NDArray[np.uint8]
    levels: int
    distance: int

    @staticmethod
    def block_numbers(distance: int) -> tuple[int, int]:
        """The number of blocks that may differ by one level, and of those that must agree (0 or 1)."""
        return (distance + 1) // 2, 1 - distance % 2

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return sum(self.block_numbers(self.distance))

    def of_block(self, block: int) -> NDArray[np.int64]:
        """The letters of a block."""
        return np.flatnonzero((self.weight > 0) & (self.block == block))


@dataclass(frozen=True, slots=True)
class Windows:
    """w windows: ``keys`` uint64 [w], the integers; ``blocks`` uint64 [w, blocks], the hash of each block;
    ``variety`` uint8 [w]: number of different letters; ``places`` int64 [w], ascending: the first letter of each;
    ``bounds`` int64 [d + 1]: windows of each document.
    """

    keys: NDArray[np.uint64]
    blocks: NDArray[np.uint64]
    variety: NDArray[np.uint8]
    places: NDArray[np.int64]
    bounds: NDArray[np.int64]


def windows(
    letters: NDArray[np.uint8], bounds: NDArray[np.int64], n: int, step: int, quantiser: Quantiser, progress: Progress
) -> Windows:
    """Windows of ``n`` letters, one every ``step`` letters and one at the end, of concatenated documents.

    ``letters``: 0..25; document i has ``bounds[i]:bounds[i + 1]``. Shorter documents have no window. Raises
    Cancelled.
    """
    free = np.diff(bounds) - n
    counts = np.where(free < 0, 0, (free + step - 1) // step + 1)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    total, q = int(starts[-1]), quantiser
    hashed = np.where(q.weight > 0, MULTIPLIERS, np.uint64(0))
    cut = Windows(
        np.empty(total, np.uint64),
        np.empty((total, q.blocks), np.uint64),
        np.empty(total, np.uint8),
        np.empty(total, np.int64),
        starts,
    )
    into = (cut.keys, cut.blocks, cut.variety, cut.places)
    for at in range(0, total, _STEP):
        progress.check()
        last = min(at + _STEP, total)
        _windows(letters, bounds, n, step, q.level, q.weight, hashed, q.block, starts, at, last, *into)
    return cut


@kernel
def _windows(
    letters: Any,
    bounds: Any,
    n: Any,
    step: Any,
    level: Any,
    weight: Any,
    hashed: Any,
    block: Any,
    starts: Any,
    first: Any,
    last: Any,
    keys: Any,
    blocks: Any,
    variety: Any,
    places: Any,
) -> None:
    counts = np.zeros(26, np.int64)
    hashes = np.zeros(blocks.shape[1], np.uint64)
    key = np.uint64(0)
    different = 0
    d = number_below(starts, first + 1) - 1
    at = np.int64(-1)
    for w in range(first, last):
        while w == starts[d + 1]:
            d += 1
            at = np.int64(-1)
        moved = min(bounds[d] + (w - starts[d]) * step, bounds[d + 1] - n)
        if at < 0 or moved - at >= n:
            counts[:] = 0
            for i in range(moved, moved + n):
                counts[letters[i]] += 1
            key, different = np.uint64(0), 0
            hashes[:] = 0
            for letter in range(26):
                value = np.uint64(level[letter, counts[letter]])
                key += value * weight[letter]
                hashes[block[letter]] += value * hashed[letter]
                different += counts[letter] > 0
        else:
            for i in range(at, moved):
                out, into = letters[i], letters[i + n]
                if out == into:
                    continue
                count = counts[out]
                change = np.uint64(level[out, count]) - np.uint64(level[out, count - 1])
                key -= change * weight[out]
                hashes[block[out]] -= change * hashed[out]
                different -= count == 1
                counts[out] = count - 1
                count = counts[into]
                change = np.uint64(level[into, count + 1]) - np.uint64(level[into, count])
                key += change * weight[into]
                hashes[block[into]] += change * hashed[into]
                different += count == 0
                counts[into] = count + 1
        at = moved
        for b in range(len(hashes)):
            blocks[w, b] = hashes[b]
        keys[w] = key
        variety[w] = different
        places[w] = at


@njit(cache=True, nogil=True, inline="always")
def distance(x: Any, y: Any, levels: Any, most: Any) -> Any:
    """L1 distance of two integers to the base ``levels``; ``most`` + 1 if it is greater than ``most``."""
    total = np.int64(0)
    if levels == 10:
        while x != y and total <= most:
            total += abs(np.int64(x % np.uint64(10)) - np.int64(y % np.uint64(10)))
            x //= np.uint64(10)
            y //= np.uint64(10)
    else:
        bits = np.uint64(3 if levels == 8 else levels // 2)
        mask = np.uint64(levels - 1)
        while x != y and total <= most:
            total += abs(np.int64(x & mask) - np.int64(y & mask))
            x >>= bits
            y >>= bits
    return min(total, most + 1)


def sign(keys: NDArray[np.uint64], levels: int) -> NDArray[np.uint32]:
    """32 bits of each integer to the base ``levels``; the number of different bits of two is at most their L1 distance.

    The digits in Gray code, in which adjacent levels differ in one bit, with both halves combined. 0 for 10 levels,
    whose digits are not bits.
    """
    inner = np.uint64({8: 0o333333333333333333333, 4: 0x5555555555555555}.get(levels, 0))
    code = keys ^ ((keys >> np.uint64(1)) & inner)
    signs: NDArray[np.uint32] = ((code ^ (code >> np.uint64(32))) * np.uint64(levels != 10)).astype(np.uint32)
    return signs
