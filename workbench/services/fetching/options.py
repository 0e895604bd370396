"""Options and results of fetching. Imports none of the optional libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.base.errors import ParameterError
from workbench.base.messages import Message
from workbench.base.types import Role
from workbench.reading.formats import Failure

KNOWN = Message("already fetched, in a feed or sitemap that has not changed since")
"""Reason for leaving out pages that have nothing new."""
NOT_DUE = Message("not asked for this time: they have not changed for a while")
"""Reason for leaving out pages that a sparing fetch asks for less often."""


class PlaceKind(StrEnum):
    """What an address leads to."""

    URL = "url"
    LIST = "list"
    FEED = "feed"
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True)
class Place:
    """Where pages come from: one page, a file with one address per line, an RSS or Atom feed, or a sitemap.

    ``address`` is an http(s) URL, or for a list the path of the file.
    """

    kind: PlaceKind
    address: str


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch.

    Documents get ``role`` and ``tags``.

    ``rate`` is the most requests per second to one host (0: no limit; a longer Crawl-delay takes precedence);
    ``sample`` the share of a feed's or sitemap's pages to fetch, the same ones every time; ``limit`` the most pages of
    one fetch. ``max_bytes`` bounds a body as sent and unpacked, ``timeout`` is the most seconds for one attempt at a
    page, ``retries`` how often a page is retried. ``concurrency`` bounds the requests in progress, ``per_host`` those
    to one host. ``back_off`` is the seconds before the second attempt, doubled for each further one. ``contact`` goes
    into the User-Agent. ``site_repetition`` says whether blocks that a site repeats are left out. ``workers`` None
    means one per processor; with 0, pages are read in this process. ``name`` is the prefix of the fetch's name in the
    captures. With ``sparing``, pages that the fetches of this name have had are asked for again at intervals that grow
    while they do not change (see :mod:`workbench.services.fetching.intervals`).
    """

    role: Role = Role.SOURCE
    tags: tuple[str, ...] = ()
    rate: float = 1.0
    sample: float = 1.0
    limit: int = 100_000
    max_bytes: int = 20_000_000
    timeout: float = 60.0
    retries: int = 3
    back_off: float = 1.0
    redirects: int = 10
    concurrency: int = 16
    per_host: int = 2
    allow_private: bool = False
    contact: str = ""
    site_repetition: bool = True
    workers: int | None = None
    name: str = ""
    sparing: bool = False

    def check(self) -> None:
        """Raise ParameterError for a value outside its range."""
        if not 0 <= self.rate <= 1000:
            raise ParameterError(Message("The rate must be between 0 (no limit) and 1000 requests a second."))
        if not 0 < self.sample <= 1:
            raise ParameterError(Message("The sample must be above 0 and at most 1."))
        if self.timeout <= 0 or self.timeout > 86_400:
            raise ParameterError(Message("The timeout must be above 0 and at most 86400 seconds."))
        if (
            min(self.limit, self.max_bytes, self.concurrency, self.per_host) < 1
            or min(self.retries, self.redirects) < 0
        ):
            raise ParameterError(Message("Limits must be at least 1, retries and redirects at least 0."))
        if not self.contact.isprintable() or not self.contact.isascii() or set(self.contact) & set("()"):
            raise ParameterError(Message("The contact must be plain ASCII text without brackets."))


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The outcome of a fetch, including its earlier, interrupted part.

    ``fetched`` counts the pages whose body was received, ``unchanged`` those that have not changed since their last
    capture, ``imported`` the new documents (``keys`` and ``ids``, parallel), ``duplicates`` the pages with different
    bytes but a text already in the project. ``failed`` names each address that yielded nothing. ``left_out`` counts
    addresses that were not requested, by reason. ``resumed`` counts the pages an interrupted fetch had already
    received.
    """

    fetched: int
    unchanged: int
    imported: int
    duplicates: int
    failed: tuple[Failure, ...]
    keys: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    resumed: int = 0
