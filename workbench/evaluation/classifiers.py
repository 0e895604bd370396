"""Classifiers learnt from labels: logistic regression, and others on bags of features; and features that items share.

A bag is a row of hashes or numbers (any order, repetitions do not count); the bags of n items make n rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints

_AT_ONCE = 512
"""Items compared with all others at a time."""


def svm_apart(bags: Sequence[NDArray[Any]], positive: NDArray[np.bool_], cost: float = 1.0) -> Floats:
    """Distances of n items from the plane of a linear support vector machine trained without them: float64[n].

    Features of only one item are left out; rows are scaled to length 1. Loss: squared hinge, times ``cost`` (Keerthi
    and DeCoste, Journal of Machine Learning Research 6, 2005). Ten-fold cross-validation.
    """
    x = _unit(_matrix(bags))

    def predict(seen: NDArray[np.intp], others: NDArray[np.intp]) -> Floats:
        slopes, intercept = _svm(x[seen], positive[seen], cost)
        return np.asarray(x[others] @ slopes + intercept, np.float64)

    return predicted_apart(positive, predict)


def unit_rows(bags: Sequence[NDArray[Any]]) -> tuple[Any, NDArray[Any]]:
    """The bags of n items as rows of length 1 of a sparse float64 [n, m], and the m features, ascending."""
    x, features = _whole(bags)
    return _unit(x), features


def svm_slopes(rows: Any, positive: NDArray[np.bool_], most: int, cost: float = 1.0) -> Floats:
    """Slopes of a linear support vector machine, as of :func:`svm_apart`, for rows of :func:`unit_rows`: float64[m].

    Features that fewer than two rows have are 0, and all but the ``most`` whose products with the rows are largest.
    """
    several = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) > 1)
    x = rows[:, several]
    slopes, _ = _svm(x, positive, cost)
    effect = np.abs(slopes) * np.sqrt(np.asarray(x.multiply(x).sum(axis=0)).ravel())
    kept = np.argsort(-effect, kind="stable")[:most]
    result = np.zeros(rows.shape[1])
    result[several[kept]] = slopes[kept]
    return result


def bayes_apart(bags: Sequence[NDArray[Any]], positive: NDArray[np.bool_], groups: Ints) -> Floats:
    """Log odds of n items under a naive Bayes classifier trained without their ``groups`` (int64[n]): float64[n].

    Only features that an item has count, not missing ones (multinomial, add-one smoothing). Ten-fold
    cross-validation.
    """
    x = _matrix(bags)

    def predict(seen: NDArray[np.intp], others: NDArray[np.intp]) -> Floats:
        counts = [np.asarray(x[seen[positive[seen] == value]].sum(axis=0)) + 1 for value in (True, False)]
        odds = np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum())
        prior = np.log((positive[seen].sum() + 1) / ((~positive[seen]).sum() + 1))
        return np.asarray(x[others] @ odds + prior, np.float64)

    return predicted_apart(positive, predict, groups=groups)


def sharing(bags: Sequence[NDArray[Any]], groups: Ints, fewest: int) -> Ints:
    """For each of n items, how many items of other ``groups`` (int64[n]) have at least ``fewest`` of its features."""
    x = _matrix(bags)
    counts = np.zeros(len(bags), np.int64)
    for first in range(0, len(bags), _AT_ONCE):
        common = (x[first : first + _AT_ONCE] @ x.T).tocoo()
        row = common.row + first
        chosen = (common.data >= fewest) & (groups[row] != groups[common.col])
        counts += np.bincount(row[chosen], minlength=len(bags))
    return counts


def likeness(bags: Sequence[NDArray[Any]], groups: Ints) -> Floats:
    """Mean cosine, in [0, 1], of each of n items with the others of its group (int64[n]); 0 for a group of one."""
    x = _unit(_matrix(bags))
    result = np.zeros(len(bags))
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        if len(rows) > 1:
            own = x[rows]
            total = np.asarray(own @ np.asarray(own.sum(axis=0)).ravel())
            itself = np.asarray(own.multiply(own).sum(axis=1)).ravel()
            result[rows] = (total - itself) / (len(rows) - 1)
    return result


def _matrix(bags: Sequence[NDArray[Any]]) -> Any:
    """Sparse float64 [n, features in at least two bags]: 1 for a feature of the bag."""
    whole, _ = _whole(bags)
    return whole[:, np.flatnonzero(np.bincount(whole.indices, minlength=whole.shape[1]) > 1)]


def _unit(x: Any) -> Any:
    """Rows of ones, sparse, scaled to length 1."""
    return x.multiply(1 / np.sqrt(np.maximum(x.sum(axis=1), 1))[:, None]).tocsr()


def _whole(bags: Sequence[NDArray[Any]]) -> tuple[Any, NDArray[Any]]:
    """Sparse float64 [n, m]: 1 for a feature of the bag; and the m features, ascending."""
    from scipy.sparse import csr_array

    rows = [np.unique(bag) for bag in bags]
    features, column = np.unique(np.concatenate(rows), return_inverse=True)
    bounds = np.cumsum([0, *map(len, rows)])
    return csr_array((np.ones(len(column)), column, bounds), shape=(len(rows), len(features))), features


def _svm(x: Any, positive: NDArray[np.bool_], cost: float) -> tuple[Floats, float]:
    from scipy.optimize import minimize

    y = np.where(positive, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        slopes = weights[:-1]
        short = np.maximum(1 - y * (x @ slopes + weights[-1]), 0)
        pull = -2 * cost * y * short
        return 0.5 * slopes @ slopes + cost * short @ short, np.append(slopes + x.T @ pull, pull.sum())

    weights = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return np.asarray(weights[:-1], np.float64), float(weights[-1])


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
