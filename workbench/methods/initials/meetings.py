"""Finds the windows of an index that are close to those of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.initials.neighbours import Near, neighbours
from workbench.kernels.initials.numbers import numbered
from workbench.kernels.initials.windows import windows
from workbench.methods.initials.index import quantiser
from workbench.methods.initials.parameters import InitialsParameters
from workbench.methods.initials.text import Lettered

if TYPE_CHECKING:
    from workbench.methods.initials.index import InitialsIndex

PAIRS = 1 << 19
"""Pairs of windows in memory at a time."""
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Letters of a document where windows begin, and letters of the index where windows close to them begin."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The w windows of one document: the number of ``places`` in the index with a window close to each (int64 [w]), and
    which have too few different letters to be looked up (``poor`` bool [w]).
    """

    places: NDArray[np.int64]
    poor: NDArray[np.bool_]
    _begins: NDArray[np.int64]
    _number: NDArray[np.int64]
    _near: Near
    _index: InitialsIndex

    def portions(self, allowed: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
        """Numbers of the ``allowed`` windows (bool [w]) that have any close to them, in portions of about ``PAIRS``
        pairs.

        Windows with the fewest come first; within a portion they are in order.
        """
        rows = np.flatnonzero(allowed & (self.places > 0))
        if not len(rows):
            return []
        rows = rows[np.argsort(self.places[rows], kind="stable")]
        cuts = np.flatnonzero(np.diff(np.cumsum(self.places[rows]) // PAIRS)) + 1
        return [np.sort(part) for part in np.split(rows, cuts)]

    def pairs(self, rows: NDArray[np.int64]) -> Pairs:
        """All indexed windows close to the windows ``rows``, in order."""
        keyed, bounds = self._number[rows], self._index.posting_bounds
        window, at = _spread(*np.searchsorted(self._near.mine, (keyed, keyed + 1)))
        other = self._near.other[at]
        pair, posting = _spread(bounds[other].astype(np.int64), bounds[other + 1].astype(np.int64))
        return self._begins[rows[window[pair]]], self._index.posted[posting].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Meetings:
    """The windows of several documents end to end: columns of w rows, those of document i ``bounds[i]:bounds[i + 1]``.

    ``places``, ``poor`` as of :class:`Meeting`; ``begins`` int64: the letter of the document where each begins;
    ``number`` int64: which of the distinct windows it is, -1 for poor ones. The neighbours of distinct window k are
    ``near.other[near_bounds[k]:near_bounds[k + 1]]``.
    """

    places: NDArray[np.int64]
    poor: NDArray[np.bool_]
    begins: NDArray[np.int64]
    number: NDArray[np.int64]
    bounds: NDArray[np.int64]
    near: Near
    near_bounds: NDArray[np.int64]
    _index: InitialsIndex

    @property
    def short(self) -> int:
        """Documents without a window."""
        return int((np.diff(self.bounds) == 0).sum())

    def rows(self, document: int) -> slice:
        """The rows of a document's windows."""
        return slice(int(self.bounds[document]), int(self.bounds[document + 1]))

    def of(self, document: int) -> Meeting:
        """Those of one document."""
        some = self.rows(document)
        windows = (self.places[some], self.poor[some], self.begins[some], self.number[some])
        return Meeting(*windows, self.near, self._index)


def meetings(
    index: InitialsIndex, own: Sequence[Lettered], parameters: InitialsParameters, progress: Progress
) -> Meetings:
    """The indexed windows close to the windows of documents. Raises Cancelled."""
    letters = np.concatenate([np.zeros(0, np.uint8), *(o.letters for o in own)])
    bounds = np.cumsum([0, *(len(o.letters) for o in own)], dtype=np.int64)
    q = quantiser(index.reference, parameters)
    cut = windows(letters, bounds, parameters.window, parameters.step, q, progress)
    poor = cut.variety < parameters.fewest
    rich = np.flatnonzero(~poor)
    distinct, first, of_rich = numbered(cut.keys[rich], progress)
    near = neighbours(distinct, cut.blocks[rich[first]], index.tables, q.levels, parameters.distance, progress)
    postings = index.posting_bounds[near.other + 1] - index.posting_bounds[near.other]
    number, places = np.full(len(poor), -1, np.int64), np.zeros(len(poor), np.int64)
    number[rich] = of_rich
    places[rich] = np.bincount(near.mine, postings, len(distinct)).astype(np.int64)[of_rich]
    near_bounds = np.zeros(len(distinct) + 1, np.int64)
    np.cumsum(np.bincount(near.mine, minlength=len(distinct)), out=near_bounds[1:])
    progress.check()
    begins = cut.places - np.repeat(bounds[:-1], np.diff(cut.bounds))
    return Meetings(places, poor, begins, number, cut.bounds, near, near_bounds, index)


def _spread(first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each range ``first[i]:last[i]`` expanded, with its i."""
    sizes = last - first
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row] + first[row]
