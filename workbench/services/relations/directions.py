"""Which of two documents copied from the other, by all data of the project."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import BlockClass, DateSource, Document, Role
from workbench.methods.rare_sentences.pages import address_code
from workbench.methods.rare_sentences.relations import Direction, interval
from workbench.project.captures import first_captures, visits
from workbench.project.clock import moment
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem, addresses, items_of, titles_of_sites
from workbench.reading.html.metadata import iso_date
from workbench.services.relations.direction import (
    APART,
    Conclusion,
    Edit,
    Mark,
    PageAge,
    direction,
    edits_of,
    folded,
    marked_places,
)
from workbench.services.relations.hosts import host_of, same_owner
from workbench.services.session import Session

_SEPARATOR = re.compile(r"\s+[|–—·»:-]\s+|\s*[｜│]\s*")
_LEAST_TITLES, _LEAST_SHARE = 3, 0.5
"""Minimum number of titles, and share of a site's titles, whose common last words are its name."""
_LEAST_NAME = 4
"""Minimum number of characters of a searched name: shorter ones may be ordinary words."""
_BEGINNING = 80
"""Number of characters within which a text must begin with its date."""


def bare(host: str) -> str:
    """``host`` without ``www.``."""
    return host.removeprefix("www.")


def site_names(titles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The name of each site (by host), taken from the ends of its pages' titles: "Headline | Name".

    At least three pages, and half of all, must have it, and no other site.
    """
    names: dict[str, str] = {}
    for host, of_site in titles.items():
        ends = Counter(parts[-1].strip() for title in of_site if len(parts := _SEPARATOR.split(title)) > 1)
        for name, count in ends.most_common(1):
            if count >= max(_LEAST_TITLES, _LEAST_SHARE * len(of_site)) and len(name) >= _LEAST_NAME:
                names[host] = name
    shared = Counter(name.casefold() for name in names.values())
    return {host: name for host, name in names.items() if shared[name.casefold()] == 1}


def content_text(document: Document) -> str:
    """The content of a page, one block per line."""
    if not document.blocks:
        return document.text
    spans = (block.span for block in document.blocks if block.verdict is BlockClass.CONTENT)
    return "\n".join(document.text[span.start : span.end] for span in spans)


def named(text: str, hosts: Iterable[str], names: Mapping[str, str]) -> set[str]:
    """The ``hosts`` that ``text`` names, by host or by the site's name."""
    folded = text.casefold()
    return {host for host in hosts if _has_word(folded, bare(host)) or _has_word(folded, names.get(host, ""))}


def _has_word(folded: str, name: str) -> bool:
    """Whether ``name`` is in ``folded`` and not part of a longer Latin word."""
    wanted = name.casefold()
    if len(wanted) < _LEAST_NAME:
        return False
    at = folded.find(wanted)
    while at >= 0:
        around = folded[max(0, at - 1) : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not any(part.isascii() and part.isalnum() for part in around):
            return True
        at = folded.find(wanted, at + 1)
    return False


def dateline(text: str) -> tuple[float, float] | None:
    """The seconds that the first date at the beginning of ``text`` may mean; None if there is none."""
    written = iso_date(text[:_BEGINNING])
    return interval(written) if written else None


_READING = Message("Reading pages")


def read_direction(a: int, b: int) -> Callable[[Session], Conclusion | None]:
    """A query that calls :meth:`Directions.if_known` for one pair."""

    def read(session: Session) -> Conclusion | None:
        with session.read() as connection:
            return Directions(connection, [(a, b)]).if_known(a, b)

    return read


@dataclass(frozen=True, slots=True)
class _Page:
    """A document's address and its code (0: none), its age, the marks of edits in it, and of the pages it is paired
    with, the hosts that its text names and the addresses (codes) that it links to.
    """

    url: str
    code: int
    side: PageAge
    names: frozenset[str] = frozenset()
    places: tuple[Mark, ...] = ()
    links: frozenset[int] = frozenset()


class Directions:
    """The evidence of direction for documents that share text; ``pairs`` are their pairs, by key. One text is in memory
    at a time. Raises Cancelled.
    """

    def __init__(
        self, connection: Connection, pairs: Iterable[tuple[int, int]], watcher: Progress | None = None
    ) -> None:
        self._connection = connection
        others: defaultdict[int, set[int]] = defaultdict(set)
        for a, b in pairs:
            others[a].add(b)
            others[b].add(a)
        self._pages = _pages(watcher or NullProgress(), connection, others)
        self._folded = lru_cache(maxsize=64)(lambda key: folded(content_text(load_document(connection, key))))

    def url(self, key: int) -> str:
        """The address of a document, else of its site; empty if neither is known."""
        return self._pages[key].url

    def urls(self) -> dict[int, str]:
        """All known values of :meth:`url`."""
        return {key: page.url for key, page in self._pages.items() if page.url}

    def of(self, a: int, b: int) -> Conclusion:
        """Which document of a pair copied from the other."""
        one, other = self._pages[a], self._pages[b]
        return direction(
            one.side,
            other.side,
            link_ab=other.code in one.links,
            link_ba=one.code in other.links,
            names_ab=host_of(other.url) in one.names,
            names_ba=host_of(one.url) in other.names,
            edits_ab=self._edits(one.places, b),
            edits_ba=self._edits(other.places, a),
        )

    def if_known(self, a: int, b: int) -> Conclusion | None:
        """Like :meth:`of`; None without any evidence (no address, date, capture or sign) or if a document was removed
        since.
        """
        if not {a, b} <= self._pages.keys():
            return None
        verdict = self.of(a, b)
        sides = (self._pages[a].side, self._pages[b].side)
        is_known = any(side.is_addressed or side.published or side.captured is not None for side in sides)
        return verdict if is_known or verdict.direction is not Direction.UNKNOWN else None

    def _edits(self, places: tuple[Mark, ...], other: int) -> frozenset[Edit]:
        """The edits at ``places`` of words of the document ``other`` (a key)."""
        return edits_of(places, self._folded(other)) if places else frozenset()


def _pages(watcher: Progress, connection: Connection, others: Mapping[int, Collection[int]]) -> dict[int, _Page]:
    """The documents by key; ``others`` are the documents that each is paired with."""
    items = items_of(connection, sorted(others))
    firsts = first_captures(connection, list(items))
    known = addresses(connection, list(items))
    urls = {key: known.get(key, "") or (f"//{item.site}/" if item.site else "") for key, item in items.items()}
    codes = {key: code for key, url in known.items() if (code := address_code(url))}
    seen: defaultdict[str, list[float]] = defaultdict(list)
    for url, captured in visits(connection, {host_of(url) for url in urls.values() if url}):
        if (time := moment(captured)) is not None:
            seen[host_of(url)].append(time.timestamp())
    for times in seen.values():
        times.sort()
    titles = titles_of_sites(connection, {item.site for item in items.values() if item.site})
    by_host: defaultdict[str, list[str]] = defaultdict(list)
    for site, of_site in titles.items():
        by_host[host_of(f"//{site}/")] += of_site
    site_name = site_names(by_host)
    pages = {}
    for done, (key, item) in enumerate(items.items(), 1):
        watcher.check()
        watcher.advance(_READING, done, len(items))
        url = urls[key]
        document = load_document(connection, key)
        text = content_text(document)
        theirs = [urls[other] for other in others[key] if urls.get(other)]
        foreign = {host_of(other) for other in theirs if not same_owner(url, other)}
        wanted = {codes[other] for other in others[key] if other in codes}
        links = frozenset(code for link in document.links if (code := address_code(link)) in wanted) if wanted else ()
        side = _side(item, firsts.get(key), seen[host_of(url)], dateline(text), is_addressed=key in codes)
        names = frozenset(named(text, foreign, site_name))
        pages[key] = _Page(url, codes.get(key, 0), side, names, marked_places(text), frozenset(links))
    return pages


def _side(
    item: DocumentItem,
    first: tuple[str, str] | None,
    visited: Sequence[float],
    begins_with: tuple[float, float] | None,
    *,
    is_addressed: bool,
) -> PageAge:
    """``visited``: when the host was visited, ascending; ``begins_with``: the dateline of the text."""
    claimed = interval(item.published)
    if claimed is not None and item.dated_by in list(DateSource) and DateSource(item.dated_by).is_last_change:
        claimed = -inf, claimed[1]
    captured = moment(first[0]) if first else None
    dated = PageAge(
        claimed,
        dated_by=item.dated_by,
        dateline=begins_with,
        is_source=item.role is Role.SOURCE,
        is_addressed=is_addressed,
    )
    if first is None or captured is None:
        return dated
    time = captured.timestamp()
    before = bisect_left(visited, time - APART)
    return replace(dated, captured=time, fetch=first[1], missed=visited[before - 1] if before else None)
