"""Maps positions in one text to positions in the other, using their matches."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def heaviest_chain(a_start: Ints, a_end: Ints, b_start: Ints, b_end: Ints) -> Ints:
    """Rows of the heaviest chain of matches that goes forward in both texts (weight: characters on the a side).

    Chain members follow each other without overlap on either side; matches outside the chain were moved. O(n log n),
    with a frontier of chain ends of increasing weight.
    """
    previous = np.full(len(a_start), -1, np.int64)
    ends: list[int] = []
    weights: list[int] = []
    tails: list[int] = []
    total = np.zeros(len(a_start), np.int64)
    waiting = np.lexsort((a_start, a_end))
    passed = 0
    for row in np.lexsort((b_start, a_start)).tolist():
        while passed < len(waiting) and a_end[waiting[passed]] <= a_start[row]:
            match = int(waiting[passed])
            passed += 1
            if total[match]:
                _add_to_frontier(ends, weights, tails, int(b_end[match]), int(total[match]), match)
        place = bisect_left(ends, int(b_start[row]) + 1) - 1
        best = weights[place] if place >= 0 else 0
        previous[row] = tails[place] if place >= 0 else -1
        total[row] = best + int(a_end[row] - a_start[row])
    chain: list[int] = []
    row = int(np.argmax(total)) if len(total) else -1
    while row >= 0:
        chain.append(row)
        row = int(previous[row])
    return np.array(chain[::-1], np.int64)


def _add_to_frontier(ends: list[int], weights: list[int], tails: list[int], end: int, weight: int, tail: int) -> None:
    """Add a chain to the frontier, and remove the chains it dominates (those that end later and weigh no more)."""
    place = bisect_left(ends, end + 1)
    if place and weights[place - 1] >= weight:
        return
    if place and ends[place - 1] == end:
        place -= 1
    stop = place
    while stop < len(ends) and weights[stop] <= weight:
        stop += 1
    ends[place:stop], weights[place:stop], tails[place:stop] = [end], [weight], [tail]


class Alignment:
    """Maps offsets between two texts of ``a_length`` and ``b_length`` code points.

    Inside a match a position maps proportionally into its counterpart, wherever that is (including moved text); between
    matches it is interpolated along the heaviest forward chain. The very end of a text belongs to the match that ends
    there, if any: then the rest of the other text is not its counterpart.
    """

    def __init__(self, a_start: Ints, a_end: Ints, b_start: Ints, b_end: Ints, a_length: int, b_length: int) -> None:
        self._spans = (a_start, a_end, b_start, b_end)
        self._last = (np.nextafter(a_length, 0), np.nextafter(b_length, 0))
        self.chain = heaviest_chain(a_start, a_end, b_start, b_end)
        self.in_chain = np.zeros(len(a_start), np.bool_)
        self.in_chain[self.chain] = True
        self._a = _knots(a_start[self.chain], a_end[self.chain], a_length)
        self._b = _knots(b_start[self.chain], b_end[self.chain], b_length)

    def moved(self, row: int) -> bool:
        """Whether match ``row`` is out of order with respect to the others."""
        return not bool(self.in_chain[row])

    def to_b(self, offset: float, active: int = -1) -> float:
        """The position in b for ``offset`` in a; if several matches cover it, ``active`` decides if it is one of
        them.
        """
        a_start, a_end, b_start, b_end = self._spans
        return self._map(min(offset, self._last[0]), active, a_start, a_end, b_start, b_end, self._a, self._b)

    def to_a(self, offset: float, active: int = -1) -> float:
        """The position in a for ``offset`` in b."""
        a_start, a_end, b_start, b_end = self._spans
        return self._map(min(offset, self._last[1]), active, b_start, b_end, a_start, a_end, self._b, self._a)

    def _map(
        self, offset: float, active: int, s: Ints, e: Ints, to_s: Ints, to_e: Ints, here: Ints, there: Ints
    ) -> float:
        covering = np.flatnonzero((s <= offset) & (offset < e))
        if len(covering):
            if active in covering:
                row = active
            else:
                best = np.lexsort((s[covering] - e[covering], ~self.in_chain[covering]))
                row = int(covering[best[0]])
            share = (offset - s[row]) / max(1, e[row] - s[row])
            return float(to_s[row] + share * (to_e[row] - to_s[row]))
        return float(np.interp(offset, here, there))


def _knots(start: Ints, end: Ints, length: int) -> Ints:
    """Both ends of every chain member between 0 and ``length``."""
    inner = np.stack([start, end], axis=1).ravel()
    return np.concatenate([[0], inner, [max(length, int(inner[-1]) if len(inner) else 0)]]).astype(np.int64)
