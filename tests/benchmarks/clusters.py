"""A Spark cluster against DuckDB: a standalone master with two workers on this machine, the same multisets or exit 1.

    python -m tests.benchmarks.clusters [--pages N] [--memory 1g]

For each method, so for every kind of step (S2 sentence frequencies and pairs, S3 candidates, S4 runs, S5 verified
pairs): the seconds on DuckDB, on the cluster, and on the cluster when an executor is killed in the middle and the whole
job after it, so that a second start goes on; whether all pairs, passages and counts are equal.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import tempfile
import time
from pathlib import Path

from tests.benchmarks.scale import write_pages
from tests.clusters import executors_below, standalone
from tests.unit.scaleout.collection import stored_rows
from workbench.base.progress import NullProgress
from workbench.scaleout.job import run
from workbench.scaleout.record import METHODS, JobRequest, read_job
from workbench.services.scaling.running import EngineOptions

_IN_THE_MIDDLE = {
    "rare-sentences": ("Reading sentences", "Gathering shared sentences"),
    "trustable-lcs": ("Fingerprinting pages", "Gathering candidates"),
    "digest": ("Reading segments", "Finding sequences"),
}
"""Titles of the steps in which an executor, and then the whole job, is killed."""

_WORD = {True: "equal", False: "UNEQUAL"}


class _Killing(NullProgress):
    """Kills an executor of ``workers`` in one step, and this process in another."""

    def __init__(self, workers: list[int], titles: tuple[str, str]) -> None:
        self._workers, self._titles = workers, list(titles)

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        if self._titles and stage == self._titles[0]:
            if len(self._titles) == 2:
                running = [pid for worker in self._workers for pid in executors_below(worker)]
                os.kill(running[0], signal.SIGKILL)
                print(f"    killed executor {running[0]} in {stage!r}", flush=True)
            else:
                print(f"    killed the job in {stage!r}", flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            self._titles.pop(0)


def _job(folder: Path, pages: Path, method: str, options: EngineOptions, workers: list[int]) -> None:
    watch = _Killing(workers, _IN_THE_MIDDLE[method]) if workers else NullProgress()
    run(folder, JobRequest((pages,), method, {}, site_repetition=False), lambda: options.open(folder), watch)


def _timed(folder: Path, pages: Path, method: str, options: EngineOptions, workers: list[int]) -> float:
    """Seconds of a job in a process of its own, started again if it is killed."""
    begun = time.perf_counter()
    spawn = multiprocessing.get_context("spawn")
    for kills in (workers, []):
        process = spawn.Process(target=_job, args=(folder, pages, method, options, kills))
        process.start()
        process.join()
        if process.exitcode == 0:
            break
    if process.exitcode != 0:
        raise SystemExit(f"{method} ended with {process.exitcode}")
    return time.perf_counter() - begun


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--memory", default="1g", help="of each of the two workers")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = folder / "pages"
        pages.mkdir()
        write_pages(pages, arguments.pages)
        with standalone(folder, 2, arguments.memory) as (address, processes):
            workers = [process.pid for process in processes[1:]]
            cluster = EngineOptions("spark", address, arguments.memory)
            for method in METHODS:
                outcomes = []
                for title, options, kills in (
                    ("DuckDB", EngineOptions(), []),
                    ("cluster", cluster, []),
                    ("cluster, killed", cluster, workers),
                ):
                    job = folder / f"{method}-{title.replace(', ', '-')}"
                    seconds = _timed(job, pages, method, options, kills)
                    outcomes.append(stored_rows(job, read_job(job)["results"]))
                    same = outcomes[-1] == outcomes[0]
                    wrong += not same
                    pairs = sum(outcomes[-1][0].values())
                    print(
                        f"{method:>15}  {title:<16}{seconds:8.1f} s {pairs:>9,} pairs  {_WORD[same]}",
                        flush=True,
                    )
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
