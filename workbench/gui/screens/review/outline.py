"""All passages of the open suspect, from whichever source, in the order of its text: what stepping goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints
from workbench.gui.screens.review.reading import Limits, Opened


class Outline:
    """The passages of ``opened``'s suspect that score at least ``threshold`` and are of one of the shown ``tiers``.

    Places count from 0, by start and end in the suspect, then by source. ``numbers`` int64[n]: the match of the open
    pair, -1 for one of another source.
    """

    def __init__(self, opened: Opened, threshold: float, tiers: NDArray[np.bool_]) -> None:
        own, others = opened.matches, opened.others
        columns = ("b", "a_start", "a_end", "b_start", "b_end", "score", "tier")
        source, start, end, b_start, b_end, score, tier = (
            np.concatenate((getattr(own, name), getattr(others, name))) for name in columns
        )
        numbers = np.concatenate((np.arange(len(own)), np.full(len(others), -1)))
        order = np.lexsort((b_end, b_start, source, end, start))
        order = order[(score[order] >= threshold) & tiers[tier[order]]]
        self.source: Ints = source[order]
        self.numbers: Ints = numbers[order]
        self._limits = np.column_stack((start, end, b_start, b_end))[order]

    def __len__(self) -> int:
        return len(self.numbers)

    def limits(self, place: int) -> Limits:
        """What names the match at ``place``."""
        a, b, c, d = self._limits[place].tolist()
        return a, b, c, d

    def place_of(self, number: int) -> int:
        """Place of match ``number`` of the open pair; -1 where it is not shown."""
        at = np.flatnonzero((self.numbers == number) & (self.numbers >= 0))
        return int(at[0]) if len(at) else -1

    def near(self, offset: float) -> int:
        """Place of the first passage that begins at ``offset`` of the suspect or after it."""
        return int(np.searchsorted(self._limits[:, 0], offset))

    def first(self, places: Iterable[int], wanted: Callable[[int], bool]) -> int:
        """The first of ``places`` that is ``wanted``; -1 without one."""
        return next((place for place in places if wanted(place)), -1)
