"""A time limit for work that may never return."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os

TIMED_OUT = 1
"""Exit code of a process ended by an alarm."""


class Alarm:
    """A context that ends the worker process if it takes too long, even inside compiled code that never returns."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._armed = multiprocessing.parent_process() is not None

    def __enter__(self) -> None:
        if self._armed:
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=_silence())

    def __exit__(self, *exception: object) -> None:
        if self._armed:
            faulthandler.cancel_dump_traceback_later()


_silent: list[int] = []


def _silence() -> int:
    """A file descriptor to the null device; nobody needs the alarm's traceback."""
    if not _silent:
        _silent.append(os.open(os.devnull, os.O_WRONLY))
    return _silent[0]
