"""The data that Evaluate reads off the window's thread: a run with its labels, and its curves as drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.base.types import Floats, Ints
from workbench.evaluation.choosing import RULES, Choice, Rule, choose_thresholds
from workbench.evaluation.intervals import f_intervals, proportion_intervals
from workbench.evaluation.thresholds import Curve
from workbench.gui.charts.label_histogram import LabelRow
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.scored_run import (
    NEGATIVE,
    NO_LABEL,
    POSITIVE,
    EvaluationInput,
    ScoredRun,
    read_evaluation_input,
)
from workbench.services.measuring.thresholds import UsedThreshold, used_threshold
from workbench.services.session import Session

POINTS = 400
"""Maximum number of points of a drawn curve; more would look the same."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A curve as drawn, with n points: their rows in the whole curve, and 95 % bands of precision and F."""

    rows: Ints
    threshold: Floats
    precision: Floats
    recall: Floats
    f1: Floats
    precision_band: tuple[Floats, Floats]
    f1_band: tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class ScreenData:
    """All data shown for one question."""

    inputs: EvaluationInput
    drawn: Drawn | None = None
    labels: tuple[LabelRow, ...] = ()
    used: UsedThreshold | None = None


def drawn_curve(whole: Curve) -> Drawn:
    """The points of ``whole`` that are drawn."""
    rows = whole.sample(POINTS)
    hits, selected = whole.true_positive[rows], whole.selected[rows]
    return Drawn(
        rows,
        whole.threshold[rows],
        hits / selected,
        hits / whole.positives,
        2 * hits / (selected + whole.positives),
        proportion_intervals(hits, selected),
        f_intervals(hits, selected - hits, whole.positives - hits),
    )


def read_shown(run: int | None, question: Question) -> Callable[[Session], ScreenData]:
    """A query for all data that are fast to read."""

    def read(session: Session) -> ScreenData:
        inputs = read_evaluation_input(session, run, question)
        scored = inputs.scored
        if scored is None:
            return ScreenData(inputs)
        drawn = None if scored.curve is None else drawn_curve(scored.curve)
        return ScreenData(inputs, drawn, label_rows(scored), used_threshold(session, scored.run.method, scored.kind))

    return read


def label_rows(scored: ScoredRun) -> tuple[LabelRow, ...]:
    """The items of each label: positive ones first, unlabelled ones last."""
    rows = []
    reported = ~np.isnan(scored.score)
    for code, name in enumerate(scored.values):
        of = scored.value == code
        if not of.any():
            continue
        truth = int(scored.truth[of][0])
        look = {POSITIVE: 1, NEGATIVE: 0, NO_LABEL: -1}[truth]
        scores = scored.score[of & reported][::-1]
        rows.append((-look, LabelRow(name, scores, look, int((of & ~reported).sum()))))
    rest = scored.value < 0
    if rest.any():
        look = 0 if scored.question.complete else -1
        scores = scored.score[rest & reported][::-1]
        rows.append((2, LabelRow("", scores, look, int((rest & ~reported).sum()))))
    return tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))


def read_choices(scored: ScoredRun, rules: tuple[Rule, ...] = RULES) -> Callable[[Session], list[Choice]]:
    """A query for the thresholds chosen by ``rules``."""

    def read(_session: Session) -> list[Choice]:
        if scored.curve is None:
            return []
        scores, positive = scored.part(scored.labelled)
        return choose_thresholds(scores, positive, scored.curve, rules)

    return read
