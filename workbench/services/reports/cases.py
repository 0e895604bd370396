"""The suspects of a report as a whole: their shares over all sources, and which passages count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from workbench.base.types import Label, Run
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import items_of
from workbench.services.labels.sets import SUSPECT_LABELS
from workbench.services.labels.targets import document_target
from workbench.services.reports.anonymous import Disguise
from workbench.services.reports.data import ReportMatch, ReportPair
from workbench.services.review.counting import Place, SuspectCount, counted_in, counted_of, least_score
from workbench.services.review.judgement import Judgement
from workbench.services.review.pairs import PairRow
from workbench.services.review.shares import Shares
from workbench.services.review.sides import MatchesOfRun, suspects_of
from workbench.services.session import Session

_MANY = 3
"""Number of suspects from which all matches of the run are read at once."""


@dataclass(frozen=True, slots=True)
class Case:
    """A suspect (its id and title as the report names it) and its shares.

    Its ``passages`` consist of ``matches``. ``judgement`` is the reviewers' judgement of the suspect as a whole,
    ``notes`` are the notes without a verdict, ``earlier`` the verdicts given for another text of the document;
    ``conflicts`` counts passages on which reviewers differ. ``counts``: each match's number of counted characters in
    the suspect.
    """

    key: int
    id: str
    title: str
    shares: Shares
    passages: int
    matches: int
    judgement: Judgement | None
    conflicts: int
    counts: Mapping[Place, int]
    notes: tuple[Label, ...] = ()
    earlier: tuple[Label, ...] = ()

    def counting(self, pair: ReportPair, match: ReportMatch) -> int:
        """The number of characters of a match that count in the suspect."""
        place = (pair.b.document.key, *match.a.span, *match.b.span)
        return self.counts.get(place, match.characters)


def read_cases(
    session: Session, run: Run, rows: Sequence[PairRow], disguise: Disguise | None, *, either_side: bool = False
) -> dict[int, Case]:
    """The cases of the suspects of ``rows`` by key; with ``either_side`` also of suspects compared only as the second
    document. One text is in memory at a time. They are in the order of Review's list.
    """
    with session.read() as connection:
        second = suspects_of(connection, (row.b for row in rows)) if either_side else ()
        keys = list(dict.fromkeys((*(row.a for row in rows), *(row.b for row in rows if row.b in second))))
        least = least_score(connection, run.id)
        if len(keys) < _MANY:
            counted = (counted_in(session, connection, run.id, key, least) for key in keys)
        else:
            of_run = MatchesOfRun(connection, run.id)
            counted = (
                counted_of(session, connection, load_document(connection, key), of_run.of(key), run.id, least)
                for key in keys
            )
        cases = [
            (-one.matches.score.max(initial=0), -one.shares.matched_share, _case(session, connection, one, disguise))
            for one in counted
        ]
    return {case.key: case for _, _, case in sorted(cases, key=itemgetter(0, 1))}


def _case(session: Session, connection: Connection, counted: SuspectCount, disguise: Disguise | None) -> Case:
    item, matches = items_of(connection, [counted.a_key])[counted.a_key], counted.matches
    shares, counts = counted.shares, counted.counts()
    verdicts = session.verdicts.follow(connection)
    judgement, notes = verdicts.suspect(item.id, item.key), verdicts.suspect_notes(item.id, item.key)
    earlier = verdicts.earlier(SUSPECT_LABELS, document_target(item.id), {item.id: item.key})
    of = counted.effect.passage
    numbers = len(np.unique(of)), len(matches)
    conflicts = len(np.unique(of[counted.conflict]))
    if disguise is None:
        return Case(item.key, item.id, item.title, shares, *numbers, judgement, conflicts, counts, notes, earlier)
    judgement = None if judgement is None else disguise.judgement(judgement)
    effects = tuple(replace(effect, exclusion=disguise.exclusion(effect.exclusion)) for effect in shares.effects)
    return Case(
        item.key,
        disguise.documents[item.id],
        "",
        replace(shares, effects=effects),
        *numbers,
        judgement,
        conflicts,
        counts,
        tuple(map(disguise.label, notes)),
        tuple(map(disguise.label, earlier)),
    )
