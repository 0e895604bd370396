"""Captures: the answers of hosts to requests for pages, one row per page and fetch, and their trusted timestamps."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, case, false, func, insert, or_, select

from workbench.base.messages import Message, read, stored
from workbench.project.batches import batched
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.tables import body_rows, capture_rows, document_rows, text_rows, timestamp_rows

T = TypeVar("T")

ARCHIVED = "scan-"
"""Prefix of the names of fetches from web archives."""


class Outcome(StrEnum):
    """The outcome for a page: a new document, unchanged, different bytes with a known text, or failed."""

    NEW = "new"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Capture:
    """One answer. ``captured`` is ISO 8601 in UTC, ``status`` the HTTP status (0: no answer), ``document`` the key of
    the document with the text, ``body_hash`` SHA-256 of the unpacked body (empty without one).
    """

    url: str
    final_url: str
    captured: str
    outcome: Outcome
    status: int = 0
    document: int | None = None
    etag: str = ""
    last_modified: str = ""
    body_hash: bytes = b""
    error: str = ""
    headers: tuple[tuple[str, str], ...] = ()


def add_captures(connection: Connection, fetch: str, captures: Iterable[Capture]) -> None:
    """Record the answers received by ``fetch``."""
    rows = []
    for capture in captures:
        packed = pack(json.dumps(capture.headers).encode())
        rows.append(
            {
                "fetch": fetch,
                "url": capture.url,
                "final_url": capture.final_url,
                "captured": capture.captured,
                "status": capture.status,
                "outcome": capture.outcome.value,
                "document": capture.document,
                "etag": capture.etag,
                "last_modified": capture.last_modified,
                "body_hash": capture.body_hash,
                "error": stored(capture.error),
                "size": packed.size,
                "packed": packed.data,
            }
        )
    if rows:
        connection.execute(insert(capture_rows), rows)


def add_bodies(connection: Connection, bodies: Mapping[bytes, bytes]) -> None:
    """Store the bytes of captured pages by their SHA-256; stored bytes are not replaced."""
    known: set[bytes] = set()
    for part in batched(list(bodies)):
        known.update(connection.execute(select(body_rows.c.hash).where(body_rows.c.hash.in_(part))).scalars())
    rows = []
    for body_hash, body in bodies.items():
        if body_hash not in known:
            packed = pack(body)
            rows.append({"hash": body_hash, "size": packed.size, "packed": packed.data})
    if rows:
        connection.execute(insert(body_rows), rows)


def body_of(connection: Connection, body_hash: bytes) -> bytes | None:
    """The bytes with this SHA-256; None if they were not stored. Raises ProjectError if they are damaged."""
    row = connection.execute(
        select(body_rows.c.size, body_rows.c.packed).where(body_rows.c.hash == body_hash)
    ).one_or_none()
    if row is None:
        return None
    body = unpack(Packed(row.size, row.packed), "a captured page")
    if hashlib.sha256(body).digest() != body_hash:
        raise damaged(Message("{what} has the wrong shape", what="a captured page"))
    return body


_BY_TIME = (capture_rows.c.captured == "", capture_rows.c.captured, capture_rows.c.id)
"""Archives contain earlier captures than those that were recorded before them, some without a valid time."""


def all_captures(connection: Connection, url: str = "") -> Iterator[Capture]:
    """The captures of ``url`` (requested, or reached by redirects), oldest first; "": all, in the order recorded."""
    query = _whole().order_by(capture_rows.c.id)
    if url:
        query = _whole().where(or_(capture_rows.c.url == url, capture_rows.c.final_url == url)).order_by(*_BY_TIME)
    yield from map(_capture, connection.execute(query))


def last_captures(connection: Connection, urls: Sequence[str]) -> dict[str, Capture]:
    """The last capture of each of ``urls`` whose document still exists, by requested URL."""
    return {capture.url: capture for capture in _last(connection, capture_rows.c.url, urls)}


def captures_of_fetch(connection: Connection, fetch: str) -> Iterator[Capture]:
    """The captures of one fetch in the order they were recorded."""
    yield from map(
        _capture, connection.execute(_whole().where(capture_rows.c.fetch == fetch).order_by(capture_rows.c.id))
    )


def captures_of_document(connection: Connection, key: int) -> list[Capture]:
    """The captures that yielded the text of a document, first or again, oldest first."""
    rows = connection.execute(_whole().where(capture_rows.c.document == key).order_by(*_BY_TIME))
    return [_capture(row) for row in rows]


def captured_urls(connection: Connection, fetch: str) -> set[str]:
    """The URLs that have a capture in this fetch."""
    return set(connection.execute(select(capture_rows.c.url).where(capture_rows.c.fetch == fetch)).scalars())


def fetched_since(connection: Connection, urls: Sequence[str], fetches: str, since: str) -> set[str]:
    """The ``urls`` of which a fetch with a name that begins with ``fetches`` yielded a document that still exists.

    Only captures since ``since`` (ISO 8601 in UTC) count.
    """
    addresses: set[str] = set()
    for part in batched(urls):
        query = select(capture_rows.c.url).join(document_rows, capture_rows.c.document == document_rows.c.key)
        query = query.where(
            capture_rows.c.url.in_(part), capture_rows.c.captured >= since, document_rows.c.deleted == ""
        )
        addresses.update(
            connection.execute(query.where(capture_rows.c.fetch.startswith(fetches, autoescape=True))).scalars()
        )
    return addresses


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests for an address: times (ISO 8601 in UTC) of the first, the last, and the last with a changed page
    (empty if none had one), and the status of the last answer.
    """

    url: str
    first: str
    last: str
    changed: str
    status: int


