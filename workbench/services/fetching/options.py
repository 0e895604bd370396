"""Options and results of fetching. Imports none of the optional libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.messages import Message
from workbench.base.options import Kind, Options, option
from workbench.base.tags import Role
from workbench.services.tasks import rate, role, sample, site_repetition, tags, workers

if TYPE_CHECKING:
    from workbench.reading.formats import Failure

KNOWN = Message("already fetched, from a feed or sitemap that has not changed since")
"""Reason for skipping pages of an unchanged listing that were fetched before."""
NOT_DUE = Message("not requested this time: they have not changed for a while")
"""Reason for skipping pages that a sparing fetch requests less often."""
SAMPLED = Message("not in the sample")
"""Reason for skipping pages that were not drawn."""


def _contact(value: Any) -> str:
    text = str(value)
    if not text.isprintable() or not text.isascii() or set(text) & set("()"):
        raise ValueError(text)
    return text


CONTACT = Kind("TEXT", _contact, str, Message("plain ASCII text without brackets"))


@dataclass(frozen=True)
class FetchOptions(Options):
    """How to fetch.

    Documents get ``role`` and ``tags``. ``sample`` is the share of a feed's or sitemap's pages to fetch, the same ones
    every time. A Crawl-delay that is longer than ``rate`` allows takes precedence. ``max_bytes`` bounds a body as sent
    and unpacked. ``concurrency`` bounds the requests in progress, ``per_host`` those to one host. ``back_off`` is the
    seconds before the second attempt, doubled for each further one. With ``workers`` 0, pages are read in this process.
    ``name`` is the prefix of the fetch's name in the captures. With ``sparing``, pages that fetches of this name have
    received are requested at intervals that grow while they do not change (see
    :mod:`workbench.services.fetching.intervals`).
    """

    role: Role = role()
    rate: float = rate()
    sample: float = sample()
    limit: int = option(100_000, title="Maximum pages", low=1, high=10_000_000)
    max_bytes: int = option(20_000_000, "Maximum bytes per page", low=1)
    timeout: float = option(60.0, "Maximum seconds per page", low=0.001, high=86_400)
    retries: int = option(3, "Retries per page", low=0)
    back_off: float = option(1.0, low=0)
    redirects: int = option(10, low=0)
    concurrency: int = option(16, low=1)
    per_host: int = option(2, low=1)
    contact: str = option("", "Address or URL sent to servers; may be empty", title="Contact", kind=CONTACT)
    tags: tuple[str, ...] = tags()
    allow_private: bool = option(False, title="Also from private networks and this computer")
    site_repetition: bool = site_repetition()
    workers: int | None = workers()
    name: str = option("")
    sparing: bool = option(False)


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The outcome of a fetch, including its earlier, interrupted part.

    ``fetched`` counts the pages whose body was received, ``unchanged`` those that have not changed since their last
    capture, ``imported`` the new documents (``keys`` and ``ids``, parallel), ``duplicates`` the pages with different
    bytes but a text already in the project. ``failed`` names each address that yielded nothing. ``left_out`` counts
    addresses that were not requested, by reason. ``resumed`` counts the pages an interrupted fetch had already
    received; ``continued`` says whether the fetch only finished what that one had planned.
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
    continued: bool = False
