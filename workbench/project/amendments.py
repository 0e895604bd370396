"""Amendments: later events of the label log about earlier ones. They rename values and undo merges.

The log only grows: an amendment is chained and withdrawn like any other event. Amendments are few, and are found by the
prefix of their targets.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Connection, literal_column, select

from workbench.base.messages import Message
from workbench.base.types import Label
from workbench.project.clock import STORED
from workbench.project.damaged_rows import damage_of
from workbench.project.label_sets import OWN_WORDS
from workbench.project.tables import label_rows

RENAMED = "renamed value"
MERGED = "merge"
AMENDMENTS = (RENAMED, MERGED)
"""Label sets of the amendments."""
_VALUE = "log:value:"
_MERGE = "log:merge:"
_DONE = "merged"
_MOST_RENAMED = 1000
"""Maximum number of renamed values in a project: each further one costs as much as all before it."""
_ALL = (
    select(label_rows.c.id, label_rows.c.label_set, label_rows.c.target, label_rows.c.value, label_rows.c.occurred)
    .where(label_rows.c.target >= "log:", label_rows.c.target < "log;", label_rows.c.label_set.in_(AMENDMENTS))
    .where(label_rows.c.occurred.op("GLOB")(STORED))
    .order_by(label_rows.c.occurred, label_rows.c.id)
)
LAST_AMENDMENT: ColumnElement[int | None] = literal_column(
    "(SELECT max(amendment.id) FROM label_event AS amendment"
    " WHERE amendment.target >= 'log:' AND amendment.target < 'log;')"
)
"""A column: the value of :func:`last_amendment`, NULL for none; it saves a separate statement beside one on the log."""
_LAST = select(LAST_AMENDMENT)


@dataclass(frozen=True, slots=True)
class Amendments:
    """``names``: by label set, the current name of each renamed value; ``undone``: the numbers of the first and last
    event of each undone merge, in order and disjoint.
    """

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    undone: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.undone)

    def counts(self, number: int) -> bool:
        """Whether event ``number`` counts."""
        before = bisect_right(self.undone, number, key=lambda merge: merge[0])
        return before == 0 or self.undone[before - 1][1] < number

    def name(self, label_set: str, value: str) -> str:
        """The current name of ``value``."""
        return self.names.get(label_set, {}).get(value, value)


def renaming(label_set: str, value: str, name: str, who: str) -> Label:
    """The event that renames ``value`` of ``label_set`` to ``name``; "" undoes that."""
    return Label(_VALUE + json.dumps([label_set, value], ensure_ascii=False), name, who, "", label_set=RENAMED)


def parse_renaming(event: Label) -> tuple[str, str] | None:
    """The label set and the value that ``event`` renames; None for other events."""
    if event.label_set != RENAMED or not event.target.startswith(_VALUE):
        return None
    try:
        label_set, value = json.loads(event.target.removeprefix(_VALUE))
    except (ValueError, TypeError, RecursionError):
        return None
    return (label_set, value) if isinstance(label_set, str) and isinstance(value, str) and value else None


def merging(first: int, last: int, who: str, note: str, *, counts: bool = True) -> Label:
    """The event that states that the events ``first`` to ``last`` were merged, and whether they count."""
    return Label(f"{_MERGE}{first}-{last}", _DONE if counts else "", who, "", note, label_set=MERGED)


def parse_merging(event: Label) -> tuple[int, int] | None:
    """The numbers of the first and last event that were merged; None for other events."""
    first, dash, last = event.target.removeprefix(_MERGE).partition("-")
    if event.label_set != MERGED or not event.target.startswith(_MERGE) or not dash:
        return None
    numbers = (first, last)
    if not all(number.isascii() and number.isdecimal() and len(number) <= 18 for number in numbers):
        return None
    return int(first), int(last)


def amendments(connection: Connection) -> Amendments:
    """The amendments in force."""
    latest: dict[str, tuple[int, Label]] = {}
    for number, *words in connection.execute(_ALL):
        if all(isinstance(word, str) for word in words):
            label_set, target, value, when = words
            latest.pop(target, None)
            latest[target] = number, Label(target, value, "", when, label_set=label_set)
    if not latest:
        return _NONE
    taken_back = ((number, parse_merging(event)) for number, event in latest.values() if not event.value)
    # A merge covers only earlier events: later ones count, whatever the file says.
    whole = Amendments({}, _joined(merge for number, merge in taken_back if merge is not None and merge[1] < number))
    names: defaultdict[str, dict[str, str]] = defaultdict(dict)
    count = 0
    for number, event in latest.values():
        renamed = parse_renaming(event)
        if renamed is None or not event.value or renamed[0] in OWN_WORDS or not whole.counts(number):
            continue
        count += 1
        if count > _MOST_RENAMED:
            damage_of(connection).note(Message("renamings beyond the limit of a project"), [event.target])
            continue
        label_set, old = renamed
        own = names[label_set]
        if own.get(event.value, old) != old:
            continue  # Label sets of that name have values of another kind.
        for former in (old, *(former for former, name in own.items() if name == old)):
            own[former] = event.value
        own.pop(event.value, None)
    return Amendments({name: own for name, own in names.items() if own}, whole.undone)


def _joined(merges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(merges):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return tuple(joined)


def last_amendment(connection: Connection) -> int:
    """Number of the last amendment, 0 for none; when it changes, everything must be reread."""
    return connection.execute(_LAST).scalar() or 0


_NONE = Amendments()
