"""Filter skeletons: the characters of two texts in a window that is in both.

Source: Huang, Wang and Li (2007), section 4.3; windows are hashed by a rolling polynomial (Karp and Rabin). A character
is kept if *any* window that covers it is kept: the paper says "intersection", but the two properties it states hold
only for the union.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel

_BASE = np.uint64(0x9E3779B97F4A7C15 | 1)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(32)
_ZERO, _ONE, _WORD, _PLACE = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_GRAM = 6
"""Maximum number of codes of a gram: at most a window's, so that a few show which windows cannot be shared."""
_ROUNDING = 0.5
"""Characters by which a count must exceed a limit computed with fractions."""
_BITS = 12
"""Minimum number of bits of a table per gram."""


@helper
def _windows(codes: Any, size: int) -> Any:
    """Hash of each window of ``size`` codes, never 0: uint64 [n - size + 1]."""
    hashes = np.empty(len(codes) - size + 1, np.uint64)
    power = np.uint64(1)
    for _ in range(size):
        power *= _BASE
    state = _ZERO
    for i in range(len(codes)):
        state = state * _BASE + np.uint64(codes[i]) + np.uint64(1)
        if i >= size:
            state -= power * (np.uint64(codes[i - size]) + np.uint64(1))
        if i >= size - 1:
            mixed = (state ^ (state >> _SHIFT)) * _MIX
            mixed ^= mixed >> _SHIFT
            hashes[i - size + 1] = mixed if mixed != _ZERO else np.uint64(1)
    return hashes


@helper
def _slot(table: Any, value: Any) -> Any:
    """The slot of ``value`` in the open-addressing ``table``, or a free slot for it."""
    mask = np.uint64(len(table) - 1)
    at = value & mask
    while table[at] != _ZERO and table[at] != value:
        at = (at + np.uint64(1)) & mask
    return at


@helper
def _spread(length: int, shared: Any, size: int) -> Any:
    """Characters in at least one shared window: bool [length]."""
    mask = np.zeros(length, np.bool_)
    until = 0
    for i in range(len(shared)):
        if shared[i]:
            for j in range(max(i, until), i + size):
                mask[j] = True
            until = i + size
    return mask


@kernel
def _tabled(codes: Any, size: int) -> Any:
    """The windows of ``codes`` in a table, and the slot of each."""
    values = _windows(codes, size)
    room = 16
    while room < 2 * len(values):
        room *= 2
    table, slots = np.zeros(room, np.uint64), np.empty(len(values), np.int64)
    for i in range(len(values)):
        at = _slot(table, values[i])
        table[at] = values[i]
        slots[i] = at
    return table, slots


@kernel
def _skeletons(length: int, table: Any, slots: Any, b: Any, size: int) -> Any:
    theirs = _windows(b, size)
    seen = np.zeros(len(table), np.bool_)
    shared = np.empty(len(theirs), np.bool_)
    for i in range(len(theirs)):
        at = _slot(table, theirs[i])
        shared[i] = table[at] != _ZERO
        seen[at] |= shared[i]
    return _spread(length, seen[slots], size), _spread(len(b), shared, size)


@helper
def _bit(state: Any, shift: Any) -> Any:
    """The bit of a table that represents a gram."""
    return (state ^ (state >> _SHIFT)) * _MIX >> shift


@kernel
def _grams(codes: Any, gram: int) -> Any:
    """A bit table of all grams of ``codes``, of ``gram`` codes, and the shift for :func:`_bit`."""
    size = 10
    while 1 << size < _BITS * len(codes):
        size += 1
    shift = np.uint64(64 - size)
    table = np.zeros((1 << size) >> 6, np.uint64)
    power = np.uint64(1)
    for _ in range(gram):
        power *= _BASE
    state = _ZERO
    for i in range(len(codes)):
        state = state * _BASE + np.uint64(codes[i])
        if i >= gram:
            state -= power * np.uint64(codes[i - gram])
        if i >= gram - 1:
            bit = _bit(state, shift)
            table[bit >> _WORD] |= _ONE << (bit & _PLACE)
    return table, shift


