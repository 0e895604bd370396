"""Agreement of a run with labels: at every threshold, with intervals, suggestions, its errors, and other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Floats, Run
from workbench.evaluation.choosing import Rule, choose_thresholds
from workbench.evaluation.intervals import Interval, varying_interval
from workbench.evaluation.thresholds import (
    Curve,
    curve,
    mcnemar,
    paired_difference,
    resampled_average_precision,
)
from workbench.jobs.context import Context
from workbench.services.choosing import find_run
from workbench.services.labels.sets import LABEL_SET
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.baselines import BASELINES
from workbench.services.measuring.label_selection import Chosen, Question, Scored, choose, documents_of_run, score
from workbench.services.measuring.passages import PassageQuality, passage_quality
from workbench.services.measuring.scored_run import POSITIVE, read_scored_run
from workbench.services.session import Session

PRECISIONS = (0.8, 0.9, 0.95, 0.99)
"""Precisions for which a threshold is suggested."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A threshold worth choosing, why, and its precision and recall on the labels with exact 95 % intervals.

    ``corrected``: precision and recall expected on other labels, without the optimism of choosing and measuring on the
    same ones. ``everything``: it selects all labelled items, which would need no method.
    """

    rule: str
    threshold: float
    precision: float
    recall: float
    precision_interval: Interval
    recall_interval: Interval
    corrected: tuple[float, float]
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A run against labels at one threshold, and at all of them.

    Intervals are 95 %: exact for ``precision``, ``recall`` and ``f1``, bootstrap for ``average_precision``; None if
    there are too few labels, or if all resamples are equal. The threshold of the best F is chosen on the same labels,
    so its F is a little high.
    ``false_positives`` and ``false_negatives`` name documents, pairs or passages, the most confident error first.
    ``curve`` has all three columns by threshold; ``passages`` is set if labels are reference passages. ``everything``:
    the threshold selects all labelled items. ``of_other_texts`` counts the items whose labels were given for another
    text than the present one.
    """

    run: int | str
    method: str
    chosen: Chosen
    labelled: int
    positives: int
    left_out: Mapping[str, int]
    threshold: float
    precision: float
    recall: float
    f1: float
    average_precision: float | None
    intervals: Mapping[str, Interval | None]
    curve: list[tuple[float, float, float]]
    suggestions: tuple[Suggestion, ...] = ()
    confusion: Mapping[str, int] = field(default_factory=dict)
    false_positives: tuple[tuple[str, ...], ...] = ()
    false_negatives: tuple[tuple[str, ...], ...] = ()
    passages: PassageQuality | None = None
    everything: bool = False
    of_other_texts: int = 0


def evaluate(
    session: Session, run: int | str, question: Question | None = None, *, threshold: float | None = None
) -> Evaluation:
    """Measure ``run`` (a number, or the name of a baseline) at ``threshold`` (None: the one with the best F).

    Raises UserError if a figure would be undefined: no labels, one class only, nothing reported.
    """
    question = question or Question()
    stored_run = None if run in BASELINES else find_run(session, int(run))
    method = str(run) if stored_run is None else stored_run.method
    chosen = choose(session, stored_run, question)
    if chosen.kind is TargetKind.PASSAGE and stored_run is not None:
        if chosen.label_set != LABEL_SET:
            return _of_passages(session, stored_run, chosen, threshold, question)
        scored = _of_verdicts(session, stored_run, question)
    else:
        chosen, scored = score(session, run, question)
    whole = curve(scored.scores, scored.positive, chosen.kind.value, complete=question.complete)
    row = whole.best() if threshold is None else whole.at(threshold)
    if row is None:
        raise UserError(
            Message(
                "Nothing scores {threshold} or more; the highest score is {highest}.",
                threshold=f"{threshold:.10g}",
                highest=f"{whole.threshold[0]:.10g}",
            )
        )
    evaluation = _at(run, method, chosen, scored, whole, row)
    if threshold is not None:
        evaluation = replace(evaluation, threshold=threshold)
    return replace(evaluation, suggestions=suggestions(whole, scored))


