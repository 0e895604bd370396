"""Reads that may take longer than a frame, off the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

Done = Callable[[Any], object]


class _Courier(QObject):
    """Carries a result from a pool thread to the window's thread."""

    delivered = Signal(object)


class Background(QObject):
    """A small thread pool. Results arrive in the window's thread, or are dropped if their owner is gone."""

    idle = Signal()

    def __init__(self, failed: Callable[[BaseException], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._failed = failed
        # Not QThreadPool: its runnables belong to C++ and to Python's collector at once, which aborts now and then.
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="read")
        self._courier = _Courier(self)
        self._courier.delivered.connect(lambda call: call(), Qt.ConnectionType.QueuedConnection)
        self._pending = 0
        self._closed = False

    @property
    def pending(self) -> int:
        """Reads that have not delivered yet."""
        return self._pending

    def start(self, function: Callable[[], Any], done: Done, owner: QObject | None, failed: Done | None) -> None:
        """Run ``function`` in the pool, then ``done(result)``, or ``failed(error)``, unless ``owner`` is deleted."""
        if self._closed:
            return
        self._pending += 1

        def deliver(result: Any, error: BaseException | None) -> None:
            self._pending -= 1
            if not self._closed and (owner is None or shiboken6.isValid(owner)):
                if error is None:
                    done(result)
                else:
                    (failed or self._failed)(error)
            if not self._pending:
                self.idle.emit()

        self._pool.submit(self._work, function, deliver)

    def _work(self, function: Callable[[], Any], deliver: Callable[[Any, BaseException | None], None]) -> None:
        result, error = None, None
        try:
            result = function()
        except Exception as caught:  # noqa: BLE001 - thread boundary: the error is shown in the window's thread
            error = caught
        if shiboken6.isValid(self._courier):
            self._courier.delivered.emit(lambda: deliver(result, error))

    def close(self) -> None:
        """Drop what is waiting and wait for what runs."""
        self._closed = True
        self._pool.shutdown(cancel_futures=True)
