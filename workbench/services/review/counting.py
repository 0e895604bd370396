"""What counts of a suspect in a run, kept up to date with the label log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document, Ints, Label, Matches
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import items_of
from workbench.project.matches import matches_of
from workbench.services.labels.sets import ATTACHED, EXCLUSIONS, LABEL_SET, MatchVerdict
from workbench.services.labels.targets import passages
from workbench.services.review.by_hand import BY_HAND, with_added
from workbench.services.review.exclusions import exclusions
from workbench.services.review.judgement import Judgement
from workbench.services.review.shares import Reach, Shares, reach
from workbench.services.review.verdict_index import VerdictIndex, touched
from workbench.services.session import Session

NOT_A_COPY = MatchVerdict.NOT_COPY.value
Place = tuple[int, int, int, int, int]
"""A passage of a suspect: key of the source, start and end in the suspect, start and end in the source."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What counts of suspect ``a`` (key ``a_key``) in a run, over its n ``matches``, as of event ``last`` of the log.

    ``sources`` are the ids of the sources by key. ``conflict`` and ``not_copy`` bool[n]: passages on which reviewers
    differ, and those judged no copies.
    """

    run_id: int
    a_key: int
    a: str
    matches: Matches
    sources: Mapping[int, str]
    reach: Reach
    conflict: NDArray[np.bool_]
    not_copy: NDArray[np.bool_]
    shares: Shares
    last: int

    @property
    def characters(self) -> Ints:
        """How many characters of each passage count in the suspect, int64[n]."""
        return np.where(self.shares.kept, self.reach.characters, 0)

    def count_of(self, place: Place) -> int | None:
        """How many characters of a passage count; None for one that the run does not have."""
        b, *limits = place
        m = self.matches
        same = m.b == b
        for column, limit in zip((m.a_start, m.a_end, m.b_start, m.b_end), limits, strict=True):
            same = same & (column == limit)
        rows = np.flatnonzero(same)
        return int(self.characters[rows[0]]) if len(rows) else None

    def counts(self) -> dict[Place, int]:
        """How many characters of each passage count."""
        m = self.matches
        places = zip(*(column.tolist() for column in (m.b, m.a_start, m.a_end, m.b_start, m.b_end)), strict=True)
        return dict(zip(places, self.characters.tolist(), strict=True))


def read_counted(session: Session, run_id: int, a_key: int) -> Counted:
    """What counts of suspect ``a_key`` in the run. Raises ProjectError for an unknown key."""
    with session.read() as connection:
        return _read(session, connection, run_id, a_key)


def _read(session: Session, connection: Connection, run_id: int, a_key: int) -> Counted:
    matches = with_added(connection, run_id, matches_of(connection, run_id, a=a_key), a_key)
    return counted_of(session, connection, load_document(connection, a_key), matches, run_id)


def counted_of(session: Session, connection: Connection, document: Document, matches: Matches, run_id: int) -> Counted:
    """As :func:`read_counted`, of the suspect and its passages at hand."""
    items = items_of(connection, np.unique(matches.b).tolist())
    sources = {key: item.id for key, item in items.items()}
    reached = reach(document, matches, items, exclusions(connection, document.id))
    conflict, not_copy = (np.zeros(len(matches), np.bool_) for _ in range(2))
    last = labels.last_event(connection)
    index = session.verdicts.follow(connection)
    for key, identity in sources.items():
        rows = np.flatnonzero(matches.b == key)
        _mark(conflict, not_copy, rows, index.of(document.id, identity).on(matches.take(rows)))
    shares = reached.shares(not_copy)
    return Counted(run_id, document.key, document.id, matches, sources, reached, conflict, not_copy, shares, last)


FOLLOWED = (LABEL_SET, ATTACHED, EXCLUSIONS, BY_HAND)
"""Label sets whose events change what counts."""


def follow_counted(
    session: Session, connection: Connection, before: Counted, events: Sequence[Label], last: int
) -> Counted:
    """``before`` after ``events``, all that the label log has gained since, up to event ``last``.

    After verdicts, only their passages are judged again.
    """
    if any(event.label_set in (EXCLUSIONS, BY_HAND) for event in events):
        return _read(session, connection, before.run_id, before.a_key)
    index = session.verdicts.follow(connection, last)
    conflict, not_copy = before.conflict.copy(), before.not_copy.copy()
    for event in events:
        if event.label_set in (LABEL_SET, ATTACHED):
            _judge_again(before, index, event, conflict, not_copy)
    changed = not np.array_equal(not_copy, before.not_copy)
    shares = before.reach.shares(not_copy) if changed else before.shares
    return replace(before, conflict=conflict, not_copy=not_copy, shares=shares, last=last)


def _judge_again(
    before: Counted, index: VerdictIndex, event: Label, conflict: NDArray[np.bool_], not_copy: NDArray[np.bool_]
) -> None:
    """Enter what ``event``, a verdict or that verdicts were attached, changes."""
    keys = {identity: key for key, identity in before.sources.items()}
    for target in (event.target, event.value, event.old) if event.label_set == ATTACHED else (event.target,):
        for a, a_span, b, b_span in passages(target, {before.a, *keys}):
            if a == before.a and b in keys:
                rows = np.flatnonzero(before.matches.b == keys[b])
                matches = before.matches.take(rows)
                numbers = touched(matches, a_span, b_span)
                _mark(conflict, not_copy, rows[numbers], index.of(a, b).on(matches, numbers))


def _mark(
    conflict: NDArray[np.bool_], not_copy: NDArray[np.bool_], rows: Ints, judgements: Iterable[Judgement | None]
) -> None:
    """Enter what the ``judgements`` on the passages ``rows`` say."""
    for row, judgement in zip(rows.tolist(), judgements, strict=True):
        conflict[row] = judgement is not None and judgement.conflict
        not_copy[row] = judgement is not None and judgement.value == NOT_A_COPY
