"""Agreement between annotators who labelled the same things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.intervals import Interval, bootstrap

MISSING = -1
_ROUNDS = 500

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A chance-corrected agreement, 1 when perfect and 0 at chance, over ``documents`` things.

    ``interval`` is the 95 % bootstrap interval over them; None where there are too few for one.
    """

    value: float
    interval: Interval | None
    documents: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement over ``documents`` things that at least two annotators labelled.

    ``alpha`` is Krippendorff's, nominal. ``fleiss`` is None where things have different numbers of labels (its
    definition needs equal ones). ``cohen`` maps a pair of annotators to kappa over what both labelled; a pair whose
    kappa is undefined (nothing in common, or one value only) is left out.
    """

    documents: int
    annotators: tuple[str, ...]
    alpha: Coefficient
    fleiss: Coefficient | None
    cohen: Mapping[tuple[str, str], Coefficient]


def agreement(labels: Mapping[str, Mapping[str, str]]) -> Agreement:
    """Agreement from annotator -> thing -> value. Raises UserError where it is undefined, with the reason."""
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
        kappa = _coefficient(_cohen, both[(both != MISSING).all(axis=1)])
        if kappa is not None:
            cohen[annotators[i], annotators[j]] = kappa
    alpha = _coefficient(krippendorff_alpha, table)
    assert alpha is not None
    return Agreement(len(table), tuple(annotators), alpha, _coefficient(fleiss_kappa, table), cohen)


def _table(labels: Mapping[str, Mapping[str, str]], annotators: Sequence[str]) -> tuple[Table, list[str]]:
    """Things x annotators of value numbers, MISSING where an annotator gave none; and the values."""
    things = sorted({d for own in labels.values() for d in own})
    values = sorted({v for own in labels.values() for v in own.values()})
    number = {v: i for i, v in enumerate(values)}
    rows = [[number[labels[a][d]] if d in labels[a] else MISSING for a in annotators] for d in things]
    return np.array(rows, np.int64).reshape(len(things), len(annotators)), values


def _coefficient(statistic: Callable[[Table], float], table: Table) -> Coefficient | None:
    """The coefficient with its interval; None where it is undefined."""
    if len(table) == 0 or np.isnan(value := statistic(table)):
        return None
    try:
        interval = bootstrap(statistic, table, rounds=_ROUNDS)
    except UserError:
        interval = None
    return Coefficient(value, interval, len(table))


def _cohen(table: Table) -> float:
    from sklearn.metrics import cohen_kappa_score

    if len(np.unique(table)) < 2:
        return float("nan")
    return float(cohen_kappa_score(table[:, 0], table[:, 1]))


def krippendorff_alpha(table: Table) -> float:
    """Nominal alpha (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C) of things x annotators.

    Every thing has two labels or more. NaN where all labels are the same.
    """
    counts = _counts(table)
    raters, totals = counts.sum(axis=1), counts.sum(axis=0)
    observed = ((raters**2 - (counts**2).sum(axis=1)) / (raters - 1)).sum()
    chance = (totals.sum() ** 2 - (totals**2).sum()) / (totals.sum() - 1)
    return float(1 - observed / chance) if chance else float("nan")


def fleiss_kappa(table: Table) -> float:
    """Fleiss' kappa (Psychological Bulletin 76, 1971, equations 1-7) of things x annotators; NaN where undefined."""
    counts = _counts(table)
    raters = counts.sum(axis=1)
    if raters.min() != raters.max():
        return float("nan")
    n = raters[0]
    observed = ((counts**2).sum(axis=1) - n).mean() / (n * (n - 1))
    chance = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    return float((observed - chance) / (1 - chance)) if chance < 1 else float("nan")


def _counts(table: Table) -> Table:
    """How often each thing was given each value in use."""
    return np.stack([(table == v).sum(axis=1) for v in np.unique(table[table != MISSING])], axis=1)
