"""Distributes chunks of work over worker processes that may die without ending the job.

``concurrent.futures`` abandons the whole pool when one worker dies and does not know its chunk; here each
worker has its own pipe, so its current chunk is known, and only that chunk is lost.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, TypeVar

from workbench.base.errors import Cancelled
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.jobs.alarm import TIMED_OUT
from workbench.jobs.children import shared_value, spawning, start_function
from workbench.jobs.flags import Flag, SharedFlag
from workbench.jobs.signals import ignore_interrupts

GIGABYTES = 2
"""Memory that a reading process may allocate, in gigabytes."""


def limit_memory() -> None:
    """Let this process allocate at most :data:`GIGABYTES`; does nothing on Windows.

    Beyond the limit, Python raises MemoryError, and compiled code ends its process.
    """
    if sys.platform == "win32":
        return
    import resource

    # Limit allocated memory if the system counts it, not address space: threads and libraries reserve far more than
    # they use.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hardest = resource.getrlimit(kind)
    limit = GIGABYTES * 1_000_000_000
    if hardest != resource.RLIM_INFINITY:
        limit = min(limit, hardest)
    resource.setrlimit(kind, (limit, hardest))


NO_MEMORY = 3
"""Exit code of a process that ran out of memory while receiving a chunk or sending a result."""


class WorkerMessage(NamedTuple):
    """A message from a worker: ready, result, warning, progress or error, and its value."""

    kind: str
    value: Any


class Setup(NamedTuple):
    """A worker's task: ``function`` of each chunk, after ``initializer(*initargs)``; see :func:`map_chunks` for
    ``untrusted``.
    """

    function: Callable[[Any], Any]
    initializer: Callable[..., None] | None
    initargs: tuple[Any, ...]
    untrusted: bool


class Worker:
    """The owner's side of a worker; ``pending`` contains the chunks (index, chunk) sent to it, current one first."""

    def __init__(self, flag: SharedFlag, setup: Setup) -> None:
        self.pipe, far = spawning().Pipe()
        self.pending: deque[tuple[int, Any]] = deque()
        self.ready = False
        # A daemon, so that an owner that ends with an error does not wait for a worker waiting for a chunk.
        self._place = shared_value(ctypes.c_longlong)
        arguments = (far, flag, self._place, setup)
        self._process = start_function(_main, arguments, daemon=True, own_interpreter=setup.untrusted)
        far.close()

    def give(self, item: tuple[int, Any]) -> bool:
        """Send a chunk; False if the process is dead. A thread of the worker receives it even during work, so this
        cannot deadlock.
        """
        try:
            self.pipe.send(item[1])
        except (BrokenPipeError, ConnectionResetError):
            return False
        self.pending.append(item)
        return True

    def receive(self) -> WorkerMessage | None:
        """The next answer; None once the process is dead and all its answers have been read."""
        try:
            answer = WorkerMessage(*self.pipe.recv())
        except (EOFError, OSError):
            return None
        self.ready = True
        return answer

    @property
    def place(self) -> int:
        """The progress last reported for the worker's current chunk."""
        return int(self._place.value)

    def exit_code(self) -> int | None:
        """The exit code of a process whose pipe has closed; the process itself may end a moment later."""
        self._process.join(1.0)
        return self._process.exitcode

    def end(self) -> None:
        """Kill the process if it is alive, and clean up."""
        self.pipe.close()
        self._process.kill()
        self._process.join()
        self._process.close()


class _WorkerProgress:
    """A chunk's Progress: cancelled by the shared flag; warnings go to the owner; progress remains readable after a
    crash.
    """

    def __init__(self, flag: Flag, place: ctypes.c_longlong, send: Callable[[WorkerMessage], None]) -> None:
        self._flag = flag
        self._place = place
        self._send = send

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        self._place.value = done
        self.check()

    def warn(self, message: str, path: str | None = None) -> None:
        self._send(WorkerMessage("warning", (message, path)))

    def report(self, stage: str, done: int, total: int) -> None:
        """Send the progress within the chunk to the owner."""
        self._send(WorkerMessage("progress", (stage, done, total)))
        self.check()

    def check(self) -> None:
        if self._flag.is_set():
            raise Cancelled


_progress: Progress | None = None


def current_progress() -> Progress | None:
    """The Progress of this worker process; None outside workers."""
    return _progress


def _main(
    pipe: Connection,
    flag: SharedFlag,
    place: ctypes.c_longlong,
    setup: Setup,
) -> None:
    global _progress
    ignore_interrupts()
    chunks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, chunks), name="chunk-reader", daemon=True).start()
    guard = threading.Lock()

    def send(answer: WorkerMessage) -> None:
        data = pickle.dumps(tuple(answer), protocol=pickle.HIGHEST_PROTOCOL)
        with guard:
            pipe.send_bytes(data)

    _progress = _WorkerProgress(flag, place, send)
    try:
        if setup.untrusted:
            limit_memory()
        if setup.initializer is not None:
            setup.initializer(*setup.initargs)
        send(WorkerMessage("ready", None))
        while True:
            answer = WorkerMessage("result", setup.function(chunks.get()))
            place.value = 0
            _send_result(send, answer)
    except Exception as error:  # noqa: BLE001 - process boundary: every error goes to the owner
        _report(send, error)


