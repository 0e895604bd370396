"""Agreement between annotators who labelled the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.intervals import Interval, bootstrap, proportion_interval

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Edges of the bins, finer where most scores are."""


class Bin(NamedTuple):
    """``items`` items with scores in ``[low, high)`` (1 is in the last bin), their mean score, and the share that is
    right; all in [0, 1].
    """

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


MISSING = -1
_ROUNDS = 500

Table = NDArray[np.int64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A chance-corrected agreement, 1 when perfect and 0 at chance, over ``documents`` items.

    ``interval`` is the 95 % bootstrap interval over items; None if there are too few. If all agree, all resamples are
    equal, and it is derived from the exact interval of the share that agrees.
    """

    value: float
    interval: Interval | None
    documents: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement over ``documents`` items labelled by at least two annotators.

    ``alpha`` is Krippendorff's, nominal. ``fleiss`` is over the items with ``raters`` labels, the most common number
    (its definition requires equal numbers); None if these have only one value. ``cohen`` maps a pair of annotators to
    kappa over the items that both labelled; pairs with undefined kappa (no common items, or only one value) are left
    out. ``values`` maps each value to its specific agreement (:func:`specific_agreement`), over the items with that
    value from any annotator.
    """

    documents: int
    annotators: tuple[str, ...]
    alpha: Coefficient
    fleiss: Coefficient | None
    cohen: Mapping[tuple[str, str], Coefficient]
    values: Mapping[str, Coefficient]
    raters: int = 2


def agreement(labels: Mapping[str, Mapping[str, str]]) -> Agreement:
    """Agreement of labels given as annotator -> item -> value. Raises UserError, with the reason, if undefined."""
    annotators = sorted(labels)
    if len(annotators) < 2:
        raise UserError(Message("Agreement needs labels of at least two annotators."))
    table, values = _table(labels, annotators)
    table = table[(table != MISSING).sum(axis=1) >= 2]
    if len(table) == 0:
        raise UserError(Message("Nothing was labelled by two annotators."))
    if len(np.unique(table[table != MISSING])) < 2:
        raise UserError(
            Message("All labels are {values}; agreement beyond chance is undefined.", values=values[table.max()])
        )
    cohen = {}
    for i, j in combinations(range(len(annotators)), 2):
        both = table[:, [i, j]]
        kappa = _coefficient(_cohen_kappa_of, both[(both != MISSING).all(axis=1)])
        if kappa is not None:
            cohen[annotators[i], annotators[j]] = kappa
    alpha = _coefficient(_by_weight(krippendorff_alpha), table)
    assert alpha is not None
    specific = {}
    for number in np.unique(table[table != MISSING]).tolist():
        rows_with_value = table[(table == number).any(axis=1)]
        statistic = partial(specific_agreement, value=number)
        coefficient = _coefficient(_by_weight(statistic), rows_with_value, beyond_chance=False)
        if coefficient is not None:
            specific[values[number]] = coefficient
    counts = (table != MISSING).sum(axis=1)
    raters = int(np.flatnonzero(np.bincount(counts) == np.bincount(counts).max())[-1])
    fleiss = _coefficient(_by_weight(fleiss_kappa), table[counts == raters])
    return Agreement(len(table), tuple(annotators), alpha, fleiss, cohen, specific, raters)


def _table(labels: Mapping[str, Mapping[str, str]], annotators: Sequence[str]) -> tuple[Table, list[str]]:
    """Items x annotators of value numbers, MISSING if an annotator gave none; and the values."""
    things = sorted({d for own in labels.values() for d in own})
    values = sorted({v for own in labels.values() for v in own.values()})
    number = {v: i for i, v in enumerate(values)}
    rows = [[number[labels[a][d]] if d in labels[a] else MISSING for a in annotators] for d in things]
    return np.array(rows, np.int64).reshape(len(things), len(annotators)), values


def _by_weight(statistic: Callable[[Table, Ints], float]) -> Callable[[Table], Callable[[Ints], float]]:
    """``statistic`` of a table and weights as one of a table, which is a function of weights."""
    return lambda table: partial(statistic, table)


def _coefficient(
    statistic: Callable[[Table], Callable[[Ints], float]], table: Table, *, beyond_chance: bool = True
) -> Coefficient | None:
    """The coefficient with its interval; None if it is undefined. ``statistic`` of a table is a function of weights.

    Items with the same labels are one row with a weight: resampling draws weights, not rows.
    """
    if len(table) == 0:
        return None
    rows, pattern = np.unique(table, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)

    of_weights = statistic(rows)

    def of(drawn: Ints) -> float:
        return of_weights(np.bincount(drawn, minlength=len(rows)))

    if np.isnan(value := of(pattern)):
        return None
    try:
        interval = bootstrap(of, pattern, rounds=_ROUNDS)
    except UserError:
        interval = None
    if interval is not None and interval[0] == interval[1]:
        interval = _of_unanimous(table, beyond_chance=beyond_chance) if np.isclose(value, 1) else None
    return Coefficient(value, interval, len(table))


def _of_unanimous(table: Table, *, beyond_chance: bool) -> Interval:
    """The interval of a coefficient 1 - disagreement / chance if all annotators agree on every item.

    Disagreement is at most the upper end of the exact interval of the share of disputed items (Clopper and Pearson,
    Biometrika 26, 1934); chance is the probability that two labels of the whole table differ, or 1.
    """
    disagreeing = 1 - proportion_interval(len(table), len(table))[0]
    _, counts = np.unique(table[table != MISSING], return_counts=True)
    chance = 1 - float(((counts / counts.sum()) ** 2).sum()) if beyond_chance else 1.0
    return max(-1.0, 1 - disagreeing / chance), 1.0


def cohen_kappa(table: Table, weight: Ints | None = None) -> float:
    """Cohen's kappa (Educational and Psychological Measurement 20, 1960) of items x 2 annotators, none missing.

    NaN if only one value is used. ``weight`` is the number of occurrences of each row (default: 1).
    """
    return _cohen_kappa_of(table)(_ones(table) if weight is None else weight)


def _cohen_kappa_of(table: Table) -> Callable[[Ints], float]:
    """:func:`cohen_kappa` of ``table`` as a function of the weights: many annotators make many pairs to resample."""
    values, place = np.unique(table, return_inverse=True)
    one, other = place.reshape(table.shape).T
    size = len(values)
    cell = one * size + other

    def of(weight: Ints) -> float:
        share = np.bincount(cell, weight, size * size).reshape(size, size) / weight.sum()
        by_one, by_other = share.sum(axis=1), share.sum(axis=0)
        if np.count_nonzero(by_one + by_other) < 2:
            return float("nan")
        chance = float(by_one @ by_other)
        return float((share.diagonal().sum() - chance) / (1 - chance))

    return of


def krippendorff_alpha(table: Table, weight: Ints | None = None) -> float:
    """Nominal alpha (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C) of items x annotators.

    Every item has at least two labels. NaN if all labels are the same. ``weight`` as in :func:`cohen_kappa`.
    """
    weight = _ones(table) if weight is None else weight
    counts = _counts(table)
    raters, totals = counts.sum(axis=1), weight @ counts
    observed = float(weight @ ((raters**2 - (counts**2).sum(axis=1)) / (raters - 1)))
    chance = (totals.sum() ** 2 - (totals**2).sum()) / (totals.sum() - 1)
    return float(1 - observed / chance) if chance else float("nan")


def fleiss_kappa(table: Table, weight: Ints | None = None) -> float:
    """Fleiss' kappa (Psychological Bulletin 76, 1971, equations 1-7) of items x annotators; NaN if undefined.

    ``weight`` as in :func:`cohen_kappa`.
    """
    weight = _ones(table) if weight is None else weight
    counts = _counts(table)
    raters = counts.sum(axis=1)
    drawn = raters[weight > 0]
    if drawn.min() != drawn.max():
        return float("nan")
    n, things = drawn[0], weight.sum()
    observed = float(weight @ ((counts**2).sum(axis=1) - n)) / things / (n * (n - 1))
    chance = float((((weight @ counts) / (things * n)) ** 2).sum())
    return float((observed - chance) / (1 - chance)) if chance < 1 else float("nan")


def specific_agreement(table: Table, weight: Ints | None = None, *, value: int) -> float:
    """How often a second annotator gives ``value`` if a first one does, in [0, 1]; NaN if nobody does.

    The proportion of specific agreement (Spitzer and Fleiss, British Journal of Psychiatry 125, 1974; for two
    annotators the positive agreement of Cicchetti and Feinstein, 1990), over all ordered pairs of labels of an item.
    ``weight`` as in :func:`cohen_kappa`.
    """
    weight = _ones(table) if weight is None else weight
    votes, raters = (table == value).sum(axis=1), (table != MISSING).sum(axis=1)
    possible = float(weight @ (votes * (raters - 1)))
    return float(weight @ (votes * (votes - 1))) / possible if possible else float("nan")


def _ones(table: Table) -> Ints:
    return np.ones(len(table), np.int64)


def _counts(table: Table) -> Table:
    """The number of labels of each item with each value used."""
    return np.stack([(table == v).sum(axis=1) for v in np.unique(table[table != MISSING])], axis=1)
