"""Moves received pages into the project: bodies are read in worker processes and stored with their captures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from email.utils import parsedate_to_datetime

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import DateSource, Document, Role
from workbench.jobs.chunks import Crash, map_chunks
from workbench.project.captures import Capture, Outcome, add_bodies, add_captures, keys_of, page_texts
from workbench.project.clock import moment
from workbench.project.database import Connection, Project
from workbench.project.documents import add_documents
from workbench.project.imports import add_failures, resolve_failures
from workbench.project.listing import items_of
from workbench.project.pages import load_selectors
from workbench.project.tags import attach_tags
from workbench.services.fetching.journal import Entry, Spool
from workbench.services.fetching.options import FetchOptions
from workbench.services.fetching.page_reader import LIMIT, Received, read_page
from workbench.services.importing.storing import in_other_roles
from workbench.services.pages.selectors import Unselected

_CHARACTERS = 4_000_000
"""Characters of pages stored in one transaction."""
_PAGES = 500
_FEW = 20
"""Pages per worker process; fewer are not worth another process."""


@dataclass(frozen=True, slots=True)
class _Read:
    """An entry and the result of reading its body: a document, a sentence that says why there is none, or None if there
    is no body.
    """

    entry: Entry
    content: Document | str | None


def _failed(crash: Crash) -> str:
    return Message(
        "Reading it failed or took longer than {limit} seconds. {message}", limit=f"{LIMIT:g}", message=crash.message
    )


class FetchStore:
    """Stores the entries of one fetch; ``known`` are the last captures of its pages."""

    def __init__(
        self, project: Project, spool: Spool, batch: int, known: Mapping[str, Capture], options: FetchOptions
    ) -> None:
        self._project, self._spool, self._batch, self.known = project, spool, batch, known
        self._role = Role(spool.role)
        with project.read() as connection:
            self._selectors = load_selectors(connection)
        self._unselected = Unselected(self._selectors)
        self._lowered: list[str] = []
        self._kept: dict[str, str] = {}
        self._workers = (os.cpu_count() or 1) if options.workers is None else options.workers
        self._tags = options.tags

    def store(self, ctx: Progress, entries: Sequence[Entry]) -> None:
        """Read and store ``entries``, which have no capture in this fetch yet. A cancellation keeps what was
        committed.
        """
        self._lowered += [e.url for e in entries if e.url.startswith("https:") and e.final_url.startswith("http:")]
        plain = [_Read(e, None) for e in entries if not e.body or self._is_unchanged(e)]
        bodies = [e for e in entries if e.body and not self._is_unchanged(e)]
        for start in range(0, len(plain), _PAGES):
            self._commit(plain[start : start + _PAGES])
        received = (
            Received(self._spool.path(e.body), e.final_url, e.header("content-type"), self._selectors) for e in bodies
        )
        ready: list[_Read] = []
        weight = 0
        workers = min(self._workers, max(1, len(bodies) // _FEW))
        for index, result in map_chunks(ctx, read_page, received, workers=workers, untrusted=True):
            ready.append(_Read(bodies[index], _failed(result) if isinstance(result, Crash) else result))
            if isinstance(result, Document):
                weight += len(result.text)
                self._unselected.count([result])
            if weight >= _CHARACTERS or len(ready) >= _PAGES:
                self._commit(ready)
                ready, weight = [], 0
        self._commit(ready)

    def warnings(self) -> list[str]:
        """Warnings about the pages stored so far, one sentence each."""
        warnings = [*self._unselected.sentences(), *in_other_roles(self._kept)]
        if self._lowered:
            count, first = len(self._lowered), self._lowered[0]
            warnings.append(
                Message(
                    "Redirected from https to plain http, where others can change a page: {count} (such as {first}).",
                    count=f"{count:,}",
                    first=first,
                )
            )
        return warnings

    def _is_unchanged(self, entry: Entry) -> bool:
        """Whether the page is unchanged: by the host's answer, or by equal bytes from the same URL."""
        before = self.known.get(entry.url)
        if before is None or entry.error:
            return False
        same = entry.body_hash == before.body_hash.hex() and entry.final_url == before.final_url
        return entry.status == 304 or (same and bool(entry.body_hash))

    def _commit(self, reads: Sequence[_Read]) -> None:
        """Commit documents, captures and failures in one transaction, and delete the bodies after that."""
        if not reads:
            return
        with self._project.write() as connection:
            add_captures(connection, self._spool.token, self._captures(connection, reads))
            for entry in (read.entry for read in reads):
                if entry.body and not entry.error:
                    # One at a time: a body may have 20 MB.
                    add_bodies(connection, {bytes.fromhex(entry.body_hash): self._spool.path(entry.body).read_bytes()})
        for read in reads:
            self._spool.drop_body(read.entry)

    def _captures(self, connection: Connection, reads: Sequence[_Read]) -> list[Capture]:
        finals = list({r.entry.final_url for r in reads if isinstance(r.content, Document)})
        stored = page_texts(connection, finals)
        latest = {url: key for url, (key, _) in stored.items()}
        texts = {url: content for url, (_, content) in stored.items()}
        fresh: list[tuple[_Read, Document]] = []
        repeated: list[_Read] = []
        for read in reads:
            if not isinstance(read.content, Document):
                continue
            document, entry = read.content, read.entry
            content = document.content_hash
            if texts.get(entry.final_url) == content:
                repeated.append(read)
                continue
            # The first text of a page has its URL as id; later ones also have the time of their capture.
            identity = f"{entry.final_url}@{entry.captured}" if entry.final_url in texts else entry.final_url
            texts[entry.final_url] = content
            date, dated_by = _dated(document, entry)
            document = replace(document, id=identity, role=self._role, tags=self._tags)
            fresh.append((read, replace(document, published=date, dated_by=dated_by)))
        result = add_documents(connection, [document for _, document in fresh], self._batch)
        keys = keys_of(connection, [identity for identity in result.ids if identity])
        outcome: dict[str, Capture] = {}
        for (read, _), identity in zip(fresh, result.ids, strict=True):
            if identity:
                latest[read.entry.final_url] = keys[identity]
                outcome[read.entry.url] = self._capture(read.entry, Outcome.NEW, keys[identity])
            else:
                outcome[read.entry.url] = self._capture(
                    read.entry, Outcome.FAILED, None, Message("Its id is already used.")
                )
        for read in repeated:
            outcome[read.entry.url] = self._capture(read.entry, Outcome.DUPLICATE, latest.get(read.entry.final_url))
        for read in reads:
            if isinstance(read.content, str):
                outcome[read.entry.url] = self._capture(read.entry, Outcome.FAILED, None, read.content)
            elif read.content is None:
                outcome[read.entry.url] = self._without_body(read.entry)
        self._know(connection, outcome.values())
        failed = [(c.url, c.error) for c in outcome.values() if c.outcome is Outcome.FAILED]
        add_failures(connection, self._batch, failed)
        resolve_failures(connection, [c.url for c in outcome.values() if c.outcome is not Outcome.FAILED])
        return [outcome[read.entry.url] for read in reads]

    def _know(self, connection: Connection, captures: Iterable[Capture]) -> None:
        """Add the tags to documents that were there before, and note those that keep another role."""
        old = [c.document for c in captures if c.outcome in (Outcome.UNCHANGED, Outcome.DUPLICATE)]
        keys = sorted({key for key in old if key is not None})
        if self._tags:
            attach_tags(connection, keys, self._tags)
        items = items_of(connection, keys).values()
        self._kept.update((item.id, item.role.value) for item in items if item.role != self._role)

    def _without_body(self, entry: Entry) -> Capture:
        before = self.known.get(entry.url)
        if entry.error or before is None:
            return self._capture(
                entry, Outcome.FAILED, None, entry.error or Message("The server responded 304 (Not Modified).")
            )
        capture = self._capture(entry, Outcome.UNCHANGED, before.document)
        # A 304 need not repeat the headers it confirms.
        return replace(
            capture,
            etag=capture.etag or before.etag,
            last_modified=capture.last_modified or before.last_modified,
            body_hash=before.body_hash,
        )

    def _capture(self, entry: Entry, outcome: Outcome, document: int | None, error: str = "") -> Capture:
        return Capture(
            url=entry.url,
            final_url=entry.final_url,
            captured=entry.captured,
            outcome=outcome,
            status=entry.status,
            document=document,
            etag=entry.header("etag"),
            last_modified=entry.header("last-modified"),
            body_hash=bytes.fromhex(entry.body_hash),
            error=error,
            headers=entry.headers,
        )


_FRESH = timedelta(hours=1)
"""A page last modified less than this before its capture was generated for the request."""


def _dated(document: Document, entry: Entry) -> tuple[str, str]:
    """The date of a page and its DateSource: the page's own date, else its listing's, else the reply's, else empty."""
    if document.published:
        return document.published, document.dated_by
    if entry.published:
        return entry.published, entry.dated_by
    try:
        changed, captured = parsedate_to_datetime(entry.header("last-modified")), moment(entry.captured)
        if captured is not None and changed.tzinfo is not None and captured - changed >= _FRESH:
            return changed.isoformat().replace("+00:00", "Z"), DateSource.HEADER
    except (ValueError, TypeError, IndexError, OverflowError):
        pass
    return "", ""
