"""Versions of the definitions of label sets, and assignments of targets to annotators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from workbench.base.messages import Message
from workbench.project.clock import STORED, now_after
from workbench.project.damaged_rows import damage_of
from workbench.project.tables import assignment_rows, label_set_rows

LABEL_SET = "verdict"
SUSPECT_LABELS = "suspect"
ATTACHED = "attached verdict"
PAIR_LABELS = "near-duplicate"
REFERENCE = "reference"
EXCLUSIONS = "exclusion"
REFERENCE_PAIRS = "reference pairs"
CASES = "case"
BY_HAND = "by hand"
SPLITS = "split passage"
ASSIGNED = "assigned"
"""Assignments of suspects: the annotator is the reviewer, the note records how the suspects were drawn and by whom."""
OWN_WORDS = frozenset(
    (
        LABEL_SET,
        SUSPECT_LABELS,
        ATTACHED,
        PAIR_LABELS,
        REFERENCE,
        EXCLUSIONS,
        REFERENCE_PAIRS,
        CASES,
        BY_HAND,
        SPLITS,
    )
)
"""The program's own label sets: their values cannot be renamed."""


_COLUMNS = (
    label_set_rows.c.name,
    label_set_rows.c.definition,
    label_set_rows.c.guidelines,
    label_set_rows.c.who,
    label_set_rows.c.occurred,
)
_TIMED = label_set_rows.c.occurred.op("GLOB")(STORED)
"""A version with an invalid time could be later than every other."""


@dataclass(frozen=True, slots=True)
class StoredSet:
    """One version of a label set: ``definition`` is a JSON object as text, ``guidelines`` Markdown."""

    name: str
    definition: str
    guidelines: str
    who: str = ""
    when: str = ""


def add_version(connection: Connection, stored: StoredSet) -> None:
    """Append a version of a label set; the latest applies. An empty ``when`` becomes the current time."""
    of_name = select(func.max(label_set_rows.c.occurred)).where(label_set_rows.c.name == stored.name, _TIMED)
    latest = connection.execute(of_name).scalar()
    row = {
        "name": stored.name,
        "definition": stored.definition,
        "guidelines": stored.guidelines,
        "who": stored.who,
        "occurred": stored.when or now_after(latest or ""),
    }
    connection.execute(insert(label_set_rows), [row])


def current_versions(connection: Connection) -> dict[str, StoredSet]:
    """The version of each label set that applies, by name: the latest, whenever it was merged."""
    by_time = select(*_COLUMNS).where(_TIMED).order_by(label_set_rows.c.occurred, label_set_rows.c.id)
    latest = {row.name: StoredSet(*row) for row in connection.execute(by_time)}
    return dict(sorted(latest.items()))


def versions_of(connection: Connection, name: str) -> list[StoredSet]:
    """All versions of label set ``name``, oldest first."""
    rows = connection.execute(
        select(*_COLUMNS)
        .where(label_set_rows.c.name == name, _TIMED)
        .order_by(label_set_rows.c.occurred, label_set_rows.c.id)
    )
    return [StoredSet(*row) for row in rows]


def assignments(connection: Connection, label_set: str) -> dict[str, set[str]]:
    """The annotators assigned to each target of ``label_set``; none for a target of a batch of a whole sample."""
    query = select(assignment_rows.c.target, assignment_rows.c.annotator).where(
        assignment_rows.c.label_set == label_set
    )
    annotators: dict[str, set[str]] = {}
    for target, annotator in connection.execute(query):
        if isinstance(target, str) and isinstance(annotator, str):
            annotators.setdefault(target, set()).update([annotator] if annotator else [])
        else:
            damage_of(connection).note(Message("assignments that are not text"), [(target, annotator)])
    return annotators


def assigned_sets(connection: Connection) -> list[str]:
    """Label sets with assignments, sorted."""
    rows = connection.execute(select(assignment_rows.c.label_set).distinct()).scalars()
    return sorted(name for name in rows if isinstance(name, str))


def state(connection: Connection) -> tuple[int, int]:
    """A value that changes with every new version of a label set, and when entries are assigned."""
    version = select(func.coalesce(func.max(label_set_rows.c.id), 0)).scalar_subquery()
    count = select(func.count()).select_from(assignment_rows).scalar_subquery()
    row = connection.execute(select(version, count)).one()
    return row[0], row[1]


def assign(connection: Connection, label_set: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Assign annotators: (target, annotator); existing assignments are unchanged.

    With an empty annotator the target is an item to label that is assigned to nobody.
    """
    rows = [{"label_set": label_set, "target": target, "annotator": who} for target, who in pairs]
    if rows:
        connection.execute(insert(assignment_rows).prefix_with("OR IGNORE"), rows)


def unassign(connection: Connection, label_set: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Undo :func:`assign`."""
    a = assignment_rows.c
    for target, who in pairs:
        connection.execute(
            delete(assignment_rows).where(a.label_set == label_set, a.target == target, a.annotator == who)
        )
