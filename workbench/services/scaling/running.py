"""Jobs of :mod:`workbench.scaleout` with the worker processes, progress and cancellation of this program."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.base.errors import ParameterError
from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.jobs.chunks import Crash, map_chunks
from workbench.scaleout.api import Engine, Lost
from workbench.scaleout.job import Request, Summary, run

ENGINES = ("duckdb", "spark")
MEMORY = "1GB"
SCRATCH = "scratch"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Which engine, and what it may use. ``memory``: of the SQL engine or of each executor; ``threads`` None: one a
    processor; ``scratch``: a folder for what does not fit into memory, by default inside the job's.
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
        scratch = self.scratch or folder / SCRATCH
        threads = self.threads or os.cpu_count() or 1
        if self.engine == "duckdb":
            if self.master:
                raise ParameterError(Message("--master needs --engine spark."))
            from workbench.scaleout.duck import DuckDb

            mapped = pool(threads if workers is None else workers)
            return DuckDb(mapped, memory=self.memory, threads=threads, scratch=scratch)
        from workbench.scaleout.spark import Spark

        return Spark(self.master or f"local[{threads}]", memory=self.memory, scratch=scratch)


def pool(workers: int) -> Callable[[Watcher, Callable[[Any], int], Iterable[Any]], Iterator[tuple[int, int | Lost]]]:
    """Worker processes as stages need them."""

    def mapped(
        watch: Watcher, function: Callable[[Any], int], chunks: Iterable[Any]
    ) -> Iterator[tuple[int, int | Lost]]:
        with closing(map_chunks(watch, function, chunks, workers=workers)) as results:
            for number, result in results:
                yield number, Lost(result.message) if isinstance(result, Crash) else result

    return mapped


def run_scale(ctx: Watcher, folder: Path, request: Request, options: EngineOptions) -> Summary:
    """Do what is not done yet of ``request`` in ``folder``. Raises UserError, ParameterError, Cancelled."""
    return run(folder, request, lambda: options.open(folder), ctx)
