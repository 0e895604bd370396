"""Numbers for 64-bit values, in order of first appearance: a hash table as two arrays, which can be memory-mapped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_SMALLEST = 1 << 10


class Vocabulary:
    """Values and their numbers.

    ``values`` uint64 [v]: value by number; ``slots`` int32 [power of two]: numbers, -1 where free.

    Values are scattered hashes already, so their low bits choose the slot; the next free slot takes a second one.
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
        """Numbers of ``values``, new ones for those that were not there."""
        needed = self._size + len(values)
        if 2 * needed > len(self.slots):
            size = 1 << int(2 * needed).bit_length()
            self.slots = np.full(size, -1, np.int32)
            self._values = np.concatenate([self.values, np.zeros(size // 2 - self._size, np.uint64)])
            _fill(self._values, self._size, self.slots)
        numbers = np.empty(len(values), np.int32)
        self._size = _add(values, self._values, self._size, self.slots, numbers)
        return numbers

    def find(self, values: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Numbers of ``values``; -1 for those that are not there."""
        numbers = np.empty(len(values), np.int32)
        _find(values, self._values, self.slots, numbers)
        return numbers


@njit(cache=True, nogil=True)
def _slot(value: Any, values: Any, slots: Any) -> Any:
    """The slot of ``value``, or the free one where it belongs."""
    mask = len(slots) - 1
    at = np.int64(value & np.uint64(mask))
    while slots[at] >= 0 and values[slots[at]] != value:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _fill(values: Any, size: Any, slots: Any) -> None:
    for i in range(size):
        slots[_slot(values[i], values, slots)] = i


@njit(cache=True, nogil=True)
def _add(added: Any, values: Any, size: Any, slots: Any, numbers: Any) -> Any:
    for i in range(len(added)):
        at = _slot(added[i], values, slots)
        if slots[at] < 0:
            slots[at] = size
            values[size] = added[i]
            size += 1
        numbers[i] = slots[at]
    return size


@njit(cache=True, nogil=True)
def _find(wanted: Any, values: Any, slots: Any, numbers: Any) -> None:
    for i in range(len(wanted)):
        numbers[i] = slots[_slot(wanted[i], values, slots)]
