"""Sheets: figures that are kept with what they were drawn from. Removed ones stay until the removal is forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from workbench.base.errors import ProjectError
from workbench.project.clock import now
from workbench.project.damaged_rows import damage_of
from workbench.project.packing import object_from_json, to_json
from workbench.project.tables import label_rows, sheet_rows


@dataclass(frozen=True, slots=True)
class StoredSheet:
    """A sheet as it is stored; ``request`` and ``drawn`` are JSON objects."""

    id: int
    name: str
    figure: str
    request: Mapping[str, Any]
    drawn: Mapping[str, Any]
    occurred: str


def add_sheet(
    connection: Connection, name: str, figure: str, request: Mapping[str, Any], drawn: Mapping[str, Any]
) -> int:
    """Keep a sheet; its number."""
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
            damage_of(connection).note("sheets that cannot be read", [(row.id,)])
            continue
        stored.append(StoredSheet(row.id, row.name, row.figure, request, drawn, row.occurred))
    return stored


def set_removed(connection: Connection, sheet: int, *, removed: bool) -> None:
    """Remove a sheet, or take that back."""
    connection.execute(update(sheet_rows).where(sheet_rows.c.id == sheet).values(deleted=now() if removed else ""))


def last_label_hash(connection: Connection) -> str:
    """The hash of the last event of the label log, which stands for all of it (hex); "" in an empty one."""
    last_hash = connection.execute(select(label_rows.c.hash).order_by(label_rows.c.id.desc()).limit(1)).scalar()
    return (last_hash or b"").hex()
