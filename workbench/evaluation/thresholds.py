"""Precision, recall and F of a score against labels, at every distinct score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.intervals import (
    Floats,
    Interval,
    Ints,
    f_interval,
    percentile_interval,
    proportion_interval,
)


class Counts(NamedTuple):
    """Decisions at a threshold, against labels: a confusion matrix. Rates are None if undefined."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def precision(self) -> float | None:
        """True positives over selected items."""
        selected = self.true_positive + self.false_positive
        return self.true_positive / selected if selected else None

    @property
    def recall(self) -> float | None:
        """True positives over positives."""
        positives = self.true_positive + self.false_negative
        return self.true_positive / positives if positives else None

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 without true positives."""
        both = 2 * self.true_positive + self.false_positive + self.false_negative
        return 2 * self.true_positive / both if both else 0.0

    @property
    def everything(self) -> bool:
        """Whether all items are selected; precision is then the share of positives, whatever the scores."""
        return self.false_negative + self.true_negative == 0

    @property
    def precision_interval(self) -> Interval:
        """Exact 95 % interval of precision."""
        return proportion_interval(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall_interval(self) -> Interval:
        """Exact 95 % interval of recall."""
        return proportion_interval(self.true_positive, self.true_positive + self.false_negative)

    @property
    def f1_interval(self) -> Interval:
        """Exact 95 % interval of F."""
        return f_interval(self.true_positive, self.false_positive, self.false_negative)


@dataclass(frozen=True, slots=True)
class Curve:
    """One row per distinct score, highest first; row i decides positive where ``score >= threshold[i]``.

    ``true_positive`` and ``selected`` are counts (n int64 each); ``precision``, ``recall``, ``f1`` lie in [0, 1];
    ``positives`` and ``total`` count labelled items, including those that have no score and are never selected.
    """

    threshold: Floats
    true_positive: Ints
    selected: Ints
    positives: int
    total: int
    average_precision: float

    @property
    def precision(self) -> Floats:
        """True positives over selected."""
        return np.asarray(self.true_positive / self.selected, np.float64)

    @property
    def recall(self) -> Floats:
        """True positives over positives."""
        return np.asarray(self.true_positive / self.positives, np.float64)

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall."""
        return np.asarray(2 * self.true_positive / (self.selected + self.positives), np.float64)

    def best(self) -> int:
        """Row of the largest F; of equal ones the highest threshold (fewest accusations)."""
        return int(np.argmax(self.f1))

    def precise(self, precision: float) -> int | None:
        """Row of the largest recall with at least ``precision``; of equal ones the highest threshold (fewest
        accusations). None if no threshold reaches it.
        """
        rows = np.flatnonzero(self.precision >= precision)
        return int(rows[np.argmax(self.true_positive[rows])]) if len(rows) else None

    def at(self, threshold: float) -> int | None:
        """Row of the lowest score at or above ``threshold``; None if no score is that high."""
        row = len(self.threshold) - int(np.searchsorted(self.threshold[::-1], threshold, "left")) - 1
        return row if row >= 0 else None

    def counts(self, threshold: float) -> Counts:
        """Decisions with items scoring at least ``threshold`` selected; a binary search."""
        row = self.at(threshold)
        hits, selected = (0, 0) if row is None else (int(self.true_positive[row]), int(self.selected[row]))
        wrong = selected - hits
        return Counts(hits, wrong, self.positives - hits, self.total - self.positives - wrong)

    def sample(self, most: int) -> Ints:
        """At most ``most`` rows (all if fewer) for drawing the curve: evenly by row, and evenly by recall."""
        n = len(self.threshold)
        if n <= most:
            return np.arange(n)
        half = most // 2
        by_row = np.linspace(0, n - 1, half).round().astype(np.int64)
        levels = np.linspace(0, int(self.true_positive[-1]), most - half)
        by_recall = np.minimum(np.searchsorted(self.true_positive, levels, "left"), n - 1)
        return np.unique(np.concatenate((by_row, by_recall))).astype(np.int64)


_NOUNS = (Message("document"), Message("pair"), Message("passage"))
"""Kinds of labelled items."""


