"""Listings of pages: sitemaps (sitemaps.org, protocol 0.9; XML, gzipped XML or plain lines), RSS and Atom feeds."""

from __future__ import annotations

import calendar
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message

MOST_URLS = 50_000
"""Maximum number of addresses in one sitemap, by the protocol."""

MOST_BYTES = 52_428_800
"""Largest unpacked sitemap in bytes, by the protocol."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The content of a sitemap, latest ``lastmod`` first: ``pages``, or for an index the ``children``.

    ``dates`` are the ``lastmod`` of the pages that have one, which come first; ``cut`` is the number of addresses
    omitted beyond the protocol's limit.
    """

    pages: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    cut: int = 0
    dates: tuple[str, ...] = ()


def read_sitemap(data: bytes) -> Sitemap:
    """The addresses of a sitemap, verbatim. Raises UnreadableInput if it is not a sitemap."""
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data)
    if len(data) > MOST_BYTES:
        raise UnreadableInput(
            Message("The sitemap is larger than the limit of {limit} bytes.", limit=f"{MOST_BYTES:,}")
        )
    body = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    return _from_xml(body) if body.startswith(b"<") else _from_lines(body)


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        content = unpacker.decompress(data, MOST_BYTES + 1)
    except zlib.error as error:
        raise UnreadableInput(Message("The sitemap cannot be unpacked.")) from error
    if not unpacker.eof and len(content) <= MOST_BYTES:
        raise UnreadableInput(Message("The packed sitemap ends too early."))
    return content


def _from_lines(data: bytes) -> Sitemap:
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines()]
    addresses = [line for line in lines if line.lower().startswith(("http://", "https://"))]
    if not addresses:
        raise UnreadableInput(Message("This is not a sitemap."))
    return Sitemap(tuple(addresses[:MOST_URLS]), cut=max(0, len(addresses) - MOST_URLS))


_PLAIN = re.compile(rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)", re.DOTALL)
"""Text between CDATA marks, or an ampersand that is not escaped: a recovering parser drops it and the word after it."""


def _from_xml(data: bytes) -> Sitemap:
    data = _PLAIN.sub(lambda match: b"&amp;" if match[0] == b"&" else match[0], data)
    target = _Listing()
    parser = etree.XMLParser(target=target, resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        for start in range(0, len(data), 1 << 16):
            parser.feed(data[start : start + (1 << 16)])
        parser.close()
    except etree.XMLSyntaxError as error:
        raise UnreadableInput(Message("The sitemap is not readable XML.")) from error
    if target.root not in ("urlset", "sitemapindex"):
        raise UnreadableInput(Message("This is not a sitemap."))
    # ISO 8601 sorts as text; a stable sort keeps the site's order of undated pages.
    rows = sorted(target.rows, key=lambda row: row[1], reverse=True)
    addresses = tuple(address for address, _ in rows)
    if target.root == "urlset":
        return Sitemap(addresses, cut=target.cut, dates=tuple(date for _, date in rows if date))
    return Sitemap(children=addresses, cut=target.cut)


class _Listing:
    """Receives the parser's events; keeps only the addresses."""

    def __init__(self) -> None:
        self.root = ""
        self.rows: list[tuple[str, str]] = []
        self.cut = 0
        self._open: list[str] = []
        self._row: dict[str, list[str]] = {"loc": [], "lastmod": []}

    def start(self, tag: str | bytes, attrib: object) -> None:
        """An element begins."""
        name = _text(tag).rpartition("}")[2]
        self.root = self.root or name
        self._open.append(name)
        if name in ("url", "sitemap"):
            self._row = {"loc": [], "lastmod": []}

    def data(self, data: str | bytes) -> None:
        """Text of the innermost element; extensions (images, videos) have their own addresses deeper inside."""
        if len(self._open) == 3 and self._open[2] in self._row:
            self._row[self._open[2]].append(_text(data))

    def end(self, tag: str | bytes) -> None:
        """An element ends."""
        name = self._open.pop()
        if name in ("url", "sitemap") and len(self._open) == 1 and (address := "".join(self._row["loc"]).strip()):
            if len(self.rows) < MOST_URLS:
                self.rows.append((address, "".join(self._row["lastmod"]).strip()))
            else:
                self.cut += 1

    def close(self) -> None:
        """The document ends."""

    def comment(self, text: str | bytes) -> None:
        """Comments are ignored."""


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


MOST_ENTRIES = 10_000
"""Maximum number of entries read from one feed; typical feeds have a few dozen."""
_ENTRY = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:item|entry)[\s/>]")
_ENTRY_END = re.compile(rb"</(?:[\w.-]{1,40}:)?(?:item|entry)\s*>")


def shortened(data: bytes) -> tuple[bytes, int]:
    """``data`` with its first MOST_ENTRIES entries, and the number cut off: the parser is slow on each entry."""
    starts = [entry.start() for entry in _ENTRY.finditer(data)]
    if len(starts) <= MOST_ENTRIES:
        return data, 0
    end = max((entry.end() for entry in _ENTRY_END.finditer(data)), default=len(data))
    return data[: starts[MOST_ENTRIES]] + data[max(end, starts[-1]) :], len(starts) - MOST_ENTRIES


def feed_titles(data: bytes) -> list[str]:
    """The titles of a feed's entries, in order; none if it is not a feed."""
    import feedparser

    # As a stream: feedparser takes bytes for the path of a file.
    entries = feedparser.parse(BytesIO(data)).entries
    return [title for entry in entries if isinstance(title := entry.get("title"), str) and title.strip()]


def read_feed(data: bytes, url: str, content_type: str = "") -> Iterator[tuple[str, str]]:
    """(address, ISO 8601 date or empty) of each entry, in the feed's order; the date is that of publication, to the
    second if the feed gives a time with its zone.

    ``url`` is the address of the feed, to which addresses are relative. Raises UnreadableInput if it is not a feed.
    """
    import feedparser

    headers = {"content-location": url} | ({"content-type": content_type} if content_type else {})
    feed = feedparser.parse(BytesIO(data), response_headers=headers, sanitize_html=False)
    if not feed.get("version") and not feed.entries:
        raise UnreadableInput(Message("This is neither an RSS nor an Atom feed."))
    for entry in feed.entries:
        link = entry.get("link") or ""
        if link:
            # As a plain dict: feedparser's dict mixes up the two dates, with a warning.
            written = dict.get(entry, "published") or dict.get(entry, "updated") or ""
            parsed = dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")
            yield _joined(url, link), _moment(parsed, str(written))


def _joined(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:
        return link


_ZONED = re.compile(r"\d\d:\d\d.*(?:Z|GMT|UTC?|[ECMP][SD]T|[+-]\d\d:?\d\d)\s*$", re.IGNORECASE)


def _moment(parsed: Any, written: str) -> str:
    """A time tuple in UTC as ISO 8601; only its day if ``written`` has no time or no zone; empty if there is none."""
    try:
        time = datetime.fromtimestamp(calendar.timegm(parsed), UTC) if parsed else None
        if time is None:
            return ""
        return f"{time:%Y-%m-%dT%H:%M:%SZ}" if _ZONED.search(written) else time.date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
