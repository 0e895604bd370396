"""The stored data of Evaluate: sheets (figures with their data) and the project's thresholds.

Removed sheets stay until the removal is forgotten. Thresholds are appended, never changed; the latest of a method and
kind applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.sound import is_figure
from workbench.project.clock import now
from workbench.project.damaged_rows import damage_of
from workbench.project.packing import flat, object_from_json, to_json
from workbench.project.tables import label_rows, sheet_rows, threshold_rows

FACTS = {
    "run": int,
    "labels": str,
    "labelled": int,
    "precision": float,
    "recall": float,
    "f1": float,
    "precision_low": float,
    "precision_high": float,
    "recall_low": float,
    "recall_high": float,
    "corrected": bool,
}
"""The recorded properties of a threshold, with their types."""


@dataclass(frozen=True, slots=True)
class StoredSheet:
    """A stored sheet; ``request`` and ``drawn`` are JSON objects."""

    id: int
    name: str
    figure: str
    request: Mapping[str, Any]
    drawn: Mapping[str, Any]
    occurred: str


def add_sheet(
    connection: Connection, name: str, figure: str, request: Mapping[str, Any], drawn: Mapping[str, Any]
) -> int:
    """Store a sheet; returns its number."""
    row = {
        "name": name,
        "figure": figure,
        "request": to_json(dict(request)),
        "drawn": to_json(dict(drawn)),
        "occurred": now(),
        "deleted": "",
    }
    sheet_id: int = connection.execute(insert(sheet_rows).returning(sheet_rows.c.id), row).scalar_one()
    return sheet_id


def sheets(connection: Connection) -> list[StoredSheet]:
    """All sheets that are not removed, oldest first."""
    stored = []
    query = select(sheet_rows).where(sheet_rows.c.deleted == "").order_by(sheet_rows.c.id)
    for row in connection.execute(query.with_only_columns(*sheet_rows.c)):
        try:
            request = object_from_json(row.request, "a sheet")
            drawn = object_from_json(row.drawn, "a sheet")
        except ProjectError:
            note_unreadable(connection, [row.id])
            continue
        stored.append(StoredSheet(row.id, row.name, row.figure, request, drawn, row.occurred))
    return stored


def note_unreadable(connection: Connection, sheets: Iterable[int]) -> None:
    """Note sheets, by number, that are left out."""
    damage_of(connection).note(Message("sheets that cannot be read"), sheets)


def set_removed(connection: Connection, sheet: int, *, removed: bool) -> None:
    """Remove a sheet, or restore it."""
    connection.execute(update(sheet_rows).where(sheet_rows.c.id == sheet).values(deleted=now() if removed else ""))


def last_label_hash(connection: Connection) -> str:
    """The hash of the last event of the label log, which identifies the whole log (hex); "" for an empty one."""
    last_hash = connection.execute(select(label_rows.c.hash).order_by(label_rows.c.id.desc()).limit(1)).scalar()
    return (last_hash or b"").hex()


@dataclass(frozen=True, slots=True)
class StoredThreshold:
    """A threshold for the items of one ``kind`` scored by ``method``; ``value`` None withdraws the previous one."""

    method: str
    kind: str
    value: float | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    who: str = ""
    occurred: str = ""


def add_threshold(connection: Connection, threshold: StoredThreshold) -> None:
    """Append a threshold; an empty time becomes the current time."""
    row = {
        "method": threshold.method,
        "kind": threshold.kind,
        "value": threshold.value,
        "facts": to_json(dict(threshold.facts)),
        "who": threshold.who,
        "occurred": threshold.occurred or now(),
    }
    connection.execute(insert(threshold_rows), row)


def latest_threshold(connection: Connection, method: str, kind: str) -> StoredThreshold | None:
    """The latest threshold of a method and kind; None if there is none, or its row is damaged."""
    return next((t for t in latest_thresholds(connection) if (t.method, t.kind) == (method, kind)), None)


def latest_thresholds(connection: Connection) -> list[StoredThreshold]:
    """The latest threshold of each method and kind, sorted by both."""
    last = select(func.max(threshold_rows.c.id)).group_by(threshold_rows.c.method, threshold_rows.c.kind)
    query = (
        select(threshold_rows)
        .where(threshold_rows.c.id.in_(last))
        .order_by(threshold_rows.c.method, threshold_rows.c.kind)
    )
    stored = []
    for row in connection.execute(query.with_only_columns(*threshold_rows.c)):
        try:
            facts = flat(object_from_json(row.facts, "a threshold"), "a threshold")
        except ProjectError:
            facts = {}
        if row.value is None:
            stored.append(StoredThreshold(row.method, row.kind, None, {}, row.who, row.occurred))
        elif is_figure(row.value) and row.kind in ("document", "pair", "passage") and _whole(facts):
            stored.append(StoredThreshold(row.method, row.kind, float(row.value), facts, row.who, row.occurred))
        else:
            damage_of(connection).note(Message("thresholds that are not numbers"), [(row.id,)])
    return stored


def _whole(facts: Mapping[str, Any]) -> bool:
    return all(
        isinstance(facts.get(name), str) if kind is str else is_figure(facts.get(name)) for name, kind in FACTS.items()
    )
