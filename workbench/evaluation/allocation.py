"""Which labels narrow the interval of F at a threshold most: strata by score, labelled where it pays.

The population is what a run scored: how much is selected is known, how many of either side are positive is not. Each
side of the threshold is cut into strata, narrower towards the threshold, where positives and negatives mix. In each
stratum the share of positives has a beta distribution; labels go where they take most from the variance of F (Neyman,
Journal of the Royal Statistical Society 97, 1934, with the finite population and the shares estimated so far).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.evaluation.intervals import Floats, Interval, Ints

HALVINGS = 6
"""A side is cut at 1/2, 1/4, ... of its items from the threshold, so many times..."""
LEAST = 8
"""...while strata have at least so many items."""
PRIOR = 1.0
"""Labels that the guess from neighbouring strata is worth."""
_DRAWS = 4_000


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


def make_strata(count: int, cut: int, labelled: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Strata:
    """Strata of ``count`` items in order of score, of which the first ``cut`` are selected; n booleans each."""
    edges = sorted({*(cut - size for size in _sizes(cut)), cut, *(cut + size for size in _sizes(count - cut))})
    edges = [0, *(e for e in edges if 0 < e < count), count]
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


def variance(strata: Strata, share: Floats, labelled: Ints) -> Floats:
    """Variance of the number of positives in each stratum once ``labelled`` of its items are known."""
    rest, size = strata.size - labelled, strata.size
    return np.asarray(rest * share * (1 - share) * (PRIOR + size) / (PRIOR + labelled + 1), np.float64)


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
    labelled = strata.labelled.copy()
    now = slope**2 * variance(strata, share, labelled)
    total, aim = float(now.sum()), (within / 1.96) ** 2
    order: list[int] = []
    needed = 0 if total <= aim else None
    heap: list[tuple[float, int]] = []

    def push(k: int) -> None:
        if labelled[k] < strata.size[k]:
            after = labelled[k] + 1
            rest = (strata.size[k] - after) * share[k] * (1 - share[k]) * (PRIOR + strata.size[k])
            heapq.heappush(heap, (-(now[k] - slope[k] ** 2 * float(rest) / (PRIOR + after + 1)), k))

    for k in range(len(strata.size)):
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


def population_interval(strata: Strata, *, draws: int = _DRAWS, seed: int = 0) -> dict[str, tuple[float, Interval]]:
    """Precision, recall and F over the whole population with 95 % intervals, by simulation of what is not labelled."""
    rng = np.random.default_rng(seed)
    share = shares(strata)
    a = strata.positive + PRIOR * _trend(strata)
    b = strata.labelled + PRIOR - a
    rest = strata.size - strata.labelled
    drawn = rng.beta(a, b, (draws, len(share)))
    found = strata.positive + rng.binomial(rest, np.clip(drawn, 0, 1))
    found[0] = strata.positive
    expected = strata.positive + share * rest
    selected = float(strata.size[strata.selected].sum())
    values = {}
    simulated = _rates(found[1:, strata.selected].sum(1), found[1:].sum(1), selected)
    mean = _rates(expected[strata.selected].sum(), expected.sum(), selected)
    for name, point, sample in zip(("precision", "recall", "f1"), mean, simulated, strict=True):
        low, high = np.percentile(sample, [2.5, 97.5])
        values[name] = (float(point), (float(low), float(high)))
    return values


def _rates(hits: Floats, positives: Floats, selected: float) -> tuple[Floats, Floats, Floats]:
    whole = np.maximum(selected + positives, 1e-9)
    return (
        np.asarray(hits / max(selected, 1e-9)),
        np.asarray(hits / np.maximum(positives, 1e-9)),
        np.asarray(2 * hits / whole),
    )
