"""Scale: synthetic pages through the steps of a method, under a memory cap; a line through sizes, and what it projects.

    python -m tests.benchmarks.scale [--method NAME] [--pages N ...] [--memory 1GB] [--threads N]
                                     [--engine spark --master URL]

Pages are drawn as web pages are: their sites, and how often a sentence occurs, follow Zipf's law; 2 % are near copies
of an earlier page. For each number of pages (0.1 and 1 million by default): rows of the steps a second, the most memory
of this program and all its processes, the most scratch on disk, the size of the finished steps. The projection to 100
million pages, to the 6 billion sentences that those of the thesis have (its pages are longer than these), and to the
430 million pages of Huang, Wang and Li (2007), who took 5 days on 24 processes, is a projection: a line through the
measured sizes, no more. Ratios matter, times are this machine's; where others work on it, the time of the processor
says what an idle one would take.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.processes import descendants
from workbench.base.progress import NullProgress
from workbench.scaleout.job import run
from workbench.scaleout.record import METHODS, JobRequest, read_job
from workbench.services.scaling.running import EngineOptions

PROJECTED = (100_000_000, 430_000_000)
SENTENCES = 6_000_000_000
_SENTENCES = 12
_FILE = 50_000
"""Pages of one input file."""
_LETTERS = np.array([chr(0x4E00 + i) for i in range(2000)])


class Figures(NamedTuple):
    """Pages, seconds, those of the processor (of the engine and its workers, if these are on this machine), rows of all
    steps, most memory, most scratch, size of the steps (bytes), pairs.
    """

    pages: int
    seconds: float
    busy: float
    rows: int
    memory: int
    scratch: int
    size: int
    pairs: int


class Watch:
    """The most memory of this process and its descendants, and the most bytes in a folder, sampled (Linux)."""

    def __init__(self, folder: Path) -> None:
        self.memory = self.scratch = 0
        self._folder = folder
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.2):
            self.memory = max(self.memory, sum(map(_resident, (os.getpid(), *descendants(os.getpid())))))
            self.scratch = max(self.scratch, _bytes_in(self._folder))

    def end(self) -> None:
        """Look no more."""
        self._done.set()
        self._thread.join()


def _resident(process: int) -> int:
    """Memory of its own that a process holds; mapped files do not count."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def write_pages(folder: Path, pages: int) -> None:
    """``pages`` as JSON lines, in files of 50,000."""
    rng = np.random.default_rng(1)
    common = 200_000
    lengths = rng.integers(12, 40, common)
    pool = ["".join(rng.choice(_LETTERS, n)) + "。" for n in lengths.tolist()]
    recent: list[list[str]] = []
    for start in range(0, pages, _FILE):
        count = min(_FILE, pages - start)
        sites = np.minimum(rng.zipf(1.3, count), 10**6)
        chosen = rng.zipf(1.2, (count, _SENTENCES)) - 1
        own = rng.integers(0, len(_LETTERS), (count, _SENTENCES, 24))
        copies = rng.random(count) < 0.02
        with (folder / f"{start:012}.jsonl").open("w", encoding="utf-8") as file:
            for i in range(count):
                if copies[i] and recent:
                    sentences = list(recent[int(rng.integers(len(recent)))])
                    sentences[int(rng.integers(len(sentences)))] = pool[int(rng.integers(common))]
                else:
                    sentences = [
                        pool[c] if c < common else "".join(_LETTERS[own[i, k]]) + "。"
                        for k, c in enumerate(chosen[i].tolist())
                    ]
                    if i % 50 == 0:
                        recent = [*recent[-999:], sentences]
                number = start + i
                row = {
                    "id": str(number),
                    "role": "suspect" if number % 2 else "source",
                    "url": f"http://s{sites[i]}.example/{number}",
                    "text": "".join(sentences),
                }
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def measure(pages: int, method: str, options: EngineOptions) -> Figures:
    """One job from nothing."""
    with tempfile.TemporaryDirectory() as temporary:
        inputs, job, scratch = (Path(temporary) / name for name in ("pages", "job", "scratch"))
        inputs.mkdir()
        scratch.mkdir()
        write_pages(inputs, pages)
        own = EngineOptions(options.engine, options.master, options.memory, options.threads, scratch)
        request = JobRequest((inputs,), method, {}, site_repetition=False)
        watch = Watch(scratch)
        begun, before = time.perf_counter(), os.times()
        summary = run(job, request, lambda: own.open(job), NullProgress())
        seconds, after = time.perf_counter() - begun, os.times()
        # Workers have ended, so their time is known.
        busy = sum(after[:4]) - sum(before[:4])
        watch.end()
        steps = read_job(job)["steps"]
        rows, size = (sum(step[name] for step in steps) for name in ("rows", "bytes"))
        for step in sorted(steps, key=lambda s: -s["seconds"])[:6]:
            print(f"    {step['name']:<20} {step['rows']:>12,} rows {step['seconds']:8.1f} s")
        return Figures(pages, seconds, busy, rows, watch.memory, watch.scratch, size, summary.pairs)


def main() -> None:
    """Measure each size, and project."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", choices=METHODS, default="rare-sentences")
    parser.add_argument("--pages", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    parser.add_argument("--master", default="")
    arguments = parser.parse_args()
    options = EngineOptions(arguments.engine, arguments.master, arguments.memory, arguments.threads)
    measured = []
    for pages in sorted(arguments.pages):
        print(f"{arguments.method}, {pages:,} pages, {arguments.engine} with {arguments.memory}")
        f = measure(pages, arguments.method, options)
        measured.append(f)
        print(
            f"  {f.seconds:.1f} s ({f.busy:.1f} s of the processor), {f.pages / f.seconds:,.0f} pages/s, "
            f"{f.rows / f.seconds:,.0f} rows/s, "
            f"memory {f.memory / 1e6:,.0f} MB, scratch {f.scratch / 1e6:,.0f} MB, steps {f.size / 1e6:,.0f} MB, "
            f"{f.pairs:,} pairs",
            flush=True,
        )
    for what, pages in (
        *((f"{pages:,} pages", pages) for pages in PROJECTED),
        (f"{SENTENCES:,} sentences", SENTENCES // _SENTENCES),
    ):
        elapsed, busy, size = (_line(measured, name, pages) for name in ("seconds", "busy", "size"))
        print(
            f"projected to {what}: {elapsed / 86400:.1f} days on this machine, {busy / 86400:.1f} of one processor, "
            f"steps {size / 1e9:,.0f} GB",
            flush=True,
        )


def _line(measured: list[Figures], name: str, pages: int) -> float:
    """The value ``name`` of ``pages`` by a straight line through what was measured; from one size, in proportion."""
    x, y = np.array([f.pages for f in measured]), np.array([getattr(f, name) for f in measured])
    slope, base = np.polyfit(x, y, 1) if len(measured) > 1 else (float(y[0] / x[0]), 0.0)
    return float(slope * pages + base)


if __name__ == "__main__":
    main()
