"""Times in their stored form."""

from __future__ import annotations

import fnmatch
import re
from datetime import UTC, datetime, timedelta

STORED = "[0-8][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]*Z"
"""Pattern (GLOB) of stored times. Texts of this form sort by time, and each can be followed by a later one; a time in
another form, possible only in a foreign file, might sort after every later event.
"""
_STORED = re.compile(fnmatch.translate(STORED))


def now() -> str:
    """ISO 8601 in UTC with milliseconds."""
    return _text(datetime.now(UTC))


def now_after(latest: str) -> str:
    """The current time, or just after ``latest`` if that is not earlier. "" is earlier than every time."""
    present = now()
    before = moment(latest) if present <= latest and is_stored(latest) else None
    if before is None:
        return present
    # A text with a fraction of a second would sort before one without.
    return next(text for step in (1, 1000) if (text := _text(before + timedelta(milliseconds=step))) > latest)


def is_stored(time: str) -> bool:
    """Whether ``time`` has the stored form."""
    return _STORED.match(time) is not None and moment(time) is not None


def moment(stored: str) -> datetime | None:
    """The time of an ISO 8601 text, in UTC if it has no zone; None if it is not a time."""
    try:
        time = datetime.fromisoformat(stored)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _text(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
