"""The label log: append-only events, each chained to the previous one by its hash.

Triggers keep this program and other tools from changing an event by accident; the chain reveals deliberate changes to
the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, text

from workbench.base.messages import Message
from workbench.base.types import Label
from workbench.project.amendments import AMENDMENTS, LAST_AMENDMENT, MERGED, Amendments, amendments
from workbench.project.batches import among
from workbench.project.clock import STORED, is_stored, now_after
from workbench.project.damaged_rows import damage_of
from workbench.project.packing import to_json
from workbench.project.tables import label_rows

_COLUMNS = (
    label_rows.c.target,
    label_rows.c.value,
    label_rows.c.who,
    label_rows.c.occurred,
    label_rows.c.note,
    label_rows.c.old,
    label_rows.c.label_set,
    label_rows.c.digest,
)

# Executed for every verdict: built once, they cost only the database's time.
_LAST_EVENT = select(func.max(label_rows.c.id))
_LAST = select(label_rows.c.hash).order_by(label_rows.c.id.desc()).limit(1).subquery()
_VALUES = (
    select(
        *(_LAST.c.hash, label_rows.c.id, label_rows.c.label_set, label_rows.c.target),
        *(label_rows.c.who, label_rows.c.value, label_rows.c.occurred, LAST_AMENDMENT),
    )
    .outerjoin_from(_LAST, label_rows, label_rows.c.target.in_(among(bindparam("targets"))))
    .order_by(label_rows.c.id)
)
"""The hash of the last event in every row, and the events of some targets; one row if there are none."""
_ADD = insert(label_rows)
_EVENTS = select(LAST_AMENDMENT, label_rows.c.id, *_COLUMNS)
_GAINED = _EVENTS.where(label_rows.c.id > bindparam("after")).order_by(label_rows.c.id)
_OF_SETS = _GAINED.where(label_rows.c.label_set.in_(bindparam("label_sets", expanding=True)))


def add_label(connection: Connection, label: Label) -> Label:
    """Append ``label``; its ``old`` becomes its annotator's previous value, an empty ``when`` the current time."""
    return add_labels(connection, [label])[0]


def add_labels(connection: Connection, labels: Sequence[Label]) -> list[Label]:
    """Append many, in order."""
    last, values = _values(connection, sorted({label.target for label in labels}))
    latest: dict[tuple[str, str], str] = {}
    for (label_set, target, _), (_, when) in values.items():
        latest[label_set, target] = max(when, latest.get((label_set, target), ""))
    added, rows = [], []
    for label in labels:
        subject = (label.label_set, label.target, label.who)
        of_all = subject[:2]
        # A new event takes effect even if this clock was set back or another's is ahead.
        event = replace(
            label, when=label.when or now_after(latest.get(of_all, "")), old=values.get(subject, ("", ""))[0]
        )
        latest[of_all] = max(event.when, latest.get(of_all, ""))
        # Among merged events the latest counts.
        if event.when >= values.get(subject, ("", ""))[1]:
            values[subject] = event.value, event.when
        last = _link(last, event)
        added.append(event)
        rows.append(
            {
                "label_set": event.label_set,
                "target": event.target,
                "value": event.value,
                "old": event.old,
                "who": event.who,
                "occurred": event.when,
                "note": event.note,
                "hash": last,
                "digest": event.digest,
            }
        )
    if rows:
        connection.execute(_ADD, rows)
    return added


def _values(
    connection: Connection, targets: Sequence[str]
) -> tuple[bytes, dict[tuple[str, str, str], tuple[str, str]]]:
    """The hash of the last event of the log (b"" if empty), and value and time of the latest event on each of
    ``targets`` by (label set, target, annotator).
    """
    events: dict[tuple[str, str, str], tuple[str, str]] = {}
    rows = connection.execute(_VALUES, {"targets": to_json(targets)}).all()
    amended = Amendments() if not rows or rows[0][-1] is None else amendments(connection)
    for _, number, label_set, target, who, value, when, _ in rows:
        subject = (label_set, target, who)
        words = (label_set, target, who, value, when)
        if not all(isinstance(word, str) for word in words) or not is_stored(when) or not amended.counts(number):
            continue
        if subject not in events or when >= events[subject][1]:
            events[subject] = value, when
    return rows[0][0] if rows else b"", events


