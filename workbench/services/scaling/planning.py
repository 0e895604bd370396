"""Estimates the cost of a job on this machine by running a sample of its pages through all its steps."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.reading import formats
from workbench.reading.formats import Item, ReadOptions, Record, Source
from workbench.scaleout.inputs import InputPiece, is_lines, list_pieces
from workbench.scaleout.job import run
from workbench.scaleout.pages import items
from workbench.scaleout.record import METHODS, JobRequest, check, notes, read_job
from workbench.services.scaling.running import EngineOptions, QuietProgress

SAMPLE_PIECES = 40
"""Number of files that pages are taken from, spread evenly over the input."""
SAMPLE_PAGES = 1_000
LONG = 24 * 3600.0
"""Minimum seconds of work for which a cluster pays off: longer than setting one up takes."""
_SAMPLING = Message("Reading a sample")
_TRYING = Message("Trying the steps on the sample")


@dataclass(frozen=True, slots=True)
class JobEstimate:
    """Number of ``files``, their ``bytes`` and approximate ``pages``; ``seconds`` of work here, ``scratch`` bytes for
    steps and ``free`` bytes on their disk, ``memory`` as requested; extrapolated from ``sample`` pages. ``steps``: rows
    and seconds of each step of ``method``.
    """

    files: int
    bytes: int
    pages: int
    seconds: float
    memory: str
    scratch: int
    free: int
    sample: int
    steps: tuple[tuple[str, int, float], ...]
    method: str

    @property
    def cluster(self) -> bool:
        """Whether a cluster pays off."""
        return self.seconds > LONG

    def record(self) -> dict[str, Any]:
        """The plan as JSON."""
        return {
            "files": self.files,
            "bytes": self.bytes,
            "pages": self.pages,
            "seconds": round(self.seconds, 1),
            "memory": self.memory,
            "scratch": self.scratch,
            "free": self.free,
            "sample": self.sample,
            "cluster": self.cluster,
            "fixed": dict(METHODS[self.method].fixed),
            "steps": [{"name": name, "rows": rows, "seconds": round(s, 1)} for name, rows, s in self.steps],
        }

    def sentences(self) -> Iterator[str]:
        """The plan in words."""
        yield Message(
            "About {pages} pages, {size} MB (files: {files}), from a sample of {sample} pages.",
            pages=f"{self.pages:,}",
            files=f"{self.files:,}",
            size=f"{self.bytes / 1e6:,.0f}",
            sample=f"{self.sample:,}",
        )
        yield Message(
            "On this machine about {time}, {memory} of memory for the engine, "
            "{scratch} MB on disk (of {free} MB free).",
            time=_time(self.seconds),
            memory=self.memory,
            scratch=f"{self.scratch / 1e6:,.0f}",
            free=f"{self.free / 1e6:,.0f}",
        )
        if self.scratch > self.free:
            yield Message("The disk is too small: choose another folder.")
        yield (
            Message("A cluster is worthwhile: the work takes longer than a day here.")
            if self.cluster
            else Message("A cluster is not needed: this machine is enough.")
        )
        yield Message("Time and disk are projected in proportion; many near-duplicates take longer.")
        yield from notes(self.method)


def plan_scale(ctx: Progress, request: JobRequest, options: EngineOptions, out: Path | None = None) -> JobEstimate:
    """The cost of ``request`` with the embedded engine if steps are written to ``out``. Raises UserError, Cancelled."""
    check(request)
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as temporary:
        folder = Path(temporary)
        reading = request.reading()
        pieces, failures = list_pieces(folder, request.paths, reading, ctx)
        if not pieces:
            hint = failures[0].error if failures else ""
            raise UserError(Message("There is nothing to read."), path=str(request.paths[0]), hint=hint)
        total = sum(piece.bytes for piece in pieces)
        sample = folder / "sample.jsonl"
        begun = time.monotonic()
        count, consumed = _sample(ctx, pieces, reading, sample)
        reading_seconds = time.monotonic() - begun
        if not count:
            raise UserError(Message("No page of the sample could be read."), path=str(request.paths[0]))
        share = max(total / max(consumed, 1), 1.0)
        job = folder / "job"
        ctx.advance(_TRYING, 0)
        tried = replace(options, engine="duckdb", master="", scratch=folder / "scratch")
        # In this process: starting a worker would count as work.
        small = replace(request, paths=(sample,))
        run(job, small, lambda: tried.open(job, workers=0), QuietProgress(ctx))
        known = read_job(job)["steps"]
    workers = options.threads or os.cpu_count() or 1
    steps = [(s["name"], round(s["rows"] * share), s["seconds"] * share / workers) for s in known if s["rows"]]
    seconds = reading_seconds * share / workers + sum(s for name, _, s in steps if name not in ("pages", "inputs"))
    size = sum(s["bytes"] for s in known) * share
    place = options.scratch or out or Path.cwd()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    files = len({piece.path for piece in pieces})
    about = files, total, round(count * share), seconds, options.memory, round(size * 2), free, count
    return JobEstimate(*about, tuple(steps), request.method)


def _time(seconds: float) -> Message:
    if seconds < 5400:
        return Counted("{count} minute", "{count} minutes", max(1, round(seconds / 60)))
    return Counted("{count} hour", "{count} hours", round(seconds / 3600))


def _sample(ctx: Progress, pieces: Sequence[InputPiece], options: ReadOptions, target: Path) -> tuple[int, int]:
    """Write pages of some of ``pieces`` to ``target``; returns their number and approximate bytes in the input."""
    step = max(1, len(pieces) // SAMPLE_PIECES)
    chosen = pieces[::step]
    each = max(1, SAMPLE_PAGES // len(chosen))
    pages = consumed = 0
    with target.open("w", encoding="utf-8", errors="replace") as file:
        for number, piece in enumerate(chosen):
            ctx.advance(_SAMPLING, number, len(chosen))
            taken, size = _sample_pages(piece, each, options)
            for document in taken:
                # The page's text is enough: this only measures the cost of reading it.
                row = {"id": document.id, "url": document.url, "site": document.site, "text": document.text}
                file.write(json.dumps(row | {"role": document.role.value}, ensure_ascii=False) + "\n")
            pages, consumed = pages + len(taken), consumed + size
    return pages, consumed


def _sample_pages(piece: InputPiece, most: int, options: ReadOptions) -> tuple[list[Document], int]:
    """About ``most`` pages of ``piece``, and about how many of its bytes they take."""
    source = Source(Path(piece.path), piece.name)
    if is_lines(source):
        end = _end_of_lines(piece, most)
        return _documents(items(replace(piece, end=end), options)), end - piece.start
    cut = formats.cut(source, options=options)
    if cut is None:
        taken = _documents(islice(formats.read(source, options=options), most))
        # A table that is not read to its end: the size of its texts approximates their share.
        return taken, piece.size if len(taken) < most else sum(len(d.text.encode()) for d in taken)
    documents: list[Document] = []
    position = 0
    for part in cut:
        if isinstance(part, Source):
            position = max(position, part.position)
            documents += _documents(formats.read(part, options=options))
        if len(documents) >= most:
            return documents, max(1, position)
    return documents, piece.size


def _documents(read: Iterable[Item]) -> list[Document]:
    return [item.document for item in read if isinstance(item, Record)]


def _end_of_lines(piece: InputPiece, most: int) -> int:
    """Where the first ``most`` lines of ``piece`` end."""
    with open(piece.path, "rb") as file:
        file.seek(piece.start)
        for _ in range(most):
            if not file.readline():
                break
        return file.tell()
