"""Tables of labels: how much annotators agree, the share of splogs by provider, and what is found of each type."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.agreement import Coefficient
from workbench.evaluation.figures import Cell, Table
from workbench.evaluation.intervals import proportion_interval
from workbench.evaluation.thresholds import curve
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.listing import document_table
from workbench.reading.web.urls import provider
from workbench.services.labels.labelling import compare_annotators
from workbench.services.labels.sets import KINDS
from workbench.services.labels.targets import TargetKind, document_target
from workbench.services.measuring.figure_request import FigureRequest, base_run, newest_of
from workbench.services.measuring.figures_scores import COPIED, selecting_everything
from workbench.services.measuring.label_selection import choose, document_truth, score
from workbench.services.session import Session

DIGEST = "digest"
_SHARE = (Message("share"), Message("from"), Message("to"))
"""Titles of the columns of a share and its interval."""


def by_provider(_ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Labelled entries of each provider and the share of splogs among them, with an exact interval (table 3)."""
    with Session(path, write=False) as session:
        truth = document_truth(session, request.question)
        judged = Message("Labels of {set}.", set=choose(session, None, request.question).label_set)
        with session.read() as connection:
            table = document_table(connection)
    truth_by_host: defaultdict[str, list[bool]] = defaultdict(list)
    for name, site in zip(table.id, table.site, strict=True):
        if name in truth:
            truth_by_host[provider(site) if site else ""].append(truth[name])
    if not truth_by_host:
        raise UserError(Message("No document of this project has a label; there is nothing to count."))
    rows: list[tuple[Cell, ...]] = []
    for host, truths in sorted(truth_by_host.items(), key=lambda item: (-len(item[1]), item[0])):
        rows.append((host or Message("(unknown)"), *_share(sum(truths), len(truths))))
    every = [value for truths in truth_by_host.values() for value in truths]
    rows.append((Message("all"), *_share(sum(every), len(every))))
    columns = (Message("provider"), Message("labelled"), Message("splogs"), *_SHARE)
    return Table(Message("Share of splogs by provider"), columns, tuple(rows), (judged,))


def by_copied_documents(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Precision and recall of a digest run by documents: those in which it found a copy, against labels of documents
    (sections 6.2 and 6.3), with exact intervals.
    """
    run = base_run(ctx, path, DIGEST, request, TargetKind.DOCUMENT)
    with Session(path, write=False) as session:
        chosen, scored = score(session, run.id, request.question, (TargetKind.DOCUMENT,))
    flagged = np.nan_to_num(scored.scores) > 0
    right = int(np.count_nonzero(flagged & scored.positive))
    rates = ((Message("precision"), int(np.count_nonzero(flagged))), (Message("recall"), int(scored.positive.sum())))
    rows: list[tuple[Cell, ...]] = []
    for name, documents in rates:
        low, high = proportion_interval(right, documents)
        rows.append((name, right, documents, right / documents if documents else None, low, high))
    columns = (Message("rate"), Message("right"), Message("documents"), Message("value"), *_SHARE[1:])
    note = Message("Run {run}, labels of {set}.", run=run.id, set=chosen.label_set)
    return Table(Message("Documents with copies"), columns, tuple(rows), (note, *newest_of(path, run, request)))


def by_type(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """How many entries of each type score at or above the threshold of the best F (types of tables 1 and 2)."""
    run = base_run(ctx, path, COPIED, request, TargetKind.DOCUMENT)
    with Session(path, write=False) as session:
        chosen, scored = score(session, run.id, request.question)
        with session.read() as connection:
            kind_of = labels.latest_values(connection, KINDS)
    scores = np.nan_to_num(scored.scores, nan=-np.inf)
    measured = curve(scored.scores, scored.positive, complete=request.question.complete)
    threshold = float(measured.threshold[measured.best()])
    reached: defaultdict[str, list[bool]] = defaultdict(list)
    for names, value in zip(scored.names, scores.tolist(), strict=True):
        if kind := kind_of.get(document_target(names[0]), ""):
            reached[kind].append(value >= threshold)
    if not reached:
        raise UserError(Message("No document of this project has a type; there is nothing to count."))
    rows = [
        (kind, *_share(sum(values), len(values)))
        for kind, values in sorted(reached.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    note = Message(
        "Run {run}, labels of {set}; threshold of the best F: {threshold}.",
        run=run.id,
        set=chosen.label_set,
        threshold=f"{threshold:g}",
    )
    return Table(
        Message("Found by type"),
        (Message("type"), Message("entries"), Message("found"), *_SHARE),
        tuple(rows),
        (note, *selecting_everything([measured.counts(threshold)])),
    )


def _share(some: int, of: int) -> tuple[Cell, ...]:
    return (of, some, some / of, *proportion_interval(some, of))


def by_annotators(_ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Agreement over all annotators, of each two of them, and on each value, with 95 % intervals.

    Raises UserError where there are no labels, or fewer than two annotators of the same things.
    """
    with Session(path, write=False) as session:
        label_set = request.question.labels or choose(session, None, request.question).label_set
        compared = compare_annotators(session, label_set)
    measured = compared.agreement
    if measured is None:
        raise UserError(compared.problem)
    figures: list[tuple[str, Coefficient]] = [(Message("Krippendorff's alpha"), measured.alpha)]
    if measured.fleiss is not None:
        figures.append((Message("Fleiss' kappa, {raters} labels each", raters=measured.raters), measured.fleiss))
    figures += [
        (Message("Cohen's kappa, {one} and {other}", one=one, other=other), of)
        for (one, other), of in measured.cohen.items()
    ]
    figures += [(Message("specific agreement on {value}", value=value), of) for value, of in measured.values.items()]
    rows: list[tuple[Cell, ...]] = [
        (name, of.value, *(of.interval or (None, None)), of.documents) for name, of in figures
    ]
    labels = Message.joined(
        ", ", [Message("{who} {count}", who=who, count=f"{count:,}") for who, count in compared.annotators.items()]
    )
    notes = (
        Message("Labels of {set}: {labels}.", set=label_set, labels=labels),
        Message("Without a settled value: {count}.", count=f"{len(compared.unresolved):,}"),
    )
    columns = (Message("measure"), Message("value"), Message("from"), Message("to"), Message("entries"))
    return Table(Message("Agreement of annotators"), columns, tuple(rows), notes)
