"""Applies the user's changes to the project in order; the window's thread never waits for another program."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from workbench.base.errors import ProjectBusy

if TYPE_CHECKING:
    from workbench.services.session import Session

T = TypeVar("T")

_LAST = 60.0
"""Seconds that closing a project waits for another program to allow the changes."""


class WriteQueue(QObject):
    """Makes changes at once or, while another program is writing, one after another in a thread as soon as it has
    finished.

    A waiting change is retried until it succeeds. ``delayed`` is emitted when a change has waited for seconds,
    ``failed`` with the error of a change that cannot be made, and that change, ``settled`` when none is waiting.
    """

    delayed = Signal()
    failed = Signal(object, object)
    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="changes")
        self._lock = threading.Lock()
        self._waiting = 0
        self._failed = 0
        self._idle = threading.Event()
        self._idle.set()
        self._until = float("inf")

    @property
    def waiting(self) -> int:
        """Number of changes still to be written."""
        return self._waiting

    def make(self, session: Session, change: Callable[[Session], T], expected: T) -> T:
        """The result of ``change(session)``, or ``expected`` if it has to wait. Passes on immediate exceptions.

        ``change`` must not refer to a widget: its last reference may be dropped in another thread.
        """
        if not self._waiting:
            try:
                return change(session.at_once())
            except ProjectBusy:
                pass
        self.later(session, change)
        return expected

    def later(self, session: Session, change: Callable[[Session], object]) -> None:
        """Make ``change`` in a thread, after earlier ones: for changes that would block the window.

        Errors are reported by ``failed``.
        """
        with self._lock:
            self._waiting += 1
            self._idle.clear()
        self._pool.submit(self._retry, session, change)

    def settle(self) -> None:
        """Wait, in a thread other than the window's, until earlier changes can be read."""
        self._idle.wait()

    def finish(self, patience: float | None = None) -> bool:
        """Wait until every change is made; changes still blocked by another program after a minute fail.

        ``patience`` replaces the minute, in seconds. Returns whether none failed.
        """
        before = self._failed
        self._until = time.monotonic() + (_LAST if patience is None else patience)
        self._idle.wait()
        self._until = float("inf")
        return self._failed == before

    def close(self) -> None:
        """End the thread; every change has been made."""
        self._pool.shutdown()

    def _retry(self, session: Session, change: Callable[[Session], object]) -> None:
        try:
            while not self._try(session, change):
                self.delayed.emit()
        except Exception as error:  # noqa: BLE001 - thread boundary: the error is shown in the window's thread
            self._failed += 1
            self.failed.emit(error, change)
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._idle.set()
                    self.settled.emit()

    def _try(self, session: Session, change: Callable[[Session], object]) -> bool:
        try:
            change(session.at_once() if self._is_last_try else session)
        except ProjectBusy:
            if self._is_last_try:
                raise
            return False
        return True

    @property
    def _is_last_try(self) -> bool:
        return time.monotonic() >= self._until
