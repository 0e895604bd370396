"""The interface between long-running work and its caller: reports of progress, warnings, and cancellation."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Passed to every long-running function; implemented by ``jobs.context.Context``."""

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        """Report that ``done`` of ``total`` units of ``stage`` are finished; throttled, so call it freely."""

    def warn(self, message: str, path: str | None = None) -> None:
        """Report a problem that does not end the work."""

    def check(self) -> None:
        """Raise :class:`workbench.base.errors.Cancelled` once the user has cancelled."""


class NullProgress:
    """A progress that does nothing, for work without progress (tests, small synchronous calls)."""

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        """Do nothing."""

    def warn(self, message: str, path: str | None = None) -> None:
        """Do nothing."""

    def check(self) -> None:
        """Never cancelled."""
