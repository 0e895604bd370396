"""Watches: saved searches, their checks over time, and the matches each check reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased

from workbench.base.errors import ProjectError
from workbench.base.messages import Message, read, stored
from workbench.base.types import Role
from workbench.project.batches import batched
from workbench.project.clock import now
from workbench.project.models import CaptureRow, CheckRow, DocumentRow, WatchMatchRow, WatchRow
from workbench.project.packing import object_from_json, to_json


@dataclass(frozen=True, slots=True)
class Watch:
    """A saved search. ``settings`` holds its parts by name.

    ``compared`` marks what has been examined: captures up to this id or, for a watch without places, documents up to
    this key.
    """

    id: int
    name: str
    settings: Mapping[str, Any]
    created: str
    compared: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """One check: pages fetched, unchanged (according to the page or its feed) and failed, documents ``examined``,
    matches ``reported`` as new and ``known`` from earlier checks. ``finished`` is empty for one that was interrupted;
    ``run_id`` is its run, if it made one.
    """

    id: int
    watch_id: int
    started: str
    finished: str = ""
    fetched: int = 0
    unchanged: int = 0
    failed: int = 0
    examined: int = 0
    reported: int = 0
    known: int = 0
    run_id: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """A reported match: the document ``a`` that holds it (of ``page``), the source ``b``, spans in code points."""

    page: str
    a: int
    b: int
    a_start: int
    a_end: int
    b_start: int
    b_end: int
    score: float
    tier: int
    check_id: int = 0


def add_watch(connection: Connection, name: str, settings: Mapping[str, Any]) -> Watch:
    """Save a search. Raises ProjectError if the name is taken."""
    row = {"name": name, "settings": to_json(settings), "created": now(), "compared": 0, "deleted": ""}
    try:
        key = connection.execute(insert(WatchRow), row).inserted_primary_key
    except IntegrityError as error:
        raise ProjectError(Message("There is a watch called {name} already.", name=name)) from error
    assert key is not None
    return Watch(key[0], name, settings, str(row["created"]))


def watches(connection: Connection) -> list[Watch]:
    """All saved searches, by name."""
    rows = connection.execute(select(*WatchRow.__table__.columns).where(WatchRow.deleted == "").order_by(WatchRow.name))
    return [
        Watch(row.id, row.name, object_from_json(row.settings, f"the watch {row.name}"), row.created, row.compared)
        for row in rows
    ]


def set_settings(connection: Connection, watch_id: int, settings: Mapping[str, Any], *, anew: bool = False) -> None:
    """Change what a watch looks for; its history is kept. With ``anew``, everything counts as unexamined again."""
    values: dict[str, Any] = {"settings": to_json(settings)} | ({"compared": 0} if anew else {})
    connection.execute(update(WatchRow).where(WatchRow.id == watch_id).values(**values))


def set_deleted(connection: Connection, watch_id: int, deleted: bool) -> None:
    """Remove or restore a watch. Raises ProjectError if its name has been given to another meanwhile."""
    try:
        connection.execute(update(WatchRow).where(WatchRow.id == watch_id).values(deleted=now() if deleted else ""))
    except IntegrityError as error:
        raise ProjectError(Message("There is another watch of that name now.")) from error


def begin_check(connection: Connection, watch_id: int) -> int:
    """Record the start of a check. Returns its number."""
    row = dict.fromkeys(("fetched", "unchanged", "failed", "examined", "reported", "known"), 0)
    defaults = {"watch_id": watch_id, "started": now(), "finished": "", "run_id": None, "message": ""}
    key = connection.execute(insert(CheckRow), row | defaults).inserted_primary_key
    assert key is not None
    return int(key[0])


def finish_check(connection: Connection, check: Check, compared: int, reported: Iterable[Reported]) -> None:
    """Record the outcome of a check, its matches, and what was examined (see :class:`Watch`), all in one step."""
    values = {name: getattr(check, name) for name in _OUTCOME} | {"message": stored(check.message)}
    connection.execute(update(CheckRow).where(CheckRow.id == check.id).values(finished=now(), **values))
    chosen = update(WatchRow).where(WatchRow.id == check.watch_id, WatchRow.compared < compared)
    connection.execute(chosen.values(compared=compared))
    rows = [{"watch_id": check.watch_id, **{c: getattr(m, c) for c in _MATCH}, "check_id": check.id} for m in reported]
    if rows:
        connection.execute(insert(WatchMatchRow), rows)


_OUTCOME = ("fetched", "unchanged", "failed", "examined", "reported", "known", "run_id", "message")
_MATCH = ("page", "a", "b", "a_start", "a_end", "b_start", "b_end", "score", "tier", "check_id")


def checks(connection: Connection, watch_id: int | None = None) -> list[Check]:
    """The checks of a watch (None: of all), newest first."""
    query = select(*CheckRow.__table__.columns).order_by(CheckRow.id.desc())
    if watch_id is not None:
        query = query.where(CheckRow.watch_id == watch_id)
    return [Check(**{**row, "message": read(row["message"])}) for row in connection.execute(query).mappings()]


def reported(
    connection: Connection, *, watch_id: int | None = None, check_id: int | None = None, page: str | None = None
) -> list[Reported]:
    """Reported matches of one watch, check or page (each None: all), in the order they were reported."""
    query: Select[Any] = select(*(getattr(WatchMatchRow, name) for name in _MATCH)).order_by(WatchMatchRow.id)
    if watch_id is not None:
        query = query.where(WatchMatchRow.watch_id == watch_id)
    if check_id is not None:
        query = query.where(WatchMatchRow.check_id == check_id)
    if page is not None:
        query = query.where(WatchMatchRow.page == page)
    return [Reported(**row) for row in connection.execute(query).mappings()]


def pages_of(connection: Connection, keys: Sequence[int]) -> dict[int, str]:
    """The name of each document's page across all its captures: its address, otherwise its id."""
    pages: dict[int, str] = {}
    for part in batched(keys):
        query = select(DocumentRow.key, DocumentRow.url, DocumentRow.id)
        rows = connection.execute(query.where(DocumentRow.key.in_(part)))
        pages.update((row.key, row.url or row.id) for row in rows)
    return pages


def fetched_since(connection: Connection, fetches: str, after: int) -> tuple[list[int], int]:
    """Keys of the suspects that fetches whose names begin with ``fetches`` found after the capture ``after``.

    A page brought by another fetch counts from when these first found it. Also returns the id of the latest capture.
    """
    earlier = aliased(CaptureRow)
    before = select(earlier.id).where(
        earlier.document == CaptureRow.document, earlier.id <= after, earlier.fetch.startswith(fetches, autoescape=True)
    )
    query = select(DocumentRow.key).join(CaptureRow, CaptureRow.document == DocumentRow.key)
    query = query.where(CaptureRow.id > after, CaptureRow.fetch.startswith(fetches, autoescape=True), ~before.exists())
    query = query.where(DocumentRow.role == Role.SUSPECT, DocumentRow.deleted == "").distinct()
    latest = connection.execute(select(func.max(CaptureRow.id))).scalar() or 0
    return sorted(connection.execute(query).scalars()), latest


def suspects_since(connection: Connection, after: int) -> tuple[list[int], int]:
    """Keys above ``after`` of the suspects, in order, and the last of them (0 if there is none)."""
    query = select(DocumentRow.key).where(DocumentRow.role == Role.SUSPECT, DocumentRow.key > after)
    keys = list(connection.execute(query.where(DocumentRow.deleted == "").order_by(DocumentRow.key)).scalars())
    return keys, max(keys, default=0)
