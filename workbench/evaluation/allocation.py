"""Allocates labels so that they narrow the interval of F at a threshold most, with strata by score.

The population is the scored items of a run: which are selected is known, which are positive is not. Each side of
the threshold is cut into strata, narrower towards the threshold, where positives and negatives mix. Labels go where
they reduce the variance of F most (Neyman, Journal of the Royal Statistical Society 97, 1934, with the finite
population and the shares estimated so far).

The interval derives the uncertainty of each rate from the weighted sums of rare events in the strata (Zou and Donner,
Statistics in Medicine 27, 2008), and the uncertainty of the ratio F by Fieller's method. The limits of such a sum are
those of a gamma distribution of the same mean and variance (Fay and Feuer, Statistics in Medicine 16, 1997), plus half
an event, as in Jeffreys' prior of a rate. Separate limits per stratum would add up the uncertainty of all strata
without events so far, and a joint distribution of all shares would add up its prior assumptions about each.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.evaluation.intervals import Floats, Interval, Ints

HALVINGS = 6
"""Maximum number of cuts of a side, at 1/2, 1/4, ... of its items from the threshold..."""
LEAST = 8
"""...while strata have at least this many items."""
PRIOR = 1.0
"""Weight, in labels, of the estimate from neighbouring strata."""
_FEWER, _MORE = 0.035, 0.015
"""Probability below and above the interval of a sum of rare events, together 5 %: labelling that stops once the
interval is narrow enough stops most often when few events have occurred, so underestimates are the likelier error.
"""
_AHEAD = 0.5
"""Weight of a possible next event in the stratum where an event represents most items."""
_NOTHING = 1e-9
_HALVINGS_OF_F = 40
"""Bisection steps for an end of an interval: finer than any score."""
RATES = ("precision", "recall", "f1")

_Form = Callable[[float], tuple[float, float, float]]
"""For a rate: weights of the hits and of the misses, and a constant, whose sum is zero at that rate."""


@dataclass(frozen=True, slots=True)
class Strata:
    """k strata in order of score, highest first: items, labelled items, and positives among these (int64[k] each).

    ``selected`` is true above the threshold; ``number`` int64[n] gives the stratum of each item, in order of score.
    Expected positives are float64[k].
    """

    size: Ints
    labelled: Ints
    positive: Ints | Floats
    selected: NDArray[np.bool_]
    number: Ints

    def with_label(self, stratum: int, *, positive: bool) -> Strata:
        """These strata with one more label."""
        labelled, hits = self.labelled.copy(), self.positive.copy()
        labelled[stratum] += 1
        hits[stratum] += int(positive)
        return Strata(self.size, labelled, hits, self.selected, self.number)


def make_strata(score: Floats, cut: int, labelled: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Strata:
    """Strata of n items, of which the first ``cut`` are selected.

    ``score`` float64[n], highest first (-inf for unreported items). Items of equal score on one side of the threshold
    are never divided: they are indistinguishable, and each additional stratum costs labels.
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
    """Distances from the threshold at which a side of this many items is cut."""
    sizes = [side >> step for step in range(1, HALVINGS + 1)]
    return [size for size in sizes if size >= LEAST]


def shares(strata: Strata) -> Floats:
    """The share of positives in each stratum, estimated from its labels and the trend over all strata."""
    trend = _trend(strata)
    return np.asarray((strata.positive + PRIOR * trend) / (strata.labelled + PRIOR), np.float64)


def _trend(strata: Strata) -> Floats:
    """Shares that are non-increasing as the score falls: isotonic regression of the labels so far (pool adjacent
    violators).
    """
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
    """Approximate variance of the number of positives among ``size`` items of which ``labelled`` are labelled.

    With finite population correction; the share counts as uncertain as if estimated with one more label, so that a few
    equal labels do not settle a stratum.
    """
    left = np.maximum(size - labelled, 0) / np.maximum(size - 1, 1)
    spread = (share * (1 - share) * labelled + PRIOR / 4) / (labelled + PRIOR) ** 2
    return np.asarray(size**2 * left * spread, np.float64)


