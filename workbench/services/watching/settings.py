"""The settings of a watch: what to search for, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.options import HOSTS, IDS, SETTINGS, Options, option
from workbench.base.page_sources import PLACES, PageSource, PlaceKind
from workbench.services.fetching.options import FetchOptions
from workbench.services.tasks import METHOD, rate, sample

if TYPE_CHECKING:
    from workbench.methods.core.api import Method

_WATCHABLE = (PlaceKind.URL, PlaceKind.FEED, PlaceKind.SITEMAP)
"""Kinds of places that a watch may search. Lists are excluded: they are files on this machine, which a project from
elsewhere must not read.
"""


@dataclass(frozen=True)
class WatchSettings(Options):
    """A saved search.

    ``own`` are the places of the user's own sites, with or without ``www.``: new pages there are fetched first, as
    sources. ``places`` are
    searched for new pages, which become suspects; without any, suspects imported in other ways are examined. They are
    compared by ``method`` with its ``parameters``. A match counts from ``min_score`` (0: the project's threshold, if
    there is one) and ``min_characters`` of the source, and with ``sources`` (ids) only if it is with one of these; a
    match on a page of an ``ignored`` site (a host, with its subdomains) or below an ignored address is counted but not
    reported. ``rate``, ``sample`` and ``limit`` apply to fetching. ``every`` is the number of hours between checks
    while a program is watching.
    """

    places: tuple[PageSource, ...] = option((), title="Pages, feeds and sitemaps", kind=PLACES, flag="--page")
    method: str = option("digest", title="Method", kind=METHOD)
    parameters: Mapping[str, Any] = option({}, kind=SETTINGS)
    min_score: float = option(
        0.0, "Matches with a lower score do not count", title="Minimum score", empty="the project's threshold"
    )
    min_characters: int = option(0, "Shorter matches do not count", title="Minimum characters", low=0)
    sources: tuple[str, ...] = option((), "Only this source counts", kind=IDS, flag="--source")
    rate: float = rate()
    sample: float = sample()
    limit: int = option(10_000, "Maximum pages per check", low=1, high=10_000_000)
    every: float = option(24.0, title="Hours between checks", low=0.01, high=8760)
    own: tuple[PageSource, ...] = option((), "of your own sites", title="My sites", kind=PLACES, flag="--own-page")
    ignored: tuple[str, ...] = option(
        (), "Hosts or addresses on which nothing is reported", title="Ignored sites", kind=HOSTS, flag="--ignore"
    )

    def rules(self) -> None:
        """Raise an error for parameters the method does not accept, or places that cannot be watched."""
        _method(self.method).parameters.parse(self.parameters)
        for place in (*self.own, *self.places):
            if place.kind not in _WATCHABLE or not is_web_address(place.address):
                raise UserError(
                    Message("{address} cannot be watched.", address=place.address),
                    hint=Message("Give pages, feeds or sitemaps by their URL."),
                )

    @property
    def effective_parameters(self) -> dict[str, Any]:
        """``parameters`` with suspects compared only with sources: text shared among suspects is not copied from the
        user's own.
        """
        names = {spec.name for spec in _method(self.method).parameters.specs()}
        return dict(self.parameters) | ({"compare": "sources"} if "compare" in names else {})

    def ignores(self, page: str) -> bool:
        """Whether matches on ``page`` (an address) are not reported: the site is ignored, or the user's own."""
        host = host_of(page)
        own = (host_of(place.address).removeprefix("www.") for place in self.own)
        return host.removeprefix("www.") in own or any(covers(what, page, host) for what in self.ignored)

    def fetching(self) -> FetchOptions:
        """The options of fetching; only the person who starts a check may allow private addresses."""
        return FetchOptions(rate=self.rate, sample=self.sample, limit=self.limit, sparing=True)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> WatchSettings:
        """The settings from the result of :meth:`as_dict`. Raises UserError if the stored data is invalid."""
        try:
            return cls.parse(value)
        except (ParameterError, LookupError) as error:
            raise UserError(
                Message("The settings of this watch are damaged."), hint=Message("Remove the watch and add it again.")
            ) from error


def _method(name: str) -> Method:
    from workbench.methods.core import registry

    return registry.get(name)


def covers(what: str, page: str, host: str) -> bool:
    """Whether ``what`` is the address of ``page`` or above it, its ``host`` (with or without port), or a parent domain.

    An address may lack its scheme; the case of scheme and host does not matter. https://a.example/blog is not above
    https://a.example/blogger.
    """
    if "/" in what:
        what, page = _fold_host(what), _fold_host(page)
        if "://" not in what:
            page = page.partition("://")[2]
        rest = page.removeprefix(what)
        return page.startswith(what) and (what.endswith(("/", "?", "=", "&")) or not rest or rest[0] in "/?#")
    name, ending = host.partition(":")[0], what.casefold().lstrip(".")
    return bool(ending) and (ending in (host, name) or name.endswith(f".{ending}"))


def _fold_host(address: str) -> str:
    """``address`` with scheme and host in lower case."""
    end = len(address) - len(address.partition("://")[2] or address)
    host, slash, rest = address[end:].partition("/")
    return address[:end].casefold() + host.casefold() + slash + rest


def host_of(address: str) -> str:
    """Host and port of an address; empty if it has none."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2].casefold()
    except ValueError:
        return ""


def is_web_address(address: str) -> bool:
    """Whether ``address`` is one that can be fetched."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
