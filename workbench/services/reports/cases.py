"""The suspects of a report as a whole: their shares over all sources, and which passages count."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.base.types import Matches, Run
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.matches import match_columns
from workbench.services.measuring.thresholds import UsedThreshold
from workbench.services.reports.anonymous import Disguise
from workbench.services.reports.data import ReportMatch, ReportPair
from workbench.services.review.by_hand import with_added
from workbench.services.review.counting import Place, counted_of, least_score
from workbench.services.review.either_side import matches_of_suspect
from workbench.services.review.judgement import Judgement
from workbench.services.review.pairs import PairRow
from workbench.services.review.shares import Shares
from workbench.services.session import Session

_MANY = 3
"""Suspects from which on all matches of the run are read at once."""


@dataclass(frozen=True, slots=True)
class Case:
    """A suspect (its id and title as the report names it) and its shares.

    Its ``passages`` are of ``matches``. ``judgement`` is what reviewers say of the suspect as a whole, ``conflicts``
    counts its passages on which they differ. ``counts``: of each match how many of its characters in the suspect count.
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

    def counting(self, pair: ReportPair, match: ReportMatch) -> int:
        """How many characters of a match in the suspect count."""
        place = (pair.b.document.key, *match.a.span, *match.b.span)
        return self.counts.get(place, match.characters)


def read_cases(session: Session, run: Run, rows: Sequence[PairRow], disguise: Disguise | None) -> dict[int, Case]:
    """The cases of the suspects of ``rows`` by key. One text is in memory at a time."""
    keys = list(dict.fromkeys(row.a for row in rows))
    with session.read() as connection:
        least = least_score(connection, run.id)
        if len(keys) < _MANY:
            return {
                key: _case(session, connection, matches, key, run, least, disguise, others)
                for key in keys
                for others in ({row.b for row in rows if row.a == key and row.other_side},)
                for matches in (matches_of_suspect(connection, run.id, key, sorted(others)),)
            }
        # Blocks of matches hold several suspects each: every block is read once.
        columns = with_added(connection, run.id, match_columns(connection, run.id))
        order = np.argsort(columns.a, kind="stable")
        first = np.searchsorted(columns.a[order], keys, "left").tolist()
        last = np.searchsorted(columns.a[order], keys, "right").tolist()
        return {
            key: _case(session, connection, columns.take(order[start:end]), key, run, least, disguise)
            for key, start, end in zip(keys, first, last, strict=True)
        }


def _case(
    session: Session,
    connection: Connection,
    matches: Matches,
    key: int,
    run: Run,
    least: UsedThreshold | None,
    disguise: Disguise | None,
    others: Collection[int] = (),
) -> Case:
    document = load_document(connection, key)
    counted = counted_of(session, connection, document, matches, run.id, least, others)
    shares, counts = counted.shares, counted.counts()
    judgement = session.verdicts.follow(connection).suspect(document.id)
    of = counted.reach.passage
    numbers = len(np.unique(of)), len(matches)
    conflicts = len(np.unique(of[counted.conflict]))
    if disguise is None:
        return Case(key, document.id, document.title, shares, *numbers, judgement, conflicts, counts)
    judgement = None if judgement is None else disguise.judgement(judgement)
    effects = tuple(replace(effect, exclusion=disguise.exclusion(effect.exclusion)) for effect in shares.effects)
    return Case(
        key,
        disguise.documents[document.id],
        "",
        replace(shares, effects=effects),
        *numbers,
        judgement,
        conflicts,
        counts,
    )
