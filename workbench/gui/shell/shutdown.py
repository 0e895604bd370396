"""Exits cleanly when the system asks the process to stop (logging out, Ctrl+C in its terminal)."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


class Endings(QObject):
    """Calls ``end`` in the event loop once such a signal arrives.

    Qt's loop never returns to the interpreter while nothing happens, so a handler alone would not run: the signal's
    number is written to a socket that the loop watches. Use in the main thread; :meth:`close` puts all back.
    """

    def __init__(self, end: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._end = end
        self._reading, self._writing = socket.socketpair()
        for side in (self._reading, self._writing):
            side.setblocking(False)
        self._before_fd = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _note) for number in _SIGNALS}
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._arrived)

    def _arrived(self) -> None:
        if any(number in _SIGNALS for number in self._reading.recv(64)):
            self._end()

    def close(self) -> None:
        """Stop listening and restore the previous handlers."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before_fd)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reading.close()
        self._writing.close()


def _note(_number: int, _frame: FrameType | None) -> None:
    """Python calls this; the work is done where the event loop reads the socket."""