def current(connection: Connection, label_set: str = "verdict") -> dict[str, Label]:
    """The label of the latest event of each target of ``label_set``, by any annotator; without withdrawn ones.

    In a log with merged events, this is not always the last one; simultaneous events of two people are ordered by name,
    so that both logs agree.
    """
    by_time = (label_rows.c.occurred, label_rows.c.who, label_rows.c.id)
    query = _EVENTS.where(label_rows.c.label_set == label_set).order_by(*by_time)
    latest: dict[str, Label] = {}
    for label in _whole(connection, connection.execute(query)):
        latest.pop(label.target, None)
        latest[label.target] = label
    return {target: label for target, label in latest.items() if label.value}


_LATEST = text(
    """
    WITH own AS (
        SELECT target, value, who, occurred, id,
               ROW_NUMBER() OVER (PARTITION BY target, who ORDER BY occurred DESC, id DESC) AS place
        FROM label_event WHERE label_set = :label_set AND occurred GLOB :stored
    )
    SELECT target, value FROM (
        SELECT target, value, ROW_NUMBER() OVER (PARTITION BY target ORDER BY occurred DESC, who DESC, id DESC) AS place
        FROM own WHERE place = 1 AND value <> ''
    ) WHERE place = 1
    """
)


_LABELLED = """
    SELECT label_set, target FROM label_event WHERE occurred GLOB :stored
    GROUP BY label_set, target HAVING min(value) <> ''
    UNION
    SELECT label_set, target FROM (
        SELECT label_set, target, value,
               ROW_NUMBER() OVER (PARTITION BY label_set, target, who ORDER BY occurred DESC, id DESC) AS place
        FROM label_event
        WHERE (label_set, target) IN (SELECT label_set, target FROM label_event WHERE value = '')
            AND occurred GLOB :stored
    ) WHERE place = 1 AND value <> ''
"""
"""Targets labelled by anyone: if one annotator withdraws a label, the others' remain."""
_KINDS = text(f"SELECT DISTINCT label_set, substr(target, 1, instr(target, ':') - 1) FROM ({_LABELLED}) ORDER BY 1, 2")
_COUNT = text(
    """
    SELECT count(*), count(DISTINCT json_array(label_set, target)) FROM (
        SELECT label_set, target, value,
               ROW_NUMBER() OVER (PARTITION BY label_set, target, who ORDER BY occurred DESC, id DESC) AS place
        FROM label_event WHERE occurred GLOB :stored AND NOT (target >= 'log:' AND target < 'log;')
    ) WHERE place = 1 AND value <> ''
    """
)


def latest_values(connection: Connection, label_set: str) -> dict[str, str]:
    """For each target, the latest value that its annotator has not withdrawn (see :func:`by_annotator`)."""
    if amendments(connection):
        return {target: [*by.values()][-1].value for target, by in by_annotator(connection, label_set).items()}
    return {row[0]: row[1] for row in connection.execute(_LATEST, {"label_set": label_set, "stored": STORED})}


def known_values(connection: Connection, label_set: str, who: str) -> dict[str, str]:
    """For each target, the value of ``who``, else the latest (see :func:`latest_values`)."""
    return {
        target: by[who].value if who in by else [*by.values()][-1].value
        for target, by in by_annotator(connection, label_set).items()
    }


_SEEN = "palimpsest_last_event"


def one_state() -> dict[str, list[int]]:
    """The execution option of a connection that sees one state of the log: :func:`last_event` looks once."""
    return {_SEEN: []}


def last_event(connection: Connection) -> int:
    """Number of the last event in the log; 0 if it is empty."""
    seen: list[int] | None = connection.get_execution_options().get(_SEEN)
    if seen:
        return seen[0]
    last = connection.execute(_LAST_EVENT).scalar() or 0
    if seen is not None:
        seen.append(last)
    return last