def weights(strata: Strata, share: Floats) -> tuple[Floats, float]:
    """The change of F per additional positive in each stratum, and F itself."""
    expected = strata.positive + share * (strata.size - strata.labelled)
    selected = float(strata.size[strata.selected].sum())
    hits = float(expected[strata.selected].sum())
    whole = selected + float(expected.sum())
    f = 2 * hits / whole if whole else 0.0
    return np.where(strata.selected, 2 - f, -f) / max(whole, 1e-9), f


def plan(strata: Strata, most: int) -> list[int]:
    """The strata of the next ``most`` labels, in order; fewer if no more are left."""
    share = shares(strata)
    slope, _ = weights(strata, share)
    size, labelled = strata.size.astype(np.float64), strata.labelled.astype(np.float64)
    now = slope**2 * variance(size, share, labelled)
    order: list[int] = []
    heap: list[tuple[float, int]] = []

    def push(k: int) -> None:
        if labelled[k] < size[k]:
            one = slice(k, k + 1)
            after = slope[k] ** 2 * float(variance(size[one], share[one], labelled[one] + 1)[0])
            heapq.heappush(heap, (after - now[k], k))

    for k in range(len(size)):
        push(k)
    while heap and len(order) < most:
        gain, k = heapq.heappop(heap)
        order.append(k)
        labelled[k] += 1
        now[k] += gain
        push(k)
    return order


def needed_labels(strata: Strata, within: float) -> int:
    """The number of labels that will bring the interval of F to ± ``within`` if they have the estimated shares of
    positives; 0 if it is as narrow now.
    """
    share = shares(strata)
    left = int((strata.size - strata.labelled).sum())
    order: list[int] = []

    def is_enough(count: int) -> bool:
        more = np.bincount(order[:count], minlength=len(share))
        expected = replace(strata, labelled=strata.labelled + more, positive=strata.positive + more * share)
        return count >= left or _is_within(expected, within)

    if is_enough(0):
        return 0
    few, enough = 0, 1
    while True:
        if len(order) < min(left, enough):
            order = plan(strata, min(left, 4 * enough))
        if is_enough(enough):
            break
        few, enough = enough, min(left, 2 * enough)
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if is_enough(middle) else (middle, enough)
    return enough


def population_interval(strata: Strata, names: Collection[str] = RATES) -> dict[str, tuple[float, Interval]]:
    """The rates called ``names`` over the whole population with 95 % intervals; the intervals of known rates have no
    width.
    """
    forms, excluded = _measured(strata)
    ends = ((0.0, 1), (1.0, -1))
    rates = {}
    for name in names:
        rate, sure, form = forms[name]
        low, high = (_end(outside, rate, partial(excluded, side, form), sure=sure) for outside, side in ends)
        rates[name] = rate, (low, high)
    return rates


def _is_within(strata: Strata, width: float) -> bool:
    """Whether both ends of the interval of F are at most ``width`` from its estimate: without looking for the ends."""
    forms, excluded = _measured(strata)
    f, _, form = forms["f1"]
    ends = ((f - width, 1), (f + width, -1))
    return all(not 0 < end < 1 or excluded(side, form, end) for end, side in ends)


def _measured(
    strata: Strata,
) -> tuple[dict[str, tuple[float, bool, _Form]], Callable[[int, _Form, float], bool]]:
    """For each rate its estimate, whether it is known, and its form; and what tells which rates are excluded."""
    estimate = _estimated(strata)
    on = strata.selected
    selected = float(strata.size[on].sum())
    hits, missed = float(estimate.count[on].sum()), float(estimate.count[~on].sum())

    def excluded(side: int, form: _Form, rate: float) -> bool:
        """Whether the population rate must be higher (side 1) or lower (-1) than ``rate``."""
        of_hits, of_missed, constant = form(rate)
        value = side * (of_hits * hits + of_missed * missed + constant)
        return bool(value > 0 and value > _doubt(estimate, side * np.where(on, of_hits, of_missed)) + _NOTHING)

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
    return forms, excluded


