"""Figures of document scores: those of Takeda and Takasu on copied strings, and any run's scores by label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Role, Run
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.jobs.context import Context
from workbench.project.documents import count_documents
from workbench.services.labels.labelling import settled
from workbench.services.labels.targets import TargetKind, document_target
from workbench.services.listing import find_run
from workbench.services.measuring.evaluating import evaluate
from workbench.services.measuring.figure_request import Request, base_run, finished_runs, numbers, varied
from workbench.services.measuring.sweeping import SweepPoint
from workbench.services.measuring.truth import LENGTH, choose, score
from workbench.services.session import Session

COPIED, TEMPLATE = "copied-strings", "template"
LENGTHS = (1, 3, 5, 7, 10, 12, 15, 20, 25)
"""Shortest copied strings of the paper's figure 2 and table 5."""
THRESHOLDS = (900, 300, 100, 50, 30, 21.2, 15, 10, 1)
"""Those of the paper's table 4."""
TEMPLATES = (100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 220, 240, 260, 280, 300, 320, 350, 400)
"""Numbers of templates of the paper's table 6."""
RATES = (Message("precision"), Message("recall"), "F")
"""Titles of the columns of rates."""
_BINS = 40
_CORPORA = {
    "suspects": Message("labelled entries"),
    "background": Message("background"),
    "suspects+background": Message("both"),
}


def _corpora(path: Path) -> list[str]:
    """Choices of the parameter ``corpus`` that differ in this project."""
    with Session(path, write=False) as session, session.read() as connection:
        background = count_documents(connection, [Role.BACKGROUND])
    return [*_CORPORA] if background else ["suspects"]


def _by_copied_length(request: Request) -> Request:
    """``request`` with documents ranked by bl*, as in the paper, unless it names another figure."""
    question = request.question
    return replace(request, question=replace(question, score=question.score or "copied_length"))


def _by_length(ctx: Context, path: Path, request: Request) -> dict[str, list[SweepPoint]]:
    """Sweeps over the shortest copied string, by corpus."""
    request = _by_copied_length(request)
    run = base_run(ctx, path, COPIED, request)
    lengths = [int(value) for value in numbers(request, LENGTHS)]
    return {
        corpus: varied(ctx, path, run, request, {"corpus": [corpus], "min_length": lengths})
        for corpus in _corpora(path)
    }


def f_by_length(ctx: Context, path: Path, request: Request) -> Figure:
    """Best F against the shortest copied string l, a line a corpus (figure 2)."""
    lines = []
    for corpus, points in _by_length(ctx, path, request).items():
        measured = [(float(p.varied["min_length"]), p.evaluation) for p in points if p.evaluation is not None]
        x, evaluations = zip(*measured, strict=True)
        bands = [e.intervals["f1"] or (e.f1, e.f1) for e in evaluations]
        lines.append(Series(_CORPORA[corpus], x, tuple(e.f1 for e in evaluations), band=tuple(bands)))
    return Figure(
        Message("Filtering performance and the shortest copied string"),
        Axis(Message("shortest copied string l (characters)")),
        Axis("F", low=0, high=1),
        tuple(lines),
        (Message("F at its best threshold, found among all distinct scores; 95 % bootstrap intervals."),),
    )


def best_by_length(ctx: Context, path: Path, request: Request) -> Table:
    """Threshold, precision, recall and F at the best F, by corpus and l (table 5)."""
    rows: list[tuple[Cell, ...]] = []
    for corpus, points in _by_length(ctx, path, request).items():
        for p in points:
            length, e = int(p.varied["min_length"]), p.evaluation
            if e is None:
                rows.append((_CORPORA[corpus], length, None, None, None, None))
            else:
                rows.append((_CORPORA[corpus], length, e.threshold, e.precision, e.recall, e.f1))
    columns = (Message("corpus"), "l", Message("threshold"), *RATES)
    return Table(Message("Best F by shortest copied string"), columns, tuple(rows))


def by_threshold(ctx: Context, path: Path, request: Request) -> Table:
    """Precision, recall and F at given thresholds, and at the best one (table 4)."""
    request = _by_copied_length(request)
    run = base_run(ctx, path, COPIED, request)
    with Session(path, write=False) as session:
        best = evaluate(session, run.id, request.question)
        thresholds = sorted({*numbers(request, THRESHOLDS), best.threshold}, reverse=True)
        rows = tuple(_at(best.curve, threshold) for threshold in thresholds)
    note = Message(
        "Best F {f} at {threshold}, found among all {count} distinct scores.",
        f=f"{best.f1:.3f}",
        threshold=f"{best.threshold:g}",
        count=f"{len(best.curve):,}",
    )
    title = Message("Precision and recall by threshold of {method}, run {run}", method=run.method, run=run.id)
    return Table(title, (Message("threshold"), *RATES), rows, (note,))