def gained(connection: Connection, label_sets: Collection[str], after: int = 0) -> list[Label]:
    """Events of ``label_sets`` after event number ``after``, in order."""
    if not after:
        return list(_whole(connection, connection.execute(_OF_SETS, {"after": 0, "label_sets": sorted(label_sets)})))
    # There are few events: filtering them here costs less than in the statement.
    fresh = _whole(connection, connection.execute(_GAINED, {"after": after}))
    return [event for event in fresh if event.label_set in label_sets]


def by_annotator(connection: Connection, label_set: str) -> dict[str, dict[str, Label]]:
    """Each annotator's current label: target -> annotator -> label; withdrawn ones are left out.

    An annotator's latest label counts, in whatever order the events were merged; labels are ordered by time,
    simultaneous ones by name.
    """
    by_time = (label_rows.c.occurred, label_rows.c.who, label_rows.c.id)
    query = _EVENTS.where(label_rows.c.label_set == label_set).order_by(*by_time)
    by_target: dict[str, dict[str, Label]] = {}
    for label in _whole(connection, connection.execute(query)):
        current = by_target.setdefault(label.target, {})
        current.pop(label.who, None)
        if label.value:
            current[label.who] = label
    return {target: current for target, current in by_target.items() if current}


def events(connection: Connection, label_set: str | None = None, *, as_written: bool = False) -> Iterator[Label]:
    """All events that count, oldest first, of one label set or of all; values have their current or, ``as_written``,
    their original names.
    """
    query = _EVENTS.order_by(label_rows.c.id)
    if label_set is not None:
        query = query.where(label_rows.c.label_set == label_set)
    amended = Amendments(undone=amendments(connection).undone) if as_written else None
    return _whole(connection, connection.execute(query), amended)


def written_events(connection: Connection) -> Iterator[Label]:
    """All events that count, oldest first, as written, for exchange with other projects; invalid times
    are included.

    Includes renamings; records of merges concern this log only.
    """
    amended = Amendments(undone=amendments(connection).undone)
    rows = connection.execute(_EVENTS.where(label_rows.c.label_set != MERGED).order_by(label_rows.c.id))
    return _whole(connection, rows, amended, timed=False)


def _whole(
    connection: Connection, rows: Iterable[Any], amended: Amendments | None = None, *, timed: bool = True
) -> Iterator[Label]:
    """Labels of ``rows`` of _EVENTS as ``amended`` (None: by current amendments), skipping rows that are not text,
    or, if ``timed``, have an invalid time, which may sort after all future events.
    """
    for amendment, number, *words in rows:
        if amended is None:
            amended = Amendments() if amendment is None else amendments(connection)
        if not all(isinstance(word, str) for word in words):
            damage_of(connection).note(Message("labels that are not text"), [tuple(words)])
            continue
        event = Label(*words)
        if timed and not is_stored(event.when):
            damage_of(connection).note(Message("labels without a proper time"), [tuple(words)])
            continue
        if not amended:
            yield event
        elif amended.counts(number):
            name = amended.names.get(event.label_set)
            yield (
                event
                if name is None
                else replace(event, value=name.get(event.value, event.value), old=name.get(event.old, event.old))
            )


def target_kinds(connection: Connection) -> list[tuple[str, str]]:
    """Distinct (label set, prefix of its targets before the first colon), sorted."""
    if amendments(connection).undone:
        return sorted({(label_set, target.partition(":")[0]) for label_set, target in _labelled(connection)})
    return [(row[0], row[1]) for row in connection.execute(_KINDS, {"stored": STORED}) if row[0] not in AMENDMENTS]


def _labelled(connection: Connection) -> set[tuple[str, str]]:
    """(label set, target) of all labelled targets."""
    last: dict[tuple[str, str, str], Label] = {}
    for event in events(connection):
        before = last.get(subject := (event.label_set, event.target, event.who))
        if before is None or event.when >= before.when:
            last[subject] = event
    return {subject[:2] for subject, event in last.items() if event.value and subject[0] not in AMENDMENTS}


