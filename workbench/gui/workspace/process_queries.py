"""Queries that need heavy libraries, answered in a separate process without being listed as jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from workbench.base.errors import Cancelled, UserError
from workbench.jobs.events import Finished
from workbench.jobs.process import JobProcess

Callback = Callable[[Any], object]
_GRACE = 0.2
"""Seconds before a process whose answer is no longer needed is killed."""


class ProcessFailure(RuntimeError):
    """The process of a query failed with a bug; the text is its report."""


@dataclass
class _Question:
    process: JobProcess
    done: Callback
    failed: Callback


class ProcessQueries(QObject):
    """One query at a time for each owner; a newer query ends the previous one, whose answer is dropped."""

    _arrived = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: dict[QObject, _Question] = {}
        self._threads: set[threading.Thread] = set()
        self._closed = self._stopped = False
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def pending(self) -> int:
        """Number of unanswered queries."""
        return len(self._running)

    def ask(
        self,
        owner: QObject,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        options: Mapping[str, Any],
        done: Callback,
        failed: Callback,
    ) -> None:
        """Run ``function(ctx, *arguments, **options)`` (all picklable), then ``done(result)`` or ``failed(error)``.

        Neither is called if ``owner`` has been deleted meanwhile, or if queries are no longer accepted.
        """
        if self._closed or self._stopped:
            return
        self.drop(owner)
        process = JobProcess("aside", function, arguments, options)
        self._running[owner] = _Question(process, done, failed)
        # The thread refers only to the process: the last reference to a widget must not be dropped there.
        thread = threading.Thread(target=self._wait, args=(process,), name="aside", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _wait(self, process: JobProcess) -> None:
        *_, last = process.events()
        if isinstance(last, Finished) and shiboken6.isValid(self):
            self._arrived.emit(process, last)
        self._threads.discard(threading.current_thread())

    def _deliver(self, process: JobProcess, finished: Finished) -> None:
        owner = next((owner for owner, question in self._running.items() if question.process is process), None)
        if self._closed or owner is None:
            return
        question = self._running.pop(owner)
        if not shiboken6.isValid(owner):
            return
        error = error_of(finished)
        if error is None:
            question.done(finished.result)
        elif not isinstance(error, Cancelled):
            question.failed(error)

    def drop(self, owner: QObject) -> None:
        """Abandon ``owner``'s query."""
        question = self._running.pop(owner, None)
        if question is not None:
            question.process.cancel(_GRACE)

    def stop(self) -> Callable[[], None]:
        """Accept no query until :meth:`resume`, and end all processes; returns a function (any thread) that waits."""
        self._stopped = True
        for owner in list(self._running):
            self.drop(owner)
        return self._join

    def resume(self) -> None:
        """Accept queries again: the window stays open."""
        self._stopped = False

    def close(self) -> None:
        """End all processes and wait until they are gone."""
        self._closed = True
        self.stop()()

    def _join(self) -> None:
        for thread in list(self._threads):
            thread.join()


def error_of(finished: Finished) -> Exception | None:
    """The error the query raised; None if it has an answer."""
    if finished.cancelled:
        return Cancelled()
    if finished.report:
        return ProcessFailure(finished.report)
    return UserError(finished.error) if finished.error else None
