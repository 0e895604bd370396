"""Thresholds chosen by a rule, and their performance on labels not used to choose them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.evaluation.intervals import Floats, Interval, percentile_interval
from workbench.evaluation.thresholds import Counts, Curve

ROUNDS = 500
"""Resamples of the labels."""
_LARGE, _FEWER = 50_000, 200
"""From this number of labels on, fewer resamples are drawn: the intervals are narrow."""
_AT_ONCE = 1 << 16
"""Labels of resamples that are counted together."""

RuleKind = Literal["best-f", "precision", "recall", "cost"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How to choose a threshold: the best F; the largest recall at a precision of at least ``value``; the largest
    precision at a recall of at least ``value``; or the least cost, where a false accusation costs ``value`` times a
    miss.
    """

    kind: RuleKind
    value: float = 0.0

    def rows(self, hits: Floats, selected: Floats, positives: Floats) -> NDArray[np.int64]:
        """The row of each of k curves, int64[k], from their true positives and selected items at each distinct score,
        the highest first (float64[k, n]), and their positives (float64[k]).

        Among equally good rows, the one with the highest threshold. -1 if no row meets the rule, or if selecting
        nothing costs least.
        """
        whole = positives[:, None]
        if self.kind == "best-f":
            best = np.argmax(2 * hits / np.maximum(selected + whole, 1e-12), axis=1)
            return np.where(positives > 0, best, -1)
        if self.kind == "cost":
            cost = self.value * (selected - hits) + whole - hits
            best = np.argmin(cost, axis=1)
            return np.where(np.take_along_axis(cost, best[:, None], axis=1)[:, 0] < positives, best, -1)
        precision = hits / np.maximum(selected, 1e-12)
        if self.kind == "precision":
            met, worth = (precision >= self.value) & (selected > 0), hits
        else:
            # Divided as precision is: 0.55 * 100 is more than 55.
            met, worth = (hits / np.maximum(whole, 1e-12) >= self.value) & (whole > 0), precision
        return np.where(met.any(axis=1), np.argmax(np.where(met, worth, -1.0), axis=1), -1)


RULES = (
    Rule("best-f"),
    Rule("precision", 0.9),
    Rule("precision", 0.95),
    Rule("recall", 0.9),
    Rule("cost", 5.0),
)
"""The default suggestions."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate in [0, 1] with its 95 % interval (None: too few labels)."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A threshold chosen by ``rule``: ``counts`` on the labels it was chosen on, and figures expected on other
    labels.

    ``precision``, ``recall`` and ``f1`` are corrected for optimism; ``spread`` is the 95 % interval of the chosen
    threshold (None: too few labels).
    """

    rule: Rule
    threshold: float
    counts: Counts
    precision: Estimate
    recall: Estimate
    f1: Estimate
    spread: Interval | None


def choose_thresholds(
    scores: Floats,
    positive: NDArray[np.bool_],
    whole: Curve,
    rules: Sequence[Rule] = RULES,
    *,
    rounds: int | None = None,
    seed: int = 0,
) -> list[Choice]:
    """The choice of each rule on ``whole``, the curve of ``scores`` and ``positive`` (n each); unmet rules are left
    out.

    Optimism (Harrell, Lee and Mark, Statistics in Medicine 15, 1996, section 4.3): each bootstrap resample chooses its
    own threshold; the mean of its performance there less that on all labels is subtracted. The interval is the spread
    of the resamples' values around the corrected one, and no narrower than the exact interval at the threshold:
    all resamples of one selected item are equal. ``rounds``: see :data:`ROUNDS`. The order of scores has no effect.
    """
    ranked = np.lexsort((positive, scores))
    scores, positive = scores[ranked], positive[ranked]
    rounds = rounds or (ROUNDS if whole.total <= _LARGE else _FEWER)
    chosen = [(rule, row) for rule in rules if (row := _row(rule, whole)) is not None]
    resampled = np.full((len(chosen), rounds, 7), np.nan)
    reported = np.flatnonzero(~np.isnan(scores))
    order = reported[np.argsort(-scores[reported], kind="stable")]
    hit = positive[order].astype(np.float64)
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    rng = np.random.default_rng(seed)
    several = max(1, _AT_ONCE // max(1, len(scores)))
    for begin in range(0, rounds, several):
        count = min(several, rounds - begin)
        weight = _drawn(rng, count, len(scores))
        positives = weight.compress(positive, axis=1).sum(axis=1)
        drawn = weight.take(order, axis=1)
        hits, selected = (np.cumsum(part, axis=1).take(last, axis=1) for part in (drawn * hit, drawn))
        for k, (rule, _) in enumerate(chosen):
            rows = rule.rows(hits, selected, positives)
            at = np.flatnonzero((rows >= 0) & (positives > 0))
            rows = rows[at]
            there = _rates(hits[at, rows], selected[at, rows], positives[at])
            here = _rates(
                whole.true_positive[rows].astype(np.float64), whole.selected[rows].astype(np.float64), whole.positives
            )
            resampled[k, begin + at] = np.column_stack((*there, *here, whole.threshold[rows]))
    return [_choice(rule, whole, row, resampled[k]) for k, (rule, row) in enumerate(chosen)]


def _drawn(rng: np.random.Generator, rounds: int, items: int) -> Floats:
    """How often each item is drawn in each resample, float64[rounds, items]."""
    places = rng.integers(0, items, (rounds, items)) + np.arange(rounds)[:, None] * items
    return np.bincount(places.ravel(), minlength=rounds * items).reshape(rounds, items).astype(np.float64)


def _row(rule: Rule, whole: Curve) -> int | None:
    curve = whole.true_positive.astype(np.float64), whole.selected.astype(np.float64)
    (row,) = rule.rows(curve[0][None], curve[1][None], np.array([whole.positives], np.float64)).tolist()
    return row if row >= 0 else None


def _rates(hits: Floats, selected: Floats, positives: Floats | int) -> tuple[Floats, Floats, Floats]:
    precision = np.divide(hits, selected, out=np.full(len(hits), np.nan), where=selected > 0)
    return precision, hits / positives, 2 * hits / (selected + positives)


def _choice(rule: Rule, whole: Curve, row: int, resampled: NDArray[np.float64]) -> Choice:
    threshold = float(whole.threshold[row])
    counts = whole.counts(threshold)
    apparent = (counts.precision or 0.0, counts.recall or 0.0, counts.f1)
    defined = resampled[~np.isnan(resampled).any(axis=1)]
    exact = (counts.precision_interval, counts.recall_interval, counts.f1_interval)
    estimates = []
    for at, (value, ends) in enumerate(zip(apparent, exact, strict=True)):
        optimism = float((defined[:, at] - defined[:, 3 + at]).mean()) if len(defined) else 0.0
        moved = (ends[0] - optimism, ends[1] - optimism)
        corrected = min(1.0, max(0.0, value - optimism))
        estimates.append(Estimate(corrected, _around(corrected, resampled[:, at], moved)))
    precision, recall, f1 = estimates
    return Choice(rule, threshold, counts, precision, recall, f1, _interval(resampled[:, 6]))


def _around(centre: float, values: Floats, exact: Interval) -> Interval | None:
    """The middle 95 % of ``values``, moved so that their mean is ``centre``, and at least ``exact``; in [0, 1]."""
    ends = _interval(values)
    if ends is None:
        return None
    moved = centre - float(np.nanmean(values))
    return max(0.0, min(ends[0] + moved, exact[0])), min(1.0, max(ends[1] + moved, exact[1]))


def _interval(values: Floats) -> Interval | None:
    try:
        return percentile_interval(values)
    except UserError:
        return None
