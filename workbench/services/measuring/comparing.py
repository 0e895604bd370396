"""Compares runs with one run on the same labels, in a separate process, for the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Floats
from workbench.evaluation.intervals import Interval
from workbench.evaluation.thresholds import Curve, curve
from workbench.jobs.context import Context
from workbench.services.measuring.evaluating import compare_runs
from workbench.services.measuring.label_selection import Question, score
from workbench.services.session import Session

SAME = 0.002
"""Curves whose precision differs by no more at any recall coincide."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better ``run`` is than the base on ``items`` that both examined: average precision and best F.

    ``interval`` is of the difference in average precision (95 %, paired bootstrap; None: too few labels), ``p``
    McNemar's exact test of the decisions at each one's best F. ``problem`` says why nothing could be compared.
    ``curve`` is that of a baseline, which takes long to compute; those of runs are read where they are shown.
    """

    run: int | str
    items: int = 0
    average_precision: float = 0.0
    interval: Interval | None = None
    f1: float = 0.0
    p: float = 1.0
    problem: Message | str = ""
    curve: Curve | None = None


def differences(
    ctx: Context, path: Path, base: int, others: Sequence[int | str], question: Question
) -> list[Difference]:
    """Each of ``others``, runs or baselines, against run ``base``."""
    rows = []
    with Session(path, write=False) as session:
        for other in others:
            ctx.check()
            try:
                pair = compare_runs(session, other, base, question)
                own = _curve(session, other, question) if isinstance(other, str) else None
            except UserError as error:
                rows.append(Difference(other, problem=error.sentence))
                continue
            f1 = pair.first.f1 - pair.second.f1
            rows.append(Difference(other, pair.items, pair.difference, pair.interval, f1, pair.p, curve=own))
    return rows


def _curve(session: Session, baseline: str, question: Question) -> Curve:
    chosen, scored = score(session, baseline, question)
    return curve(scored.scores, scored.positive, chosen.kind.value, complete=question.complete)


def coincident(curves: Sequence[Curve]) -> list[tuple[int, int]]:
    """Numbers of pairs of curves that are indistinguishable (see :data:`SAME`)."""
    levels = np.linspace(0.01, 1, 100)
    drawn = [_precision_at(one, levels) for one in curves]
    return [
        (i, j)
        for i, j in combinations(range(len(curves)), 2)
        if np.array_equal(np.isnan(drawn[i]), np.isnan(drawn[j]))
        and float(np.nanmax(np.abs(drawn[i] - drawn[j]), initial=0.0)) <= SAME
    ]


def _precision_at(one: Curve, levels: Floats) -> Floats:
    """The precision where each level of recall is first reached; NaN if it is not."""
    recall = one.recall
    rows = np.searchsorted(recall, levels - 1e-12, "left")
    values = np.full(len(levels), np.nan)
    reached = rows < len(recall)
    values[reached] = one.precision[rows[reached]]
    return values
