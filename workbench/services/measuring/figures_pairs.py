"""Figures of near-duplicate pages: by Huang, Wang and Li on trustable LCS, and a comparison of methods."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.evaluation.intervals import proportion_interval
from workbench.evaluation.thresholds import curve
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.listing import document_table
from workbench.services.choosing import find_run
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.figure_request import FigureRequest, base_run, finished_runs, newest_of, numbers
from workbench.services.measuring.figures_trustable import candidate_pairs
from workbench.services.measuring.label_selection import Scored, score
from workbench.services.measuring.sweeping import runs_over
from workbench.services.session import Session

METHOD = "trustable-lcs"
SLOPES = (0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20)
RECALL = 0.90
"""Recall at which the paper's figure 7 measures precision."""


def by_slope(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Precision at a fixed recall against the slope threshold, similarity by resemblance alone (figure 7).

    Recall is among the compared pairs, as the paper measures it within its candidate sets.
    """
    run = base_run(ctx, path, METHOD, request, TargetKind.PAIR)
    slopes = numbers(request, SLOPES)
    alone = {"min_resemblance": [0.0], "min_containment": [1.01]}
    compared = candidate_pairs(ctx, path, run)
    x, y, bands, below = [], [], [], []
    highest, positives, labelled, label_set = 0.0, 0, 0, ""
    for settings, one in runs_over(ctx, path, run, {"slope": slopes, **alone}, workers=request.workers):
        with Session(path, write=False) as session:
            chosen, scored = score(session, one.id, request.question, (TargetKind.PAIR,))
        inside = scored.among([frozenset(pair) in compared for pair in scored.names])
        positives, labelled, label_set = int(inside.positive.sum()), inside.labelled, chosen.label_set
        best = _at_recall(inside)
        highest = max(highest, best.reached)
        if best.selected:
            x.append(float(settings["slope"]))
            y.append(best.right / best.selected)
            bands.append(proportion_interval(best.right, best.selected))
        else:
            below.append(f"{settings['slope']:g}")
    if not positives:
        raise UserError(Message("No pair that was compared is labelled a near-duplicate; recall cannot be measured."))
    if not x:
        raise UserError(
            Message(
                "No slope threshold reaches a recall of {recall}; the highest is {highest}.",
                recall=f"{RECALL:g}",
                highest=f"{highest:.2f}",
            ),
            hint=Message("More slope thresholds can be given with --values."),
        )
    missed = Message("A recall of {recall} is not reached at {slopes}.", recall=f"{RECALL:g}", slopes=", ".join(below))
    judged = Message(
        "Run {run} of {method}, labels of {set}: {positives} of the {count} labelled pairs that were compared are "
        "near-duplicates. Recall is measured among compared pairs, as in the paper.",
        run=run.id,
        method=METHOD,
        set=label_set,
        positives=f"{positives:,}",
        count=f"{labelled:,}",
    )
    notes = [judged, *newest_of(path, run, request), Message("Exact 95 % intervals.")] + [missed] * bool(below)
    rate = Message("precision at recall >= {recall}", recall=f"{RECALL:g}")
    axes = Axis(Message("slope threshold (edits per character)")), Axis(rate, low=0, high=1.02)
    line = Series(METHOD, tuple(x), tuple(y), band=tuple(bands))
    return Figure(Message("Slope threshold and precision"), *axes, (line,), tuple(notes))


class _Reached(NamedTuple):
    """``right`` of ``selected`` pairs at the best precision with recall RECALL (0: none), and the highest recall
    reached.
    """

    right: int
    selected: int
    reached: float


def _at_recall(scored: Scored) -> _Reached:
    reported, positives = ~np.isnan(scored.scores), int(scored.positive.sum())
    if not positives or not reported.any():
        return _Reached(0, 0, 0.0)
    whole = curve(scored.scores, scored.positive, TargetKind.PAIR.value, complete=True)
    rows = np.flatnonzero(whole.recall >= RECALL)
    highest = float(whole.recall[-1])
    if not len(rows):
        return _Reached(0, 0, highest)
    row = rows[np.argmax(whole.precision[rows])]
    return _Reached(int(whole.true_positive[row]), int(whole.selected[row]), highest)


def methods_on_pairs(_ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Precision and recall of the pairs that runs report, overall and among pages of one site (section 5.4)."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    problem: UserError | None = None
    with Session(path, write=False) as session:
        runs = [find_run(session, n) for n in request.runs] or list(finished_runs(session).values())
        with session.read() as connection:
            table = document_table(connection)
        sites = dict(zip(table.id, table.site, strict=True))
        for run in runs:
            if "pairs" not in registry.get(run.method).emits:
                continue
            try:
                _, scored = score(session, run.id, request.question, (TargetKind.PAIR,))
            except UserError as error:
                problem = problem or error
                notes.append(Message("{what}: {message}", what=run.method, message=error.message))
                continue
            rows.append((run.method, run.id, Message("all"), *_figures(scored)))
            same = [len({sites.get(n, "") or n for n in pair}) == 1 for pair in scored.names]
            if any(same):
                rows.append((run.method, run.id, Message("same site"), *_figures(scored.among(same))))
    if not rows:
        raise problem or UserError(Message("This project has no finished run of a method that reports pairs."))
    columns = (
        Message("method"),
        Message("run"),
        Message("pairs"),
        Message("labelled"),
        Message("reported"),
        Message("precision"),
        Message("recall"),
        "F",
    )
    return Table(Message("Near-duplicate pairs by method"), columns, tuple(rows), tuple(notes))


def _figures(scored: Scored) -> tuple[Cell, ...]:
    """Labelled pairs, those reported, and precision, recall and F of the reported ones."""
    reported = ~np.isnan(scored.scores)
    right, positives, count = int((reported & scored.positive).sum()), int(scored.positive.sum()), int(reported.sum())
    precision = right / count if count else None
    recall = right / positives if positives else None
    f = 2 * right / (count + positives) if count + positives else None
    return scored.labelled, count, precision, recall, f