@kernel
def _kept_at_most(table: Any, shift: Any, gram: int, b: Any, size: int, needed: float) -> int:
    """Characters of ``b`` in windows of ``size`` without a gram that is absent from the table. Grams are tested at a
    step that leaves one in every window. Windows are no longer than ``b``. With ``needed`` above 0, the count stops as
    soon as it is certain to be below or not, and is on the right side of ``needed``.
    """
    size = min(size, len(b))
    if size < gram:
        return len(b)
    step = size - gram + 1
    total = reached = first = 0
    passed = False
    for at in range(0, len(b) - gram + 1, step):
        state = _ZERO
        for i in range(at, at + gram):
            state = state * _BASE + np.uint64(b[i])
        bit = _bit(state, shift)
        if table[bit >> _WORD] >> (bit & _PLACE) & _ONE:
            passed = True
            continue
        if passed:  # windows may be between the last absent gram and this one
            end = at + gram - 1
            total += max(0, end - max(first, reached))
            reached = end
        passed = False
        first = at + 1
        most = total + len(b) - max(first, reached)
        if needed > 0 and total >= needed + _ROUNDING:
            return total
        if needed > 0 and most < needed - _ROUNDING:
            return most
    if passed:
        total += max(0, len(b) - max(first, reached))
    return total


@kernel
def _may_reach(
    table: Any, shift: Any, gram: int, length: int, b: Any, window: int, resemblance: float, containment: float
) -> Any:
    shorter = min(length, len(b))
    needed = min(resemblance * (length + len(b)) / (1 + resemblance), containment * shorter)
    common = min(shorter, _kept_at_most(table, shift, gram, b, min(window, length), needed))
    return common / (length + len(b) - common) >= resemblance or common / shorter >= containment


@dataclass(frozen=True)
class Windowed:
    """A text, uint32 [n], for comparison with several others: its windows are hashed once per size."""

    codes: NDArray[np.uint32]
    _tables: dict[int, tuple[NDArray[np.uint64], NDArray[np.int64]]] = field(default_factory=dict)
    _gram_tables: dict[int, tuple[NDArray[np.uint64], np.uint64]] = field(default_factory=dict)

    def _grams(self, window: int) -> tuple[NDArray[np.uint64], np.uint64, int]:
        gram = min(_GRAM, window)
        if gram not in self._gram_tables:
            self._gram_tables[gram] = _grams(self.codes, gram)
        return *self._gram_tables[gram], gram

    def kept_at_most(self, b: NDArray[np.uint32], window: int) -> int:
        """An upper bound on the characters of ``b`` kept by :meth:`skeletons`, in a fraction of its time."""
        return int(_kept_at_most(*self._grams(window), b, min(window, len(self.codes)), 0.0))

    def may_reach(self, b: NDArray[np.uint32], window: int, resemblance: float, containment: float) -> bool:
        """Whether c / (n + len(b) - c) may reach ``resemblance``, or c / n or c / len(b) ``containment``, for c common
        characters up to :meth:`kept_at_most`. Neither text is empty.
        """
        return bool(_may_reach(*self._grams(window), len(self.codes), b, window, resemblance, containment))

    def skeletons(self, b: NDArray[np.uint32], window: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which characters of this text and of ``b`` are kept: bool [n], bool [len(b)].

        ``window`` >= 1 characters, or the whole text if it is shorter. Windows are compared by 64-bit hashes; a
        collision keeps unnecessary characters, but loses none. Time and memory are linear.
        """
        a = self.codes
        size = min(window, len(a), len(b))
        if size < 1:
            return np.zeros(len(a), np.bool_), np.zeros(len(b), np.bool_)
        if size not in self._tables:
            self._tables.clear()
            self._tables[size] = _tabled(a, size)
        ours, theirs = _skeletons(len(a), *self._tables[size], b, size)
        return ours, theirs


def skeletons(a: NDArray[np.uint32], b: NDArray[np.uint32], window: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """:meth:`Windowed.skeletons` for a text that is compared once."""
    return Windowed(a).skeletons(b, window)
