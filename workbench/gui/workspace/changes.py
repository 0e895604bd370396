"""What the user changes in the project, in order, without ever waiting for another program in the window's thread."""

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
"""Seconds that closing a project waits for another program to let the changes through."""


class Changes(QObject):
    """Makes changes at once; while another program writes, one after the other in a thread, as soon as it has finished.

    A change that waits is tried until it is made. ``delayed`` when one has waited for seconds, ``failed`` carries the
    error of one that cannot be made, ``settled`` when none waits any more.
    """

    delayed = Signal()
    failed = Signal(object)
    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="changes")
        self._lock = threading.Lock()
        self._waiting = 0
        self._failed = 0
        self._made = threading.Event()
        self._made.set()
        self._until = float("inf")

    @property
    def waiting(self) -> int:
        """Changes that are still to be written."""
        return self._waiting

    def make(self, session: Session, change: Callable[[Session], T], expected: T) -> T:
        """What ``change(session)`` returns, or ``expected`` where it has to wait. Raises what it raises at once.

        ``change`` holds no widget: its last reference may end in another thread.
        """
        if not self._waiting:
            try:
                return change(session.at_once())
            except ProjectBusy:
                pass
        self.later(session, change)
        return expected

    def later(self, session: Session, change: Callable[[Session], object]) -> None:
        """Make ``change`` in a thread, after those before it: for one that would keep the window waiting.

        An error is told by ``failed``.
        """
        with self._lock:
            self._waiting += 1
            self._made.clear()
        self._pool.submit(self._insist, session, change)

    def settle(self) -> None:
        """Wait, in another thread than the window's, until what was changed before can be read."""
        self._made.wait()

    def finish(self, patience: float | None = None) -> bool:
        """Wait until every change is made; those that another program still keeps out after a minute fail.

        ``patience`` are other seconds than a minute. Whether none failed.
        """
        before = self._failed
        self._until = time.monotonic() + (_LAST if patience is None else patience)
        self._made.wait()
        self._until = float("inf")
        return self._failed == before

    def close(self) -> None:
        """End the thread; every change has been made."""
        self._pool.shutdown()

    def _insist(self, session: Session, change: Callable[[Session], object]) -> None:
        try:
            while not self._try(session, change):
                self.delayed.emit()
        except Exception as error:  # noqa: BLE001 - thread boundary: the error is shown in the window's thread
            self._failed += 1
            self.failed.emit(error)
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._made.set()
                    self.settled.emit()

    def _try(self, session: Session, change: Callable[[Session], object]) -> bool:
        try:
            change(session.at_once() if self._is_late else session)
        except ProjectBusy:
            if self._is_late:
                raise
            return False
        return True

    @property
    def _is_late(self) -> bool:
        return time.monotonic() >= self._until
