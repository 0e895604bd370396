"""Figures of passages: whether a run's scores are right as often as they claim."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Match, Run, Span
from workbench.evaluation.agreement import reliability
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.evaluation.intervals import proportion_interval
from workbench.jobs.context import Context
from workbench.project.listing import ids_of
from workbench.project.matches import match_columns
from workbench.services.choosing import find_run
from workbench.services.labels.labelling import settled
from workbench.services.labels.targets import TargetKind, parse_passage
from workbench.services.measuring.figure_request import FigureRequest, base_run
from workbench.services.measuring.label_selection import Chosen, choose
from workbench.services.measuring.passages import known_pairs
from workbench.services.session import Session

METHOD = "copies"
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JudgedMatches:
    """n matches that labels decide on: ``scores`` float64 [n] and whether they are ``right``, bool [n].

    ``unknown`` matches are left out: nobody labelled more than half of them.
    """

    scores: NDArray[np.float64]
    right: NDArray[np.bool_]
    unknown: int


def judged_matches(session: Session, run: Run, chosen: Chosen) -> JudgedMatches:
    """A run's matches as the passages in a label set decide.

    A match is right where more than half of it, on the suspect's side, lies in a positive passage of its pair that it
    also meets in the source; wrong where it lies so in a negative one, or where the reference is complete for its pair.
    """
    with session.read() as connection:
        ids = ids_of(connection)
        matches = match_columns(connection, run.id)
    positive, negative = _labelled(session, chosen, frozenset(ids.values()))
    complete = known_pairs(session, chosen) or set()
    scores, right, unknown = [], [], 0
    for match in matches:
        pair = ids[match.a], ids[match.b]
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
    """Limits of the passages with a positive value, and of those with a negative one, by pair."""
    passages: tuple[_Passages, _Passages] = (defaultdict(list), defaultdict(list))
    for target, state in settled(session, chosen.label_set).items():
        passage = parse_passage(target, known)
        if passage is None or not state.value or state.value in chosen.meaning.undecided:
            continue
        a, a_span, b, b_span = passage
        passages[state.value not in chosen.meaning.positive][a, b].append((a_span, b_span))
    return passages


def _in(match: Match, passages: list[tuple[Span, Span]]) -> bool:
    size = match.a_span.end - match.a_span.start
    return any(2 * a.overlap(match.a_span) > size and b.overlap(match.b_span) > 0 for a, b in passages)


def by_confidence(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Share of the passages that are right against the confidence claimed for them: a reliability diagram.

    Raises UserError where the run's scores are no probabilities, or no label decides on its passages.
    """
    with Session(path, write=False) as session:
        run = find_run(session, request.runs[0]) if request.runs else None
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
        judged = judged_matches(session, run, chosen)
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
            "{count} passages, {wrong} of them wrong; left out: {unknown} that no label decides.",
            count=f"{len(judged.scores):,}",
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
