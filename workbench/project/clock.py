"""Times in their stored form."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(stored: str) -> datetime | None:
    """The time an ISO 8601 text denotes, in UTC if it names no zone; None if it is not a time."""
    try:
        time = datetime.fromisoformat(stored)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
