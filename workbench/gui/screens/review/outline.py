"""All passages of the open suspect, from whichever source, in the order of its text: what stepping goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints
from workbench.gui.screens.review.reading import Limits, Opened
from workbench.services.review.passages import places_of


class Part(NamedTuple):
    """A match of a passage: its ``number`` in the open pair (-1 for another source), its source's key, its limits."""

    number: int
    source: int
    limits: Limits


class Outline:
    """The passages of ``opened``'s suspect that score at least ``threshold`` and are of one of the shown ``tiers``.

    Places count from 0, by start and end in the suspect, then by source; those of a passage by its first part.
    ``numbers`` int64[n]: the match of the open pair, -1 for one of another source. ``merged``: neighbouring matches
    are parts of one passage, else each is one of its own.
    """

    def __init__(self, opened: Opened, threshold: float, tiers: NDArray[np.bool_], *, merged: bool = False) -> None:
        m = places_of(opened.matches, opened.others)
        own = len(opened.matches)
        order = np.lexsort((m.b_end, m.b_start, m.b, m.a_end, m.a_start))
        order = order[(m.score[order] >= threshold) & tiers[m.tier[order]]]
        group = opened.group[order] if merged else order
        _, first, group = np.unique(group, return_index=True, return_inverse=True)
        lead = first[group.ravel()]
        self._leads: Ints = np.sort(first)
        self._places: Ints = np.searchsorted(self._leads, lead)
        self._rows: Ints = np.argsort(self._places, kind="stable")
        self._bounds: Ints = np.searchsorted(self._places[self._rows], np.arange(len(first) + 1))
        self._numbers: Ints = np.where(order < own, order, -1)
        self._source: Ints = m.b[order]
        self._limits: Ints = np.column_stack((m.a_start, m.a_end, m.b_start, m.b_end))[order]
        self._place_of: Ints = np.full(own, -1, np.int64)
        self._place_of[order[order < own]] = self._places[order < own]
        self.source: Ints = self._source[self._leads]
        self.numbers: Ints = self._numbers[self._leads]

    def __len__(self) -> int:
        return len(self.numbers)

    def limits(self, place: int) -> Limits:
        """What names the first match at ``place``."""
        return self._named(int(self._leads[place]))

    def parts(self, place: int) -> list[Part]:
        """The matches of the passage at ``place``, in the order of the suspect."""
        rows = self._rows[self._bounds[place] : self._bounds[place + 1]].tolist()
        return [Part(int(self._numbers[row]), int(self._source[row]), self._named(row)) for row in rows]

    def place_of(self, number: int) -> int:
        """Place of match ``number`` of the open pair; -1 where it is not shown."""
        return int(self._place_of[number]) if 0 <= number < len(self._place_of) else -1

    def place_named(self, source: int, limits: Limits) -> int:
        """Place of the match of ``source`` with these ``limits``; -1 where it is not shown."""
        rows = np.flatnonzero((self._source == source) & (self._limits == limits).all(axis=1))
        return int(self._places[rows[0]]) if len(rows) else -1

    def near(self, offset: float) -> int:
        """Place of the first passage that begins at ``offset`` of the suspect or after it."""
        return int(np.searchsorted(self._limits[self._leads, 0], offset))

    def first(self, places: Iterable[int], wanted: Callable[[int], bool]) -> int:
        """The first of ``places`` that is ``wanted``; -1 without one."""
        return next((place for place in places if wanted(place)), -1)

    def _named(self, row: int) -> Limits:
        a, b, c, d = self._limits[row].tolist()
        return a, b, c, d
