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
from workbench.kernels.mixing import mix

_UNUSED = np.uint8(255)
_STEP = 1 << 19
"""Windows between two checks for cancellation: less than a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Quantiser:
    """Maps counts to levels, and levels to an integer.

    ``level`` uint8 [26, n + 1]: the level of each letter at each count. ``digit`` uint8 [26]: the digit of each letter
    in the integer, from the highest, in letter order; 255 for unused letters. The integer is in base ``levels``, so 20
    letters take 20, 40 or 60 bits with 2, 4 or 8 levels. ``block`` uint8 [26]: the block of each letter, below
    ``blocks``.
    """

    level: NDArray[np.uint8]
    digit: NDArray[np.uint8]
    block: NDArray[np.uint8]
    levels: int
    blocks: int

    @property
    def used(self) -> int:
        """Number of letters used."""
        return int((self.digit != _UNUSED).sum())


@dataclass(frozen=True, slots=True)
class Windows:
    """w windows: ``keys`` uint64 [w], the integers; ``blocks`` uint64 [w, blocks], hashes of the levels of each block;
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
        _windows(letters, bounds, n, step, q.level, q.digit, q.block, q.levels, starts, at, last, *into)
    return cut


@kernel
def _windows(
    letters: Any,
    bounds: Any,
    n: Any,
    step: Any,
    level: Any,
    digit: Any,
    block: Any,
    levels: Any,
    starts: Any,
    first: Any,
    last: Any,
    keys: Any,
    blocks: Any,
    variety: Any,
    places: Any,
) -> None:
    counts = np.zeros(26, np.int64)
    order = np.argsort(digit)
    used = 0
    while used < 26 and digit[order[used]] != _UNUSED:
        used += 1
    base = np.uint64(levels)
    d = np.searchsorted(starts, first, "right") - 1
    at = np.int64(-1)
    for w in range(first, last):
        while w == starts[d + 1]:
            d += 1
            at = np.int64(-1)
        moved = min(bounds[d] + (w - starts[d]) * step, bounds[d + 1] - n)
        if at < 0:
            counts[:] = 0
            for i in range(moved, moved + n):
                counts[letters[i]] += 1
        else:
            for i in range(at, moved):
                counts[letters[i]] -= 1
                counts[letters[i + n]] += 1
        at = moved
        key = np.uint64(0)
        blocks[w, :] = np.uint64(0)
        for o in range(used):
            letter = order[o]
            value = np.uint64(level[letter, counts[letter]])
            key = key * base + value
            blocks[w, block[letter]] = blocks[w, block[letter]] * base + value
        for b in range(blocks.shape[1]):
            blocks[w, b] = mix(blocks[w, b])
        different = 0
        for letter in range(26):
            different += counts[letter] > 0
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
