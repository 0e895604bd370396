"""What the tests' jobs and chunks do; imported by the spawned processes too."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from workbench.base import compiling
from workbench.base.errors import Cancelled, UserError
from workbench.base.progress import Progress
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks, worker_progress
from workbench.jobs.context import Context

FOR_EVER = 600
"""Seconds; longer than any test may take, yet nothing stays behind."""
STARTED: dict[str, str] = {}


class RecordingWatcher:
    """A watcher that remembers warnings and is cancelled after a number of checks."""

    def __init__(self) -> None:
        self.warnings: list[tuple[str, str | None]] = []
        self.cancelled = False

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        self.check()

    def warn(self, message: str, path: str | None = None) -> None:
        self.warnings.append((message, path))

    def check(self) -> None:
        if self.cancelled:
            raise Cancelled


def allocating(gigabytes: int) -> int:
    """Take memory."""
    return len(bytearray(gigabytes * 1_000_000_000))


def reporting_and_dying(place: int) -> None:
    """Report ``place`` as done, and die."""
    worker_progress().advance("work", place)
    os._exit(7)


def square(number: int) -> int:
    return number * number


def process_id(_: Any) -> int:
    time.sleep(0.05)
    return os.getpid()


def echo(value: Any) -> Any:
    return value


def listening(_: Any) -> None:
    worker_progress().warn("begun")
    while True:
        worker_progress().check()
        time.sleep(0.05)


def deaf(_: Any) -> None:
    worker_progress().warn("begun")
    time.sleep(FOR_EVER)


def dying(number: int) -> int:
    """Chunks 3 and 7 end their process, by a signal and by a crash of compiled code."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 7:
        ctypes.string_at(0)
    return number


def always_dying(_: Any) -> None:
    os._exit(3)


def refusing(number: int) -> int:
    if number == 2:
        raise UserError("Chunk two is not readable.", path="two.txt")
    return number


def failing(_: Any) -> None:
    raise ZeroDivisionError("one over nothing")


class Unpicklable(Exception):
    def __init__(self, a: int, b: int) -> None:
        super().__init__("cannot travel")
        self.hook = lambda: None


def failing_unpicklable(_: Any) -> None:
    raise Unpicklable(1, 2)


def warning(number: int) -> int:
    worker_progress().warn(f"warned of {number}", "file.txt")
    return number


def set_up(word: str) -> None:
    STARTED["word"] = word


def set_up_value(_: Any) -> str:
    return STARTED["word"]


def failing_set_up() -> None:
    raise UserError("The index is gone.")


# Jobs


def counting(ctx: Context, total: int) -> int:
    for done in range(total):
        ctx.advance("counting", done + 1, total)
    ctx.warn("one warning")
    ctx.changed("documents")
    return total


def endless(ctx: Context) -> None:
    while True:
        ctx.advance("waiting", 1)
        time.sleep(0.02)


def stuck(ctx: Context) -> None:
    time.sleep(FOR_EVER)


def announced_and_stuck(ctx: Context, path: str) -> None:
    part = Path(path).with_suffix(".part")
    part.write_text(str(os.getpid()), encoding="ascii")
    part.rename(path)
    time.sleep(FOR_EVER)


def announced_and_broken(path: str) -> None:
    Path(path).touch()
    raise RuntimeError("this error is for the owner of the process to find")


def killed(ctx: Context) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crashed(ctx: Context) -> None:
    ctypes.string_at(0)


def user_error(ctx: Context) -> None:
    raise UserError("No such file.", path="a.txt")


def bug(ctx: Context) -> None:
    raise ZeroDivisionError("one over nothing")


def unpicklable_result(ctx: Context) -> Any:
    return lambda: None


def loaded_modules(ctx: Context) -> list[str]:
    return sorted({name.partition(".")[0] for name in sys.modules})


def pool_of_sleepers(ctx: Progress, folder: str, workers: int) -> None:
    """Write the pids of the workers into ``folder`` and keep them busy."""
    for _ in map_chunks(ctx, announce_and_sleep, [folder] * workers, workers=workers):
        pass


def announce_and_sleep(folder: str) -> None:
    """Leave a file named after this worker, with the process that owns it, which need not be its parent."""
    owner = multiprocessing.parent_process()
    assert owner is not None
    part = Path(folder, f".{os.getpid()}")
    part.write_text(str(owner.pid), encoding="ascii")
    part.rename(Path(folder, str(os.getpid())))
    time.sleep(FOR_EVER)


def parent_of(_: object) -> int:
    """The process that forked or started this one."""
    return os.getppid()


def parents(ctx: Context, untrusted: bool) -> tuple[int, list[int]]:
    """The parents of this job and of two workers of its own."""
    mapped = map_chunks(ctx, parent_of, [1, 2], workers=2, untrusted=untrusted)
    return os.getppid(), [parent for _, parent in mapped if not isinstance(parent, Crash)]


def parents_after(ctx: Context, path: str) -> list[int]:
    """The parents of two workers that are started once a file is there."""
    ctx.advance("waiting", 0)
    while not Path(path).exists():
        time.sleep(0.01)
    return parents(ctx, untrusted=False)[1]


def surroundings(ctx: Context, variable: str) -> tuple[str | None, str]:
    """A variable of the environment, and the current folder."""
    return os.environ.get(variable), str(Path.cwd())


def length_of(ctx: Context, text: str) -> int:
    """How long the text is."""
    return len(text)


def compile_first(times: int) -> str:
    """Work within a limit of half a second, but for compiling, which takes longer ``times`` times; then hang at 0."""
    with Alarm(0.5):
        for _ in range(times):
            compiling.begin()
            time.sleep(1)
            compiling.end(1)
        if not times:
            compiling.begin()
            compiling.end(0)
            time.sleep(FOR_EVER)
    return "done"
