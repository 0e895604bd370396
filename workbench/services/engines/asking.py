"""One query to a search engine: the addresses that its JSON answer names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.services.engines.setup import Engine
from workbench.services.fetching.calling import NoAnswer, call

_MOST_BYTES = 4_000_000
REFUSED = (401, 402, 403, 429)
"""Statuses after which further queries would also fail."""


class Declined(UserError):
    """The search engine accepts no more queries for now, or none with this key."""


def ask(engine: Engine, key: str, words: str) -> list[str]:
    """The addresses (http and https) that the engine names for ``words``, in its order, each once.

    Raises Declined if further queries are pointless, UserError for any other failure; neither reveals the key.
    """
    try:
        reply = call(engine.address(words, key), engine.headers(key), limit=_MOST_BYTES)
    except NoAnswer as error:
        raise UserError(Message("The search engine cannot be reached ({reason}).", reason=error.reason)) from None
    if not reply.is_success:
        kind = Declined if reply.status in REFUSED else UserError
        raise kind(Message("The search engine responded {status}.", status=reply.status))
    return addresses(reply.body, engine.results)


def addresses(data: bytes, path: str) -> list[str]:
    """The web addresses at ``path`` (as in ``web.results[].url``) of a JSON answer; none if there is no such part.

    Raises UserError if the answer is not valid JSON.
    """
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise UserError(Message("The search engine's response is not valid JSON.")) from None
    values = (value for value in _at(answer, path.split(".")) if isinstance(value, str))
    return list(dict.fromkeys(value for value in values if _is_web(value)))


def _at(value: Any, steps: list[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    name, every, _ = steps[0].partition("[]")
    inner = value.get(name) if isinstance(value, dict) else None
    for item in (inner if isinstance(inner, list) else []) if every else [inner]:
        if item is not None:
            yield from _at(item, steps[1:])


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and address.isprintable()
    except ValueError:
        return False