def requests_for(connection: Connection, urls: Sequence[str], fetches: str) -> list[Requests]:
    """The requests for ``urls`` by fetches whose names begin with ``fetches``."""
    c, rows = capture_rows.c, []
    other = c.outcome.in_((Outcome.NEW.value, Outcome.DUPLICATE.value))
    for part in batched(urls):
        chosen = (c.url.in_(part), c.fetch.startswith(fetches, autoescape=True))
        last = select(c.url, func.max(c.id).label("id")).where(*chosen).group_by(c.url).subquery()
        changed = func.max(case((other, c.captured), else_=""))
        spans = select(c.url, func.min(c.captured), func.max(c.captured), changed).where(*chosen).group_by(c.url)
        ends = {
            row.url: row.status for row in connection.execute(select(c.url, c.status).join(last, last.c.id == c.id))
        }
        rows += [Requests(row[0], row[1], row[2], row[3], ends[row[0]]) for row in connection.execute(spans)]
    return rows


def first_captures(connection: Connection, keys: Sequence[int]) -> dict[int, tuple[str, str]]:
    """When each of the documents (keys) was first captured (ISO 8601 in UTC), and by which fetch."""
    firsts: dict[int, tuple[str, str]] = {}
    c = capture_rows.c
    for part in batched(keys):
        known = func.min(func.nullif(c.captured, ""))
        rows = connection.execute(select(c.document, known, c.fetch).where(c.document.in_(part)).group_by(c.document))
        firsts.update((key, (captured or "", fetch)) for key, captured, fetch in rows if key is not None)
    return firsts


_FEW_HOSTS = 20


def visits(connection: Connection, hosts: Collection[str]) -> Iterator[tuple[str, str]]:
    """The address and time (ISO 8601 in UTC) of each capture with a document from ``hosts`` (and possibly from
    others), in recorded order.
    """
    c = capture_rows.c
    query = select(c.final_url, c.captured).where(c.document.is_not(None)).order_by(c.id)
    if len(hosts) <= _FEW_HOSTS:
        query = query.where(or_(false(), *(func.instr(func.lower(c.final_url), host) > 0 for host in sorted(hosts))))
    for row in connection.execute(query):
        yield row.final_url, row.captured


@dataclass(frozen=True, slots=True)
class PageState:
    """The state of a page according to its captures: when it was last ``seen``, since when it has been ``gone`` (404 or
    410) or ``silent`` (no answer, or another status), each empty if it was not, and its last ``text`` (a number).
    """

    seen: str = ""
    gone: str = ""
    silent: str = ""
    text: int | None = None


GONE = (404, 410)
"""HTTP statuses for pages that no longer exist."""


def page_states(connection: Connection, pages: Sequence[str]) -> dict[str, PageState]:
    """The state of each of ``pages`` (URLs) that was captured."""
    states: dict[str, PageState] = {}
    c = capture_rows.c
    for part in batched(pages):
        query = select(c.url, c.final_url, c.captured, c.status, document_rows.c.text_id)
        query = query.outerjoin(document_rows, document_rows.c.key == c.document).order_by(c.captured, c.id)
        query = query.where(or_(c.url.in_(part), c.final_url.in_(part)))
        urls_of_part = set(part)
        for row in connection.execute(query):
            for page in {row.url, row.final_url} & urls_of_part:
                states[page] = _followed(states.get(page, PageState()), row.captured, row.status, row.text_id)
    return states


def _followed(before: PageState, captured: str, status: int, text: int | None) -> PageState:
    if text is not None:
        return PageState(seen=captured, text=text)
    if status in GONE:
        return replace(before, gone=before.gone or captured, silent="")
    return replace(before, silent=before.silent or captured)


