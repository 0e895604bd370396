"""Distributes chunks of work over worker processes that may die without ending the job.

``concurrent.futures`` gives up the whole pool when one worker dies and cannot say whose chunk it was; here each
worker has its own pipe, so the chunk it was working on is known, and only that one is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, TypeVar

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.jobs.alarm import TIMED_OUT
from workbench.jobs.flags import SharedFlag
from workbench.jobs.worker import NO_MEMORY, Setup, Worker, WorkerMessage, current_watch

_POLL = 0.05
"""Seconds between two looks at the cancel flag while workers are busy."""

_AHEAD = 2
"""Chunks sent to a worker at a time: the current one and the next, so that it never waits."""

_START_TRIES = 3
"""Consecutive workers that may die before they are ready before giving up."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Crash:
    """Takes the place of a result if the worker process died on this chunk. ``exit_code`` is negative for a signal.

    ``place`` is the progress the chunk's function last reported, 0 if none.
    """

    exit_code: int | None
    message: str
    place: int = 0

    @property
    def timed_out(self) -> bool:
        """Whether an :class:`~workbench.jobs.alarm.Alarm` ended the process."""
        return self.exit_code == TIMED_OUT


_inline_watch: ContextVar[Progress | None] = ContextVar("inline_watch", default=None)


def worker_watch() -> Progress:
    """The watcher of a chunk's function, for progress and cancellation; warnings reach the job."""
    return _inline_watch.get() or current_watch() or NullProgress()


def map_chunks(
    ctx: Progress,
    function: Callable[[T], R],
    chunks: Iterable[T],
    *,
    workers: int,
    initializer: Callable[..., None] | None = None,
    initargs: tuple[Any, ...] = (),
    untrusted: bool = False,
) -> Generator[tuple[int, R | Crash]]:
    """Yield (index of the chunk, result) as they arrive, from ``workers`` processes; with 0, from this one.

    ``untrusted`` chunks come from strangers: each process is then an interpreter of its own with limited memory.

    At most two chunks per worker are in progress; ``chunks`` is consumed as they are sent. A chunk whose worker dies
    yields a :class:`Crash`. An exception of ``function`` is raised here. Closing the generator, an exception or a
    cancel (noticed within 0.1 s, raised as Cancelled) ends the workers at once: ``function`` must not leave anything
    important half written.
    """
    if workers <= 0:
        yield from _inline(ctx, function, chunks, initializer, initargs)
        return
    with closing(_Pool(ctx, Setup(function, initializer, initargs, untrusted))) as pool:
        yield from pool.run(iter(enumerate(chunks)), workers)


def _inline(
    ctx: Progress,
    function: Callable[[T], R],
    chunks: Iterable[T],
    initializer: Callable[..., None] | None,
    initargs: tuple[Any, ...],
) -> Iterator[tuple[int, R]]:
    if initializer is not None:
        initializer(*initargs)
    for index, chunk in enumerate(chunks):
        ctx.check()
        token = _inline_watch.set(ctx)
        try:
            result = function(chunk)
        finally:
            _inline_watch.reset(token)
        yield index, result


class _Pool:
    """The workers of one :func:`map_chunks`. ``_waiting`` holds chunks to send before any new one."""

    def __init__(
        self,
        ctx: Progress,
        setup: Setup,
    ) -> None:
        self._ctx = ctx
        self._flag = SharedFlag()
        self._setup = setup
        self._workers: list[Worker] = []
        self._waiting: deque[tuple[int, Any]] = deque()
        self._stillborn = 0

    def run(self, chunks: Iterator[tuple[int, Any]], workers: int) -> Iterator[tuple[int, Any]]:
        # No more processes than there are chunks.
        self._waiting.extend(islice(chunks, workers))
        for _ in range(len(self._waiting)):
            self._start()
        while True:
            self._ctx.check()
            self._feed(chunks)
            if not any(worker.pending for worker in self._workers):
                return
            yield from self._collect()

    def close(self) -> None:
        self._flag.set()
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _start(self) -> None:
        self._workers.append(Worker(self._flag, self._setup))

    def _feed(self, chunks: Iterator[tuple[int, Any]]) -> None:
        """Send each worker its first chunk before any gets its second."""
        for depth in range(_AHEAD):
            for worker in self._workers:
                if len(worker.pending) > depth:
                    continue
                item = self._waiting.popleft() if self._waiting else next(chunks, None)
                if item is None:
                    return
                if not worker.give(item):
                    self._waiting.appendleft(item)

    def _collect(self) -> Iterator[tuple[int, Any]]:
        """Answers that arrive within a moment. A worker counts as dead only after its last messages have been read."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(by_pipe), timeout=_POLL):
            worker = by_pipe[pipe]  # type: ignore[index]
            answer = worker.receive()
            if answer is None:
                yield from self._bury(worker)
            else:
                yield from self._take(worker, answer)

    def _take(self, worker: Worker, answer: WorkerMessage) -> Iterator[tuple[int, Any]]:
        match answer.kind:
            case "ready":
                self._stillborn = 0
            case "warning":
                self._ctx.warn(*answer.value)
            case "error":
                raise answer.value
            case _:
                index, _chunk = worker.pending.popleft()
                yield index, answer.value

    def _bury(self, worker: Worker) -> Iterator[tuple[int, Crash]]:
        """Replace a dead worker; its first chunk is lost, its second goes to another."""
        self._workers.remove(worker)
        code = worker.exit_code()
        worker.end()
        lost = worker.pending
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn >= _START_TRIES:
                raise ChildProcessError(f"worker processes cannot be started; the last ended with {code}")
        elif lost:
            index, _ = lost.popleft()
            yield index, Crash(code, _cause(code), worker.place)
        self._waiting.extendleft(reversed(lost))
        self._start()


def _cause(code: int | None) -> str:
    if code == TIMED_OUT:
        return Message("It took too long.")
    if code == NO_MEMORY:
        return Message("The process working on it needed more memory than it may have.")
    if code == -9:
        return Message("The process working on it was killed; memory may have run out.")
    return Message(
        "The process working on it ended unexpectedly ({kind} {number}).",
        kind="signal" if (code or 0) < 0 else "code",
        number=abs(code or 0),
    )