def _of_verdicts(session: Session, run: Run, question: Question) -> Scored:
    """The passages that reviewers judged, named as in the label log; they list no copies, as reference passages do."""
    of_run = read_scored_run(session, run, question)
    rows = np.flatnonzero(of_run.labelled)
    names = tuple((of_run.target(row),) for row in rows.tolist())
    return Scored(names, of_run.score[rows], of_run.truth[rows] == POSITIVE, of_run.left_out, of_run.unlabelled[rows])


def _at(run: int | str, method: str, chosen: Chosen, scored: Scored, whole: Curve, row: int) -> Evaluation:
    counts = whole.counts(float(whole.threshold[row]))
    accepted = np.nan_to_num(scored.scores, nan=-np.inf) >= whole.threshold[row]
    return Evaluation(
        run=run,
        method=method,
        chosen=chosen,
        labelled=scored.labelled,
        positives=whole.positives,
        left_out=scored.left_out,
        of_other_texts=len(scored.of_others),
        threshold=float(whole.threshold[row]),
        precision=float(whole.precision[row]),
        recall=float(whole.recall[row]),
        f1=float(whole.f1[row]),
        average_precision=whole.average_precision,
        intervals={
            "precision": counts.precision_interval,
            "recall": counts.recall_interval,
            "f1": counts.f1_interval,
            "average_precision": _interval(resampled_average_precision(scored.scores, scored.positive)),
        },
        curve=list(
            zip(whole.threshold.tolist(), whole.precision.tolist(), whole.recall.tolist(), strict=True),
        ),
        confusion=counts._asdict(),
        false_positives=_names(scored, accepted & ~scored.positive, descending=True),
        false_negatives=_names(scored, ~accepted & scored.positive, descending=False),
        everything=counts.everything,
    )


def _names(
    scored: Scored, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]], *, descending: bool
) -> tuple[tuple[str, ...], ...]:
    """Names of the chosen items by score; unreported items are lowest."""
    rows = np.flatnonzero(chosen)
    values = np.nan_to_num(scored.scores[rows], nan=-np.inf)
    order = np.argsort(-values if descending else values, kind="stable")
    return tuple(scored.names[i] for i in rows[order])


