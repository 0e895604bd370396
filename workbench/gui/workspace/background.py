"""Reads that may take longer than a frame, off the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal

Done = Callable[[Any], object]

_TURNS = 3
"""Turns of the event loop to lay out and paint a change: Qt leaves to the next one what is posted in one."""


class _Read:
    """One read: its function, its result, and its callbacks.

    The pool's thread fills in the result and refers only to this object, which the window's thread empties on delivery:
    the last reference to a widget must not be dropped in another thread.
    """

    def __init__(self, function: Callable[[], Any], done: Done, owner: QObject | None, failed: Done) -> None:
        self.function = function
        self.done = done
        self.owner = owner
        self.failed = failed
        self.result: Any = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self.function()
        except Exception as caught:  # noqa: BLE001 - thread boundary: the error is shown in the window's thread
            self.error = caught

    def deliver(self) -> None:
        if self.owner is not None and not shiboken6.isValid(self.owner):
            return
        if self.error is None:
            self.done(self.result)
        else:
            self.failed(self.error)

    def clear(self) -> None:
        self.__dict__.clear()


class _Courier(QObject):
    """Carries a read from a pool thread to the window's thread."""

    delivered = Signal(object)


def _work(read: _Read, courier: _Courier) -> None:
    read.run()
    courier.delivered.emit(read)


class Background(QObject):
    """Small thread pools. Results arrive in the window's thread, or are dropped if their owner has been deleted."""

    def __init__(self, failed: Callable[[BaseException], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._failed = failed
        # Not QThreadPool: its runnables are owned by both C++ and Python's garbage collector, which occasionally
        # crashes.
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="read")
        self._apart = ThreadPoolExecutor(2, thread_name_prefix="apart")
        self._courier = _Courier(self)
        self._courier.delivered.connect(self._arrived, Qt.ConnectionType.QueuedConnection)
        self._pending: set[_Read] = set()
        self._waiting: list[tuple[ThreadPoolExecutor, _Read]] = []
        # Reads compete with the window for the interpreter, so they begin when it has been painted.
        self._turns = 0
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._count_turn)
        self._closed = False

    @property
    def pending(self) -> int:
        """Number of reads not yet delivered."""
        return len(self._pending)

    def start(
        self,
        function: Callable[[], Any],
        done: Done,
        owner: QObject | None,
        failed: Done | None,
        *,
        apart: bool = False,
    ) -> None:
        """Run ``function`` in the pool, then ``done(result)``, or ``failed(error)``, unless ``owner`` is deleted.

        It begins when the window has been painted. With ``apart``, it is not delayed by others in the queue.
        """
        if self._closed:
            return
        read = _Read(function, done, owner, failed or self._failed)
        self._pending.add(read)
        self._waiting.append((self._apart if apart else self._pool, read))
        if not self._turn.isActive():
            self._turns = 0
            self._turn.start()

    def _count_turn(self) -> None:
        self._turns += 1
        if self._turns >= _TURNS:
            self._turn.stop()
            self._submit()

    def _submit(self) -> None:
        while self._waiting and not self._closed:
            pool, read = self._waiting.pop(0)
            pool.submit(_work, read, self._courier)

    def _arrived(self, read: _Read) -> None:
        if self._closed:
            return
        self._pending.discard(read)
        try:
            read.deliver()
        finally:
            read.clear()

    def close(self) -> None:
        """Drop queued reads and wait for running ones."""
        self._closed = True
        self._pool.shutdown(cancel_futures=True)
        self._apart.shutdown(cancel_futures=True)
        for read in self._pending:
            read.clear()
        self._pending.clear()
        self._waiting.clear()
