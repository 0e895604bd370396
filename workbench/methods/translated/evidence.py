"""Evidence for or against two sentences being translations of each other, without a model.

Log-odds are weighted sums over units: a shared unit counts in favour by its rarity, the logarithm of (sentences in the
source's language / sentences with the unit); a unit in only one sentence counts against. The weights were fitted by
logistic regression on parallel manuals (see ``docs/methods/translated.md``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.methods.translated.units import UnitKind

SHARED = {
    UnitKind.NUMBER: 0.5,
    UnitKind.LATIN: 0.32,
    UnitKind.HAN: 0.2,
    UnitKind.HAN_PAIR: 0.0,
    UnitKind.ENTRY: 0.16,
    UnitKind.SMALL: 0.15,
}
"""Log-odds per unit of rarity of a shared unit."""
ALONE = {
    UnitKind.NUMBER: 0.25,
    UnitKind.LATIN: 0.02,
    UnitKind.HAN: 0.03,
    UnitKind.HAN_PAIR: 0.0,
    UnitKind.ENTRY: 0.02,
    UnitKind.SMALL: 0.15,
}
"""Log-odds against, per unit in only one of the sentences."""
RAREST = 9.0
"""Upper bound on a unit's rarity."""
LENGTH = 1.0
"""Log-odds penalty if a sentence is e times as long as a translation should be."""
CHANCE = 0.8
"""Log-odds of sentences without units, each one of several possible translations."""
STRONGEST, WEAKEST = 6.0, -4.0
"""The limits of the log-odds of one pair of sentences."""
SIZES = {"ja": -0.5, "zh": -0.8, "ko": -0.6}
"""Logarithm of the length ratio of a text to its English translation; 0 for other languages."""
SLOPE = 12.0
"""Log-odds per unit of a model's cosine above the minimum similarity."""
_HAN_LANGUAGES = ("ja", "zh")


def weights(a: str, b: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """``SHARED`` and ``ALONE`` by kind of unit, between the languages ``a`` and ``b``: float32, one each."""
    shared, alone = (np.array([table[kind] for kind in UnitKind], np.float32) for table in (SHARED, ALONE))
    if not (a in _HAN_LANGUAGES and b in _HAN_LANGUAGES):
        shared[UnitKind.HAN] = alone[UnitKind.HAN] = 0
    return shared, alone


def similarity_odds(a: NDArray[np.float32], b: NDArray[np.float32], least: float) -> NDArray[np.float32]:
    """Log-odds of each sentence of ``a`` with each of ``b`` (vectors of length 1, by row) where a cosine of ``least``
    is neutral: float32.
    """
    clipped: NDArray[np.float32] = np.clip(SLOPE * (a @ b.T - np.float32(least)), WEAKEST, STRONGEST)
    return clipped.astype(np.float32)


class UnitRows:
    """Sentences of one text for :func:`log_odds`: units in a common numbering, their kinds, lengths in characters."""

    def __init__(
        self, first: NDArray[np.int64], units: NDArray[np.int64], kinds: NDArray[np.uint8], lengths: NDArray[np.int64]
    ) -> None:
        self.first, self.units, self.kinds, self.lengths = first, units, kinds, lengths

    def part(self, low: int, high: int) -> UnitRows:
        """The sentences [low, high)."""
        some = slice(self.first[low], self.first[high])
        first = self.first[low : high + 1] - self.first[low]
        return UnitRows(first, self.units[some], self.kinds[some], self.lengths[low:high])

    def sums(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The sum of ``values`` (one for each unit) in each sentence."""
        totals = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
        return (totals[self.first[1:]] - totals[self.first[:-1]]).astype(np.float32)

    def matrix(self, columns: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.float32]:
        """``values`` of the units among ``columns`` (ascending), one row for each sentence."""
        rows = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        at = np.minimum(np.searchsorted(columns, self.units), max(0, len(columns) - 1))
        among = columns[at] == self.units if len(columns) else np.zeros(len(rows), np.bool_)
        filled = np.zeros((len(self.first) - 1, len(columns)), np.float32)
        filled[rows[among], at[among]] = values[among]
        return filled


def log_odds(a: UnitRows, b: UnitRows, languages: tuple[str, str], rarity: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log-odds of each sentence of ``a`` with each of ``b``: float32. ``rarity``: of each unit, by its number."""
    shared, alone = weights(*languages)
    columns = np.intersect1d(a.units, b.units)
    of_a, of_b = rarity[a.units], rarity[b.units]
    support = a.matrix(columns, of_a * shared[a.kinds]) @ b.matrix(columns, np.ones(len(b.units), np.float32)).T
    both = a.matrix(columns, of_a * alone[a.kinds]) @ b.matrix(columns, np.ones(len(b.units), np.float32)).T
    against = a.sums(of_a * alone[a.kinds])[:, None] + b.sums(of_b * alone[b.kinds]) - 2 * both
    expected = SIZES.get(languages[0], 0.0) - SIZES.get(languages[1], 0.0)
    ratio = np.log(np.maximum(1, a.lengths))[:, None] - np.log(np.maximum(1, b.lengths)) - expected
    odds = CHANCE + support - against - LENGTH * np.abs(ratio)
    # Equal length without shared units is no evidence of a translation.
    clipped: NDArray[np.float32] = np.clip(np.minimum(odds, support), WEAKEST, STRONGEST).astype(np.float32)
    return clipped
