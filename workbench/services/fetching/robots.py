"""robots.txt as in RFC 9309: read once per origin and fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from protego import Protego

from workbench.base.messages import Message
from workbench.services.fetching.addresses import origin_of
from workbench.services.fetching.transfer import MemoryBody

TOKEN = "Palimpsest"
"""The product token under which rules are looked up."""

LONGEST_INTERVAL = 600.0
"""Longest interval between two requests, in seconds, a host may ask for; pages of a host that asks for more are not
fetched.
"""

MOST_BYTES = 512_000
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5: at least 500 KiB)."""


@dataclass(frozen=True, slots=True)
class RobotsReply:
    """The outcome of requesting a robots.txt: the last status (0: no answer), or why it was not requested at all."""

    status: int
    error: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """What an origin allows. ``refused`` is why none of its pages can be fetched; ``interval`` is in seconds."""

    parsed: Protego | None = None
    refused: str = ""

    def refusal(self, url: str) -> str:
        """Why ``url`` must not be fetched; empty if it may."""
        if self.refused or self.parsed is None:
            return self.refused
        if not self.parsed.can_fetch(url, TOKEN):
            return Message("The robots.txt of {origin} does not allow this page.", origin=origin_of(url))
        if self.interval > LONGEST_INTERVAL:
            return Message(
                "The robots.txt of {origin} asks for more than {limit} s between two pages.",
                origin=origin_of(url),
                limit=f"{LONGEST_INTERVAL:g}",
            )
        return ""

    @property
    def interval(self) -> float:
        """Seconds between two requests, from Crawl-delay or Request-rate; 0 if neither is given."""
        if self.parsed is None:
            return 0.0
        pace = self.parsed.request_rate(TOKEN)
        by_rate = pace.seconds / pace.requests if pace and pace.requests else 0.0
        return max(self.parsed.crawl_delay(TOKEN) or 0.0, by_rate)


Ask = Callable[[str, MemoryBody, int], Awaitable[RobotsReply]]
"""Requests a URL with retries and redirects, and writes at most a given number of bytes of its body."""


class Robots:
    """The rules of the origins of one fetch; each robots.txt is requested once."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[str, asyncio.Task[Rules]] = {}

    async def rules(self, url: str) -> Rules:
        """The rules for the origin of ``url``."""
        origin = origin_of(url)
        if origin not in self._known:
            self._known[origin] = asyncio.create_task(self._read(origin))
        return await asyncio.shield(self._known[origin])

    async def close(self) -> None:
        """Cancel requests still in progress."""
        for task in self._known.values():
            task.cancel()
        await asyncio.gather(*self._known.values(), return_exceptions=True)

    async def _read(self, origin: str) -> Rules:
        body = MemoryBody()
        reply = await self._ask(f"{origin}/robots.txt", body, MOST_BYTES)
        if reply.refused:
            return Rules(refused=reply.refused)
        if 200 <= reply.status < 300:
            return Rules(Protego.parse(body.data.decode("utf-8", "replace")))
        # RFC 9309, section 2.3.1: if there is no file everything is allowed, if there is no answer nothing is. 429
        # means that there may be a file, so it counts as no answer.
        if 400 <= reply.status < 500 and reply.status != 429:
            return Rules()
        return Rules(
            refused=Message(
                "The robots.txt of {origin} cannot be read now, so its pages are not. {error}",
                origin=origin,
                error=reply.error,
            )
        )
