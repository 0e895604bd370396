"""A fetch from start to finish: resumes an interrupted one, plans, fetches, and stores while it fetches."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.resources import open_regular
from workbench.jobs.context import Context
from workbench.project.captures import (
    Capture,
    Outcome,
    captured_urls,
    captures_of_fetch,
    fetched_since,
    last_captures,
    new_documents,
)
from workbench.project.database import Project, locks_of, open_project
from workbench.project.imports import add_failures, begin_batch
from workbench.reading.formats import Failure
from workbench.reading.formats.html import site_of
from workbench.services.fetching.intervals import RequestTimes, request_times
from workbench.services.fetching.journal import Entry, FetchPlan, PageRequest, Spool, same_request
from workbench.services.fetching.listing_cache import Shelf
from workbench.services.fetching.options import FetchOptions, FetchResult
from workbench.services.fetching.planning import Planner, named_hosts
from workbench.services.fetching.session import FetchSession, Loop
from workbench.services.fetching.storing import FetchStore
from workbench.services.importing.storing import batch_ended
from workbench.services.pages.sites import judge_sites

_MOST_LANES = 1000
"""Hosts that are contacted at the same time."""
_MOST_WAITING = 2_000
"""Pages that may wait to be stored before fetching pauses."""


class Lanes:
    """Fetches pages into the spool; ``arrived`` yields each entry once its line is in the journal."""

    def __init__(
        self, session: FetchSession, spool: Spool, options: FetchOptions, known: Mapping[str, Capture]
    ) -> None:
        self._session, self._spool, self._options, self._known = session, spool, options, known
        self.arrived: SimpleQueue[Entry] = SimpleQueue()
        self.done = 0

    async def run(self, pages: Iterable[PageRequest]) -> None:
        """Request every page. Raises UserError if nothing can be written."""
        hosts: dict[str, deque[PageRequest]] = {}
        for page in pages:
            hosts.setdefault(site_of(page.url), deque()).append(page)
        # One lane per request a host may have in progress; every host gets its first before any gets a second.
        turns = deque(pages for n in range(self._options.per_host) for pages in hosts.values() if len(pages) > n)
        lanes = [asyncio.create_task(self._lane(turns)) for _ in range(min(len(turns), _MOST_LANES))]
        try:
            await asyncio.gather(*lanes)
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _lane(self, turns: deque[deque[PageRequest]]) -> None:
        while turns:
            pages = turns.popleft()
            while pages:
                await self._page(pages.popleft())

    async def _page(self, page: PageRequest) -> None:
        while self.arrived.qsize() > _MOST_WAITING:
            await asyncio.sleep(0.1)
        body = self._spool.body()
        try:
            reply = await self._session.page(page.url, body, self._options.max_bytes, self._known.get(page.url))
            has_body = not reply.error and reply.size > 0
            body_hash = body.close() if has_body else ""
            entry = Entry(
                url=page.url,
                final_url=reply.final_url,
                captured=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                status=reply.status,
                headers=reply.headers,
                error=reply.error,
                published=page.published,
                dated_by=page.dated_by,
                body=body.number if has_body else 0,
                body_hash=body_hash,
            )
            self._spool.add(entry)
            self.done += 1
            self.arrived.put(entry)
        finally:
            body.discard()


STAGE = Message("Fetching")
_LOCK = "fetch"
_STORE_SECONDS = 10.0
"""Seconds between storing received pages while fetching continues."""
_STORE_PAGES = 1000
_POLL = 0.1


def run(ctx: Context, project_path: Path, places: Sequence[PageSource], options: FetchOptions) -> FetchResult:
    """See :func:`workbench.services.fetching.fetch`."""
    with open_project(project_path) as project:
        with project.write() as connection:
            locks = locks_of(connection)
            if locks.is_held(_LOCK):
                raise UserError(Message("Another fetch into this project is running."), path=project_path)
            locks.hold(_LOCK)
            batch = begin_batch(connection, options.role)
        spool = Spool(project_path)
        try:
            with batch_ended(project, batch):
                result = _Fetch(ctx, project, spool, options, batch).run(places)
                spool.clear()
        finally:
            spool.close()
            ctx.changed("documents")
    return result


class _Fetch:
    """One call of :func:`run`."""

    def __init__(self, ctx: Context, project: Project, spool: Spool, options: FetchOptions, batch: int) -> None:
        self._ctx, self._project, self._spool, self._options, self._batch = ctx, project, spool, options, batch

    def run(self, places: Sequence[PageSource]) -> FetchResult:
        requested = [_request_of(place) for place in places]
        options = self._options
        request = same_request(requested, options.role.value, options.sample, options.limit, options.name)
        if self._spool.token and self._spool.request != request:
            # A different fetch was interrupted: the pages it received are kept, but its remaining ones are not
            # fetched here.
            self._keep(self._spool.entries)
            self._spool.clear()
        if not self._spool.token:
            self._spool.begin(request, options.role.value, options.name, options.tags)
        before, continued = list(self._spool.entries), self._spool.plan is not None
        with Loop(FetchSession(self._options, named_hosts(places))) as loop:
            plan = self._spool.plan or self._plan(loop, places)
            self._fetch(loop, plan, before)
        result = replace(self._result(plan, len(before)), continued=continued)
        if options.site_repetition:
            judge_sites(self._ctx, self._project, {site_of(identity) for identity in result.ids} - {""})
        return result

    def _plan(self, loop: Loop, places: Sequence[PageSource]) -> FetchPlan:
        shelf = Shelf(self._project.path, self._options.name)
        pasts = self._pasts if self._options.sparing else None
        plan = Planner(self._ctx, loop, self._spool, shelf, self._options, self._fetched_since, pasts).plan(places)
        self._spool.set_plan(plan)
        with self._project.write() as connection:
            add_failures(connection, self._batch, [(f.path, f.error) for f in plan.failed])
        return plan

    def _fetched_since(self, urls: Sequence[str], since: str) -> set[str]:
        with self._project.read() as connection:
            return fetched_since(connection, urls, self._options.name, since)

    def _pasts(self, urls: Sequence[str]) -> dict[str, RequestTimes]:
        with self._project.read() as connection:
            return request_times(connection, urls, self._options.name)

    def _fetch(self, loop: Loop, plan: FetchPlan, before: Sequence[Entry]) -> None:
        """Request the missing pages, and store those that arrive meanwhile."""
        store = self._store([page.url for page in plan.pages], self._options.tags)
        there = {entry.url for entry in before}
        lanes = Lanes(loop.session, self._spool, self._options, store.known)
        future = loop.start(lanes.run([page for page in plan.pages if page.url not in there]))
        waiting = self._unstored(before)
        last = time.monotonic()
        try:
            while True:
                over = future.done()
                waiting.extend(_taken(lanes.arrived))
                self._ctx.advance(STAGE, len(there) + lanes.done, len(plan.pages))
                due = len(waiting) >= _STORE_PAGES or time.monotonic() - last >= _STORE_SECONDS
                if waiting and (over or due):
                    store.store(self._ctx, waiting)
                    self._ctx.changed("documents")
                    waiting, last = [], time.monotonic()
                if over:
                    break
                wait([future], _POLL)
            future.result()
            for sentence in store.warnings():
                self._ctx.warn(sentence)
        finally:
            future.cancel()

    def _unstored(self, entries: Sequence[Entry]) -> list[Entry]:
        with self._project.read() as connection:
            stored = captured_urls(connection, self._spool.token)
        for entry in entries:
            if entry.url in stored:
                self._spool.drop_body(entry)
        return [entry for entry in entries if entry.url not in stored]

    def _keep(self, entries: Sequence[Entry]) -> None:
        """Store the pages an interrupted fetch of other places had received."""
        waiting = self._unstored(entries)
        self._store([entry.url for entry in waiting], self._spool.tags).store(self._ctx, waiting)

    def _store(self, urls: Sequence[str], tags: tuple[str, ...]) -> FetchStore:
        with self._project.read() as connection:
            known = last_captures(connection, urls)
        return FetchStore(self._project, self._spool, self._batch, known, replace(self._options, tags=tags))

    def _result(self, plan: FetchPlan, resumed: int) -> FetchResult:
        outcomes: Counter[Outcome] = Counter()
        failed = list(plan.failed)
        fetched = 0
        with self._project.read() as connection:
            for capture in captures_of_fetch(connection, self._spool.token):
                outcomes[capture.outcome] += 1
                fetched += bool(capture.body_hash) and capture.status != 304
                if capture.outcome is Outcome.FAILED:
                    failed.append(Failure(capture.url, capture.error))
            new = new_documents(connection, self._spool.token)
        return FetchResult(
            fetched=fetched,
            unchanged=outcomes[Outcome.UNCHANGED],
            imported=outcomes[Outcome.NEW],
            duplicates=outcomes[Outcome.DUPLICATE],
            failed=tuple(failed),
            keys=tuple(key for key, _ in new),
            ids=tuple(identity for _, identity in new),
            left_out={reason: number for reason, number in plan.left_out.items() if number},
            resumed=resumed,
        )


def _request_of(place: PageSource) -> tuple[str, str]:
    """A place in the form a resumed fetch recognises: a list is identified by its content. Raises UserError."""
    if place.kind is not PlaceKind.LIST:
        return place.kind.value, place.address
    try:
        with open_regular(Path(place.address)) as file:
            return place.kind.value, hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(Message("The list cannot be read ({reason}).", reason=error), path=place.address) from None


def _taken(arrived: SimpleQueue[Entry]) -> Iterator[Entry]:
    """Everything currently in the queue."""
    with suppress(Empty):
        while True:
            yield arrived.get_nowait()
