"""Positions of values along an axis: linear, logarithmic, or by rank. No widgets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

import numpy as np

from workbench.base.types import Floats

ScaleKind = Literal["linear", "log", "quantile"]
ZERO = 0.06
"""Share of a logarithmic axis reserved for values of 0 or less."""
_SPREAD = 20.0
"""Ratio of the greatest value to the median above which a linear axis is hard to read."""


class Scale(ABC):
    """Positions are shares of the axis, 0 to 1."""

    @abstractmethod
    def places(self, values: Floats) -> Floats:
        """Positions of n values; values outside are at the ends."""

    @abstractmethod
    def value(self, place: float) -> float:
        """The value at a position."""

    @abstractmethod
    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Positions and texts of about ``most`` ticks or fewer."""

    def edges(self, bins: int) -> tuple[Floats, Floats]:
        """Positions and values of the edges of at most ``bins`` bins of equal width; the last value is included."""
        places = np.linspace(0, 1, bins + 1)
        return places, np.array([self.value(place) for place in places.tolist()])

    def place(self, value: float) -> float:
        """The position of one value."""
        return float(self.places(np.array([value]))[0])


class Even(Scale):
    """Values from ``low`` to ``high``, evenly; ``whole``: ticks are whole numbers."""

    def __init__(self, low: float = 0.0, high: float = 1.0, *, whole: bool = False) -> None:
        self.low, self.high = low, high if high > low else low + 1.0
        self._least_step = 1.0 if whole else 0.0

    def places(self, values: Floats) -> Floats:
        """Positions of n values."""
        return np.clip((np.asarray(values, np.float64) - self.low) / (self.high - self.low), 0.0, 1.0)

    def value(self, place: float) -> float:
        """The value at a position."""
        return self.low + min(1.0, max(0.0, place)) * (self.high - self.low)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round values."""
        step = max(self._least_step, round_step((self.high - self.low) / max(1, most)))
        values = np.arange(np.ceil(self.low / step - 1e-9) * step, self.high + step * 1e-9, step)
        return [(self.place(v), plain(v)) for v in values.tolist()]


class Named(Scale):
    """Unordered items, each by its number from 0, with ``names``."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def places(self, values: Floats) -> Floats:
        """The middle of each item's share of the axis."""
        most = max(1, len(self._names))
        return (np.clip(np.asarray(values, np.float64), 0, most - 1) + 0.5) / most

    def value(self, place: float) -> float:
        """The number of the item at a position."""
        return float(min(len(self._names) - 1, max(0, int(place * len(self._names)))))

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Every name."""
        return [(self.place(float(at)), name) for at, name in enumerate(self._names)]


class Logarithmic(Scale):
    """Values above 0 by their logarithm; with ``zero``, values of 0 or less are at the left end."""

    def __init__(self, low: float, high: float, *, zero: bool) -> None:
        self._ends = low, max(high, low * 1.01)
        self._low, self._high = np.log10(self._ends)
        self._from = ZERO if zero else 0.0

    def places(self, values: Floats) -> Floats:
        """Positions of n values."""
        v = np.asarray(values, np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (np.log10(np.maximum(v, 1e-300)) - self._low) / (self._high - self._low)
        inside = self._from + (1 - self._from) * np.clip(share, 0.0, 1.0)
        return np.where(v > 0, inside, 0.0)

    def value(self, place: float) -> float:
        """The value at a position."""
        if place < self._from / 2:
            return 0.0
        share = (place - self._from) / (1 - self._from)
        # A rounded power would be past the lowest or the highest value.
        if share <= 0 or share >= 1:
            return self._ends[share >= 1]
        return float(10 ** (self._low + share * (self._high - self._low)))

    def edges(self, bins: int) -> tuple[Floats, Floats]:
        """Bins of equal ratios; values of 0 or less have a bin of their own."""
        places = np.linspace(self._from, 1, bins + 1)
        values = np.array([self.value(place) for place in places.tolist()])
        values[0] = self._ends[0]
        if not self._from:
            return places, values
        return np.concatenate(([0.0, 0.7 * self._from], places)), np.concatenate(([-np.inf, 1e-300], values))

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Powers of ten, and their multiples by 2 and 5 if there is room."""
        ticks = [(0.0, "0")] if self._from else []
        powers = range(int(np.floor(self._low)), int(np.ceil(self._high)) + 1)
        factors = (1, 2, 5) if len(powers) * 3 <= most else (1,)
        every = max(1, -(-len(powers) // max(1, most)))
        for power in powers:
            for factor in factors if power % every == 0 else ():
                value = factor * 10.0**power
                if self._low - 1e-9 <= np.log10(value) <= self._high + 1e-9:
                    ticks.append((self.place(value), plain(value)))
        return ticks


class Ranked(Scale):
    """Values by their rank in ``ascending``: equal distances contain equally many values."""

    def __init__(self, ascending: Floats) -> None:
        self._ascending = ascending if len(ascending) else np.zeros(1)

    def places(self, values: Floats) -> Floats:
        """Positions of n values: the share of values below each."""
        ranks = np.searchsorted(self._ascending, np.asarray(values, np.float64), "left")
        return np.asarray(ranks / len(self._ascending), np.float64)

    def value(self, place: float) -> float:
        """The quantile at a position."""
        n = len(self._ascending)
        return float(self._ascending[min(n - 1, max(0, int(place * n)))])

    def edges(self, bins: int) -> tuple[Floats, Floats]:
        """Bins of equally many values; equal values share a bin, however many there are."""
        n = len(self._ascending)
        cuts = self._ascending[np.unique(np.linspace(0, n - 1, bins + 1).astype(np.int64))]
        values = np.unique(np.append(cuts[:-1], self._ascending[-1])) if len(cuts) > 1 else cuts
        if len(values) == 1:
            return np.array([0.0, 1.0]), np.array([values[0], values[0]])
        places = self.places(values)
        places[-1] = 1.0
        return places, values

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Values at evenly spaced ranks; equal values are named once."""
        place_by_words: dict[str, float] = {}
        for share in np.linspace(0, 1, max(2, most)).tolist():
            value = self.value(share)
            place_by_words.setdefault(plain(float(f"{value:.3g}")), self.place(value))
        return [(place, words) for words, place in place_by_words.items()]


def score_scale(kind: ScaleKind, ascending: Floats) -> Scale:
    """The axis for scores; ``ascending`` are all of them."""
    if kind == "quantile":
        return Ranked(ascending)
    low, high = (float(ascending[0]), float(ascending[-1])) if len(ascending) else (0.0, 1.0)
    if kind == "log":
        first = int(np.searchsorted(ascending, 0.0, "right"))
        if first < len(ascending):
            return Logarithmic(float(ascending[first]), high, zero=first > 0)
    return Even(*ends(low, high))


def ends(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis for scores from ``low`` to ``high``; scores that are all equal are in its middle."""
    if high > low:
        return low, high
    around = round_step(abs(low) / 20) if low else 0.5
    return low - around, low + around


def fitting_kind(ascending: Floats) -> ScaleKind:
    """The axis on which scores are readable: linear, unless most of them are in a small part of it."""
    if not len(ascending):
        return "linear"
    median = float(ascending[len(ascending) // 2])
    above = ascending[np.searchsorted(ascending, 0.0, "right") :]
    if len(above) and float(above[-1]) > _SPREAD * max(median, float(above[len(above) // 2]) / _SPREAD):
        return "log"
    return "linear"


def round_step(rough: float) -> float:
    """The round number (1, 2 or 5 times a power of ten) at or above ``rough``."""
    power = 10.0 ** np.floor(np.log10(max(rough, 1e-12)))
    return float(next(power * f for f in (1, 2, 5, 10) if power * f >= rough * 0.999))


def plain(value: float) -> str:
    """A figure on an axis."""
    if abs(value) < 1e-12:
        return "0"
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 else f"{value:.1e}"
