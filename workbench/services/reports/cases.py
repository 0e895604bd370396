"""The suspects of a report as a whole: their shares over all sources, and which passages count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.base.types import Matches, Run
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.matches import matches_of
from workbench.services.reports.anonymous import Disguise
from workbench.services.review.pairs import PairRow
from workbench.services.review.shares import Shares, parts_that_count, shares_of
from workbench.services.session import Session

Place = tuple[int, int, int, int, int]
"""Key of the source, start and end in the suspect, start and end in the source."""


@dataclass(frozen=True, slots=True)
class Case:
    """A suspect (its id and title as the report names it) and its shares.

    ``counts``: of each passage how many of its characters in the suspect count.
    """

    key: int
    id: str
    title: str
    shares: Shares
    counts: dict[Place, int]


def read_cases(session: Session, run: Run, rows: Sequence[PairRow], disguise: Disguise | None) -> dict[int, Case]:
    """The cases of the suspects of ``rows`` by key. One text is in memory at a time."""
    found = {}
    with session.read() as connection:
        for key in dict.fromkeys(row.a for row in rows):
            found[key] = _case(session, connection, run, key, disguise)
    return found


def _case(session: Session, connection: Connection, run: Run, key: int, disguise: Disguise | None) -> Case:
    document = load_document(connection, key)
    matches = matches_of(connection, run.id, a=key)
    shares = shares_of(session, connection, document, matches)
    counts = {
        _place(matches, row): sum(span.end - span.start for span in parts_that_count(shares, matches, row))
        for row in range(len(matches))
    }
    if disguise is None:
        return Case(key, document.id, document.title, shares, counts)
    effects = tuple(replace(effect, exclusion=disguise.exclusion(effect.exclusion)) for effect in shares.effects)
    return Case(key, disguise.documents[document.id], "", replace(shares, effects=effects), counts)


def _place(matches: Matches, row: int) -> Place:
    columns = (matches.b, matches.a_start, matches.a_end, matches.b_start, matches.b_end)
    b, a_start, a_end, b_start, b_end = (int(column[row]) for column in columns)
    return b, a_start, a_end, b_start, b_end
