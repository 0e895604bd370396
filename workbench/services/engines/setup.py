"""The user's search engine; no query is sent before it is set up.

It belongs to the user, not to a project: opening somebody else's project must never send queries. The key is in the
system's keyring.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.options import HOSTS, IDS, SECRET, SETTINGS, Options, option
from workbench.base.resources import config_dir
from workbench.services import keyrings
from workbench.services.tasks import METHOD, workers
from workbench.services.writing import write_settings

_KEY = "search"
_PATH = re.compile(r"[\w-]+(?:\[\])?(?:\.[\w-]+(?:\[\])?)*")
_LOCAL = ("127.0.0.1", "localhost", "::1")


SNIPPET = "#search="
"""Separates the address of a result from the words, in the id of a snippet."""


@dataclass(frozen=True)
class Engine(Options):
    """How to query a search engine, and where its JSON answer lists pages.

    ``template`` is its address with ``{query}`` and, if it belongs there, ``{key}``; ``header`` a header ``NAME:
    VALUE`` with ``{key}``, or empty; ``results`` the path of the pages' addresses, as in ``web.results[].url``, where
    ``[]`` iterates over a list; ``snippets`` the path of their snippets in the same list, or empty. At most ``rate``
    queries a second and ``budget`` a day (UTC) are made.
    """

    template: str = option(
        "",
        "Address with {query} for the words, such as https://api.example.com/search?q={query}",
        title="Address of the search engine",
        flag="--url",
    )
    header: str = option("", "With {key} for the key, such as X-Token: {key}", title="Header with the key")
    results: str = option(
        "", "Where responses list the addresses of pages, such as web.results[].url", title="Path of the results"
    )
    rate: float = option(1.0, title="Maximum queries per second", low=0.01, high=100)
    budget: int = option(100, title="Maximum queries per day", low=1, high=1_000_000)
    snippets: str = option(
        "",
        "Where responses list the texts of pages, beside their addresses, such as web.results[].description",
        title="Path of the snippets, for a search corpus",
    )

    def rules(self) -> None:
        """Raise UserError unless the address has ``{query}`` and https (or is local), and the rest is well formed."""
        if "{query}" not in self.template:
            raise UserError(
                Message("The address of the search engine must contain {query} in place of the search words.")
            )
        try:
            parts = urlsplit(self.template.replace("{query}", "q").replace("{key}", "k"))
        except ValueError as error:
            raise UserError(Message("This is not a valid address ({error}).", error=error)) from None
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
            raise UserError(Message("The address of a search engine must begin with https."))
        name, colon, value = self.header.partition(":")
        if self.header and (not colon or not re.fullmatch(r"[\w-]+", name.strip()) or not value.isprintable()):
            raise UserError(Message("Write the header as NAME: VALUE, with {key} for the key."))
        if not _PATH.fullmatch(self.results):
            raise UserError(Message("Write the path of the results as in web.results[].url."))
        beside = self.results.rpartition("[].")[0]
        if self.snippets and not (_PATH.fullmatch(self.snippets) and self.snippets.startswith(f"{beside}[].")):
            raise UserError(Message("The path of the snippets must be in the list of the results."))

    def address(self, words: str, key: str) -> str:
        """The address that queries ``words``."""
        return self.template.replace("{query}", quote(words, safe="")).replace("{key}", quote(key, safe=""))

    def headers(self, key: str) -> dict[str, str]:
        """The headers of a query."""
        name, _, value = self.header.partition(":")
        headers = {"Accept": "application/json"}
        return headers | ({name.strip(): value.strip().replace("{key}", key)} if self.header else {})

    @property
    def needs_key(self) -> bool:
        """Whether a key goes into the address or a header."""
        return "{key}" in self.template or "{key}" in self.header


@dataclass(frozen=True)
class SearchOptions(Options):
    """Up to ``each`` sentences of every source, or of ``sources`` (ids), are queried. Pages on the sources' own sites
    or on ``ignored`` ones (hosts, or pages below an address) are not fetched. ``method`` with ``parameters`` compares.
    """

    sources: tuple[str, ...] = option((), "Only this source", kind=IDS, flag="--source")
    each: int = option(3, title="Sentences per source", low=1, high=100, flag="--queries")
    ignored: tuple[str, ...] = option(
        (),
        "Hosts or addresses where nothing is fetched, such as your own sites",
        title="Sites that are not fetched",
        kind=HOSTS,
        flag="--ignore",
    )
    method: str = option("digest", "How to compare", kind=METHOD)
    parameters: Mapping[str, Any] = option({}, kind=SETTINGS)
    allow_private: bool = option(False, title="Also from private networks and this computer")
    workers: int | None = workers()

    def rules(self) -> None:
        """Raise an error unless the method and parameters exist."""
        from workbench.methods.core import registry

        registry.get(self.method).parameters.parse(self.parameters)


@dataclass(frozen=True)
class EngineKey(Options):
    """The key of a search engine; separate from the engine, because it is never written to the engine's file."""

    key: str = option("", "Stored in the system's keyring; empty: keep the current key", title="Key", kind=SECRET)


def load() -> Engine | None:
    """The configured search engine; None if there is none, or the file is damaged."""
    try:
        value = json.loads(_file().read_text(encoding="utf-8"))
        return Engine.parse(value)
    except (OSError, ValueError, AttributeError, UserError):
        return None


def save(engine: Engine, key: str = "") -> None:
    """Set up ``engine``; a nonempty ``key`` is stored in the keyring. Raises UserError."""
    engine.check()
    if key:
        keyrings.keep(_KEY, key)
    _write(_file(), engine.as_dict())


def ready() -> tuple[Engine, str]:
    """The configured search engine and its key. Raises UserError if there is none."""
    engine = load()
    if engine is None:
        raise UserError(
            Message("No search engine is set up."), command="Set one up: palimpsest engine set --url URL --results PATH"
        )
    return engine, key() if engine.needs_key else ""


def key() -> str:
    """The key in the keyring; empty if there is none. Raises UserError if there is no keyring."""
    return keyrings.secret(_KEY)


def switch_off() -> None:
    """Forget the search engine and its key."""
    keyrings.forget(_KEY)
    _file().unlink(missing_ok=True)


def used_today() -> int:
    """Queries made today (UTC)."""
    try:
        value = json.loads(_used().read_text(encoding="utf-8"))
        return int(value["queries"]) if value["day"] == _today() else 0
    except (OSError, ValueError, TypeError, KeyError):
        return 0


def count_query() -> None:
    """Count one more query today; called before it is sent, so that none goes uncounted."""
    _write(_used(), {"day": _today(), "queries": used_today() + 1})


def _write(path: Path, value: Mapping[str, object]) -> None:
    write_settings(path, Message("The settings of the search engine"), value)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _file() -> Path:
    return config_dir() / "search-engine.json"


def _used() -> Path:
    return config_dir() / "search-engine-used.json"
