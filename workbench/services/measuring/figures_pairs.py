"""Figures of near-duplicate pages: those of Huang, Wang and Li on trustable LCS, and methods side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Run
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.documents import load_document
from workbench.project.listing import document_table
from workbench.project.pairs import pairs_of
from workbench.services.labels.targets import TargetKind
from workbench.services.listing import find_run
from workbench.services.measuring.figure_request import Request, base_run, finished_runs, numbers, varied
from workbench.services.measuring.sweeping import runs_over
from workbench.services.measuring.truth import Scored, score
from workbench.services.session import Session

METHOD = "trustable-lcs"
ROTATIONS = tuple(range(1, 17))
"""With seven groups: the 7 to 112 fingerprints of the paper's figure 5."""
WINDOWS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
"""Characters; two bytes of GBK each in the paper's figure 6."""
SLOPES = (0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20)
RECALL = 0.90
"""Recall at which the paper's figure 7 measures precision."""
_SAMPLE = 100


def by_fingerprints(ctx: Context, path: Path, request: Request) -> Figure:
    """Coverage and trustable rate against the number of fingerprints (figure 5).

    Trustable rate: near-duplicates among the candidates. Coverage: pairs found, of those that any setting finds.
    """
    from workbench.methods.trustable_lcs.method import REFUSED

    run = base_run(ctx, path, METHOD, request)
    rotations = [int(value) for value in numbers(request, ROTATIONS)]
    steps = []
    for values, varied_run in runs_over(ctx, path, run, {"rotations": rotations}, workers=request.workers):
        with Session(path, write=False) as session:
            found = _reported(session, varied_run)
        refused = sum(varied_run.excluded.get(reason, 0) for reason in REFUSED.values())
        steps.append((values["rotations"] * int(varied_run.parameters["groups"]), found, len(found) + refused))
    whole = frozenset[tuple[int, int]]().union(*(found for _, found, _ in steps))
    if not whole:
        raise UserError(Message("No setting finds a near-duplicate pair; there is nothing to draw."))
    x = tuple(float(count) for count, _, _ in steps)
    lines = (
        Series(Message("coverage rate"), x, tuple(len(found) / len(whole) for _, found, _ in steps)),
        Series(Message("trustable rate"), x, tuple(len(found) / max(1, candidates) for _, found, candidates in steps)),
    )
    note = Message("Coverage of the {count} pairs that any of these settings finds.", count=f"{len(whole):,}")
    axes = Axis(Message("fingerprints of a page, at most")), Axis(Message("rate"), low=0, high=1.02)
    return Figure(Message("Number of fingerprints"), *axes, lines, (note,))


def _reported(session: Session, run: Run) -> frozenset[tuple[int, int]]:
    with session.read() as connection:
        return frozenset((min(p.a, p.b), max(p.a, p.b)) for p in pairs_of(connection, run.id))


