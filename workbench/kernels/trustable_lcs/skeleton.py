"""Filter skeletons: the characters of two texts that lie in a window found in both.

Source: Huang, Wang and Li (2007), section 4.3; windows are hashed by a rolling polynomial (Karp and Rabin). A character
is kept if *any* window that covers it is kept: the paper says "intersection", but the two properties it states hold
only for the union.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_BASE = np.uint64(0x9E3779B97F4A7C15 | 1)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(32)
_ZERO = np.uint64(0)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _slot(table: Any, value: Any) -> Any:
    """Where ``value`` is in the open-addressing ``table``, or the free slot where it would be."""
    mask = np.uint64(len(table) - 1)
    at = value & mask
    while table[at] != _ZERO and table[at] != value:
        at = (at + np.uint64(1)) & mask
    return at


@njit(cache=True, nogil=True)
def _spread(length: int, shared: Any, size: int) -> Any:
    """Characters under at least one shared window: bool [length]."""
    mask = np.zeros(length, np.bool_)
    until = 0
    for i in range(len(shared)):
        if shared[i]:
            for j in range(max(i, until), i + size):
                mask[j] = True
            until = i + size
    return mask


@njit(cache=True, nogil=True)
def _skeletons(a: Any, b: Any, size: int) -> Any:
    ours, theirs = _windows(a, size), _windows(b, size)
    room = 16
    while room < 2 * len(theirs):
        room *= 2
    table = np.zeros(room, np.uint64)
    seen = np.zeros(room, np.bool_)
    slots = np.empty(len(theirs), np.int64)
    for i in range(len(theirs)):
        at = _slot(table, theirs[i])
        table[at] = theirs[i]
        slots[i] = at
    shared = np.empty(len(ours), np.bool_)
    for i in range(len(ours)):
        at = _slot(table, ours[i])
        shared[i] = table[at] != _ZERO
        seen[at] |= shared[i]
    return _spread(len(a), shared, size), _spread(len(b), seen[slots], size)


def skeletons(a: NDArray[np.uint32], b: NDArray[np.uint32], window: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which characters of ``a`` and of ``b`` are kept: bool [len(a)], bool [len(b)].

    ``window`` >= 1 characters, or the whole text if it is shorter. Windows are equal up to collisions of 64-bit hashes;
    a collision keeps characters that need not be kept, but loses none. Time and memory are linear.
    """
    size = min(window, len(a), len(b))
    if size < 1:
        return np.zeros(len(a), np.bool_), np.zeros(len(b), np.bool_)
    ours, theirs = _skeletons(a, b, size)
    return ours, theirs
