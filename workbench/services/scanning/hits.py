"""Hits on pages of web archives and how they are stored: page, record and matches."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Results, Role
from workbench.project.captures import ARCHIVED, Capture, Outcome, add_bodies, add_captures, captured_urls
from workbench.project.clock import moment
from workbench.project.database import Connection
from workbench.project.documents import add_documents
from workbench.project.listing import items_of, keys_of
from workbench.project.scans import Scan
from workbench.reading.formats import FileSlice, ReadOptions, warc
from workbench.services.scanning.pages import Waiting
from workbench.services.scanning.settings import ScanSettings

_SHORT = Message("matches shorter than asked for")
_SOURCES = Message("pages that are sources of this project")


def counting(results: Results, settings: ScanSettings, left_out: Counter[str]) -> Results:
    """The matches long enough to count; the others are added to ``left_out``, by reason."""
    matches = results.matches
    long_enough = matches.b_end - matches.b_start >= settings.min_characters
    left_out[_SHORT] += int((~long_enough).sum())
    left_out.update(results.excluded)
    return Results(matches.take(np.flatnonzero(long_enough)))


def keep(
    connection: Connection,
    scan: Scan,
    results: Results,
    pages: Mapping[int, Document],
    waiting: Waiting,
    options: ReadOptions,
) -> Results:
    """Store the pages with matches as suspects, and their records as captures. Returns ``results`` with their keys."""
    hits = [pages[key] for key in np.unique(results.matches.a).tolist()]
    added = add_documents(connection, hits)
    known = keys_of(connection, [identity for identity in added.ids if identity])
    keys = {page.key: known.get(identity, 0) for page, identity in zip(hits, added.ids, strict=True)}
    waiting.failures += added.failures
    roles = {key: item.role for key, item in items_of(connection, sorted(set(known.values()))).items()}
    sources = {key for key, role in roles.items() if role != Role.SUSPECT}
    waiting.left_out[_SOURCES] += len(sources)
    for page in hits:
        part, key = waiting.record_of(page), keys[page.key]
        if part is not None and key and key not in sources:
            _capture(connection, f"{ARCHIVED}{scan.id}.{key}", page, key, part, options)
    matches = results.matches
    translated = np.array([keys[key] for key in matches.a.tolist()], np.int64)
    kept = np.flatnonzero((translated > 0) & ~np.isin(translated, list(sources)))
    left_out = {reason: count for reason, count in waiting.left_out.items() if count}
    return Results(replace(matches, a=translated).take(kept), excluded=left_out)


def _capture(
    connection: Connection, name: str, page: Document, key: int, part: FileSlice, options: ReadOptions
) -> None:
    try:
        answer = warc.answer_of(part, options)
    except (UserError, OSError):
        # The page was read from this very record; if it cannot be read a second time, the page has no capture.
        return
    digest = hashlib.sha256(answer.body).digest()
    time = answer.captured if moment(answer.captured) else ""
    archived = (("warc-record-id", answer.record), ("warc-record", page.id))
    capture = Capture(
        page.url,
        page.url,
        time,
        Outcome.NEW,
        answer.status,
        key,
        body_hash=digest,
        headers=(*answer.headers, *archived),
    )
    if page.url in captured_urls(connection, name):
        return
    add_bodies(connection, {digest: answer.body})
    add_captures(connection, name, [capture])
