"""Detects changes made by other processes to the open project, so that every screen stays up to date."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from workbench.services.session import ProjectVersions, Session

INTERVAL_MS = 400
"""Milliseconds between two checks, so that changes by another process are on screen within a second."""


class ExternalChangeMonitor(QObject):
    """Checks the open project repeatedly; ``changed`` emits the kinds that others have changed.

    The window's own changes are recorded with :meth:`refresh`; later reads wait for this with :meth:`settle`, so that
    nothing written in between is missed.
    """

    changed = Signal(object)
    _seen = Signal(object, object)

    def __init__(self, settle: Callable[[], object], parent: QObject | None = None) -> None:
        """``settle`` waits until the window's own changes can be read."""
        super().__init__(parent)
        self._settle = settle
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="follower")
        self._look: ProjectVersions | None = None
        self._guard = threading.Lock()
        self._pending = 0
        self._known = threading.Event()
        self._known.set()
        self._looking = False
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._begin)
        self._seen.connect(self._tell)

    def follow(self, session: Session | None) -> None:
        """Follow ``session``, or nothing if None."""
        self._looking = False
        if session is None:
            self._look = None
            self._timer.stop()
        else:
            from workbench.services.session import ProjectVersions

            self._look = ProjectVersions(session)
            self._apply_changes(self._look, None)
            self._timer.start()

    def refresh(self, kinds: Collection[str]) -> None:
        """Record that the window itself changed content of these kinds."""
        if self._look is not None:
            self._apply_changes(self._look, kinds)

    def settle(self) -> None:
        """Wait, in a thread other than the window's, until recorded changes are known."""
        self._known.wait()

    def rest(self) -> None:
        """Wait until no check is running: the project may then be closed."""
        self._pool.submit(int).result()

    def close(self) -> None:
        """End the thread."""
        self.follow(None)
        self._pool.shutdown()

    def _apply_changes(self, look: ProjectVersions, kinds: Collection[str] | None) -> None:
        with self._guard:
            self._pending += 1
            self._known.clear()
        self._pool.submit(self._learn, look, kinds)

    def _learn(self, look: ProjectVersions, kinds: Collection[str] | None) -> None:
        try:
            self._settle()
            look.refresh(kinds)
        finally:
            with self._guard:
                self._pending -= 1
                if not self._pending:
                    self._known.set()

    def _begin(self) -> None:
        if self._look is not None and not self._looking:
            self._looking = True
            self._pool.submit(self._compare, self._look)

    def _compare(self, look: ProjectVersions) -> None:
        kinds: frozenset[str] = frozenset()
        try:
            kinds = look.changed()
        finally:
            self._seen.emit(look, kinds)

    def _tell(self, look: ProjectVersions, kinds: frozenset[str]) -> None:
        if look is not self._look:
            return
        self._looking = False
        if kinds:
            self.changed.emit(kinds)
