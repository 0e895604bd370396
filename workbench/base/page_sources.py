"""Sources of web pages: URLs of pages, feeds, sitemaps and lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.base.options import Kind


class PlaceKind(StrEnum):
    """The kind of content at an address."""

    URL = "url"
    LIST = "list"
    FEED = "feed"
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where pages come from: one page, a file with one address per line, an RSS or Atom feed, or a sitemap.

    ``address`` is an http(s) URL, or for a list the path of the file.
    """

    kind: PlaceKind
    address: str


def _places(value: Iterable[Any]) -> tuple[PageSource, ...]:
    places = (
        place if isinstance(place, PageSource) else PageSource(PlaceKind(place[0]), str(place[1])) for place in value
    )
    return tuple(dict.fromkeys(places))


PLACES = Kind("URL", _places, lambda places: [[place.kind.value, place.address] for place in places])
