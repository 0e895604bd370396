"""How often a host is asked: one rate for each, pauses that it asks for, and waits before another try."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 120.0
"""Seconds that a host may ask to wait before another try; a page that would wait longer fails now."""

_LONGEST_BACK_OFF = 60.0
_SILENT = 5
"""Pages in a row without any answer until a host is given up for this fetch."""


class Host:
    """One host of a fetch: when it may be asked next, and whether it still answers."""

    def __init__(self, rate: float) -> None:
        """``rate`` in requests a second; 0 for no limit."""
        self.interval = 1 / rate if rate else 0.0
        self._next = 0.0
        self._silent = 0

    def slow_down(self, interval: float) -> None:
        """At least ``interval`` seconds between two requests."""
        self.interval = max(self.interval, interval)

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        clock = asyncio.get_running_loop().time
        while (wait := self._next - clock()) > 0:
            await asyncio.sleep(wait)
        self._next = clock() + self.interval

    def pause(self, seconds: float) -> None:
        """No request for so long."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def answered(self) -> None:
        """An answer came, of whatever kind."""
        self._silent = 0

    def kept_silent(self) -> None:
        """A page got no answer in all its tries."""
        self._silent += 1

    @property
    def is_gone(self) -> bool:
        """Whether so many pages in a row got no answer that the rest is not asked for."""
        return self._silent >= _SILENT


def back_off(attempt: int, first: float) -> float:
    """Seconds before try number ``attempt`` + 1 (attempt from 1): doubling, with jitter of half to one and a half."""
    return min(_LONGEST_BACK_OFF, first * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.5)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` (a number or a date) asks to wait; None where it says nothing that can be read."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
