"""Imports and failed inputs, so that failed inputs can be listed and retried."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, or_, select, update

from workbench.base.messages import read, stored
from workbench.base.types import Document, Role
from workbench.project.batches import among, batched
from workbench.project.clock import now
from workbench.project.database import locks_of
from workbench.project.tables import batch_rows, document_rows, failure_rows, text_rows


@dataclass(frozen=True, slots=True)
class StoredFailure:
    """An input that could not be imported: ``path`` as in the import's result, ``when`` in ISO 8601 UTC."""

    id: int
    batch_id: int
    path: str
    error: str
    when: str


_TICK = 0.001
"""Seconds between two stored times. An import begins one later than anything before it, so that a label that was given
just before is one for the earlier text.
"""


def begin_batch(connection: Connection, role: Role | None = None) -> int:
    """Record the start of an import, and take its lock. Returns the id for :func:`finish_batch`.

    Previously interrupted imports are closed, whether this one continues them or not.
    """
    for dead in interrupted_batches(connection):
        connection.execute(
            update(batch_rows).where(batch_rows.c.id == dead).values(finished=now(), message="interrupted")
        )
        locks_of(connection).clear(_lock(dead))
    time.sleep(_TICK)
    row = {"role": role.value if role else "", "started": now(), "finished": "", "message": ""}
    identity: int = connection.execute(insert(batch_rows).returning(batch_rows.c.id), row).scalar_one()
    locks_of(connection).hold(_lock(identity))
    return identity


def finish_batch(connection: Connection, batch_id: int, message: str = "") -> None:
    """Record the end of an import (done, or cancelled: ``message`` says so)."""
    connection.execute(update(batch_rows).where(batch_rows.c.id == batch_id).values(finished=now(), message=message))
    locks_of(connection).retire(_lock(batch_id))


def interrupted_batches(connection: Connection) -> list[int]:
    """Imports whose process died before they ended; importing the same paths again completes them."""
    locks = locks_of(connection)
    open_ids = connection.execute(
        select(batch_rows.c.id).where(batch_rows.c.finished == "").order_by(batch_rows.c.id)
    ).scalars()
    return [identity for identity in open_ids.all() if not locks.is_held(_lock(identity))]


def add_failures(connection: Connection, batch_id: int, failed: Iterable[tuple[str, str]]) -> None:
    """Record inputs that failed: (path, error). A path has one open failure, the latest."""
    rows = [
        {"batch_id": batch_id, "path": path, "error": stored(error), "occurred": now(), "resolved": ""}
        for path, error in failed
    ]
    if rows:
        resolve_failures(connection, [str(row["path"]) for row in rows])
        connection.execute(insert(failure_rows), rows)


def resolve_failures(connection: Connection, paths: Sequence[str], before: int | None = None) -> None:
    """Close the failures of these paths: they were imported, retried, or dismissed. With ``before``, only those of
    imports with smaller ids.
    """
    when = now()
    for part in batched(paths):
        open_ones = update(failure_rows).where(failure_rows.c.path.in_(part), failure_rows.c.resolved == "")
        if before is not None:
            open_ones = open_ones.where(failure_rows.c.batch_id < before)
        connection.execute(open_ones.values(resolved=when))


def reopen_failures(connection: Connection, ids: Sequence[int]) -> None:
    """Reopen failures, except those whose path has failed again since."""
    again = set(ids)
    paths = {failure.path for failure in failures(connection)}
    for part in batched(ids):
        known = connection.execute(select(failure_rows.c.id, failure_rows.c.path).where(failure_rows.c.id.in_(part)))
        again -= {row.id for row in known if row.path in paths}
    for identity in again:
        connection.execute(update(failure_rows).where(failure_rows.c.id == identity).values(resolved=""))


def failures(connection: Connection, batch_id: int | None = None) -> list[StoredFailure]:
    """Open failures of one import or all, in the order they occurred."""
    query = select(
        failure_rows.c.id, failure_rows.c.batch_id, failure_rows.c.path, failure_rows.c.error, failure_rows.c.occurred
    )
    query = query.where(failure_rows.c.resolved == "").order_by(failure_rows.c.id)
    if batch_id is not None:
        query = query.where(failure_rows.c.batch_id == batch_id)
    return [StoredFailure(*row[:3], read(row.error), row.occurred) for row in connection.execute(query)]


def imported_times(connection: Connection, keys: Sequence[int]) -> dict[int, str]:
    """Start of the import of each document (ISO 8601 UTC), by key; documents without an import are omitted."""
    query = select(document_rows.c.key, batch_rows.c.started).join(
        batch_rows, document_rows.c.batch_id == batch_rows.c.id
    )
    times: dict[int, str] = {}
    for part in batched(keys):
        times.update((key, started) for key, started in connection.execute(query.where(document_rows.c.key.in_(part))))
    return times