def _at(curve: Sequence[tuple[float, float, float]], threshold: float) -> tuple[Cell, ...]:
    """Threshold, precision (None where nothing scores so much), recall and F by a curve."""
    reached = [point for point in curve if point[0] >= threshold]
    if not reached:
        return float(threshold), None, 0.0, 0.0
    _, precision, recall = reached[-1]
    both = precision + recall
    return float(threshold), precision, recall, 2 * precision * recall / both if both else 0.0


def by_templates(ctx: Context, path: Path, request: Request) -> Table:
    """Precision, recall and F by number of templates, where one template makes a splog (table 6)."""
    run = base_run(ctx, path, TEMPLATE, request)
    counts = [int(value) for value in numbers(request, TEMPLATES)]
    asked = replace(request, question=replace(request.question, score="templates"))
    points = varied(ctx, path, run, asked, {"templates": counts})
    rows: list[tuple[Cell, ...]] = []
    for p in points:
        curve = [] if p.evaluation is None else p.evaluation.curve
        rows.append((int(p.varied["templates"]), *_at(curve, 1)[1:]))
    note = Message("Looked for at most so many templates; a corpus may have fewer.")
    return Table(Message("Filtering by templates"), (Message("templates"), *RATES), tuple(rows), (note,))


def precision_recall(_ctx: Context, path: Path, request: Request) -> Figure:
    """Precision against recall of several runs on the same labels (figure 6)."""
    lines, notes = [], []
    with Session(path, write=False) as session:
        chosen = [find_run(session, n) for n in request.runs] or list(finished_runs(session).values())
        names: list[int | str] = [run.id for run in chosen]
        if not request.runs:
            names.append(LENGTH)
        for name in names:
            try:
                evaluation = evaluate(session, name, request.question)
            except UserError as error:
                notes.append(Message("{what}: {message}", what=_title(name, session), message=error.message))
                continue
            _, precision, recall = zip(*evaluation.curve, strict=True)
            title = _title(name, session)
            if evaluation.average_precision is not None:
                area = f"{evaluation.average_precision:.3f}"
                title = Message("{run} (average precision {area})", run=title, area=area)
            lines.append(Series(title, recall, precision))
    if not lines:
        raise UserError(notes[0] if notes else Message("This project has no finished run."))
    axes = Axis(Message("recall"), low=0, high=1), Axis(Message("precision"), low=0, high=1.02)
    return Figure(Message("Precision and recall"), *axes, tuple(lines), tuple(notes))


def _scored_run(session: Session) -> Run:
    """The latest finished run that has scores of documents, else the latest finished one. Raises UserError."""
    runs = list(finished_runs(session).values())
    if not runs:
        raise UserError(Message("This project has no finished run."), command="palimpsest detect P METHOD makes one.")
    return max(runs, key=lambda run: (run.scores > 0, run.id))


def _title(name: int | str, session: Session) -> Message:
    if not isinstance(name, int):
        return Message("length of the text")
    return Message("{method}, run {run}", method=find_run(session, name).method, run=name)


def score_histogram(_ctx: Context, path: Path, request: Request) -> Figure:
    """How many documents have which score, by label."""
    with Session(path, write=False) as session:
        run = find_run(session, request.runs[0]) if request.runs else _scored_run(session)
        chosen = choose(session, run, request.question)
        if chosen.kind is not TargetKind.DOCUMENT:
            raise UserError(
                Message(
                    "The labels in {set} are of {kind}s, not of documents.",
                    set=chosen.label_set,
                    kind=chosen.kind,
                )
            )
        _, scored = score(session, run.id, request.question)
        states = settled(session, chosen.label_set)
    by_value: dict[str, list[float]] = defaultdict(list)
    for (name,), value in zip(scored.names, scored.scores.tolist(), strict=True):
        if not np.isnan(value):
            state = states.get(document_target(name))
            by_value[state.value if state else Message("no label")].append(value)
    whole = np.concatenate([np.array(v) for v in by_value.values()])
    edges = np.histogram_bin_edges(whole, bins=min(_BINS, max(1, len(np.unique(whole)))))
    bars = [
        Series(value, tuple(edges.tolist()), tuple(map(float, np.histogram(values, edges)[0])), "bars")
        for value, values in sorted(by_value.items())
    ]
    figure = request.question.score or Message("score")
    title = Message("Scores of {method}, run {run}", method=run.method, run=run.id)
    return Figure(title, Axis(figure), Axis(Message("documents"), low=0), tuple(bars))
