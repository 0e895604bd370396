"""Figures of near-duplicate pages: those of Huang, Wang and Li on trustable LCS, and methods side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.evaluation.intervals import proportion_interval
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.listing import document_table
from workbench.services.labels.targets import TargetKind
from workbench.services.listing import find_run
from workbench.services.measuring.figure_request import Request, base_run, finished_runs, numbers, varied
from workbench.services.measuring.figures_scores import judged_by
from workbench.services.measuring.truth import Scored, score
from workbench.services.session import Session

METHOD = "trustable-lcs"
SLOPES = (0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20)
RECALL = 0.90
"""Recall at which the paper's figure 7 measures precision."""


def by_slope(ctx: Context, path: Path, request: Request) -> Figure:
    """Precision at a fixed recall against the slope threshold, similarity by resemblance alone (figure 7)."""
    run = base_run(ctx, path, METHOD, request, TargetKind.PAIR, TargetKind.DOCUMENT)
    slopes = numbers(request, SLOPES)
    alone = {"min_resemblance": [0.0], "min_containment": [1.01]}
    points = varied(ctx, path, run, request, {"slope": slopes, **alone})
    x, y, bands, below = [], [], [], []
    for point in points:
        measured = point.evaluation
        reached = [] if measured is None else [p for p in measured.curve if p[2] >= RECALL]
        if measured is not None and reached:
            x.append(float(point.varied["slope"]))
            precision, recall = max((precision, recall) for _, precision, recall in reached)
            y.append(precision)
            right = round(recall * measured.positives)
            bands.append(proportion_interval(right, round(right / precision) if precision else 0))
        else:
            below.append(f"{point.varied['slope']:g}")
    if not x:
        raise UserError(Message("No slope threshold reaches a recall of {recall}.", recall=f"{RECALL:g}"))
    missed = Message("A recall of {recall} is not reached at {slopes}.", recall=f"{RECALL:g}", slopes=", ".join(below))
    judged = next(judged_by(run, point.evaluation) for point in points if point.evaluation is not None)
    notes = [judged, Message("Exact 95 % intervals.")] + [missed] * bool(below)
    rate = Message("precision at recall >= {recall}", recall=f"{RECALL:g}")
    axes = Axis(Message("slope threshold (edits for a character)")), Axis(rate, low=0, high=1.02)
    line = Series(METHOD, tuple(x), tuple(y), band=tuple(bands))
    return Figure(Message("Slope threshold and precision"), *axes, (line,), tuple(notes))


def methods_on_pairs(_ctx: Context, path: Path, request: Request) -> Table:
    """Precision and recall of the pairs that runs report, overall and among pages of one site (section 5.4)."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    with Session(path, write=False) as session:
        runs = [find_run(session, n) for n in request.runs] or list(finished_runs(session).values())
        with session.read() as connection:
            table = document_table(connection)
        sites = dict(zip(table.id, table.site, strict=True))
        for run in runs:
            if "pairs" not in registry.get(run.method).emits:
                continue
            try:
                chosen, scored = score(session, run.id, request.question)
            except UserError as error:
                notes.append(Message("{what}: {message}", what=run.method, message=error.message))
                continue
            if chosen.kind is not TargetKind.PAIR:
                continue
            rows.append((run.method, run.id, Message("all"), *_figures(scored)))
            same = [i for i, pair in enumerate(scored.names) if len({sites.get(n, "") or n for n in pair}) == 1]
            if same:
                inner = Scored(tuple(scored.names[i] for i in same), scored.scores[same], scored.positive[same])
                rows.append((run.method, run.id, Message("same site"), *_figures(inner)))
    if not rows:
        raise UserError(
            notes[0] if notes else Message("This project has no finished run of a method that reports pairs.")
        )
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
    """Labelled pairs, reported ones among them, precision, recall and F of what is reported."""
    reported = ~np.isnan(scored.scores)
    right, positives, count = int((reported & scored.positive).sum()), int(scored.positive.sum()), int(reported.sum())
    precision = right / count if count else None
    recall = right / positives if positives else None
    f = 2 * right / (count + positives) if count + positives else None
    return len(scored.positive), count, precision, recall, f
