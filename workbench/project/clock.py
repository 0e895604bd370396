"""Times as they are stored."""

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
    """The time that an ISO 8601 text means, UTC where it names no zone; None where it is not a time."""
    try:
        found = datetime.fromisoformat(stored)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
