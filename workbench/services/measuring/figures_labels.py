"""Tables of labels: agreement, the share of splogs by provider, the recall of each type, and the calibration of a run's
scores.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message, threshold_text
from workbench.base.types import Match, Run, Span
from workbench.evaluation.agreement import Coefficient, reliability
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.evaluation.intervals import proportion_interval
from workbench.evaluation.passages import Passage
from workbench.evaluation.thresholds import curve
from workbench.jobs.context import Context
from workbench.project.listing import document_table, ids_of
from workbench.project.matches import match_columns
from workbench.reading.web.urls import provider
from workbench.services.choosing import find_run
from workbench.services.labels.labelling import compare_annotators
from workbench.services.labels.sets import KINDS
from workbench.services.labels.settling import settled, settled_values
from workbench.services.labels.targets import TargetKind, document_target, parse_passage
from workbench.services.measuring.figure_request import FigureRequest, base_run, newest_of
from workbench.services.measuring.figures_scores import COPIED, selecting_everything
from workbench.services.measuring.label_selection import (
    Chosen,
    Question,
    choose,
    chosen_by_tags,
    document_truth,
    score,
)
from workbench.services.measuring.passages import as_referred, in_present, known_pairs, ranked_by
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
    """Precision and recall of a digest run in finding documents with a copy, against labels of documents (sections 6.2
    and 6.3), with exact intervals.
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
            kind_of = settled_values(connection, KINDS)
    scores = np.nan_to_num(scored.scores, nan=-np.inf)
    measured = curve(scored.scores, scored.positive, complete=request.question.complete)
    threshold = float(measured.threshold[measured.best()])
    reached: defaultdict[str, list[bool]] = defaultdict(list)
    for names, value in zip(scored.names, scores.tolist(), strict=True):
        if (kind := kind_of.get(document_target(names[0]))) is not None:
            reached[kind or Message("(unknown)")].append(value >= threshold)
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
        threshold=threshold_text(threshold),
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
    """Agreement of all annotators, of each pair, and on each value, with 95 % intervals.

    Raises UserError if there are no labels, or fewer than two annotators of the same items.
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


METHOD = "copies"
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JudgedMatches:
    """n matches decided by labels: ``scores`` float64 [n] and whether they are ``right``, bool [n].

    ``unknown`` matches are left out: nobody labelled more than half of them.
    """

    scores: NDArray[np.float64]
    right: NDArray[np.bool_]
    unknown: int


def judged_matches(session: Session, run: Run, chosen: Chosen, question: Question) -> JudgedMatches:
    """A run's matches that ``question`` covers, in documents that were not removed, judged by the passages in a label
    set.

    A match is right if more than half of it, on the suspect's side, is in a positive passage of its pair that it also
    overlaps in the source; wrong if this holds for a negative passage, or if the reference is complete for its pair.
    """
    with session.read() as connection:
        ids = ids_of(connection)
        matches = match_columns(connection, run.id)
        matches = ranked_by(matches.take(in_present(connection, matches)), question.score)
        among = chosen_by_tags(connection, question)
    positive, negative = _labelled(session, chosen, frozenset(ids.values()))
    labelled = [
        Passage(a, one, b, other) for of in (positive, negative) for (a, b), rows in of.items() for one, other in rows
    ]
    matches = as_referred(matches, ids, labelled)
    complete = known_pairs(session, chosen) or set()
    scores, right, unknown = [], [], 0
    for match in matches:
        pair = ids[match.a], ids[match.b]
        if among is not None and pair[0] not in among.accepted:
            continue
        if _in(match, positive.get(pair, [])):
            right.append(True)
        elif frozenset(pair) in complete or _in(match, negative.get(pair, [])):
            right.append(False)
        else:
            unknown += 1
            continue
        scores.append(match.score)
    return JudgedMatches(np.array(scores, np.float64), np.array(right, np.bool_), unknown)


_Passages = dict[_Pair, list[tuple[Span, Span]]]


def _labelled(session: Session, chosen: Chosen, known: frozenset[str]) -> tuple[_Passages, _Passages]:
    """Limits of the passages with a positive value, and of those with a negative one, by pair; without those that were
    labelled in another text of a document.
    """
    passages: tuple[_Passages, _Passages] = (defaultdict(list), defaultdict(list))
    for target, state in settled(session, chosen.label_set).items():
        passage = parse_passage(target, known)
        undecided = not state.value or state.value in chosen.meaning.undecided
        if passage is None or undecided or state.of_other:
            continue
        a, a_span, b, b_span = passage
        passages[state.value not in chosen.meaning.positive][a, b].append((a_span, b_span))
    return passages


def _in(match: Match, passages: list[tuple[Span, Span]]) -> bool:
    size = match.a_span.end - match.a_span.start
    return any(2 * a.overlap(match.a_span) > size and b.overlap(match.b_span) > 0 for a, b in passages)


def by_confidence(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Share of right passages against their confidence: a reliability diagram.

    Raises UserError if the run's scores are not probabilities, or no label decides on its passages.
    """
    with Session(path, write=False) as session:
        number = request.one_run()
        run = None if number is None else find_run(session, number)
    run = run or base_run(ctx, path, METHOD, request, TargetKind.PASSAGE)
    with Session(path, write=False) as session:
        chosen = choose(session, run, request.question)
        if chosen.kind is not TargetKind.PASSAGE:
            raise UserError(
                Message(
                    "The labels in {set} are of {kinds}, not of passages.",
                    set=chosen.label_set,
                    kinds=chosen.kind.plural,
                )
            )
        judged = judged_matches(session, run, chosen, request.question)
    if not len(judged.scores):
        raise UserError(Message("No label in {set} decides on a passage of run {id}.", set=chosen.label_set, id=run.id))
    if judged.scores.min() < 0 or judged.scores.max() > 1:
        raise UserError(Message("The scores of {method} are not probabilities.", method=run.method))
    bins = reliability(judged.scores, judged.right)
    counts = [(round(b.right * b.items), b.items) for b in bins]
    bands = tuple(proportion_interval(n, items) for n, items in counts)
    error = sum(b.items * abs(b.claimed - b.right) for b in bins) / len(judged.scores)
    brier = float(np.mean((judged.scores - judged.right) ** 2))
    wrong = int((~judged.right).sum())
    notes = (
        Message(
            "{matches}, {wrong} of them wrong; left out: {unknown} that no label decides.",
            matches=Counted("{count} match", "{count} matches", len(judged.scores)),
            wrong=f"{wrong:,}",
            unknown=f"{judged.unknown:,}",
        ),
        Message(
            "Expected calibration error {error}, Brier score {brier}; exact 95 % intervals of each share.",
            error=f"{error:.3f}",
            brier=f"{brier:.3f}",
        ),
    )
    return Figure(
        Message("Reliability of {method}, run {run}", method=run.method, run=run.id),
        Axis(Message("confidence claimed (mean of a bin)"), low=0, high=1.02),
        Axis(Message("share that is correct"), low=0, high=1.02),
        (Series(Message("observed"), tuple(b.claimed for b in bins), tuple(b.right for b in bins), band=bands),),
        notes,
        (Series(Message("as claimed"), (0.0, 1.0), (0.0, 1.0)),),
    )
