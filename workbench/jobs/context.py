"""The context a job function receives: progress, warnings, cancellation. Events are throttled here."""

from __future__ import annotations

import time
from collections.abc import Callable

from workbench.base import compiling
from workbench.base.errors import Cancelled
from workbench.jobs.events import Advanced, Changed, Event, Warned

INTERVAL = 0.1
"""Seconds between two progress events of one stage."""


class Context:
    """Implements :class:`workbench.base.progress.Progress` on an event sink and a cancel flag.

    ``emit`` receives events in order; ``cancelled`` is called on every ``check`` (the ``is_set`` of any event).
    Remaining time is estimated from the pace over the last half of the stage, excluding compilation in this process; it
    is never shorter than the time since the last unit was finished, because a slow unit may take as long again.
    """

    def __init__(self, job: str, emit: Callable[[Event], None], cancelled: Callable[[], bool]) -> None:
        self.job = job
        self.emit = emit
        self.cancelled = cancelled
        self._stage = ""
        self._last = self._moved = 0.0
        self._done = 0
        self._pace: list[tuple[float, int]] = []

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        """Report progress; raises Cancelled like :meth:`check`."""
        self.check()
        now = time.monotonic() - compiling.spent()
        if stage != self._stage:
            self._stage, self._last, self._pace = stage, 0.0, [(now, done)]
            self._moved, self._done = now, done
        if done > self._done:
            self._moved, self._done = now, done
        if now - self._last < INTERVAL and done != total:
            return
        self._last = now
        self._pace.append((now, done))
        self.emit(Advanced(self.job, stage, done, total, self._remaining(now, done, total)))

    def _remaining(self, now: float, done: int, total: int | None) -> float | None:
        """Seconds left, from the pace since the middle of the recorded samples; None if unknown."""
        if len(self._pace) > 400:
            self._pace = self._pace[::2]
        then, before = self._pace[len(self._pace) // 2]
        if total is None or done <= before or now <= then:
            then, before = self._pace[0]
        if total is None or done <= before or now - then < 0.2:
            return None
        by_pace = (total - done) * (now - then) / (done - before)
        return max(by_pace, now - self._moved) if done < total else by_pace

    def warn(self, message: str, path: str | None = None) -> None:
        """Report a problem that does not end the job."""
        self.emit(Warned(self.job, message, path))

    def changed(self, *kinds: str) -> None:
        """Report which kinds of project content changed."""
        self.emit(Changed(self.job, frozenset(kinds)))

    def check(self) -> None:
        """Raise Cancelled once the user has cancelled."""
        if self.cancelled():
            raise Cancelled
