"""Confidence intervals: exact ones of proportions, bootstrap ones of anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message

Floats = NDArray[np.float64]
Interval = tuple[float, float]


Statistic = Callable[..., float]
"""A number from columns of equal length; NaN or UserError where it is undefined."""


def proportion_interval(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Exact (Clopper-Pearson 1934) confidence interval of a proportion; (0, 1) without trials."""
    from scipy.stats import beta

    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, successes, trials - successes + 1)) if successes else 0.0
    high = float(beta.ppf(1 - tail, successes + 1, trials - successes)) if successes < trials else 1.0
    return low, high


def percentile_interval(values: Floats, confidence: float = 0.95) -> Interval:
    """Middle ``confidence`` of bootstrap values. Raises UserError where fewer than half of them are defined."""
    defined = values[~np.isnan(values)]
    if len(defined) < len(values) / 2:
        raise UserError(Message("There are too few labels for an interval."), hint=Message("Label more."))
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)


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
