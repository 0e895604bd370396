"""One query to a search engine: the addresses and snippets in its JSON answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
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


class Answer(NamedTuple):
    """A result: the address of a page (http or https) and its snippet, empty if there is none."""

    address: str
    snippet: str


def ask(engine: Engine, key: str, words: str) -> list[Answer]:
    """The engine's results for ``words``, in its order, without duplicates.

    Raises Declined if further queries are pointless, UserError for any other failure; neither reveals the key.
    """
    try:
        reply = call(engine.address(words, key), engine.headers(key), limit=_MOST_BYTES)
    except NoAnswer as error:
        raise UserError(Message("The search engine cannot be reached ({reason}).", reason=error.reason)) from None
    if not reply.is_success:
        kind = Declined if reply.status in REFUSED else UserError
        raise kind(Message("The search engine responded {status}.", status=reply.status))
    return answers(reply.body, engine.results, engine.snippets)


def answers(data: bytes, path: str, snippets: str = "") -> list[Answer]:
    """The results in a JSON answer: addresses at ``path`` (such as ``web.results[].url``), snippets at ``snippets`` in
    the same list; none if the answer has no such path.

    Raises UserError if the answer is not valid JSON.
    """
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise UserError(Message("The search engine's response is not valid JSON.")) from None
    results, _, leaf = path.rpartition("[].")
    own = snippets.removeprefix(f"{results}[].") if results else snippets
    snippet_of: dict[str, str] = {}
    for item in _at(answer, f"{results}[]".split(".")) if results else [answer]:
        texts = [value for value in _at(item, own.split(".")) if isinstance(value, str)] if own else []
        for value in _at(item, leaf.split(".")):
            if isinstance(value, str) and _is_web(value):
                snippet_of.setdefault(value, " ".join(texts))
    return [Answer(address, snippet) for address, snippet in snippet_of.items()]


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