def page_texts(connection: Connection, final_urls: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """Key and content hash of the document with the latest text of each page: that of its last capture, otherwise the
    document with its URL as id.
    """
    last = {c.final_url: c.document for c in _last(connection, capture_rows.c.final_url, final_urls)}
    keys = {url: key for url, key in keys_of(connection, final_urls).items() if url not in last}
    keys |= {url: key for url, key in last.items() if key is not None}
    hashes: dict[int, bytes] = {}
    for part in batched(list(keys.values())):
        query = select(document_rows.c.key, text_rows.c.hash).join(text_rows, document_rows.c.text_id == text_rows.c.id)
        hashes.update((key, content) for key, content in connection.execute(query.where(document_rows.c.key.in_(part))))
    return {url: (key, hashes[key]) for url, key in keys.items()}


def keys_of(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """Keys by id of the documents ``ids`` that are in the project."""
    keys: dict[str, int] = {}
    for part in batched(ids):
        query = select(document_rows.c.id, document_rows.c.key).where(
            document_rows.c.id.in_(part), document_rows.c.deleted == ""
        )
        keys.update((identity, key) for identity, key in connection.execute(query))
    return keys


def new_documents(connection: Connection, fetch: str) -> list[tuple[int, str]]:
    """(key, id) of the documents a fetch added, in key order."""
    query = select(document_rows.c.key, document_rows.c.id).join(
        capture_rows, capture_rows.c.document == document_rows.c.key
    )
    query = query.where(capture_rows.c.fetch == fetch, capture_rows.c.outcome == Outcome.NEW.value)
    return [(key, identity) for key, identity in connection.execute(query.order_by(document_rows.c.key))]


def _last(connection: Connection, column: Any, urls: Sequence[str]) -> Iterator[Capture]:
    there = (
        select(document_rows.c.key)
        .where(document_rows.c.key == capture_rows.c.document, document_rows.c.deleted == "")
        .exists()
    )
    # An archived page is not its host's last answer.
    here = capture_rows.c.fetch.not_like(f"{ARCHIVED}%")
    for part in batched(urls):
        newest = select(func.max(capture_rows.c.id)).where(column.in_(part), there, here)
        chosen = newest.where(capture_rows.c.document.is_not(None)).group_by(column)
        yield from map(_capture, connection.execute(_whole().where(capture_rows.c.id.in_(chosen))))


def _whole() -> Select[Any]:
    return select(*capture_rows.c)


def _capture(row: Row[Any]) -> Capture:
    what = f"a capture of {row.url}"
    try:
        stored_headers = json.loads(unpack(Packed(row.size, row.packed), what))
        headers = tuple((_encodable(name), _encodable(value)) for name, value in stored_headers)
        outcome = Outcome(row.outcome)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(Message("{what} has the wrong shape", what=what)) from error
    return Capture(
        url=row.url,
        final_url=row.final_url,
        captured=row.captured,
        outcome=outcome,
        status=row.status,
        document=row.document,
        etag=row.etag,
        last_modified=row.last_modified,
        body_hash=row.body_hash,
        error=read(row.error),
        headers=headers,
    )


def _encodable(value: object) -> str:
    """``value`` with ? for lone surrogates, which no file can contain."""
    return str(value).encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class Timestamp:
    """The answer (DER, RFC 3161) of ``service`` that states that the bytes with SHA-256 ``hash`` existed at ``stamped``
    (ISO 8601 in UTC, by the service's clock).
    """

    hash: bytes
    service: str
    stamped: str
    answer: bytes


def add_timestamp(connection: Connection, timestamp: Timestamp) -> None:
    """Store ``timestamp``; its hash must not have one of the same service."""
    packed = pack(timestamp.answer)
    row = {"hash": timestamp.hash, "service": timestamp.service, "stamped": timestamp.stamped}
    connection.execute(insert(timestamp_rows), {**row, "size": packed.size, "packed": packed.data})


def timestamps_of(connection: Connection, hashes: Sequence[bytes]) -> dict[bytes, list[Timestamp]]:
    """The timestamps of each of ``hashes``, the earliest first."""
    stamps: defaultdict[bytes, list[Timestamp]] = defaultdict(list)
    t = timestamp_rows.c
    for part in batched(hashes):
        query = select(t.hash, t.service, t.stamped, t.size, t.packed).where(t.hash.in_(part)).order_by(t.stamped)
        for row in connection.execute(query):
            answer = unpack(Packed(row.size, row.packed), "a timestamp")
            stamps[row.hash].append(Timestamp(row.hash, row.service, row.stamped, answer))
    return stamps