def _end(outside: float, inside: float, excluded: Callable[[float], bool], *, sure: bool) -> float:
    """The end of an interval, between ``outside`` and ``inside``, a rate in it; ``inside`` itself if it is ``sure``."""
    if not excluded(outside):  # As when the rate is undefined.
        return outside
    if sure:
        return inside
    for _ in range(_HALVINGS_OF_F):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if excluded(middle) else (outside, middle)
    return inside


@dataclass(frozen=True, slots=True)
class _Estimate:
    """An estimate of the unlabelled items of k strata.

    ``count`` float64[k] is the estimated number of positives. For events, the rarer of positive and negative
    (``negative`` bool[k]), the other arrays, float64[k], give their estimated number among unlabelled items, its
    variance, the number that one labelled event represents, and the largest possible number. ``seen`` is false for
    strata without labels.
    """

    count: Floats
    negative: NDArray[np.bool_]
    rare: Floats
    variance: Floats
    unit: Floats
    left: Floats
    seen: NDArray[np.bool_]


def _estimated(strata: Strata) -> _Estimate:
    size, n, hits = (x.astype(np.float64) for x in (strata.size, strata.labelled, strata.positive))
    seen, left = n > 0, size - n
    share = np.where(seen, hits / np.maximum(n, 1), _trend(strata))
    negative = share > 0.5
    rare = np.where(negative, 1 - share, share)
    # Finite population: the unlabelled items come from the same items as the labels.
    variance = left * size * rare * (1 - rare) / np.maximum(n - 1, 1)
    unit = np.sqrt(left * size) / np.maximum(n, 1)
    return _Estimate(hits + left * share, negative, left * rare, variance, unit, left, seen)


def _doubt(estimate: _Estimate, weight: Floats) -> float:
    """How far the sum of ``weight`` (float64[k], of either sign) over the positives may be below its estimate."""
    by_event = np.where(estimate.negative, -weight, weight)
    losses = _fewer(estimate, np.maximum(by_event, 0)), _more(estimate, np.maximum(-by_event, 0))
    # Without observations, assume the worst case: all of it may be missing.
    worst = np.where(by_event > 0, estimate.rare, estimate.left - estimate.rare) * np.abs(by_event)
    return float(np.sqrt(losses[0] ** 2 + losses[1] ** 2 + (worst[~estimate.seen] ** 2).sum()))


def _fewer(estimate: _Estimate, weight: Floats) -> float:
    """How far the sum of ``weight`` >= 0 over the events may be below its estimate."""
    mean, variance, unit = _moments(estimate, weight)
    if mean <= 0:
        return 0.0
    return max(0.0, mean - _gamma_end(mean + _AHEAD * unit, variance + _AHEAD * unit**2, _FEWER))


def _more(estimate: _Estimate, weight: Floats) -> float:
    """How far the sum of ``weight`` >= 0 over the events may be above its estimate; bounded by the possible maximum."""
    mean, variance, unit = _moments(estimate, weight)
    most = float((weight * (estimate.left - estimate.rare))[estimate.seen].sum())
    return (
        min(most, _gamma_end(mean + _AHEAD * unit, variance + _AHEAD * unit**2, 1 - _MORE) - mean) if unit > 0 else 0.0
    )


def _moments(estimate: _Estimate, weight: Floats) -> tuple[float, float, float]:
    """Mean and variance of the sum of ``weight`` over the events, and the largest contribution of one event."""
    w = np.where(estimate.seen, weight, 0.0)
    return float((w * estimate.rare).sum()), float((w**2 * estimate.variance).sum()), float((w * estimate.unit).max())


def _gamma_end(mean: float, variance: float, below: float) -> float:
    """The quantile ``below`` of a gamma distribution with this mean and variance."""
    from scipy.special import gammaincinv  # slow to import, and the window must not wait for it

    return float(variance / mean * gammaincinv(mean**2 / variance, below)) if variance > 0 else mean
