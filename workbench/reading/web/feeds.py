"""RSS and Atom feeds: the pages they announce, with their dates."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message

MOST_ENTRIES = 10_000
"""Entries of one feed that are read; typical feeds have a few dozen."""
_ENTRY = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:item|entry)[\s/>]")
_ENTRY_END = re.compile(rb"</(?:[\w.-]{1,40}:)?(?:item|entry)\s*>")


def shortened(data: bytes) -> tuple[bytes, int]:
    """``data`` with its first MOST_ENTRIES entries, and how many were cut off: the parser is slow on each one."""
    starts = [entry.start() for entry in _ENTRY.finditer(data)]
    if len(starts) <= MOST_ENTRIES:
        return data, 0
    end = max((entry.end() for entry in _ENTRY_END.finditer(data)), default=len(data))
    return data[: starts[MOST_ENTRIES]] + data[max(end, starts[-1]) :], len(starts) - MOST_ENTRIES


def read_feed(data: bytes, url: str, content_type: str = "") -> Iterator[tuple[str, str]]:
    """(address, ISO 8601 date or empty) of each entry, in the feed's order; the date is when it was published, to the
    second where the feed gives a time with its zone.

    ``url`` is where the feed came from: addresses are relative to it. Raises UnreadableInput if it is not a feed.
    """
    import feedparser

    headers = {"content-location": url} | ({"content-type": content_type} if content_type else {})
    feed = feedparser.parse(data, response_headers=headers, sanitize_html=False)
    if not feed.get("version") and not feed.entries:
        raise UnreadableInput(Message("This is neither an RSS nor an Atom feed."))
    for entry in feed.entries:
        link = entry.get("link") or ""
        if link:
            # As a plain dict: feedparser's own mixes up the two dates, with a warning.
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
    """A time tuple in UTC as ISO 8601; its day where what was ``written`` has no time or no zone; empty if there is
    none.
    """
    try:
        time = datetime.fromtimestamp(calendar.timegm(parsed), UTC) if parsed else None
        if time is None:
            return ""
        return f"{time:%Y-%m-%dT%H:%M:%SZ}" if _ZONED.search(written) else time.date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
