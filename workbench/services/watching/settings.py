"""What a watch looks for, and where."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.methods.core import registry
from workbench.services.fetching.options import FetchOptions

PLACES = (PlaceKind.URL, PlaceKind.FEED, PlaceKind.SITEMAP)
"""Where a watch may look. Lists are excluded: they are files on this machine, which a project from elsewhere must not
read.
"""


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """A saved search.

    ``own`` are the places of the user's own sites: what is new there is fetched first, as sources. ``places`` are
    searched for new pages, which become suspects; without any, suspects imported in other ways are examined. They are
    compared by ``method`` with its ``parameters``. A match counts from ``min_score`` (0: the project's threshold, where
    there is one) and ``min_characters`` of the source on, and with ``sources`` (ids) only if it is with one of these;
    one on a page of an ``ignored`` site (a host, with its subdomains) or below an ignored address is counted, but not
    reported. ``rate``, ``sample`` and ``limit`` are those of fetching. ``every`` is the number of hours between checks
    while a program is watching.
    """

    places: tuple[PageSource, ...] = ()
    method: str = "digest"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    min_score: float = 0.0
    min_characters: int = 0
    sources: tuple[str, ...] = ()
    rate: float = 1.0
    sample: float = 1.0
    limit: int = 10_000
    every: float = 24.0
    own: tuple[PageSource, ...] = ()
    ignored: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise UserError or ParameterError for unusable settings."""
        registry.get(self.method).parameters.parse(self.parameters)
        self.fetching().check()
        for place in (*self.own, *self.places):
            if place.kind not in PLACES or not is_web_address(place.address):
                raise UserError(
                    Message("{address} cannot be watched.", address=place.address),
                    hint=Message("Give pages, feeds or sitemaps by their URL."),
                )
        if not 0.01 <= self.every <= 8760:
            raise ParameterError(Message("The time between checks must be between 0.01 and 8760 hours."))
        if not math.isfinite(self.min_score):
            raise ParameterError(Message("The minimum score must be a number."))
        if self.min_characters < 0:
            raise ParameterError(Message("The minimum number of characters cannot be negative."))

    @property
    def effective_parameters(self) -> dict[str, Any]:
        """``parameters`` with the suspects compared with the sources only: what suspects share with each other is not
        copied from the user's own texts.
        """
        forced = {"compare": "sources"} if "compare" in _names(self.method) else {}
        return dict(self.parameters) | forced

    def ignores(self, page: str) -> bool:
        """Whether matches on ``page`` (an address) are not to be reported: an ignored site, or one's own."""
        host = host_of(page)
        own = (host_of(place.address) for place in self.own)
        return host in own or any(covers(what, page, host) for what in self.ignored)

    def fetching(self) -> FetchOptions:
        """The options of fetching; only the person who starts a check may allow private addresses."""
        return FetchOptions(rate=self.rate, sample=self.sample, limit=self.limit, sparing=True)

    def as_dict(self) -> dict[str, Any]:
        """Names to JSON-compatible values."""
        places = {"places": _as_lists(self.places), "own": _as_lists(self.own)}
        words = {"sources": list(self.sources), "ignored": list(self.ignored)}
        return asdict(self) | places | words | {"parameters": dict(self.parameters)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> WatchSettings:
        """The settings from the result of :meth:`as_dict`. Raises UserError if the stored data is invalid."""
        try:
            settings = cls(
                places=_as_places(value["places"]),
                method=str(value["method"]),
                parameters=dict(value["parameters"]),
                min_score=float(value["min_score"]),
                min_characters=int(value["min_characters"]),
                sources=tuple(map(str, value["sources"])),
                rate=float(value["rate"]),
                sample=float(value["sample"]),
                limit=int(value["limit"]),
                every=float(value["every"]),
                own=_as_places(value.get("own", ())),
                ignored=tuple(map(str, value.get("ignored", ()))),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise UserError(
                Message("The settings of this watch are damaged."), hint=Message("Remove the watch and add it again.")
            ) from error
        settings.check()
        return settings


def _names(method: str) -> set[str]:
    return {spec.name for spec in registry.get(method).parameters.specs()}


def covers(what: str, page: str, host: str) -> bool:
    """Whether ``what`` is an address above ``page``, its ``host`` (with or without the port), or a domain of that."""
    if "/" in what:
        return page.startswith(what)
    name, ending = host.partition(":")[0], what.casefold().lstrip(".")
    return bool(ending) and (ending in (host, name) or name.endswith(f".{ending}"))


def host_of(address: str) -> str:
    """Host and port of an address; empty if it has none."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2].casefold()
    except ValueError:
        return ""


def _as_lists(places: tuple[PageSource, ...]) -> list[list[str]]:
    return [[place.kind.value, place.address] for place in places]


def _as_places(value: Iterable[tuple[str, str]]) -> tuple[PageSource, ...]:
    return tuple(PageSource(PlaceKind(kind), str(address)) for kind, address in value)


def is_web_address(address: str) -> bool:
    """Whether ``address`` is one that can be fetched."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
