"""Questions that need heavy libraries, answered by a process of their own without being listed as jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from workbench.base.errors import Cancelled, UserError
from workbench.jobs.events import Finished
from workbench.jobs.process import JobProcess

Told = Callable[[Any], object]
_GRACE = 0.2
"""Seconds before a process whose answer nobody waits for is killed."""


class ProcessFailure(RuntimeError):
    """The process of a question ended by an error of the program; the text is its report."""


class Asides(QObject):
    """One question at a time for each owner; a newer one ends the one before, whose answer is dropped."""

    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: dict[QObject, JobProcess] = {}
        self._threads: set[threading.Thread] = set()
        self._closed = False
        self._arrived.connect(lambda call: call(), Qt.ConnectionType.QueuedConnection)

    @property
    def pending(self) -> int:
        """Questions that are not answered yet."""
        return len(self._running)

    def ask(
        self,
        owner: QObject,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        options: Mapping[str, Any],
        done: Told,
        failed: Told,
    ) -> None:
        """Run ``function(ctx, *arguments, **options)`` (all picklable), then ``done(result)`` or ``failed(error)``.

        Neither is called when ``owner`` was deleted meanwhile.
        """
        if self._closed:
            return
        self.drop(owner)
        process = JobProcess("aside", function, arguments, options)
        self._running[owner] = process

        def deliver(finished: Finished) -> None:
            if self._closed or self._running.get(owner) is not process:
                return
            del self._running[owner]
            if not shiboken6.isValid(owner):
                return
            error = error_of(finished)
            if error is None:
                done(finished.result)
            elif not isinstance(error, Cancelled):
                failed(error)

        def wait() -> None:
            *_, last = process.events()
            if isinstance(last, Finished) and shiboken6.isValid(self):
                self._arrived.emit(lambda: deliver(last))
            self._threads.discard(thread)

        thread = threading.Thread(target=wait, name="aside", daemon=True)
        self._threads.add(thread)
        thread.start()

    def drop(self, owner: QObject) -> None:
        """Nobody waits for the answer to ``owner``'s question any more."""
        process = self._running.pop(owner, None)
        if process is not None:
            process.cancel(_GRACE)

    def close(self) -> None:
        """End all processes and wait until they are gone."""
        self._closed = True
        for owner in list(self._running):
            self.drop(owner)
        for thread in list(self._threads):
            thread.join()


def error_of(finished: Finished) -> Exception | None:
    """What the question raised; None where it has an answer."""
    if finished.cancelled:
        return Cancelled()
    if finished.report:
        return ProcessFailure(finished.report)
    return UserError(finished.error) if finished.error else None
