"""Times as they are stored."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(stored: str) -> datetime | None:
    """The time that an ISO 8601 text means, UTC where it names no zone; None where it is not a time."""
    try:
        found = datetime.fromisoformat(stored)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