def _send_result(send: Callable[[WorkerMessage], None], answer: WorkerMessage) -> None:
    """Send a result; without enough memory for that, the process ends: the chunk is lost, but not the job."""
    try:
        send(answer)
    except MemoryError:
        os._exit(NO_MEMORY)


def _read(pipe: Connection, chunks: queue.SimpleQueue[Any]) -> None:
    """Receive chunks as they arrive; if the pipe closes, the owner has ended, so this process ends too."""
    try:
        while True:
            chunks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)
    except MemoryError:
        os._exit(NO_MEMORY)


def _report(send: Callable[[WorkerMessage], None], error: Exception) -> None:
    error.add_note("In a worker process:\n" + "".join(traceback.format_exception(error)))
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:  # noqa: BLE001 - an error of any library may refuse to be pickled, in any way
        replacement = RuntimeError(f"{type(error).__name__}: {error}")
        replacement.add_note(error.__notes__[-1])
        error = replacement
    # The owner has ended, or is ending this process, and no longer reads.
    with suppress(OSError):
        send(WorkerMessage("error", error))


_POLL = 0.05
"""Seconds between two checks of the cancel flag while workers are busy."""

_AHEAD = 2
"""Chunks sent to a worker ahead of its results: the current and the next one, so that it never waits."""

_START_TRIES = 3
"""Number of consecutive workers that may die before they are ready; then the pool gives up."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Crash:
    """The result of a chunk on which the worker process died. ``exit_code`` is negative for a signal.

    ``place`` is the progress last reported by the chunk's function, 0 if none.
    """

    exit_code: int | None
    message: str
    place: int = 0

    @property
    def timed_out(self) -> bool:
        """Whether an :class:`~workbench.jobs.alarm.Alarm` ended the process."""
        return self.exit_code == TIMED_OUT


_inline_progress: ContextVar[Progress | None] = ContextVar("inline_progress", default=None)


def worker_progress() -> Progress:
    """The Progress of a chunk's function; warnings reach the job."""
    return _inline_progress.get() or current_progress() or NullProgress()


def report(stage: str, done: int, total: int) -> None:
    """Report the progress within the chunk of this worker to the job; does nothing outside workers."""
    progress = current_progress()
    if isinstance(progress, _WorkerProgress):
        progress.report(stage, done, total)


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
    """Yield (index of the chunk, result) as they arrive, from ``workers`` processes; 0: in this process.

    ``untrusted`` chunks come from strangers: each process is then a separate interpreter with limited memory.

    At most two chunks per worker are in progress; ``chunks`` is consumed as they are sent. If a worker dies, its chunk
    yields a :class:`Crash`. An exception of ``function`` is raised here. Closing the generator, an exception or
    cancellation (noticed within 0.1 s, raised as Cancelled) ends the workers at once: ``function`` must not leave
    anything important half written.
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
        token = _inline_progress.set(ctx)
        try:
            result = function(chunk)
        finally:
            _inline_progress.reset(token)
        yield index, result


class _Pool:
    """The workers of one :func:`map_chunks`. ``_waiting`` contains chunks to send before any new ones."""

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
        """Results that have arrived or arrive shortly. A worker counts as dead only after its last messages have been
        read.
        """
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(by_pipe), timeout=_POLL):
            worker = by_pipe[pipe]  # type: ignore[index]
            answer = worker.receive()
            if answer is None:
                yield from self._replace_worker(worker)
            else:
                yield from self._take(worker, answer)

    def _take(self, worker: Worker, answer: WorkerMessage) -> Iterator[tuple[int, Any]]:
        match answer.kind:
            case "ready":
                self._stillborn = 0
            case "warning":
                self._ctx.warn(*answer.value)
            case "progress":
                self._ctx.advance(*answer.value)
            case "error":
                raise answer.value
            case _:
                index, _chunk = worker.pending.popleft()
                yield index, answer.value

    def _replace_worker(self, worker: Worker) -> Iterator[tuple[int, Crash]]:
        """Replace a dead worker; its first chunk is lost, its second goes to another worker."""
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
        return Message("The process working on it needed more memory than it is allowed.")
    if code == -9:
        return Message("The process working on it was killed; memory may have run out.")
    return Message(
        "The process working on it ended unexpectedly ({kind} {number}).",
        kind="signal" if (code or 0) < 0 else "code",
        number=abs(code or 0),
    )
