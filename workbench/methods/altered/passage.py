"""A passage of one pair of texts, in words, and the author's own text within it.

A passage is a best run of votes and may pass over words that vote against it. A *hole* is a run of whole sentences or
lines within it whose votes sum to -``HOLE`` or less; the disjoint holes are chosen so that the total of
their sums, each with ``HOLE`` added, is least. Text between corresponding words of one sentence is never a hole: a
changed word of a copied sentence is part of the copy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HOLE = 5.0
"""Log-odds against a run of sentences from which it does not belong to the passage around it."""

Words = tuple[tuple[int, int], ...]
"""Disjoint runs of words [first, last), in order."""


@dataclass(frozen=True, slots=True)
class WordPassage:
    """Words ``[a_start, a_end)`` of the suspect and ``[b_start, b_end)`` of the source, with the log-odds of each side.

    ``rare_odds``: the weaker side's after discounting formulaic phrases; ``a_holes``, ``b_holes``: words within it that
    are not part of it (all three only of accepted passages). ``summary``: its words come from all of its source
    passage. ``shared``: share of the suspect's words that correspond to the source's, if it was rejected because of it.
    """

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    a_odds: float
    b_odds: float
    rare_odds: float = 0.0
    summary: bool = False
    a_holes: Words = ()
    b_holes: Words = ()
    shared: float = 1.0

    @property
    def odds(self) -> float:
        """The weaker side's log-odds."""
        return min(self.a_odds, self.b_odds)


def holes(votes: NDArray[np.float64], start: int, end: int, breaks: NDArray[np.float32]) -> Words:
    """The holes of the passage [start, end), by the ``votes`` of its words and the ``breaks`` of its text."""
    inner = start + 1 + np.flatnonzero(breaks[start + 1 : end] > 0)
    bounds = np.concatenate(([start], inner, [end]))
    sums = np.add.reduceat(votes[start:end], bounds[:-1] - start).tolist()
    outside, inside = 0.0, -np.inf
    begun: list[bool] = []
    """Whether the best hole that includes a sentence begins there."""
    closed: list[bool] = []
    """Whether the best way to leave a sentence out of any hole ends one before it."""
    for worth in sums:
        closed.append(inside > outside)
        begun.append(outside - HOLE > inside)
        outside, inside = max(outside, inside), max(inside, outside - HOLE) - worth
    runs: list[tuple[int, int]] = []
    in_hole, last = inside > outside, len(sums)
    for at in range(len(sums) - 1, -1, -1):
        if not in_hole:
            in_hole, last = closed[at], at
        elif begun[at]:
            runs.append((int(bounds[at]), int(bounds[last])))
            in_hole = False
    return tuple(reversed(runs))
