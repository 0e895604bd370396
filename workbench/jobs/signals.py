"""Ctrl+C and SIGTERM cancel gracefully; a second one ends the process at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_POLITE = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def cancel_on_signals(cancel: Callable[[], None]) -> Iterator[None]:
    """While inside, the first signal calls ``cancel``. Does nothing outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _POLITE}

    def handle(number: int, frame: FrameType | None) -> None:
        for each in _POLITE:
            signal.signal(each, signal.SIG_DFL)
        cancel()

    for number in _POLITE:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ignore_interrupts() -> None:
    """Leave Ctrl+C, which a terminal sends to the whole process group, to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