def values_of(connection: Connection, label_set: str) -> list[str]:
    """All values ever used in ``label_set``, sorted."""
    amended = amendments(connection)
    if amended.undone:
        return sorted({event.value for event in events(connection, label_set)} - {""})
    query = select(label_rows.c.value).distinct().where(label_rows.c.label_set == label_set, label_rows.c.value != "")
    return sorted({amended.name(label_set, value) for value in connection.execute(query).scalars()})


def label_sets(connection: Connection) -> list[str]:
    """Names of the label sets that have events."""
    if amendments(connection).undone:
        return sorted({event.label_set for event in events(connection)}.difference(AMENDMENTS))
    query = select(label_rows.c.label_set).distinct().where(label_rows.c.label_set.not_in(AMENDMENTS))
    return list(connection.execute(query.order_by(label_rows.c.label_set)).scalars())


def history(connection: Connection, targets: Collection[str], label_set: str | None = None) -> list[Label]:
    """All events about ``targets``, oldest first."""
    query = _EVENTS.where(label_rows.c.target.in_(targets)).order_by(label_rows.c.id)
    if label_set is not None:
        query = query.where(label_rows.c.label_set == label_set)
    return list(_whole(connection, connection.execute(query)))


def digests(
    connection: Connection, prefix: str, label_set: str | None = None, *, unsigned: bool = False
) -> dict[str, set[str]]:
    """By target that begins with ``prefix``, the digests of the texts that its events were about: those of
    ``label_set``, or of all sets. With "" for events without one if ``unsigned``.
    """
    of = label_rows.c.target
    query = select(of, label_rows.c.digest).where(of >= prefix, of < prefix[:-1] + chr(ord(prefix[-1]) + 1))
    if label_set is not None:
        query = query.where(label_rows.c.label_set == label_set)
    if not unsigned:
        query = query.where(label_rows.c.digest != "")
    known: dict[str, set[str]] = {}
    for target, digest in connection.execute(query.distinct()):
        known.setdefault(target, set()).add(digest)
    return known


def count_labels(connection: Connection) -> tuple[int, int]:
    """Number of current labels, each annotator's of each item in each label set, and of the items that have any."""
    if amendments(connection).undone:
        by_set = [by_annotator(connection, name).values() for name in label_sets(connection)]
        return sum(len(by) for items in by_set for by in items), sum(map(len, by_set))
    labels, items = connection.execute(_COUNT, {"stored": STORED}).one()
    return labels, items


def chained(connection: Connection) -> Iterator[tuple[int, Label, bytes]]:
    """All events that count, oldest first, as written, with their numbers and hashes."""
    undone = Amendments(undone=amendments(connection).undone)
    for row in connection.execute(select(label_rows.c.hash, *_EVENTS.selected_columns).order_by(label_rows.c.id)):
        for label in _whole(connection, [tuple(row[1:])], undone):
            yield row[2], label, bytes(row[0])


def verify_chain(connection: Connection) -> str:
    """ "ok", or a sentence that names the first altered event or states that events are missing."""
    last, number = b"", 0
    for row in connection.execute(select(label_rows.c.id, label_rows.c.hash, *_COLUMNS).order_by(label_rows.c.id)):
        last, number = _link(last, _label(row[2:])), row[0]
        if last != row[1]:
            return Message(
                "Label event {row} or an earlier one was changed or removed after it was written.", row=row[0]
            )
    issued = connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = 'label_event'")).scalar() or 0
    if issued != number:
        return Message(
            "The last label events were removed: {issued} were written, the log ends at {number}.",
            issued=issued,
            number=number,
        )
    return "ok"


def _label(row: Row[tuple[str, ...]] | Sequence[str]) -> Label:
    return Label(*row)


def _link(before: bytes, event: Label) -> bytes:
    fields = [event.label_set, event.target, event.value, event.old, event.who, event.when, event.note]
    if event.digest:
        fields.append(event.digest)
    return hashlib.sha256(before + to_json(fields).encode("utf-8", "surrogatepass")).digest()


def count_events(connection: Connection) -> int:
    """Number of events in the log."""
    return connection.execute(select(func.count()).select_from(label_rows)).scalar_one()
