"""Ctrl+C and SIGTERM cancel gracefully; a second signal ends the process at once."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import FrameType

from workbench.base.errors import Cancelled

_TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE_S = 0.7
"""Seconds within which cancelled work should end."""


@contextmanager
def cancel_on_signals(cancel: Callable[[], None], overdue: Callable[[], None] | None = None) -> Iterator[None]:
    """Within the context, the first signal calls ``cancel``. Does nothing outside the main thread.

    ``overdue`` is called in a separate thread if the work does not end within PATIENCE_S seconds, or the process does
    not end after Cancelled: compiled code may run for minutes before Python handles a signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if overdue is not None:
        with _watched(cancel, overdue), cancel_on_signals(cancel):
            yield
        return
    before = {number: signal.getsignal(number) for number in _TERMINATION_SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        for each in _TERMINATION_SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        cancel()

    for number in _TERMINATION_SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _watched(cancel: Callable[[], None], overdue: Callable[[], None]) -> Iterator[None]:
    """Listen for signals in a thread, which receives them even while the main thread is in compiled code."""
    hearing, telling = socket.socketpair()
    telling.setblocking(False)
    ended = threading.Event()

    def listen() -> None:
        with closing(hearing):
            while number := hearing.recv(1):
                if number[0] in _TERMINATION_SIGNALS:
                    cancel()
                    if not ended.wait(PATIENCE_S):
                        overdue()
                    return

    threading.Thread(target=listen, name="signals", daemon=True).start()
    before = signal.set_wakeup_fd(telling.fileno(), warn_on_full_buffer=False)
    try:
        yield
    except Cancelled:
        raise
    except BaseException:
        ended.set()
        raise
    else:
        ended.set()
    finally:
        signal.set_wakeup_fd(before)
        telling.close()


def ignore_interrupts() -> None:
    """Leave Ctrl+C, which a terminal sends to the whole process group, to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
