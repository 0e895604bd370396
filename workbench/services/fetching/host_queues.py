"""Requests many pages at once, host by host."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from queue import SimpleQueue

from workbench.project.captures import Capture
from workbench.reading.formats.html import site_of
from workbench.services.fetching.journal import Entry, PageRequest, Spool
from workbench.services.fetching.options import FetchOptions
from workbench.services.fetching.session import FetchSession

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
