"""One job in its own process: both sides of its pipe."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import multiprocessing
import os
import pickle
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from workbench.base import compiling
from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message
from workbench.jobs.children import spawning, start_function
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Finished
from workbench.jobs.flags import SharedFlag, die_with_parent
from workbench.jobs.signals import cancel_on_signals, ignore_interrupts

_EXIT_S = 5.0
"""Maximum time, in seconds, for a process to end after its last event."""


_ALONE_S = 2.0
"""Seconds of compiling after which a second process helps, which itself needs a second to start."""


@contextlib.contextmanager
def second_compiler(target: Callable[[], None]) -> Iterator[None]:
    """Within the context, a second process runs ``target`` if this one has compiled for a while and there are two
    processors.

    ``target`` compiles what this process needs later, so its errors recur here; it is killed when the context ends.
    """
    before = compiling.spent()
    second: list[BaseProcess] = []

    def notice(begins: bool) -> None:
        if begins and not second and compiling.spent() - before >= _ALONE_S:
            # A system that starts no process leaves the work to this one.
            with contextlib.suppress(OSError):
                second.append(start_function(_compile, (target,), daemon=True, own_interpreter=True))

    # Workers, which are daemons, may not have children.
    if (os.cpu_count() or 1) > 1 and not multiprocessing.current_process().daemon:
        compiling.follow(notice)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            compiling.unfollow(notice)
        for process in second:
            process.kill()
            process.join()


def _compile(target: Callable[[], None]) -> None:
    ignore_interrupts()
    die_with_parent()
    with contextlib.suppress(Exception):
        target()


def outcome(job: str, error: BaseException) -> Finished:
    """The last event of a job that raised ``error``."""
    match error:
        case Cancelled():
            return Finished(job, error.result, cancelled=True)
        case KeyboardInterrupt():
            return Finished(job, cancelled=True)
        case UserError():
            return Finished(job, error=error.sentence)
        case MemoryError():
            return Finished(
                job, error=Message("There is not enough memory for this step. Close other programs and try again.")
            )
    report = "".join(traceback.format_exception(error))
    return Finished(
        job,
        error=Message("An internal error occurred in Palimpsest ({kind}).", kind=type(error).__name__),
        report=report,
    )


class JobProcess:
    """The owner's side of a job's process, which is started, from a thread, when its events are requested.

    Starting it takes a moment, and sending its work blocks until it reads. Pickling errors of the work are raised.
    """

    def __init__(
        self, job: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self.job = job
        self._flag = SharedFlag()
        self._ended = threading.Event()
        self._work = bytes(ForkingPickler.dumps((function, args, dict(kwargs))))
        self._pipe, self._far = spawning().Pipe(duplex=True)
        with tempfile.NamedTemporaryFile(prefix="palimpsest-", suffix=".trace", delete=False) as file:
            self._trace = Path(file.name)
        self._process: BaseProcess | None = None
        self._guard = threading.Lock()

    def cancel(self, grace: float) -> None:
        """Set the flag now; kill the process, and with it its workers, if it is alive ``grace`` seconds later."""
        if not self._flag.is_set():
            self._flag.set()
            threading.Thread(target=self._kill_after, args=(grace,), name=f"grace-{self.job}", daemon=True).start()

    def _kill_after(self, grace: float) -> None:
        if not self._ended.wait(grace):
            self._kill()

    def _kill(self) -> None:
        with self._guard:
            if self._process is not None:
                self._process.kill()

    def _start(self) -> BaseProcess:
        with self._guard:
            # Not a daemon: daemons may not have child processes.
            arguments = (self._far, self._flag, self.job, str(self._trace))
            self._process = process = start_function(_main, arguments, daemon=False)
        self._far.close()
        # At exit, the interpreter waits for processes that are not daemons.
        atexit.register(process.kill)
        # The process has already ended.
        with contextlib.suppress(OSError):
            self._pipe.send_bytes(self._work)
        self._work = b""
        return process

    def events(self) -> Iterator[Event]:
        """Events as they arrive; the last is Finished, created here if the process died without one."""
        finished = None
        process = self._start()
        while finished is None:
            try:
                event = self._pipe.recv()
            except (EOFError, OSError, pickle.UnpicklingError):
                break
            if isinstance(event, Finished):
                finished = event
            else:
                yield event
        if finished is None:
            process.join()
        yield finished or self._died(process.exitcode)
        process.join(_EXIT_S)
        if process.is_alive():
            process.kill()
            process.join()
        atexit.unregister(process.kill)
        self._ended.set()
        self._pipe.close()
        self._trace.unlink(missing_ok=True)

    def _died(self, code: int | None) -> Finished:
        if self._flag.is_set():
            return Finished(self.job, cancelled=True)
        cause = (
            Message("it was killed; memory may have run out") if code == -9 else Message("exit code {code}", code=code)
        )
        return Finished(
            self.job,
            error=Message(
                "The job's process ended unexpectedly ({cause}). Everything it had saved is kept.", cause=cause
            ),
            report=self._trace.read_text(encoding="utf-8", errors="replace"),
        )


def _main(
    pipe: Connection,
    flag: SharedFlag,
    job: str,
    trace: str,
) -> None:
    ignore_interrupts()
    die_with_parent()
    with open(trace, "w", encoding="utf-8") as file:
        faulthandler.enable(file)
        guard = threading.Lock()

        def emit(event: Event) -> None:
            with guard:
                pipe.send(event)

        try:
            with cancel_on_signals(flag.set):
                function, args, kwargs = pickle.loads(pipe.recv_bytes())
                last = Finished(job, function(Context(job, emit, flag.is_set), *args, **kwargs))
            pickle.dumps(last)
        except BaseException as error:  # noqa: BLE001 - process boundary: every error becomes the job's last event
            last = outcome(job, error)
        emit(last)
        faulthandler.disable()
