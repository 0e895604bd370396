"""A time limit for work that may never return."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os

from workbench.base import compiling

TIMED_OUT = 1
"""Exit code of a process ended by an alarm."""


class Alarm:
    """A context that ends the worker process if it takes too long, even inside compiled code that never returns.

    Compiling a kernel, which happens once per machine, is not counted: the time restarts when it ends.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._armed = multiprocessing.parent_process() is not None

    def __enter__(self) -> Alarm:
        if self._armed:
            compiling.follow(self._suspend)
            self._suspend(False)
        return self

    def renew(self) -> None:
        """Start the time again."""
        if self._armed:
            self._suspend(False)

    def __exit__(self, *exception: object) -> None:
        if self._armed:
            compiling.unfollow(self._suspend)
            self._suspend(True)

    def _suspend(self, suspended: bool) -> None:
        if suspended:
            faulthandler.cancel_dump_traceback_later()
        else:
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=_silence())


_silent: list[int] = []


def _silence() -> int:
    """A file descriptor of the null device, for the alarm's traceback."""
    if not _silent:
        _silent.append(os.open(os.devnull, os.O_WRONLY))
    return _silent[0]
