"""Hits on pages of web archives and how they are stored: page, record and matches."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

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
from workbench.reading.formats import Failure, FileSlice, Item, ReadOptions, Record, Source, warc
from workbench.services.importing.pieces import WorkItem
from workbench.services.scanning.settings import ScanSettings

MOST_PAGES = 500
MOST_BYTES = 24_000_000
"""Pages, and bytes of their records, held in memory at once."""
MOST_SECONDS = 10.0
"""Seconds after which progress is recorded, so that little is searched again after an interruption."""


@dataclass(slots=True)
class Waiting:
    """Pages waiting to be compared. ``pieces`` counts the pieces read of each file so far; ``finished`` lists the files
    read to the end.
    """

    pieces: dict[str, int] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    _records: dict[str, FileSlice] = field(default_factory=dict)
    _bytes: int = 0
    _begun: float = field(default_factory=time.monotonic)

    def add(self, piece: WorkItem, items: Sequence[Item], passed: Mapping[Path, int]) -> None:
        """Add the items of ``piece``; ``passed`` is how many pieces of each file an earlier execution read."""
        if piece.file is not None:
            path = str(piece.file)
            self.pieces[path] = self.pieces.get(path, passed.get(piece.file, 0)) + 1
        for source in piece.inputs:
            if isinstance(source, Source) and source.part is not None:
                self._records[source.name] = source.part
                self._bytes += len(source.part.data)
        for item in items:
            if isinstance(item, Record):
                self.pages += 1
                self.documents.append(replace(item.document, role=Role.SUSPECT, markup=""))
            elif isinstance(item, Failure):
                self.failures.append((item.path, item.error))

    def record_of(self, document: Document) -> FileSlice | None:
        """The record that a page was read from."""
        return self._records.get(document.id)

    @property
    def is_due(self) -> bool:
        """Whether enough pages are waiting, or have waited long enough."""
        waited = time.monotonic() - self._begun
        return self.pages >= MOST_PAGES or self._bytes >= MOST_BYTES or waited >= MOST_SECONDS

    def following(self) -> Waiting:
        """An empty queue that continues the same files."""
        going_on = {path: count for path, count in self.pieces.items() if path not in self.finished}
        return Waiting(going_on)


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
