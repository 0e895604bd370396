"""Logistic regression with a ridge penalty, and cross-validated predictions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints

_STEPS = 100
_CLOSE = 1e-9


def logistic(design: Floats, positive: NDArray[np.bool_], penalty: float = 1.0) -> tuple[float, Floats]:
    """Intercept and slopes, float64[m], that give the log odds of ``positive`` from ``design`` (n rows, m columns).

    Half the ``penalty`` times the squared slopes of the standardised columns is added to the negative log likelihood;
    the intercept is free. Newton's method (Hastie, Tibshirani and Friedman 2009, section 4.4.1).
    """
    mean, spread = design.mean(axis=0), design.std(axis=0)
    spread[spread == 0] = 1.0
    x = np.column_stack([np.ones(len(design)), (design - mean) / spread])
    y = np.asarray(positive, np.float64)
    ridge = np.eye(x.shape[1]) * penalty
    # A small amount, so that the system is solvable even if one class is far away.
    ridge[0, 0] = 1e-6
    weights = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (chance - y) + ridge @ weights
        step = np.linalg.solve((x * (chance * (1 - chance))[:, None]).T @ x + ridge, gradient)
        weights -= step
        if np.abs(step).max() < _CLOSE:
            break
    slopes = weights[1:] / spread
    return float(weights[0] - slopes @ mean), np.asarray(slopes, np.float64)


def predicted_apart(
    positive: NDArray[np.bool_],
    predict: Callable[[NDArray[np.intp], NDArray[np.intp]], Floats],
    folds: int = 10,
    groups: Ints | None = None,
) -> Floats:
    """Predictions of n items, each by a model learnt from the other folds: float64[n].

    ``predict(seen, others)`` learns from the rows ``seen`` and predicts the rows ``others``. Both classes are divided
    evenly among at most ``folds`` parts, always in the same way; items of the same group (int64[n]) stay together.
    """
    rng = np.random.default_rng(0)
    alone = np.arange(len(positive)) if groups is None else groups
    _, first, group = np.unique(alone, return_index=True, return_inverse=True)
    fold_of_group = np.empty(len(first), np.int64)
    for value in (False, True):
        rows = np.flatnonzero(positive[first] == value)
        fold_of_group[rng.permutation(rows)] = np.arange(len(rows)) % folds
    fold = fold_of_group[group]
    result = np.empty(len(positive), np.float64)
    for number in range(folds):
        others = np.flatnonzero(fold == number)
        if len(others):
            result[others] = predict(np.flatnonzero(fold != number), others)
    return result
