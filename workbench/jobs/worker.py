"""One worker process of a pool, from both sides of its pipe."""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from workbench.base.errors import Cancelled
from workbench.base.progress import Progress
from workbench.jobs.children import shared_value, spawning, start_function
from workbench.jobs.flags import Flag, SharedFlag
from workbench.jobs.signals import ignore_interrupts

GIGABYTES = 2
"""Memory one reading process may allocate."""


def limit_memory() -> None:
    """Let this process allocate at most :data:`GIGABYTES`; does nothing on Windows.

    Beyond that Python raises MemoryError, and compiled code ends its process.
    """
    if sys.platform == "win32":
        return
    import resource

    # Limit allocated memory if the system counts it: threads and libraries reserve far more address space than they
    # use.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hardest = resource.getrlimit(kind)
    limit = GIGABYTES * 1_000_000_000
    if hardest != resource.RLIM_INFINITY:
        limit = min(limit, hardest)
    resource.setrlimit(kind, (limit, hardest))


NO_MEMORY = 3
"""Exit code of a process that ran out of memory while receiving a chunk or sending a result."""


class WorkerMessage(NamedTuple):
    """A message from a worker: ready, result, warning or error, and its value."""

    kind: str
    value: Any


class Setup(NamedTuple):
    """A worker's task: ``function`` of each chunk, after ``initializer(*initargs)``; ``untrusted`` chunks apart."""

    function: Callable[[Any], Any]
    initializer: Callable[..., None] | None
    initargs: tuple[Any, ...]
    untrusted: bool


class Worker:
    """The owner's side: ``pending`` contains the chunks (index, chunk) sent to the process, the current one first."""

    def __init__(self, flag: SharedFlag, setup: Setup) -> None:
        self.pipe, far = spawning().Pipe()
        self.pending: deque[tuple[int, Any]] = deque()
        self.ready = False
        # A daemon: an owner that ends with an error does not wait for a worker that is waiting for a chunk.
        self._place = shared_value(ctypes.c_longlong)
        arguments = (far, flag, self._place, setup)
        self._process = start_function(_main, arguments, daemon=True, own_interpreter=setup.untrusted)
        far.close()

    def give(self, item: tuple[int, Any]) -> bool:
        """Send a chunk; False if the process is dead. Its reader thread receives it even while it works: no
        deadlock.
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
        """The progress last reported for the chunk the process is working on."""
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


class _WorkerWatch:
    """A chunk's Progress: cancelled by the shared flag; warnings go to the owner; progress is still readable after a
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

    def check(self) -> None:
        if self._flag.is_set():
            raise Cancelled


_watch: Progress | None = None


def current_watch() -> Progress | None:
    """The watcher of this worker process; None outside one."""
    return _watch


def _main(
    pipe: Connection,
    flag: SharedFlag,
    place: ctypes.c_longlong,
    setup: Setup,
) -> None:
    global _watch
    ignore_interrupts()
    chunks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, chunks), name="chunk-reader", daemon=True).start()
    guard = threading.Lock()

    def send(answer: WorkerMessage) -> None:
        data = pickle.dumps(tuple(answer), protocol=pickle.HIGHEST_PROTOCOL)
        with guard:
            pipe.send_bytes(data)

    _watch = _WorkerWatch(flag, place, send)
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
    """Send a result; if there is not enough memory for that, the process ends: the chunk is lost, but not the job."""
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
    # An owner that has ended, or is ending this process, no longer reads.
    with suppress(OSError):
        send(WorkerMessage("error", error))
