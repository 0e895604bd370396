"""Jobs of :mod:`workbench.scaleout` with the worker processes, progress and cancellation of this program.

Engines are imported only when there is work to do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base import own_folders
from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.own_folders import seal
from workbench.base.parts import check_scale
from workbench.base.progress import NullProgress, Progress
from workbench.jobs.chunks import Crash, map_chunks
from workbench.scaleout.record import SCRATCH, JobRequest

if TYPE_CHECKING:
    from workbench.scaleout.api import Engine, Lost
    from workbench.scaleout.job import Summary

MEMORY = "1GB"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The engine, and its limits. ``memory``: of the SQL engine or of each executor; ``threads`` None: one per
    processor; ``scratch``: a folder for data that does not fit into memory, by default inside the job's.
    """

    engine: str = "duckdb"
    master: str = ""
    memory: str = MEMORY
    threads: int | None = None
    scratch: Path | None = None

    def open(self, folder: Path, workers: int | None = None) -> Engine:
        """The engine for the job in ``folder``; ``workers`` 0: stages run in this process. Raises UserError,
        ParameterError.
        """
        threads = self.threads or os.cpu_count() or 1
        if self.engine == "duckdb":
            if self.master:
                raise ParameterError(Message("--master needs --engine spark."))
            from workbench.scaleout.duck import DuckDb

            scratch = self._emptied(folder)
            mapped = pool(threads if workers is None else workers)
            return DuckDb(mapped, memory=self.memory, threads=threads, scratch=scratch)
        from workbench.scaleout.spark import Spark

        return Spark(self.master or f"local[{threads}]", memory=self.memory, scratch=self._emptied(folder))

    def _emptied(self, folder: Path) -> Path:
        """An empty folder of our own for temporary data of the job in ``folder``. Raises UserError, OSError."""
        folder = folder.absolute()
        if self.scratch is None:
            scratch = folder / SCRATCH
        else:
            # Several jobs may share a disk; the name is the same when a killed one continues.
            scratch = self.scratch.absolute() / f"palimpsest-{seal(SCRATCH, str(folder))[:12]}"
        scratch.parent.mkdir(parents=True, exist_ok=True)
        if not own_folders.remove(scratch, SCRATCH):
            raise UserError(
                Message("A file that this program did not create is in the way of scratch files."),
                path=scratch,
                hint=Message("Move it away, or put scratch files elsewhere (--scratch)."),
            )
        own_folders.make(scratch, SCRATCH)
        return scratch


def pool(workers: int) -> Callable[[Progress, Callable[[Any], int], Iterable[Any]], Iterator[tuple[int, int | Lost]]]:
    """Returns a function that starts worker processes as stages need them."""
    from workbench.scaleout.api import Lost

    def mapped(
        progress: Progress, function: Callable[[Any], int], chunks: Iterable[Any]
    ) -> Iterator[tuple[int, int | Lost]]:
        with closing(map_chunks(progress, function, chunks, workers=workers)) as results:
            for number, result in results:
                yield number, Lost(result.message) if isinstance(result, Crash) else result

    return mapped


class QuietProgress(NullProgress):
    """Passes on cancellation, but not the progress of a sample's steps."""

    def __init__(self, ctx: Progress) -> None:
        self._ctx = ctx

    def check(self) -> None:
        """Raise Cancelled if the user has cancelled."""
        self._ctx.check()

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        """Only check for cancellation."""
        self._ctx.check()


def run_scale(ctx: Progress, folder: Path, request: JobRequest, options: EngineOptions) -> Summary:
    """Run the unfinished rest of ``request`` in ``folder``. Raises UserError, ParameterError, Cancelled."""
    check_scale()
    from workbench.scaleout.job import run

    return run(folder, request, lambda: options.open(folder), ctx)


def found_by(ctx: Progress, folder: Path, request: JobRequest, options: EngineOptions) -> tuple[int, int, int]:
    """:func:`run_scale`; returns the numbers of pages read, inputs refused and pairs."""
    done = run_scale(ctx, folder, request, options)
    return done.pages, len(done.refused), done.pairs
