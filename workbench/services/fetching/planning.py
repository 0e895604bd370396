"""Finds the pages of places: lists are read, feeds and sitemaps are fetched and opened."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.progress import Progress
from workbench.base.resources import open_regular
from workbench.base.types import DateSource
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks
from workbench.project.clock import moment
from workbench.reading.formats import Failure, sentence
from workbench.reading.formats.html import site_of
from workbench.reading.formats.names import legible
from workbench.reading.html.metadata import iso_time
from workbench.reading.web.listings import MOST_BYTES, MOST_ENTRIES, read_feed, read_sitemap, shortened
from workbench.services.fetching.addresses import host_of, normal_url
from workbench.services.fetching.intervals import RequestTimes, spared
from workbench.services.fetching.journal import Body, FetchPlan, PageRequest, Spool
from workbench.services.fetching.listing_cache import Shelf
from workbench.services.fetching.options import KNOWN, NOT_DUE, SAMPLED, FetchOptions
from workbench.services.fetching.session import Loop, Reply

STAGE = Message("Looking for pages")
FOREIGN = Message("on a different host than their sitemap")
OVER_LIMIT = Message("over the limit of pages")
OVER_PROTOCOL = Message("beyond the 50,000 that one sitemap may list")
OVER_FEED = Message("beyond the first {limit} of a feed", limit=f"{MOST_ENTRIES:,}")
UNOPENED = Message("sitemaps not opened: the limit of pages, or of sitemaps, was reached")

KnownUrls = Callable[[Sequence[str], str], Collection[str]]
"""Returns which of the URLs have been fetched since a time (ISO 8601 in UTC)."""
ReadRequestTimes = Callable[[Sequence[str]], Mapping[str, RequestTimes]]
"""Returns the past requests for those of the URLs that were requested before."""

_BEHIND = timedelta(hours=12)
"""The most by which a local time is behind UTC."""
_NOT_MODIFIED = 304
_DEEPEST = 3
"""Levels of sitemap indexes followed; the protocol allows one."""
_MOST_LISTINGS = 10_000
"""Maximum number of feeds and sitemaps in a fetch: an index may list 50,000 others, each of them an index again."""
_AT_ONCE = 8
"""Number of feeds and sitemaps fetched together before they are opened."""
_LIMIT = 60.0
_MOST_LIST_BYTES = 256_000_000


@dataclass(frozen=True, slots=True)
class _Listing:
    """A feed or sitemap to be fetched; ``depth`` counts the indexes above it.

    ``since`` is when it was last received, if it has not changed since; otherwise empty.
    """

    kind: PlaceKind
    url: str
    depth: int = 0
    since: str = ""


@dataclass(frozen=True, slots=True)
class _Opened:
    """The entries of a feed or sitemap: (address, ISO 8601 date of publication or, in a sitemap, of the last change) of
    pages, further sitemaps, and the number cut off; or an error.

    The listing changes whenever one of the first ``dated`` pages does; ``changes`` are the times it gives.
    """

    pages: tuple[tuple[str, str], ...] = ()
    dated: int = 0
    changes: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    cut: int = 0
    error: str = ""


class Planner:
    """Collects the pages of a fetch, each once, in the order of the places.

    ``known`` returns which addresses have been fetched since a feed or sitemap last changed: earlier fetches prove
    nothing. With ``pasts``, addresses requested before are requested again at growing intervals.
    """

    def __init__(
        self,
        ctx: Progress,
        loop: Loop,
        spool: Spool,
        shelf: Shelf,
        options: FetchOptions,
        known: KnownUrls,
        pasts: ReadRequestTimes | None = None,
    ) -> None:
        self._ctx, self._loop, self._spool, self._options = ctx, loop, spool, options
        self._shelf, self._known, self._pasts = shelf, known, pasts
        self._pages: dict[str, tuple[str, str]] = {}
        self._failed: list[Failure] = []
        self._left_out: Counter[str] = Counter()
        self._passed_over: dict[str, str] = {}

    def plan(self, places: Sequence[PageSource]) -> FetchPlan:
        """The pages of ``places``. Raises UserError for a list that cannot be read, Cancelled."""
        listings: list[_Listing] = []
        for place in places:
            if place.kind is PlaceKind.LIST:
                for name, address in _lines(Path(place.address)):
                    self._add(address, name=name)
            elif place.kind is PlaceKind.URL:
                self._add(place.address)
            elif url := self._normal(place.address):
                listings.append(_Listing(place.kind, url))
        self._open_all(listings)
        pages = tuple(PageRequest(url, *dated) for url, dated in self._pages.items())
        # Another listing may require a page that one passed over.
        passed_over = Counter(reason for url, reason in self._passed_over.items() if url not in self._pages)
        return FetchPlan(pages, tuple(self._failed), dict(self._left_out + passed_over))

    def _open_all(self, listings: list[_Listing]) -> None:
        """Fetch and open feeds and sitemaps; those an index lists come right after it."""
        waiting = list({(x.kind, x.url): x for x in listings}.values())
        known = {(x.kind, x.url) for x in waiting}
        opened_lists = 0
        while waiting:
            if len(self._pages) >= self._options.limit:
                self._left_out[UNOPENED] += len(waiting)
                return
            now, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            further: list[_Listing] = []
            for listing, reply, opened in self._open(now):
                opened_lists += 1
                self._ctx.advance(STAGE, opened_lists, opened_lists + len(waiting) + len(further))
                if opened.error:
                    self._failed.append(Failure(listing.url, opened.error))
                    continue
                for child in self._take(listing, reply, opened):
                    if (child.kind, child.url) in known:
                        continue
                    if len(known) >= _MOST_LISTINGS:
                        self._left_out[UNOPENED] += 1
                    else:
                        known.add((child.kind, child.url))
                        further.append(child)
            waiting = further + waiting

    def _open(self, listings: Sequence[_Listing]) -> Iterator[tuple[_Listing, Reply, _Opened]]:
        bodies = [self._spool.body() for _ in listings]
        try:
            fetched = self._loop.wait(self._ctx, self._fetch(listings, bodies))
            texts = [
                (str(path), x.kind, r.final_url, r.header("content-type")) for x, r, path in fetched if not r.error
            ]
            workers = 1 if self._options.workers is None else min(1, self._options.workers)
            opened = dict(map_chunks(self._ctx, open_listing, texts, workers=workers, untrusted=True))
            numbers = iter(range(len(texts)))
            for (listing, reply, path), body in zip(fetched, bodies, strict=True):
                if reply.error:
                    yield listing, reply, _Opened(error=reply.error)
                    continue
                result = opened[next(numbers)]
                if isinstance(result, Crash):
                    result = _Opened(error=result.message)
                if result.error:
                    self._shelf.drop(listing.kind, listing.url)
                elif reply.status != _NOT_MODIFIED and not listing.since:
                    self._shelf.keep(listing.kind, listing.url, reply, path, body.close())
                yield listing, reply, result
        finally:
            for body in bodies:
                body.close()
                body.path.unlink(missing_ok=True)

    async def _fetch(self, listings: Sequence[_Listing], bodies: Sequence[Body]) -> list[tuple[_Listing, Reply, Path]]:
        """The answers, and where their bodies are: for an unchanged listing, the cached one."""
        cached = [self._shelf.find(listing.kind, listing.url) for listing in listings]
        pages = (
            self._loop.session.page(listing.url, body, MOST_BYTES, known)
            for listing, body, known in zip(listings, bodies, cached, strict=True)
        )
        replies = await asyncio.gather(*pages)
        fetched = []
        for listing, reply, body, known in zip(listings, replies, bodies, cached, strict=True):
            body_hash = body.close()
            if known is not None and reply.status == _NOT_MODIFIED:
                path = self._shelf.body(listing.kind, listing.url)
                fetched.append((replace(listing, since=known.captured), replace(reply, headers=known.headers), path))
            elif known is not None and not reply.error and body_hash == known.body_hash.hex():
                # A host without validators sends the listing again; its hash shows that it is the same.
                fetched.append((replace(listing, since=known.captured), reply, body.path))
            else:
                fetched.append((listing, reply, body.path))
        return fetched

    def _take(self, listing: _Listing, reply: Reply, opened: _Opened) -> list[_Listing]:
        """Add the pages a feed or sitemap lists. Returns the sitemaps an index lists."""
        self._left_out[OVER_FEED if listing.kind is PlaceKind.FEED else OVER_PROTOCOL] += opened.cut
        hosts = {site_of(listing.url), site_of(reply.final_url)} if listing.kind is PlaceKind.SITEMAP else set()
        urls = [_normal_or_none(address, reply.final_url) for address, _ in opened.pages]
        known = self._unchanged(listing, opened, urls)
        rest = [url for url in urls if url and url not in known]
        calm = spared(self._pasts(rest), datetime.now(UTC)) if self._pasts else set()
        dated_by = DateSource.FEED if listing.kind is PlaceKind.FEED else DateSource.SITEMAP
        for address, published in opened.pages:
            self._add(
                address,
                base=reply.final_url,
                dated=(published, dated_by if published else ""),
                hosts=hosts,
                known=known,
                spared=calm,
                sampled=True,
            )
        children = []
        for address in opened.children:
            url = self._normal(address, reply.final_url)
            if url and site_of(url) not in hosts:
                self._left_out[FOREIGN] += 1
            elif url and listing.depth + 1 >= _DEEPEST:
                self._failed.append(
                    Failure(
                        url, Message("Sitemap indexes are nested more than {deepest} levels deep.", deepest=_DEEPEST)
                    )
                )
            elif url:
                children.append(_Listing(PlaceKind.SITEMAP, url, listing.depth + 1))
        return children

    def _unchanged(self, listing: _Listing, opened: _Opened, urls: Sequence[str | None]) -> Collection[str]:
        """The pages fetched since they last changed, according to their listing.

        A feed says when a page was published, not whether it was changed since: only a one-time fetch infers unchanged
        pages from an unchanged feed.
        """
        over = {url: _over(date) for url, date in zip(urls, opened.changes, strict=False) if url}
        if self._pasts is None:
            known = self._known([url for url in urls[: opened.dated] if url], listing.since) if listing.since else ()
            received = moment(listing.since)
            return [u for u in known if u not in over or (received and (end := over[u]) and end <= received)]
        pasts = self._pasts(list(over))
        return [u for u, past in pasts.items() if past.steady and (end := over[u]) and end <= past.last]

    def _add(
        self,
        address: str,
        *,
        name: str = "",
        base: str = "",
        dated: tuple[str, str] = ("", ""),
        hosts: Collection[str] = (),
        known: Collection[str] = (),
        spared: Collection[str] = (),
        sampled: bool = False,
    ) -> None:
        url = self._normal(address, base, name)
        if not url or url in self._pages:
            return
        if hosts and site_of(url) not in hosts:
            self._left_out[FOREIGN] += 1
        elif sampled and not in_sample(url, self._options.sample):
            self._left_out[SAMPLED] += 1
        elif url in known:
            self._passed_over[url] = KNOWN
        elif url in spared:
            self._passed_over[url] = NOT_DUE
        elif len(self._pages) >= self._options.limit:
            self._passed_over[url] = OVER_LIMIT
        else:
            self._pages[url] = dated

    def _normal(self, address: str, base: str = "", name: str = "") -> str:
        """The address in the form to request; empty, and listed as failed, if it cannot be requested."""
        try:
            return normal_url(address, base)
        except UserError as error:
            self._failed.append(Failure(legible(name or address[:200]), legible(sentence(error))))
            return ""


def named_hosts(places: Sequence[PageSource]) -> set[str]:
    """The hosts of ``places`` and of the lines of their lists. Raises UserError for a list that cannot be read."""
    hosts: set[str] = set()
    for place in places:
        lines = _lines(Path(place.address)) if place.kind is PlaceKind.LIST else [("", place.address)]
        for _, address in lines:
            with suppress(UserError):
                hosts.add(host_of(normal_url(address)))
    return hosts


def in_sample(url: str, share: float) -> bool:
    """Whether ``url`` belongs to the sample: decided by its SHA-256, so that every fetch uses the same sample."""
    return int.from_bytes(hashlib.sha256(url.encode()).digest()[:8], "big") < share * 2.0**64


def open_listing(what: tuple[str, PlaceKind, str, str]) -> _Opened:
    """Read a feed or sitemap (in a worker): path, kind, URL and Content-Type."""
    path, kind, url, content_type = what
    with Alarm(_LIMIT):
        try:
            data = Path(path).read_bytes()
            if kind is PlaceKind.FEED:
                data, cut = shortened(data)
                entries = tuple(read_feed(data, url, content_type))
                return _Opened(entries, len(entries), cut=cut)
            sitemap = read_sitemap(data)
            # The dates are those of the first pages.
            pages = tuple(zip_longest(sitemap.pages, map(iso_time, sitemap.dates), fillvalue=""))
            return _Opened(pages, len(sitemap.dates), sitemap.dates, sitemap.children, sitemap.cut)
        except Exception as error:  # noqa: BLE001 - whatever a parser raises on one feed must not end the others
            return _Opened(error=sentence(error))


def _over(changed: str) -> datetime | None:
    """The end of the time of a change: of the day if only a date is given, by the last clock on earth if there is no
    zone. None if there is no time, or none that can be reckoned with.
    """
    time = moment(changed)
    if time is None or datetime.fromisoformat(changed).tzinfo is not None:
        return time
    try:
        return time + _BEHIND + timedelta(days="T" not in changed)
    except OverflowError:
        return None


def _normal_or_none(address: str, base: str) -> str | None:
    try:
        return normal_url(address, base)
    except UserError:
        return None


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """(``file:line``, address) of each line of a list; empty lines and those that begin with # are comments."""
    try:
        if path.stat().st_size > _MOST_LIST_BYTES:
            raise UserError(
                Message(
                    "The list is larger than the limit of {limit} bytes.",
                    limit=f"{_MOST_LIST_BYTES:,}",
                ),
                path=path,
            )
        with open_regular(path) as stream, TextIOWrapper(stream, encoding="utf-8-sig", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.lstrip().startswith("#"):
                    yield f"{path}:{number}", line.strip()
    except OSError as error:
        raise UserError(Message("The list cannot be read ({reason}).", reason=error), path=path) from None
