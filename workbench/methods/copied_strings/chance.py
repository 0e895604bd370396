"""How long a string shared by two texts can be by chance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def meeting_chance(counts: NDArray[np.int64]) -> float:
    """The chance in [0, 1] that two characters drawn from a text are equal, from their ``counts``; 0 if there are
    none.
    """
    shares = counts / max(1, int(counts.sum()))
    return float(np.dot(shares, shares))


def chance_length(entry: int, corpus: int, equal: float, *, most: int) -> int:
    """Characters of the longest run that random texts of ``entry`` and ``corpus`` characters share, in 1..``most``.

    It grows as ``log(m * n) / log(1 / p)`` for m and n characters, where p is the chance that one of the first equals
    one of the second (``equal``). Source: Arratia and Waterman, An Erdős-Rényi law with shifts (Advances in Mathematics
    55, 1985). A longer shared string is unlikely to have been written twice independently.
    """
    if equal <= 0.0 or entry < 1 or corpus < 1:
        return 1
    if equal >= 1.0:
        return most
    return min(most, max(1, math.ceil(math.log(entry * corpus) / -math.log(equal))))
