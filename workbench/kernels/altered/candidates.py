"""Selects the sources worth aligning with a suspect: postings of words, and one pass over the suspect.

A source's score is the best sum over a stretch of the suspect, in which a word in the source counts log(1 - SHARE +
SHARE / probability that a source of its length contains the word by chance), at most MOST, and any other word log(1 -
SHARE). The order of words is ignored.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel

_SMALLEST = 1 << 10


class Vocabulary:
    """Values and their numbers.

    ``values`` uint64 [v]: value by number; ``slots`` int32 [power of two]: numbers, -1 where free.

    Values are hashes, so their low bits select the slot, with linear probing.
    """

    def __init__(self, values: NDArray[np.uint64] | None = None, slots: NDArray[np.int32] | None = None) -> None:
        self._values = np.zeros(_SMALLEST // 2, np.uint64) if values is None else values
        self.slots = np.full(_SMALLEST, -1, np.int32) if slots is None else slots
        self._size = 0 if values is None else len(values)

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> NDArray[np.uint64]:
        """Values by number."""
        return self._values[: self._size]

    def add(self, values: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Numbers of ``values``, which are added if absent."""
        needed = self._size + len(values)
        if 2 * needed > len(self.slots):
            size = 1 << int(2 * needed).bit_length()
            self.slots = np.full(size, -1, np.int32)
            self._values = np.concatenate([self.values, np.zeros(size // 2 - self._size, np.uint64)])
            _insert(self._values, self._size, self.slots)
        numbers = np.empty(len(values), np.int32)
        self._size = _add(values, self._values, self._size, self.slots, numbers)
        return numbers

    def find(self, values: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Numbers of ``values``; -1 for absent ones."""
        numbers = np.empty(len(values), np.int32)
        _find(values, self._values, self.slots, numbers)
        return numbers


@helper
def _slot(value: Any, values: Any, slots: Any) -> Any:
    """The slot of ``value``, or the free slot for it."""
    mask = len(slots) - 1
    at = np.int64(value & np.uint64(mask))
    while slots[at] >= 0 and values[slots[at]] != value:
        at = (at + 1) & mask
    return at


@kernel
def _insert(values: Any, size: Any, slots: Any) -> None:
    for i in range(size):
        slots[_slot(values[i], values, slots)] = i


@kernel
def _add(added: Any, values: Any, size: Any, slots: Any, numbers: Any) -> Any:
    for i in range(len(added)):
        at = _slot(added[i], values, slots)
        if slots[at] < 0:
            slots[at] = size
            values[size] = added[i]
            size += 1
        numbers[i] = slots[at]
    return size


@kernel
def _find(wanted: Any, values: Any, slots: Any, numbers: Any) -> None:
    for i in range(len(wanted)):
        numbers[i] = slots[_slot(wanted[i], values, slots)]


SHARE = 0.5
"""Share of a copied passage's words that come from the source."""
MOST = 4.0
"""Maximum log-odds of one word."""
_STEPS = 60.0
"""Steps of a posting's gain per unit of log-odds: 4.0 fits into a byte."""
FEW = 50
"""Number of sources up to which a word is never too common."""
_RAREST = 1e-6
MISS = -math.log(1 - SHARE)
PORTION = 2_000
"""Number of words of a source that are weighed together: in a long text, most words occur somewhere."""


def portions(starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The D sources, of which i has the words [starts[i], starts[i + 1]), in P portions of at most PORTION words.

    Returns the limits of the portions, int64 [P + 1], and the first portion of each source, int64 [D + 1]. The portions
    of a source differ by at most one word; an empty source has one.
    """
    lengths = np.diff(starts)
    parts = np.maximum(1, -(-lengths // PORTION))
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(parts, dtype=np.int64)))
    within = np.arange(first[-1]) - np.repeat(first[:-1], parts)
    cuts = np.repeat(starts[:-1], parts) + within * np.repeat(lengths, parts) // np.repeat(parts, parts)
    return np.concatenate((cuts, starts[-1:])), first


def postings(
    words: NDArray[np.int32],
    starts: NDArray[np.int64],
    cuts: NDArray[np.int64],
    counts: NDArray[np.uint32],
    common: float,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    """Posting lists: word w has ``[first[w], first[w + 1])`` of the portions (ascending) and of their gains.

    ``words`` int32: concatenated words of all sources, source i from ``starts[i]`` to ``starts[i + 1]``; ``cuts``: the
    limits of the :func:`portions`; ``counts``: occurrences of each word in the collection. Words in more than the share
    ``common`` of the sources, and in more than FEW, have empty lists.
    """
    most = max(FEW, int(common * (len(starts) - 1)))
    spread = _holders(words, cuts, len(counts))
    spread[_holders(words, starts, len(counts)) > most] = 0
    total = max(1, int(counts.sum(dtype=np.int64)))
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(spread, dtype=np.int64)])
    holders, gains = np.empty(int(first[-1]), np.int32), np.empty(int(first[-1]), np.uint8)
    last, filled = np.full(len(counts), -1, np.int32), first[:-1].copy()
    _fill(words, cuts, counts, total, spread, last, filled, holders, gains)
    return first, holders, gains


def _holders(words: NDArray[np.int32], starts: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """The number of texts, from ``starts``, that contain each of ``size`` words."""
    last, spread = np.full(size, -1, np.int32), np.zeros(size, np.int32)
    _spread(words, starts, last, spread)
    return spread


@kernel
def _spread(words: Any, starts: Any, last: Any, spread: Any) -> None:
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            if last[words[i]] != d:
                last[words[i]] = d
                spread[words[i]] += 1


@kernel
def _fill(
    words: Any, starts: Any, counts: Any, total: Any, spread: Any, last: Any, filled: Any, holders: Any, gains: Any
) -> None:
    for d in range(len(starts) - 1):
        length = starts[d + 1] - starts[d]
        for i in range(starts[d], starts[d + 1]):
            word = words[i]
            if last[word] == d or spread[word] == 0:
                continue
            last[word] = d
            chance = -math.expm1(-length * max(counts[word] / total, _RAREST))
            gain = min(max(0.0, math.log(1 - SHARE + SHARE / chance)), MOST)
            holders[filled[word]] = d
            gains[filled[word]] = np.uint8(round(gain * _STEPS))
            filled[word] += 1


@kernel
def scan(
    words: Any,
    low: Any,
    high: Any,
    used: Any,
    first: Any,
    holders: Any,
    gains: Any,
    limit: Any,
    step: Any,
    current: Any,
    seen: Any,
    best: Any,
) -> Any:
    """Process the words [low, high) of a suspect; returns the number of its words that have counted so far.

    ``used`` uint8 by position: whether the word counts (1), and has postings (2); ``step``: number of words that
    counted before. ``current`` float64, ``seen`` int32 and ``best`` float64 by source; ``seen`` is -1 for sources not
    seen yet. Sources from ``limit`` on are ignored.
    """
    for i in range(low, high):
        if not used[i]:
            continue
        step += 1
        if used[i] == 1:
            continue
        for p in range(first[words[i]], first[words[i] + 1]):
            source = holders[p]
            if source >= limit:
                break
            value = 0.0
            if seen[source] >= 0:
                value = max(0.0, current[source] - MISS * (step - seen[source] - 1))
            value += gains[p] / _STEPS
            current[source], seen[source] = value, step
            if value > best[source]:
                best[source] = value
    return step
