"""Reliability of a score that claims to be a probability: the claimed against the observed share of correct items."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Of the bins; finer where most scores are."""


class Bin(NamedTuple):
    """``items`` of them, whose scores lie in ``[low, high)`` (1 belongs to the last): their mean, and the share that is
    right; all in [0, 1]."""

    low: float
    high: float
    items: int
    claimed: float
    right: float


def reliability(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> list[Bin]:
    """The bins that are not empty, lowest first. ``scores`` float64 [n] in [0, 1], ``right`` bool [n]."""
    place = np.clip(np.searchsorted(EDGES, scores, "right") - 1, 0, len(EDGES) - 2)
    bins = []
    for i, (low, high) in enumerate(pairwise(EDGES)):
        inside = place == i
        if inside.any():
            mean, share = float(scores[inside].mean()), float(right[inside].mean())
            bins.append(Bin(low, high, int(inside.sum()), mean, share))
    return bins
