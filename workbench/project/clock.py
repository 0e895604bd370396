"""Times in their stored form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def now() -> str:
    """ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now_after(latest: str) -> str:
    """The present time; just after ``latest`` where the clock shows no later one. "" is before everything."""
    present = now()
    if present > latest:
        return present
    before = moment(latest)
    if before is None:
        return present
    after = before.astimezone(UTC) + timedelta(milliseconds=1)
    return after.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(stored: str) -> datetime | None:
    """The time an ISO 8601 text denotes, in UTC if it names no zone; None if it is not a time."""
    try:
        time = datetime.fromisoformat(stored)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