def curve(scores: ArrayLike, positive: ArrayLike, noun: str = "document", *, complete: bool = False) -> Curve:
    """Precision and recall of ``scores`` (n floats) against ``positive`` (n booleans) at every distinct score.

    Not on a grid, as the best threshold may lie between its rows. A score of NaN means that the method
    did not report the item: no threshold selects it. Raises UserError if a figure would be undefined: no labels, only
    one class, or no score at all; ``noun`` names the items. With ``complete`` every unlisted item is negative and
    unreported, so labels of only one class are allowed.
    """
    noun = Message(noun)
    s = np.asarray(scores, np.float64)
    y = np.asarray(positive, np.bool_)
    if len(s) == 0:
        raise UserError(
            Message("No {noun} of this run has a label.", noun=noun), hint=Message("Import or add labels first.")
        )
    if not y.any() or (y.all() and not complete):
        which = Message("positive") if y.all() else Message("negative")
        whole = (
            Message("The only labelled {noun} is", noun=noun)
            if len(y) == 1
            else Message("All {number} labelled {noun}s are", number=f"{len(y):,}", noun=noun)
        )
        raise UserError(
            Message("{subject} {value}; precision and recall need both classes.", subject=whole, value=which),
            hint=Message("Label some {noun}s of the other class.", noun=noun),
        )
    reported = ~np.isnan(s)
    if not reported.any():
        raise UserError(
            Message("The run reported none of the {number} labelled {noun}s.", number=f"{len(y):,}", noun=noun)
        )
    scored, right = s[reported], y[reported]
    order = np.argsort(-scored, kind="stable")
    descending = scored[order]
    last = np.append(np.flatnonzero(np.diff(descending)), len(descending) - 1)
    hits, selected, positives = np.cumsum(right[order])[last].astype(np.int64), last.astype(np.int64) + 1, int(y.sum())
    return Curve(descending[last], hits, selected, positives, len(y), _area(hits, selected, positives))


def average_precision(scores: Floats, positive: NDArray[np.bool_]) -> float:
    """Sum of precision over the steps of recall, in [0, 1]; NaN scores as in :func:`curve`; NaN without positives."""
    if not positive.any():
        return float("nan")
    reported = ~np.isnan(scores)
    order = np.argsort(-scores[reported], kind="stable")
    ranked, hit = scores[reported][order], positive[reported][order]
    if not len(ranked):
        return 0.0
    last = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    return _area(np.cumsum(hit)[last].astype(np.int64), last + 1, int(positive.sum()))


def _area(hits: Ints, selected: Ints, positives: int) -> float:
    """Average precision from true positives and selected at each distinct score, the highest first."""
    return float((np.diff(hits, prepend=0) * (hits / selected)).sum() / positives)


_AT_ONCE = 1 << 15
"""Items drawn at once."""


def resampled_average_precision(
    scores: Floats, positive: NDArray[np.bool_], *, rounds: int = 1000, seed: int = 0
) -> Floats:
    """Average precision of ``rounds`` bootstrap resamples (Efron 1979) of the labelled items, ``rounds`` float64.

    NaN if a resample has no positive. Equal ``seed`` and number of items give the same resamples, so values of
    two methods are paired.
    """
    rng = np.random.default_rng(seed)
    n = len(scores)
    reported = np.flatnonzero(~np.isnan(scores))
    order = reported[np.argsort(-scores[reported], kind="stable")]
    hit = positive[order].astype(np.float64)
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1) if len(order) else order
    values = np.full(rounds, np.nan)
    # Several at once: with a few hundred labels, the cost is mostly that of the calls.
    step = max(1, _AT_ONCE // max(1, n))
    for first in range(0, rounds, step):
        count = min(step, rounds - first)
        drawn = rng.integers(0, n, (count, n)) + n * np.arange(count)[:, None]
        weight = np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n)
        positives = weight[:, positive].sum(axis=1)
        chosen = np.take(weight, order, axis=1)
        hits, selected = (np.take(np.cumsum(part, axis=1), last, axis=1) for part in (chosen * hit, chosen))
        terms = np.diff(hits, prepend=0.0, axis=1) * (hits / np.maximum(selected, 1))
        some = positives > 0
        values[first : first + count][some] = terms.sum(axis=1)[some] / positives[some]
    return values


def paired_difference(
    first: ArrayLike, second: ArrayLike, positive: ArrayLike, *, rounds: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """Average precision of ``first`` less that of ``second`` on the same labels, with its 95 % bootstrap interval.

    Labelled items are resampled together for both, so that common variation cancels out (paired test: the methods
    differ at the 5 % level if the interval excludes 0).
    """
    y = np.asarray(positive, np.bool_)
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    drawn = [resampled_average_precision(scores, y, rounds=rounds, seed=seed) for scores in (a, b)]
    return (average_precision(a, y) - average_precision(b, y), *percentile_interval(drawn[0] - drawn[1]))


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p of McNemar's test (Psychometrika 12, 1947) on two methods' decisions, True if correct."""
    # Without scipy.stats, which takes a second to load: twice the smaller tail, as the binomial for 1/2 is symmetric.
    from scipy.special import bdtr

    a, b = np.asarray(first, np.bool_), np.asarray(second, np.bool_)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))
