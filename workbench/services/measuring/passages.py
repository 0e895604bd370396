"""A run's passages against reference passages, by the measures of PAN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Matches, Run, Span
from workbench.evaluation.intervals import Interval
from workbench.evaluation.passages import Passage, PassageMeasures, measure, missed, plagdet_interval
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.listing import ids_of, removed_keys
from workbench.project.matches import match_columns
from workbench.services.labels.sets import REFERENCE, REFERENCE_PAIRS
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import parse_pair, parse_passage
from workbench.services.measuring.label_selection import (
    CONFLICTING,
    NOT_EXAMINED,
    OTHER_TEXT,
    UNDECIDED,
    Chosen,
    Question,
    chosen_by_tags,
    documents_of_run,
)
from workbench.services.session import Session

REMOVED = Message("found in documents that were removed")
OUTSIDE = Message("found in pairs about which nothing is known")
IN_UNDECIDED = Message("found where the label is undecided")
"""Why a passage of a run is not measured."""
BY_CHARACTER = Message("Precision and recall are measured in characters and averaged over passages, as in PAN.")
BY_PASSAGE = Message(
    "Passages are counted, not their characters: one is found where a passage of the run shares characters with it on "
    "both sides."
)
"""What the figures for reference passages measure, by :func:`passage_quality`, and by a curve of passages."""
_STEPS = 100
_WORK = 2_000_000


@dataclass(frozen=True, slots=True)
class PassageQuality:
    """Character measures of the passages with at least ``threshold``; ``interval`` is for plagdet (95 %, bootstrap;
    None: too few suspects, or all the same).

    ``distinct`` counts the distinct scores; ``curve`` (threshold, precision, recall) has a row for each score, or for
    evenly spaced quantiles if that would take too long (then fewer than ``distinct``). ``missed`` are the pairs with a
    reference passage that no passage overlaps.
    """

    measures: PassageMeasures
    interval: Interval | None
    threshold: float
    reference: int
    detected: int
    distinct: int
    curve: list[tuple[float, float, float]]
    missed: tuple[tuple[str, ...], ...]
    left_out: Mapping[str, int]


def passage_quality(
    session: Session, run: Run, chosen: Chosen, threshold: float | None, question: Question
) -> PassageQuality:
    """Measure a run's passages of at least ``threshold`` (None: the best plagdet on the curve), in the suspects that
    ``question`` covers.

    If the pairs for which the reference is complete are known, only these count, as in PAN. Raises UserError without
    reference passages or without passages.
    """
    with session.read() as connection:
        removed = removed_keys(connection)
        # A removed document may have the id of a present one.
        ids = {key: name for key, name in ids_of(connection).items() if key not in removed}
        matches = match_columns(connection, run.id)
        present = in_present(connection, matches)
        among = chosen_by_tags(connection, question)
    reference, open_ones, left_out = reference_passages(session, chosen, ids, run)
    if not present.all():
        left_out[REMOVED] = int((~present).sum())
    matches = as_referred(ranked_by(matches.take(present), question.score), ids, [*reference, *open_ones])
    if among is not None:
        reference = [passage for passage in reference if passage.a in among.accepted]
        matches = matches.take(np.array([ids[a] in among.accepted for a in matches.a.tolist()], np.bool_))
    if (known := known_pairs(session, chosen)) is not None:
        both = zip(matches.a.tolist(), matches.b.tolist(), strict=True)
        inside = np.array([frozenset((ids[a], ids[b])) in known for a, b in both], np.bool_)
        matches = matches.take(inside)
        if outside := int(len(inside) - inside.sum()):
            left_out[OUTSIDE] = outside
    undecided = np.zeros(len(matches), np.bool_)
    for passages, value in ((open_ones, True), (reference, False)):
        for rows in overlapping(matches, passages, ids):
            undecided[rows] = value
    if undecided.any():
        matches = matches.take(~undecided)
        left_out[IN_UNDECIDED] = int(undecided.sum())
    if not reference:
        raise UserError(Message("There are no reference passages in the label set {set}.", set=chosen.label_set))
    if not len(matches):
        raise UserError(
            Message(
                "The run found no passage; all {reference} reference passages are missed.",
                reference=f"{len(reference):,}",
            )
        )
    distinct = np.unique(matches.score)[::-1]
    steps = min(len(distinct), max(1, min(_STEPS, _WORK // len(matches))))
    rows = np.unique(np.linspace(0, len(distinct) - 1, steps).round().astype(np.intp))
    whole = [(t, measure(reference, _passages(matches, ids, t))) for t in distinct[rows].tolist()]
    if threshold is None:
        threshold, measures = max(whole, key=lambda step: step[1].plagdet)
    else:
        measures = measure(reference, _passages(matches, ids, threshold))
    detected = _passages(matches, ids, threshold)
    pairs = sorted({(p.a, p.b) for p in missed(reference, detected)})
    try:
        interval: Interval | None = plagdet_interval(reference, detected)
    except UserError:
        interval = None
    points = [(t, m.precision, m.recall) for t, m in whole]
    return PassageQuality(
        measures,
        interval,
        threshold,
        len(reference),
        len(detected),
        len(distinct),
        points,
        tuple(pairs),
        left_out,
    )


class ReferencePassages(NamedTuple):
    """The ``positive`` passages of a label set, those whose labels are ``undecided`` or differ, with their values (""
    if they differ), and how many were left out, by reason.
    """

    positive: list[Passage]
    undecided: dict[Passage, str]
    left_out: dict[str, int]


def reference_passages(session: Session, chosen: Chosen, ids: Mapping[int, str], run: Run) -> ReferencePassages:
    """The passages of a label set in documents of the run. What the run found in an undecided one is neither right nor
    wrong.
    """
    known = frozenset(ids.values())
    with session.read() as connection:
        documents = documents_of_run(connection, run)
    positive: list[Passage] = []
    undecided: dict[Passage, str] = {}
    left_out: Counter[str] = Counter()
    for target, state in settled(session, chosen.label_set).items():
        parsed = parse_passage(target, known)
        if parsed is None:
            continue
        passage = Passage(*parsed)
        if passage.a not in documents or passage.b not in documents:
            left_out[NOT_EXAMINED] += 1
        elif state.of_other:
            left_out[OTHER_TEXT] += 1
        elif state.value in chosen.meaning.positive:
            positive.append(passage)
        elif not state.value or state.value in chosen.meaning.undecided:
            undecided[passage] = state.value
            left_out[UNDECIDED if state.value else CONFLICTING] += 1
    return ReferencePassages(positive, undecided, dict(left_out))


def overlapping(matches: Matches, passages: Iterable[Passage], ids: Mapping[int, str]) -> Iterator[NDArray[np.intp]]:
    """For each of ``passages``, the rows of the matches of its pair that share characters with it on both sides."""
    key = {name: number for number, name in ids.items()}
    pair = matches.a << 32 | matches.b
    order = np.argsort(pair, kind="stable")
    for passage in passages:
        code = key[passage.a] << 32 | key[passage.b]
        near = order[slice(*np.searchsorted(pair, (code, code + 1), sorter=order))]
        (a_start, a_end), (b_start, b_end) = passage.a_span, passage.b_span
        on_a = (matches.a_start[near] < a_end) & (matches.a_end[near] > a_start)
        yield near[on_a & (matches.b_start[near] < b_end) & (matches.b_end[near] > b_start)]


def ranked_by(matches: Matches, figure: str) -> Matches:
    """``matches`` with a ``figure`` of their evidence as the score ("": their own). Raises UserError if they have none
    of that name.
    """
    if figure in ("", "score") or not len(matches):
        return matches
    if figure not in matches.evidence:
        figures = ", ".join(sorted(matches.evidence))
        raise UserError(
            Message("The run has no value {name}.", name=figure),
            hint=Message("Available: score, {figures}.", figures=figures) if figures else "",
        )
    return replace(matches, score=matches.evidence[figure].astype(np.float64))


def in_present(connection: Connection, matches: Matches) -> NDArray[np.bool_]:
    """Which of the n matches are between documents that were not removed, bool[n]: only their labels are measured."""
    removed = np.array(sorted(removed_keys(connection)), np.int64)
    present: NDArray[np.bool_] = ~(np.isin(matches.a, removed) | np.isin(matches.b, removed))
    return present


def as_referred(matches: Matches, ids: Mapping[int, str], reference: Sequence[Passage]) -> Matches:
    """``matches``, with the sides exchanged for pairs that the run compared only in reverse to ``reference``."""
    directions = {(passage.a, passage.b) for passage in reference}
    code, reverse = matches.a << 32 | matches.b, matches.b << 32 | matches.a
    either = np.unique(np.column_stack((matches.a, matches.b))[~np.isin(reverse, code)], axis=0).tolist()
    named = [(a << 32 | b, ids.get(a, ""), ids.get(b, "")) for a, b in either]
    turned = [pair for pair, a, b in named if (b, a) in directions and (a, b) not in directions]
    rows = np.isin(code, np.array(turned, np.int64))
    return Matches.concatenate([matches.take(~rows), matches.take(rows).from_other_side()]) if rows.any() else matches


def known_pairs(session: Session, chosen: Chosen) -> set[frozenset[str]] | None:
    """The pairs for which the corpus lists the passages; None if it names none."""
    with session.read() as connection:
        stated = labels.latest_values(connection, REFERENCE_PAIRS) if chosen.label_set == REFERENCE else {}
    return {frozenset(pair) for target in stated if (pair := parse_pair(target))} or None


def _passages(matches: Matches, ids: Mapping[int, str], threshold: float) -> list[Passage]:
    chosen = matches.take(matches.score >= threshold)
    columns = (chosen.a, chosen.a_start, chosen.a_end, chosen.b, chosen.b_start, chosen.b_end)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Passage(ids[a], Span(a0, a1), ids[b], Span(b0, b1)) for a, a0, a1, b, b0, b1 in rows]