def by_window(ctx: Context, path: Path, request: Request) -> Figure:
    """Strain-away and reserved rate against the window of the filter skeleton (figure 6).

    Reserved: |TLCS| with the filter, of that without (a window of one character takes out nothing that could match),
    over pairs the run reports. Strain-away: share of the characters taken out, over pairs it does not report.
    """
    from workbench.kernels.trustable_lcs.skeleton import skeletons
    from workbench.methods.trustable_lcs.method import TrustableParameters
    from workbench.methods.trustable_lcs.pair import Page, examine

    run = base_run(ctx, path, METHOD, request)
    windows = [int(value) for value in numbers(request, WINDOWS)]
    parsed = registry.get(METHOD).parameters.parse(run.parameters)
    assert isinstance(parsed, TrustableParameters)
    open_to_all = replace(parsed, min_resemblance=0.0, min_containment=0.0)
    with Session(path, write=False) as session:
        similar, others, total = _pairs_to_try(session, run)
        pages = {
            key: Page.of(text, parsed) for key, text in _texts(session, {k for p in (*similar, *others) for k in p})
        }
    reserved, strained = [], []
    plain = [examine(pages[a], pages[b], replace(open_to_all, window=1), ctx).common for a, b in similar]
    for step, window in enumerate(windows):
        ctx.advance(Message("Measuring"), step, len(windows))
        parameters = replace(open_to_all, window=window)
        kept = [examine(pages[a], pages[b], parameters, ctx).common for a, b in similar]
        reserved.append(float(np.mean([k / p for k, p in zip(kept, plain, strict=True) if p] or [0.0])))
        left = size = 0
        for a, b in others:
            ctx.check()
            in_a, in_b = skeletons(pages[a].folded, pages[b].folded, window)
            left += int(in_a.sum()) + int(in_b.sum())
            size += len(pages[a]) + len(pages[b])
        strained.append(1 - left / size if size else 0.0)
    ctx.advance(Message("Measuring"), len(windows), len(windows))
    x = tuple(map(float, windows))
    lines = (
        Series(Message("strain-away rate"), x, tuple(strained)),
        Series(Message("reserved rate"), x, tuple(reserved)),
    )
    note = Message(
        "{reported} of {total} reported pairs, {others} random pairs that are not reported.",
        reported=f"{len(similar):,}",
        total=f"{total:,}",
        others=f"{len(others):,}",
    )
    axes = Axis(Message("window of the filter skeleton (characters)")), Axis(Message("rate"), low=0, high=1.02)
    return Figure(Message("Window of the filter skeleton"), *axes, lines, (note,))


def _pairs_to_try(session: Session, run: Run) -> tuple[list[tuple[int, int]], list[tuple[int, int]], int]:
    """At most 100 pairs that the run reports, as many that it does not, and how many it reports. Raises UserError."""
    reported = _reported(session, run)
    with session.read() as connection:
        table = document_table(connection)
    keys = [int(key) for key, length in zip(table.key, table.length, strict=True) if length]
    if not reported:
        raise UserError(Message("Run {id} reports no pair; there is nothing to measure.", id=run.id))
    random = Random(0)
    similar = random.sample(sorted(reported), min(_SAMPLE, len(reported)))
    others: set[tuple[int, int]] = set()
    for _ in range(10 * _SAMPLE):
        if len(others) < _SAMPLE and len(keys) > 1:
            a, b = sorted(random.sample(keys, 2))
            if (a, b) not in reported:
                others.add((a, b))
    return similar, sorted(others), len(reported)


def _texts(session: Session, keys: set[int]) -> list[tuple[int, str]]:
    with session.read() as connection:
        documents: Sequence[Document] = [load_document(connection, key) for key in sorted(keys)]
    return [(document.key, document.text) for document in documents]


def by_slope(ctx: Context, path: Path, request: Request) -> Figure:
    """Precision at a fixed recall against the slope threshold, similarity by resemblance alone (figure 7)."""
    run = base_run(ctx, path, METHOD, request)
    slopes = numbers(request, SLOPES)
    alone = {"min_resemblance": [0.0], "min_containment": [1.01]}
    points = varied(ctx, path, run, request, {"slope": slopes, **alone})
    x, y, below = [], [], []
    for point in points:
        reached = [] if point.evaluation is None else [p for p in point.evaluation.curve if p[2] >= RECALL]
        if reached:
            x.append(float(point.varied["slope"]))
            y.append(max(precision for _, precision, _ in reached))
        else:
            below.append(f"{point.varied['slope']:g}")
    if not x:
        raise UserError(Message("No slope threshold reaches a recall of {recall}.", recall=f"{RECALL:g}"))
    missed = Message("A recall of {recall} is not reached at {slopes}.", recall=f"{RECALL:g}", slopes=", ".join(below))
    notes = (missed,) if below else ()
    precision = Message("precision at recall >= {recall}", recall=f"{RECALL:g}")
    axes = Axis(Message("slope threshold (edits for a character)")), Axis(precision)
    return Figure(Message("Slope threshold and precision"), *axes, (Series(METHOD, tuple(x), tuple(y)),), notes)


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
