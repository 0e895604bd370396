"""Many numbers of which most are small, in a byte each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_LARGE = 255


@dataclass(frozen=True, slots=True)
class SmallNumbers:
    """n numbers in [0, 2^32): ``codes`` uint8 [n], 255 for those of 255 or more, which are in ``large`` (uint32), their
    places, ascending, in ``places`` (uint32).
    """

    codes: NDArray[np.uint8]
    places: NDArray[np.uint32]
    large: NDArray[np.uint32]

    @classmethod
    def of(cls, numbers: NDArray[np.uint32]) -> SmallNumbers:
        """``numbers``, made smaller."""
        places = np.flatnonzero(numbers >= _LARGE)
        codes = np.minimum(numbers, _LARGE).astype(np.uint8)
        return cls(codes, places.astype(np.uint32), numbers[places].astype(np.uint32))

    def at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers at ``places``: int64."""
        numbers = self.codes[places].astype(np.int64)
        some = np.flatnonzero(numbers == _LARGE)
        numbers[some] = self.large[np.searchsorted(self.places, places[some])]
        return numbers

    def sums(self, first: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums of the numbers in each of the ranges ``[first, end)``, 0 of an empty one: int64."""
        totals = np.empty(len(first), np.int64)
        _sums(first, end, self.codes, self.places, self.large, totals)
        return totals


@njit(cache=True, nogil=True)
def number_at(place: Any, codes: Any, places: Any, large: Any) -> Any:
    """The number at ``place`` of the :class:`SmallNumbers` with these columns: int64."""
    if codes[place] < _LARGE:
        return np.int64(codes[place])
    return np.int64(large[np.searchsorted(places, np.uint32(place))])


@njit(cache=True, nogil=True)
def _sums(first: Any, end: Any, codes: Any, places: Any, large: Any, totals: Any) -> None:
    for i in range(len(first)):
        total = 0
        for place in range(first[i], end[i]):
            total += number_at(place, codes, places, large)
        totals[i] = total
