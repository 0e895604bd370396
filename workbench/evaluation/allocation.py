"""Which labels narrow the interval of F at a threshold most: strata by score, labelled where it pays.

The population is what a run scored: how much is selected is known, how many of either side are positive is not. Each
side of the threshold is cut into strata, narrower towards the threshold, where positives and negatives mix. Labels go
where they take most from the variance of F (Neyman, Journal of the Royal Statistical Society 97, 1934, with the finite
population and the shares estimated so far).

The interval recovers the doubt about each rate from the Jeffreys intervals of the strata (Zou and Donner, Statistics in
Medicine 27, 2008), and that of the ratio F as Fieller did. A distribution of all shares at once would not do: strata
are many and labels in each few, so that whatever it assumes beforehand about each of them adds up to a wrong total.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.evaluation.intervals import Floats, Interval, Ints

HALVINGS = 6
"""A side is cut at 1/2, 1/4, ... of its items from the threshold, so many times..."""
LEAST = 8
"""...while strata have at least so many items."""
PRIOR = 1.0
"""Labels that the guess from neighbouring strata is worth."""
_TAIL = 0.02
"""Of a stratum, a little less than 2.5 %: who stops as soon as the interval is narrow enough has looked many times."""
_Z = 1.96
_NOTHING = 1e-9
_HALVINGS_OF_F = 40
"""Steps in which an end of the interval is looked for: finer than any score."""


_Form = Callable[[float], tuple[float, float, float]]
"""For a rate: the weights of the hits and of the missed, and a constant, that make zero where it is the rate."""


@dataclass(frozen=True, slots=True)
class Strata:
    """k strata in order of score, highest first: items, labelled ones and positive ones among these (int64[k] each).

    ``selected`` is true above the threshold; ``number`` int64[n] gives the stratum of each item, in order of score.
    """

    size: Ints
    labelled: Ints
    positive: Ints
    selected: NDArray[np.bool_]
    number: Ints

    def with_label(self, stratum: int, *, positive: bool) -> Strata:
        """With one label more."""
        labelled, hits = self.labelled.copy(), self.positive.copy()
        labelled[stratum] += 1
        hits[stratum] += int(positive)
        return Strata(self.size, labelled, hits, self.selected, self.number)


def make_strata(score: Floats, cut: int, labelled: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Strata:
    """Strata of n items, of which the first ``cut`` are selected.

    ``score`` float64[n], the highest first (-inf for unreported items); items of the same score on one side of the
    threshold are never divided: they cannot be told apart, and each stratum more costs labels.
    """
    count = len(score)
    wanted = [*(cut - size for size in _sizes(cut)), *(cut + size for size in _sizes(count - cut))]
    first = np.searchsorted(-score, -score[wanted], "left").tolist()
    moved = [max(e, cut) if at > cut else e for e, at in zip(first, wanted, strict=True)]
    edges = sorted({0, cut, count, *moved})
    number = np.repeat(np.arange(len(edges) - 1), np.diff(edges)).astype(np.int64)
    k = len(edges) - 1
    known, hits = (np.bincount(number, w, k).astype(np.int64) for w in (labelled, labelled & positive))
    return Strata(np.diff(edges).astype(np.int64), known, hits, np.array(edges[:-1]) < cut, number)


def _sizes(side: int) -> list[int]:
    """Distances from the threshold at which a side of so many items is cut."""
    sizes = [side >> step for step in range(1, HALVINGS + 1)]
    return [size for size in sizes if size >= LEAST]


def shares(strata: Strata) -> Floats:
    """The share of positives in each stratum that its own labels and the trend over all strata suggest."""
    trend = _trend(strata)
    return np.asarray((strata.positive + PRIOR * trend) / (strata.labelled + PRIOR), np.float64)


def _trend(strata: Strata) -> Floats:
    """Shares that fall with the score: isotonic regression of the labels so far (pool adjacent violators)."""
    weight = strata.labelled + 0.5
    start = np.where(strata.selected, 0.7, 0.3)
    value = (strata.positive + 0.5 * start) / weight
    blocks: list[list[float]] = []
    for v, w in zip(value.tolist(), weight.tolist(), strict=True):
        blocks.append([v, w, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (v1, w1, n1), (v2, w2, n2) = blocks[-2:]
            blocks[-2:] = [[(v1 * w1 + v2 * w2) / (w1 + w2), w1 + w2, n1 + n2]]
    pooled = np.concatenate([np.full(int(n), v) for v, _, n in blocks])
    return np.asarray(np.clip(pooled, 0.03, 0.97), np.float64)


def variance(size: Floats, share: Floats, labelled: Floats) -> Floats:
    """About the variance of the number of positives among ``size`` items once ``labelled`` of them are known.

    Of a finite population; the guessed share is in doubt like that of one label more, so that a few labels alike do not
    seem to settle a stratum.
    """
    left = np.maximum(size - labelled, 0) / np.maximum(size - 1, 1)
    spread = (share * (1 - share) * labelled + PRIOR / 4) / (labelled + PRIOR) ** 2
    return np.asarray(size**2 * left * spread, np.float64)


def weights(strata: Strata, share: Floats) -> tuple[Floats, float]:
    """How much F changes with one positive more in each stratum, and F itself."""
    expected = strata.positive + share * (strata.size - strata.labelled)
    selected = float(strata.size[strata.selected].sum())
    hits = float(expected[strata.selected].sum())
    whole = selected + float(expected.sum())
    f = 2 * hits / whole if whole else 0.0
    return np.where(strata.selected, 2 - f, -f) / max(whole, 1e-9), f


def plan(strata: Strata, most: int, within: float) -> tuple[list[int], int | None]:
    """The strata of the next ``most`` labels, in order, and how many are needed until F is known to ± ``within``.

    Needed is None where all labels of the population would be fewer than that takes (never, unless none is left).
    """
    share = shares(strata)
    slope, _ = weights(strata, share)
    size, labelled = strata.size.astype(np.float64), strata.labelled.astype(np.float64)
    now = slope**2 * variance(size, share, labelled)
    total, aim = float(now.sum()), (within / _Z) ** 2
    order: list[int] = []
    needed = 0 if total <= aim else None
    heap: list[tuple[float, int]] = []

    def push(k: int) -> None:
        if labelled[k] < size[k]:
            one = slice(k, k + 1)
            after = slope[k] ** 2 * float(variance(size[one], share[one], labelled[one] + 1)[0])
            heapq.heappush(heap, (after - now[k], k))

    for k in range(len(size)):
        push(k)
    while heap and (len(order) < most or needed is None):
        gain, k = heapq.heappop(heap)
        order.append(k)
        labelled[k] += 1
        total += gain
        now[k] += gain
        push(k)
        if needed is None and total <= aim:
            needed = len(order)
    return order[:most], needed


def population_interval(strata: Strata) -> dict[str, tuple[float, Interval]]:
    """Precision, recall and F over the whole population with 95 % intervals; what is known has no width."""
    doubt = _doubt(strata)
    on = strata.selected
    selected = float(strata.size[on].sum())
    hits, missed = float(doubt.count[on].sum()), float(doubt.count[~on].sum())

    def excluded(side: int, form: _Form, rate: float) -> bool:
        """Whether the population rate must be higher (side 1) or lower (-1) than ``rate``."""
        of_hits, of_missed, constant = form(rate)
        value = of_hits * hits + of_missed * missed + constant
        weight = np.where(on, of_hits, of_missed)
        # On this side of zero the doubt counts of every part that could bring the value back to zero.
        towards = np.where(side * weight > 0, doubt.down, doubt.up)
        return bool(side * value > np.sqrt(((towards * weight) ** 2).sum()) + _NOTHING)

    known = strata.labelled >= strata.size
    forms: dict[str, tuple[float, bool, _Form]] = {
        "precision": (hits / max(selected, _NOTHING), bool(known[on].all()), lambda r: (1.0, 0.0, -r * selected)),
        "recall": (hits / max(hits + missed, _NOTHING), bool(known.all()), lambda r: (1 - r, -r, 0.0)),
        "f1": (
            2 * hits / max(selected + hits + missed, _NOTHING),
            bool(known.all()),
            lambda r: (2 - r, -r, -r * selected),
        ),
    }
    ends = ((0.0, 1), (1.0, -1))
    rates = {}
    for name, (rate, sure, form) in forms.items():
        low, high = (_end(outside, rate, partial(excluded, side, form), sure=sure) for outside, side in ends)
        rates[name] = rate, (low, high)
    return rates


def _end(outside: float, inside: float, excluded: Callable[[float], bool], *, sure: bool) -> float:
    """The end of an interval between ``outside`` and a rate that is in it; the rate itself where it is ``sure``."""
    if not excluded(outside):  # As where the rate is not defined.
        return outside
    if sure:
        return inside
    for _ in range(_HALVINGS_OF_F):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if excluded(middle) else (outside, middle)
    return inside


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Of each stratum how many positives it seems to have, and how many fewer or more it may have (float64[k] each)."""

    count: Floats
    down: Floats
    up: Floats


def _doubt(strata: Strata) -> _Doubt:
    size, n, hits = (x.astype(np.float64) for x in (strata.size, strata.labelled, strata.positive))
    own = np.where(n > 0, hits / np.maximum(n, 1), _trend(strata))
    from scipy.stats import beta  # slow to import, and the window is not to wait for it

    low = np.where(hits > 0, beta.ppf(_TAIL, hits + 0.5, n - hits + 0.5), 0.0)
    high = np.where(hits < n, beta.ppf(1 - _TAIL, hits + 0.5, n - hits + 0.5), 1.0)
    low, high = np.where(n > 0, np.minimum(low, own), 0.0), np.where(n > 0, np.maximum(high, own), 1.0)
    # Of a finite population, never beyond what has no label yet.
    narrowed = np.sqrt(np.clip((size - n) / np.maximum(size - 1, 1), 0, 1))
    count = hits + (size - n) * own
    down = np.minimum(size * (own - low) * narrowed, count - hits)
    up = np.minimum(size * (high - own) * narrowed, size - n + hits - count)
    return _Doubt(count, np.maximum(down, 0), np.maximum(up, 0))
