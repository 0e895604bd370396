"""Text of the suspect's own author within a passage: whole sentences that are evidence against a copy.

A passage is a best run of votes and may pass over words that vote against it. A *hole* is a run of whole sentences or
lines within it whose votes sum to -``HOLE`` or less; of all ways to choose disjoint holes the one is taken whose sums,
each with ``HOLE`` added, are least together. What lies between corresponding words of one sentence is never a hole: a
changed word of a copied sentence is still part of the copy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HOLE = 5.0
"""Log-odds against a run of sentences from which on it is not part of the passage around it."""

Words = tuple[tuple[int, int], ...]
"""Disjoint runs of words [first, last), in order."""


def holes(votes: NDArray[np.float64], start: int, end: int, breaks: NDArray[np.float32]) -> Words:
    """The holes of the passage [start, end), by the ``votes`` of its words and the ``breaks`` of its text."""
    inner = start + 1 + np.flatnonzero(breaks[start + 1 : end] > 0)
    bounds = np.concatenate(([start], inner, [end]))
    sums = np.add.reduceat(votes[start:end], bounds[:-1] - start).tolist()
    outside, inside = 0.0, -np.inf
    begun: list[bool] = []
    """Whether the best hole that takes in a sentence begins there."""
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