def imported_since(connection: Connection, when: str) -> set[int]:
    """Keys of the documents (except deleted ones) from imports started at ``when`` (ISO 8601 UTC) or later."""
    query = select(document_rows.c.key).join(batch_rows, document_rows.c.batch_id == batch_rows.c.id)
    return set(connection.execute(query.where(batch_rows.c.started >= when, document_rows.c.deleted == "")).scalars())


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document that had an id for a time: ``text`` is the SHA-256 of its text in hex. ``since`` is the start of its
    import or, if that is later, when it took the place of another (ISO 8601 UTC; "" without an import), ``until`` when
    it was removed or replaced ("" for the present one).
    """

    key: int
    text: str
    since: str
    until: str = ""


_SEVERAL = (
    select(document_rows.c.id).group_by(document_rows.c.id).having(func.count(document_rows.c.text_id.distinct()) > 1)
)


def with_several_texts(connection: Connection, names: Collection[str]) -> frozenset[str]:
    """Those of the ids ``names`` that have had several texts."""
    query = _SEVERAL.where(document_rows.c.id.in_(among(sorted(names))))
    return frozenset(connection.execute(query).scalars()) if names else frozenset()


def versions(connection: Connection, also: Collection[str] = ()) -> dict[str, tuple[DocumentVersion, ...]]:
    """The documents that had each id, in order, including deleted ones; only ids that had several texts, and ``also``
    these.
    """
    columns = (document_rows.c.id, document_rows.c.key, document_rows.c.deleted)
    query = (
        select(*columns, batch_rows.c.started, text_rows.c.hash)
        .join(text_rows, document_rows.c.text_id == text_rows.c.id)
        .outerjoin(batch_rows, document_rows.c.batch_id == batch_rows.c.id)
        .where(or_(document_rows.c.id.in_(_SEVERAL), document_rows.c.id.in_(among(sorted(also)))))
        .order_by(document_rows.c.key)
    )
    by_id: dict[str, list[DocumentVersion]] = {}
    for row in connection.execute(query):
        rows = by_id.setdefault(row.id, [])
        since = max(row.started or "", rows[-1].until if rows else "")
        rows.append(DocumentVersion(row.key, row.hash.hex(), since, row.deleted))
    return {identity: tuple(rows) for identity, rows in by_id.items()}


def removals(connection: Connection, keys: Collection[int]) -> tuple[float, str]:
    """A value that changes when any of the documents ``keys`` is removed or brought back."""
    if not keys:
        return 0.0, ""
    query = select(func.total(document_rows.c.key), func.coalesce(func.max(document_rows.c.deleted), ""))
    there = query.where(document_rows.c.key.in_(among(list(keys))), document_rows.c.deleted != "")
    total, last = connection.execute(there).one()
    return total, last


def present_version(of_id: Sequence[DocumentVersion]) -> DocumentVersion:
    """The one of the versions of an id that is in the project, else the newest."""
    return next((version for version in of_id if not version.until), of_id[-1])


def version_at(of_id: Sequence[DocumentVersion], when: str) -> DocumentVersion:
    """The one of the versions of an id that was in the project at the time ``when``, the first if none was yet."""
    there = (v for v in reversed(of_id) if v.since <= when and (not v.until or v.until > when))
    return next(there, None) or next((v for v in reversed(of_id) if v.since <= when), of_id[0])


_PART = re.compile(r"([:!])\d+$")
Parts = dict[tuple[bytes, str, str, str], set[str]]
"""Ids of the parts of a file, by text, title, address and date."""


def whole_of(document: Document) -> str:
    """The beginning, up to its number, of the id of a row without an id of its own or of a message of a mailbox; "" for
    others.
    """
    part = _PART.search(document.id)
    if part is None or (part[1] == "!" and document.extraction.format != "eml"):
        return ""
    whole = document.id[: part.end(1)]
    return whole if _slashes(_place(document.origin)).endswith(_slashes(whole)) else ""


def _place(origin: str) -> str:
    """The file of a part, with the sign before the part's number."""
    return _PART.sub(r"\1", origin)


def ids_elsewhere(
    connection: Connection, documents: Sequence[Document], parts: dict[str, Parts], batch_id: int
) -> dict[int, str]:
    """For rows without ids and messages of mailboxes, by position in ``documents``: the id of the same row or message
    that an import before ``batch_id`` read from another place of the file. ``parts`` keeps, by file, what was read from
    the project, without what the file has had so far.
    """
    ids_by_position: dict[int, str] = {}
    for at, document in enumerate(documents):
        if not (whole := whole_of(document)):
            continue
        place = _place(document.origin)
        if place not in parts:
            parts[place] = _parts(connection, whole, place, batch_id)
        ids = parts[place].get((document.content_hash, document.title, document.url, document.published), set())
        if not ids:
            continue
        identity = document.id if document.id in ids else min(ids)
        # Another row with the same text is another document.
        ids.remove(identity)
        if identity != document.id:
            ids_by_position[at] = identity
    return ids_by_position


def _parts(connection: Connection, whole: str, place: str, batch_id: int) -> Parts:
    """The parts of the file ``place``, whose ids begin with ``whole`` or, preceded by its folders, with more of its
    path.
    """
    columns = [document_rows.c[name] for name in ("id", "origin", "title", "url", "published")]
    query = select(*columns, text_rows.c.hash).join(text_rows, document_rows.c.text_id == text_rows.c.id)
    query = query.where(document_rows.c.deleted == "", document_rows.c.batch_id < batch_id)
    folders = _slashes(place)[: -len(whole)].rstrip("/").split("/")
    parts: Parts = {}
    for first in range(len(folders) + 1):
        beginning = "/".join([*folders[first:], whole])
        # In the order of code points, so that the index of ids is used.
        end = beginning[:-1] + chr(ord(beginning[-1]) + 1)
        for row in connection.execute(query.where(document_rows.c.id > beginning, document_rows.c.id < end)):
            if _place(row.origin) == place:
                parts.setdefault((row.hash, row.title, row.url, row.published), set()).add(row.id)
    return parts


def _slashes(path: str) -> str:
    return path.replace("\\", "/")


def _lock(batch_id: int) -> str:
    return f"import-{batch_id}"
