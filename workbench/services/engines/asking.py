"""One query to a search engine: the addresses that its JSON answer names."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.services.engines.setup import Engine

_TIMEOUT = 30.0
_MOST_BYTES = 4_000_000
REFUSED = (401, 402, 403, 429)
"""Statuses after which further queries would fail, too."""


class Declined(UserError):
    """The search engine accepts no more queries for now, or none with this key."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def ask(engine: Engine, key: str, words: str) -> list[str]:
    """The addresses (http and https) that the engine names for ``words``, in its order, each once.

    Raises Declined where further queries are pointless, UserError for any other failure; neither reveals the key.
    """
    request = urllib.request.Request(engine.address(words, key), headers=engine.headers(key))
    try:
        # The key goes where the user said, and nowhere else.
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=_TIMEOUT) as answer:
            data = answer.read(_MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        kind = Declined if error.code in REFUSED else UserError
        raise kind(Message("The search engine answered {status}.", status=error.code)) from None
    except (urllib.error.URLError, OSError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise UserError(Message("The search engine cannot be reached ({reason}).", reason=str(reason))) from None
    if len(data) > _MOST_BYTES:
        raise UserError(Message("The search engine's answer is too large."))
    return addresses(data, engine.results)


def addresses(data: bytes, path: str) -> list[str]:
    """The web addresses at ``path`` (as in ``web.results[].url``) of a JSON answer; none where there is no such part.

    Raises UserError if the answer is not valid JSON.
    """
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise UserError(Message("The search engine's answer is not valid JSON.")) from None
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
