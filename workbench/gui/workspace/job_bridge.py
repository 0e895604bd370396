"""Transfers events of jobs from the runner's queue into records; and runs jobs of dialogs, one at a time."""

from __future__ import annotations

import itertools
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog
from shiboken6 import isValid

from workbench.gui.i18n import say
from workbench.gui.problems import guarded, recorded
from workbench.jobs.events import Advanced, Changed, Event, Finished, Started, Warned

if TYPE_CHECKING:
    from workbench.gui.workspace.write_queue import WriteQueue
    from workbench.jobs.runner import Runner

INTERVAL_MS = 33
"""Milliseconds between two reads of the queue."""


@dataclass
class JobRecord:
    """A job as shown in the window. ``state`` is queued, running, cancelling, done, failed or cancelled.

    ``total`` is None while unknown; ``remaining`` and the two times are seconds (monotonic clock). A ``quiet`` job is
    part of a dialog and not listed. ``job`` is the runner's id for it, empty until it starts.
    """

    id: str
    title: str
    state: str = "queued"
    stage: str = ""
    done: int = 0
    total: int | None = None
    remaining: float | None = None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    quiet: bool = False
    warnings: list[tuple[str, str]] = field(default_factory=list)
    result: Any = None
    error: str = ""
    report: str = ""
    job: str = ""

    @property
    def active(self) -> bool:
        """Whether the job has not yet finished."""
        return self.state in ("queued", "running", "cancelling")

    @property
    def seconds(self) -> float:
        """Seconds the job has been running."""
        return (self.ended or time.monotonic()) - self.began

    @property
    def share(self) -> float | None:
        """Completed share of the stage, 0 to 1; None if unknown."""
        return min(1.0, self.done / self.total) if self.total else None


def _nothing() -> None:
    pass


