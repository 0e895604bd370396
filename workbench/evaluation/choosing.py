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

RuleKind = Literal["best-f", "precision", "recall", "cost"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How to choose a threshold: the best F; the largest recall at a precision of at least ``value``; the largest
    precision at a recall of at least ``value``; or the least cost, where a false accusation costs ``value`` times a
    miss.
    """

    kind: RuleKind
    value: float = 0.0

    def row(self, hits: Floats, selected: Floats, positives: float) -> int | None:
        """The row of a curve, from true positives and selected items at each distinct score, the highest first.

        Among equally good rows, the one with the highest threshold. None if no row meets the rule, or if selecting
        nothing costs least.
        """
        precision = hits / np.maximum(selected, 1e-12)
        if self.kind == "best-f":
            return int(np.argmax(2 * hits / (selected + positives))) if positives else None
        if self.kind == "precision":
            rows = np.flatnonzero((precision >= self.value) & (selected > 0))
            return int(rows[np.argmax(hits[rows])]) if len(rows) else None
        if self.kind == "recall":
            rows = np.flatnonzero(hits >= self.value * positives) if positives else np.zeros(0, np.int64)
            return int(rows[np.argmax(precision[rows])]) if len(rows) else None
        cost = self.value * (selected - hits) + positives - hits
        best = int(np.argmin(cost))
        return best if cost[best] < positives else None


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
    all resamples of one selected item are equal. ``rounds``: see :data:`ROUNDS`.
    """
    rounds = rounds or (ROUNDS if whole.total <= _LARGE else _FEWER)
    chosen = [(rule, row) for rule in rules if (row := _row(rule, whole)) is not None]
    resampled = np.full((len(chosen), rounds, 7), np.nan)
    reported = np.flatnonzero(~np.isnan(scores))
    order = reported[np.argsort(-scores[reported], kind="stable")]
    hit = positive[order].astype(np.float64)
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    rng = np.random.default_rng(seed)
    for i in range(rounds):
        weight = np.bincount(rng.integers(0, len(scores), len(scores)), minlength=len(scores)).astype(np.float64)
        positives = float(weight[positive].sum())
        drawn = weight[order]
        hits, selected = np.cumsum(drawn * hit)[last], np.cumsum(drawn)[last]
        for k, (rule, _) in enumerate(chosen):
            row = rule.row(hits, selected, positives)
            if row is not None and positives:
                there = _rates(float(hits[row]), float(selected[row]), positives)
                here = _rates(float(whole.true_positive[row]), float(whole.selected[row]), whole.positives)
                resampled[k, i] = (*there, *here, whole.threshold[row])
    return [_choice(rule, whole, row, resampled[k]) for k, (rule, row) in enumerate(chosen)]


def _row(rule: Rule, whole: Curve) -> int | None:
    return rule.row(whole.true_positive.astype(np.float64), whole.selected.astype(np.float64), whole.positives)


def _rates(hits: float, selected: float, positives: float) -> tuple[float, float, float]:
    return hits / selected if selected else np.nan, hits / positives, 2 * hits / (selected + positives)


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
