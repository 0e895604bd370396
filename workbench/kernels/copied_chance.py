"""How long a common string of two texts can be by chance."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class CharacterCounts:
    """How often each character occurs in some texts, given as code points."""

    def __init__(self, texts: Iterable[NDArray[np.uint32]]) -> None:
        self._counts = np.zeros(0x110000, np.int64)
        self.texts = 0
        for text in texts:
            present, times = np.unique(text, return_counts=True)
            self._counts[present] += times
            self.texts += 1
        self.total = int(self._counts.sum())

    def meeting(self, other: CharacterCounts) -> float:
        """The chance in [0, 1] that a character drawn here equals one drawn from ``other``; 0 where one is empty."""
        if not self.total or not other.total:
            return 0.0
        return float(np.dot(self._counts / self.total, other._counts / other.total))


def chance_length(entries: CharacterCounts, corpus: CharacterCounts, *, most: int) -> int:
    """Characters of the longest run that a random entry of mean length and a random corpus share, in 1..``most``.

    It grows as ``log(m * n) / log(1 / p)`` for m and n characters, where p is the chance that one of the first equals
    one of the second. Source: Arratia and Waterman, An Erdős-Rényi law with shifts (Advances in Mathematics 55, 1985).
    What an entry and a corpus share beyond that was hardly written twice independently.
    """
    equal = entries.meeting(corpus)
    if equal == 0.0:
        return 1
    pairs = max(1.0, entries.total / entries.texts) * corpus.total
    if equal >= 1.0:
        return most
    return min(most, max(1, math.ceil(math.log(pairs) / -math.log(equal))))
