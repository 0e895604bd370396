"""Running jobs: in this process (command line), or each in its own process (window)."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Concatenate, ParamSpec, TypeVar

from workbench.jobs.context import Context
from workbench.jobs.events import Event, Finished, Started
from workbench.jobs.process import JobProcess, outcome
from workbench.jobs.signals import cancel_on_signals

P = ParamSpec("P")
R = TypeVar("R")

GRACE = 2.0
"""Seconds until a cancelled job is killed; jobs check the flag every 0.3 s, so only a stuck job is."""
LAST_GRACE = 0.7
"""The same when the program is exiting."""


class JobState(StrEnum):
    """The state of a job."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    """A job of a :class:`Runner`."""

    id: str
    title: str
    state: JobState = JobState.RUNNING


def run_inline(
    function: Callable[..., R],
    *args: Any,
    on_event: Callable[[Event], None],
    title: str = "",
    overdue: Callable[[], None] | None = None,
    **kwargs: Any,
) -> R:
    """Run ``function(ctx, *args, **kwargs)`` here and return its result.

    Events go to ``on_event``, Started first and Finished last whatever happens. Ctrl+C and SIGTERM cancel, and
    ``overdue`` ends the process if that takes too long (see :func:`cancel_on_signals`). Exceptions of the
    function are raised; Cancelled if it was cancelled.
    """
    job, flag = "job", threading.Event()
    on_event(Started(job, title))
    try:
        with cancel_on_signals(flag.set, overdue):
            result = function(Context(job, on_event, flag.is_set), *args, **kwargs)
    except BaseException as error:
        on_event(outcome(job, error))
        raise
    on_event(Finished(job, result))
    return result


class Runner:
    """Runs each job in a fresh process, so that neither work nor crashes affect the window's process.

    The events of all jobs arrive in ``queue`` in order; Finished is the last event of its job, even if the process is
    killed.
    """

    def __init__(self) -> None:
        self.queue: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._guard = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._processes: dict[str, JobProcess] = {}
        self._threads: dict[str, threading.Thread] = {}

    def submit(
        self, title: str, function: Callable[Concatenate[Context, P], Any], /, *args: P.args, **kwargs: P.kwargs
    ) -> str:
        """Start ``function(ctx, *args, **kwargs)``, all picklable and importable. Returns the id of the job."""
        job = f"job-{next(self._numbers)}"
        process = JobProcess(job, function, args, kwargs)
        self.queue.put(Started(job, title))
        thread = threading.Thread(target=self._relay, args=(job, process), name=f"events-{job}", daemon=True)
        with self._guard:
            self._jobs[job] = Job(job, title)
            self._processes[job] = process
            self._threads[job] = thread
        thread.start()
        return job

    def cancel(self, job: str) -> None:
        """Ask a job to end; it is killed if it has not after :data:`GRACE` seconds. Returns at once; has no effect on a
        finished job.
        """
        with self._guard:
            process = self._processes.get(job)
        if process is not None:
            process.cancel(GRACE)

    def jobs(self) -> list[Job]:
        """All jobs in the order they were submitted."""
        with self._guard:
            return list(self._jobs.values())

    def close(self) -> None:
        """Cancel running jobs and wait until no process is left; may be called from any thread."""
        with self._guard:
            processes, threads = list(self._processes.values()), list(self._threads.values())
        for process in processes:
            process.cancel(LAST_GRACE)
        for thread in threads:
            thread.join()

    def _relay(self, job: str, process: JobProcess) -> None:
        for event in process.events():
            if isinstance(event, Finished):
                with self._guard:
                    self._jobs[job] = replace(self._jobs[job], state=_state(event))
                    del self._processes[job]
            self.queue.put(event)
        with self._guard:
            del self._threads[job]


def _state(event: Finished) -> JobState:
    if event.cancelled:
        return JobState.CANCELLED
    return JobState.FAILED if event.error else JobState.DONE