def _interval(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Interval | None:
    try:
        return varying_interval(values)
    except UserError:
        return None


def suggestions(whole: Curve, scored: Scored) -> tuple[Suggestion, ...]:
    """The threshold of the best F, and for each precision reached in :data:`PRECISIONS` the one of largest recall."""
    rules = (Rule("best-f"), *(Rule("precision", p) for p in PRECISIONS))
    return tuple(
        Suggestion(
            "best F" if choice.rule.kind == "best-f" else f"precision >= {choice.rule.value:g}",
            choice.threshold,
            choice.counts.precision or 0.0,
            choice.counts.recall or 0.0,
            choice.counts.precision_interval,
            choice.counts.recall_interval,
            (choice.precision.value, choice.recall.value),
            choice.counts.everything,
        )
        for choice in choose_thresholds(scored.scores, scored.positive, whole, rules)
    )


def _of_passages(session: Session, run: Run, chosen: Chosen, threshold: float | None, question: Question) -> Evaluation:
    quality = passage_quality(session, run, chosen, threshold, question)
    return Evaluation(
        run=run.id,
        method=run.method,
        chosen=chosen,
        labelled=quality.reference,
        positives=quality.reference,
        left_out=quality.left_out,
        threshold=quality.threshold,
        precision=quality.measures.precision,
        recall=quality.measures.recall,
        f1=quality.measures.f1,
        average_precision=None,
        intervals={"plagdet": quality.interval},
        curve=quality.curve,
        false_negatives=quality.missed,
        passages=quality,
    )


@dataclass(frozen=True, slots=True)
class Paired:
    """Two runs compared on the same ``items`` labelled items.

    ``difference`` is the first average precision minus the second, ``interval`` its 95 % bootstrap interval over the
    items (None: too few labels); ``p`` is from McNemar's exact test of the decisions at each run's best F.
    """

    first: Evaluation
    second: Evaluation
    items: int
    difference: float
    interval: Interval | None
    p: float


def compare_runs(session: Session, first: int | str, second: int | str, question: Question | None = None) -> Paired:
    """Compare two runs or baselines on the items that both examined. Raises UserError like :func:`evaluate`."""
    question = question or Question()
    one, a = score(session, first, question)
    two, b = score(session, second, _same_labels(question, one))
    rows = {name: i for i, name in enumerate(b.names)}
    if question.complete and one.kind is TargetKind.PAIR:
        # Pairs that a run examined and did not report are not among its items.
        names = tuple(sorted({*_compared(session, first, b), *a.names} & {*_compared(session, second, a), *rows}))
        positives = {n for n, y in zip(a.names + b.names, (*a.positive, *b.positive), strict=True) if y}
        y = np.array([n in positives for n in names], np.bool_)
        a, b = (_spread(s, names, y) for s in (a, b))
    else:
        both = np.array([name in rows for name in a.names], np.bool_)
        a = a.take(np.flatnonzero(both))
        b = b.take(np.array([rows[name] for name in a.names], np.intp))
    noun, complete = one.kind.value, question.complete
    curves = [curve(s.scores, s.positive, noun, complete=complete) for s in (a, b)]
    evaluations = [
        _at(run, str(run) if run in BASELINES else find_run(session, int(run)).method, chosen, s, c, c.best())
        for run, chosen, s, c in zip((first, second), (one, two), (a, b), curves, strict=True)
    ]
    right = [
        (np.nan_to_num(s.scores, nan=-np.inf) >= e.threshold) == s.positive
        for s, e in zip((a, b), evaluations, strict=True)
    ]
    try:
        difference, low, high = paired_difference(a.scores, b.scores, a.positive)
        interval: Interval | None = (low, high)
    except UserError:
        difference, interval = curves[0].average_precision - curves[1].average_precision, None
    return Paired(evaluations[0], evaluations[1], len(a.names), difference, interval, mcnemar(*right))


def _compared(session: Session, run: int | str, other: Scored) -> list[tuple[str, ...]]:
    """The items of ``other`` whose documents were examined by ``run``."""
    with session.read() as connection:
        documents = documents_of_run(connection, find_run(session, int(run))).keys()
    return [name for name in other.names if documents >= {*name}]


def _same_labels(question: Question, chosen: Chosen) -> Question:
    """``question`` with the chosen label set."""
    return replace(question, labels=chosen.label_set, positive=tuple(sorted(chosen.meaning.positive)))


def _spread(
    scored: Scored, names: tuple[tuple[str, ...], ...], positive: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> Scored:
    """``scored`` over ``names``, NaN for missing ones."""
    by_name = dict(zip(scored.names, scored.scores.tolist(), strict=True))
    return Scored(names, np.array([by_name.get(n, np.nan) for n in names]), positive, scored.left_out)


SAME = 0.002
"""Curves whose precision differs by no more than this at any recall coincide."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Average precision and best F of ``run`` minus those of the base, on ``items`` that both examined.

    ``interval`` is for the difference in average precision (95 %, paired bootstrap; None: too few labels), ``p`` from
    McNemar's exact test of the decisions at each run's best F. ``problem`` says why nothing could be compared.
    ``curve`` is set for a baseline, which is slow to compute; curves of runs are read when shown.
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
    """Compare each of ``others``, runs or baselines, with run ``base``."""
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
    """Pairs of indices of curves that are indistinguishable (see :data:`SAME`)."""
    levels = np.linspace(0.01, 1, 100)
    drawn = [_precision_at(one, levels) for one in curves]
    return [
        (i, j)
        for i, j in combinations(range(len(curves)), 2)
        if np.array_equal(np.isnan(drawn[i]), np.isnan(drawn[j]))
        and float(np.nanmax(np.abs(drawn[i] - drawn[j]), initial=0.0)) <= SAME
    ]


def _precision_at(one: Curve, levels: Floats) -> Floats:
    """The precision at which each level of recall is first reached; NaN if never."""
    recall = one.recall
    rows = np.searchsorted(recall, levels - 1e-12, "left")
    values = np.full(len(levels), np.nan)
    reached = rows < len(recall)
    values[reached] = one.precision[rows[reached]]
    return values
