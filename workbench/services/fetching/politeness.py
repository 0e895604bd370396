"""Politeness towards hosts: a request rate for each, pauses it asks for, and waits before retries."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 120.0
"""Longest wait, in seconds, a host may ask for before a retry; a page that would wait longer fails at once."""

_LONGEST_BACK_OFF = 60.0
_SILENT = 5
"""Consecutive pages without any answer before this fetch gives up on a host."""


class Host:
    """One host of a fetch: when the next request may be sent, and whether it still answers."""

    def __init__(self, rate: float) -> None:
        """``rate`` in requests per second; 0 for no limit."""
        self.interval = 1 / rate if rate else 0.0
        self._next = 0.0
        self._silent = 0

    def slow_down(self, interval: float) -> None:
        """Leave at least ``interval`` seconds between two requests."""
        self.interval = max(self.interval, interval)

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        clock = asyncio.get_running_loop().time
        while (wait := self._next - clock()) > 0:
            await asyncio.sleep(wait)
        self._next = clock() + self.interval

    def pause(self, seconds: float) -> None:
        """Send no request for ``seconds``."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def answered(self) -> None:
        """Note that an answer of any kind arrived."""
        self._silent = 0

    def kept_silent(self) -> None:
        """Note that a page got no answer in any attempt."""
        self._silent += 1

    @property
    def is_gone(self) -> bool:
        """Whether so many consecutive pages got no answer that the rest is not requested."""
        return self._silent >= _SILENT


def back_off(attempt: int, first: float) -> float:
    """Seconds before attempt number ``attempt`` + 1 (counting from 1): doubling, with a jitter factor of 0.5 to 1.5."""
    return min(_LONGEST_BACK_OFF, first * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.5)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` (a number or a date) asks to wait; None if it cannot be parsed."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
