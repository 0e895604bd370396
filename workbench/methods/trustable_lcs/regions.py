"""Trustable regions: where one text occurs in the other with few edits.

Source: Huang, Wang and Li (2007), section 4.4 and its figures 3 and 4. Positions are those of text ``a``.
A character of ``a`` that is not matched is one edit at its place; a character of ``b`` that is not matched is one edit
at the point before the next matched character. Edits at the two ends of a region are not inside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.trustable_lcs.regions import UNIT, cumulative_edits, longest_region

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Curve:
    """Cumulative edits of ``a`` (n characters). ``deleted`` int64 [n + 1]: edits among the first i characters;
    ``inserted`` int64 [n + 1]: edits at points up to and including i."""

    deleted: Ints
    inserted: Ints

    @classmethod
    def of(cls, length: int, matched: tuple[Ints, Ints]) -> Curve:
        """From the matched places in ``a`` (of ``length`` characters) and in ``b``, both ascending.

        Characters of ``b`` before the first match count at point 0, and those after the last at no inner point.
        """
        deleted, inserted = cumulative_edits(length, *matched)
        return cls(deleted, inserted)

    def edits(self, start: int, end: int) -> int:
        """Edits inside ``[start, end)``; 0 if it is empty."""
        if start >= end:
            return 0
        return int(self.deleted[end] - self.deleted[start] + self.inserted[end - 1] - self.inserted[start])

    def points(self) -> tuple[Ints, Ints]:
        """Corners of the curve, for drawing: (positions, cumulative edits), both ascending, from 0 to n.

        An insertion is a vertical step: the same position twice.
        """
        n = len(self.deleted) - 1
        before = self.deleted + np.concatenate([[0], self.inserted[:-1]])
        after = self.deleted + self.inserted
        positions = np.repeat(np.arange(n + 1), 2)
        edits = np.stack([before, after], axis=1).ravel()
        keep = np.ones(len(edits), np.bool_)
        keep[1:] = np.diff(positions) + np.diff(edits) > 0
        positions, edits = positions[keep], edits[keep]
        step = np.stack([np.diff(positions), np.diff(edits)])
        corner = np.ones(len(positions), np.bool_)
        corner[1:-1] = (step[:, 1:] != step[:, :-1]).any(axis=0)
        return positions[corner], edits[corner]


def trustable_region(curve: Curve, block: int, slope: float) -> tuple[int, int] | None:
    """The trustable region ``[start, end)`` of ``a``; None if no block has a slope up to ``slope``.

    Block i of k (from 1) weighs ceil(k/2) - abs(ceil(k/2) - i). Of the runs of blocks with a slope up to ``slope`` the
    heaviest are candidates, and of these those with the fewest blocks; each is extended at both ends, character by
    character and by at most one block, while its slope allows, and the longest is taken. O(n log n).
    """
    if len(curve.deleted) == 1:
        return None
    start, end = longest_region(curve.deleted, curve.inserted, block, round(slope * UNIT))
    return (int(start), int(end)) if end >= 0 else None