class JobBridge(QObject):
    """Starts jobs in separate processes and follows them. Signals emit the :class:`JobRecord`.

    A job starts once all earlier ``changes`` can be read. ``runner`` is created with the first job, so that a window
    without jobs starts no extra processes.
    """

    started = Signal(object)
    progressed = Signal(object)
    finished = Signal(object)
    content_changed = Signal(object)

    def __init__(self, changes: WriteQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changes = changes
        self._waiting: dict[str, Callable[[], object]] = {}
        self._numbers = itertools.count(1)
        changes.settled.connect(self._begin_waiting)
        self.records: list[JobRecord] = []
        self._by_id: dict[str, JobRecord] = {}
        self._after: dict[str, Callable[[JobRecord], object]] = {}
        self._heirs: set[type[QObject]] = set()
        """Classes whose objects inherit."""
        self._heirless: set[str] = set()
        """Jobs of a project that has been closed since."""
        self._runner: Runner | None = None
        self._stopped = False
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.drain)

    @property
    def runner(self) -> Runner:
        """The runner, created on first use."""
        if self._runner is None:
            from workbench.jobs.runner import Runner

            self._runner = Runner()
        return self._runner

    def submit(
        self,
        title: str,
        function: Callable[..., Any],
        *args: Any,
        after: Callable[[JobRecord], object] | None = None,
        quiet: bool = False,
        **kwargs: Any,
    ) -> JobRecord:
        """Run ``function(ctx, *args, **kwargs)`` as a job; ``after(record)`` is called once it has finished.

        If the object that it is a method of has been deleted meanwhile, it is called on its heir, see :meth:`inherit`.
        A job submitted after the bridge has stopped is cancelled before it starts.
        """
        record = JobRecord(f"record-{next(self._numbers)}", title, quiet=quiet)

        def begin() -> None:
            record.job = self.runner.submit(title, function, *args, **kwargs)
            self._by_id[record.job] = record

        if self._stopped:
            self.runner.queue.put(Finished(record.id, cancelled=True))
        elif self._changes.waiting:
            self._waiting[record.id] = begin
        else:
            begin()
        if not quiet:
            self.records.insert(0, record)
        self._by_id[record.id] = record
        if after is not None:
            self._after[record.id] = after
        self._timer.start()
        self.started.emit(record)
        return record

    def _begin_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for begin in waiting.values():
            begin()

    def cancel(self, job: str) -> None:
        """Ask the job to stop; what it committed is kept."""
        record = self._by_id[job]
        if record.active and record.state != "cancelling":
            record.state = "cancelling"
            if self._waiting.pop(job, None):
                self.runner.queue.put(Finished(job, cancelled=True))
            else:
                self.runner.cancel(record.job)
            self.progressed.emit(record)

    def inherit(self, owner: QObject, purpose: object = None) -> JobRecord | None:
        """Continue with ``owner`` the jobs of another object of its class, from a window in another language.

        With a ``purpose`` only the jobs of an object whose ``purpose`` is the same. Returns the newest one that has not
        finished.
        """
        newest = None
        self._heirs.add(type(owner))
        for key, after in list(self._after.items()):
            former = getattr(after, "__self__", None)
            if key in self._heirless or former is owner or type(former) is not type(owner):
                continue
            if purpose is not None and getattr(former, "purpose", None) is not purpose:
                continue
            self._after[key] = MethodType(after.__func__, owner)  # type: ignore[attr-defined]
            record = self._by_id[key]
            if record.active:
                newest = record
            else:
                QTimer.singleShot(0, owner, partial(self._answer, record))
        return newest

    def disown(self) -> None:
        """The project is about to be closed: its jobs have no heirs in the next one."""
        self._heirless |= self._after.keys()

    def _answer(self, record: JobRecord) -> None:
        """Call the continuation of a finished job, or keep it for the heir of its deleted object."""
        owner = getattr(self._after.get(record.id), "__self__", None)
        gone = isinstance(owner, QObject) and not isValid(owner)
        if gone and type(owner) in self._heirs and record.id not in self._heirless:
            return
        after = self._after.pop(record.id, None)
        if after is not None and not gone:
            after(record)

    def active(self) -> list[JobRecord]:
        """Listed jobs that have not yet finished."""
        return [r for r in self.records if r.active]

    @property
    def pending(self) -> int:
        """Number of unfinished jobs, whether listed or not."""
        return len({r.id for r in self._by_id.values() if r.active})

    def clear_finished(self) -> None:
        """Drop the records of finished jobs."""
        for record in [r for r in self.records if not r.active]:
            self.records.remove(record)
            for name in (record.id, record.job):
                self._by_id.pop(name, None)
            self._after.pop(record.id, None)

    def drain(self) -> None:
        """Process every event in the queue; each record is announced once."""
        touched: dict[str, JobRecord] = {}
        ended: list[JobRecord] = []
        kinds: set[str] = set()
        while True:
            try:
                event: Event = self.runner.queue.get_nowait()
            except queue.Empty:
                break
            record = self._by_id.get(event.job)
            if record is None:
                continue
            if isinstance(event, Changed):
                kinds |= event.kinds
            self._take(record, event)
            touched[record.id] = record
            if isinstance(event, Finished):
                ended.append(record)
        for record in touched.values():
            self.progressed.emit(record)
        if kinds:
            self.content_changed.emit(frozenset(kinds))
        for record in ended:
            # Whoever waits for another job that ended at the same time is still answered.
            with recorded("job"):
                self._answer(record)
            self.finished.emit(record)
        if not self.pending:
            self._timer.stop()

    def _take(self, record: JobRecord, event: Event) -> None:
        match event:
            case Started():
                record.state = "cancelling" if record.state == "cancelling" else "running"
                record.began = time.monotonic()
            case Advanced():
                record.stage, record.done, record.total = say(event.stage), event.done, event.total
                record.remaining = event.remaining
            case Warned():
                record.warnings.append((event.path or "", say(event.message)))
            case Finished():
                record.ended, record.remaining = time.monotonic(), None
                record.result, record.error, record.report = (
                    event.result,
                    say(event.error),
                    event.report,
                )
                record.state = "cancelled" if event.cancelled else "failed" if event.error else "done"
            case Changed():
                pass

    def stop(self) -> Callable[[], None]:
        """Start no job until :meth:`resume`; returns a function (any thread) that cancels running ones and waits."""
        self._stopped = True
        for record in self._waiting:
            self.runner.queue.put(Finished(record, cancelled=True))
        self._waiting.clear()
        return _nothing if self._runner is None else self._runner.close

    def resume(self) -> None:
        """Start jobs again: the window stays open."""
        self._stopped = False

    def close(self) -> None:
        """Cancel running jobs and end the runner's processes."""
        self._timer.stop()
        self._waiting.clear()
        if self._runner is not None:
            self._runner.close()
            self._runner = None


@guarded
class OnlyJob(QObject):
    """Runs a job for ``dialog``; the next job, :meth:`stop` and the end of the dialog cancel it and drop its result."""

    def __init__(self, jobs: JobBridge, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._jobs = jobs
        self._job: JobRecord | None = None
        self._after: Callable[[JobRecord], object] | None = None
        dialog.finished.connect(lambda _code: self.stop())

    @property
    def running(self) -> bool:
        """Whether a result is awaited."""
        return self._job is not None

    def begin(
        self,
        title: str,
        function: Callable[..., Any],
        *args: Any,
        after: Callable[[JobRecord], object],
        quiet: bool = False,
    ) -> None:
        """Run ``function(ctx, *args)`` replacing the previous job; ``after(record)`` follows once it has ended."""
        self.stop()
        self._after = after
        self._job = self._jobs.submit(title, function, *args, after=self._ended, quiet=quiet)

    def stop(self) -> None:
        """Cancel the job, if one is running."""
        job, self._job = self._job, None
        if job is not None and job.active:
            self._jobs.cancel(job.id)

    def _ended(self, record: JobRecord) -> None:
        if record is self._job and self._after is not None:
            self._job = None
            self._after(record)
