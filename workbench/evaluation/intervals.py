"""Confidence intervals: exact for proportions, bootstrap for everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Interval = tuple[float, float]


Statistic = Callable[..., float]
"""A number from columns of equal length; NaN or UserError if it is undefined."""


def proportion_interval(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Exact (Clopper-Pearson 1934) confidence interval of a proportion; (0, 1) without trials."""
    low, high = proportion_intervals(np.array([successes]), np.array([trials]), confidence)
    return float(low[0]), float(high[0])


def proportion_intervals(successes: Ints, trials: Ints, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """:func:`proportion_interval` of n proportions: lower and upper ends, float64[n] each."""
    # scipy.stats takes a second to load.
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    k, n = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    low, high = np.zeros(len(k)), np.ones(len(k))
    some, rest = k > 0, k < n
    low[some] = betaincinv(k[some], n[some] - k[some] + 1, tail)
    high[rest] = betaincinv(k[rest] + 1, n[rest] - k[rest], 1 - tail)
    return low, high


def f_intervals(hits: Ints, wrong: Ints, missed: Ints, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Exact interval of F from n counts of true positives, false positives and false negatives; (0, 1) without any.

    F = 2 J / (1 + J) grows with the share J of true positives among the three, so the ends of J's exact interval give
    those of F's (given the sum of the three).
    """
    low, high = proportion_intervals(hits, np.asarray(hits) + wrong + missed, confidence)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def f_interval(hits: int, wrong: int, missed: int, confidence: float = 0.95) -> Interval:
    """:func:`f_intervals` of one F."""
    low, high = f_intervals(np.array([hits]), np.array([wrong]), np.array([missed]), confidence)
    return float(low[0]), float(high[0])


def percentile_interval(values: Floats, confidence: float = 0.95) -> Interval:
    """The middle share ``confidence`` of bootstrap values. Raises UserError if fewer than half of them are defined."""
    defined = values[~np.isnan(values)]
    if len(defined) < len(values) / 2:
        raise UserError(Message("There are too few labels for an interval."), hint=Message("Label more."))
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)


def varying_interval(values: Floats) -> Interval:
    """:func:`percentile_interval`; raises UserError also if all values are equal, which says nothing of the spread."""
    low, high = percentile_interval(values)
    if low == high:
        raise UserError(Message("There are too few labels for an interval."), hint=Message("Label more."))
    return low, high


def bootstrap(
    statistic: Statistic, *columns: NDArray[Any], rounds: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval (Efron 1979) of ``statistic(*columns)``, rows resampled together.

    A resample on which the statistic is undefined is drawn again, at most ten times ``rounds`` draws in all; raises
    UserError when fewer than half of ``rounds`` are defined.
    """
    rng = np.random.default_rng(seed)
    n = len(columns[0])
    values: list[float] = []
    for _ in range(10 * rounds):
        rows = rng.integers(0, n, n)
        try:
            value = float(statistic(*(c[rows] for c in columns)))
        except UserError:
            continue
        if not np.isnan(value):
            values.append(value)
        if len(values) == rounds:
            break
    return percentile_interval(np.array([*values, *[np.nan] * (rounds - len(values))]), confidence)
