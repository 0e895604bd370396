"""Imports the results of a job into a project: pairs with their passages, and only the documents they need."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message, read
from workbench.base.sound import values_of
from workbench.base.types import PairScores, Results, Run, RunState
from workbench.jobs.context import Context
from workbench.project.database import Project, open_project
from workbench.project.documents import add_documents
from workbench.project.imports import begin_batch
from workbench.project.listing import keys_of
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.scaleout.best_pairs import BestPairs
from workbench.scaleout.job import status
from workbench.scaleout.rows import GIVEN, documents, read_passages, read_regions
from workbench.services.importing.storing import batch_ended
from workbench.services.scaling.checking import check_results, checked_pages
from workbench.services.scaling.running import MEMORY

_T = TypeVar("_T")

CHUNK = 20_000
"""Pairs stored in one transaction, about."""
_MOST = 10
"""Times as many at most, however many a page has."""
FEWER = Message("pairs below the score asked for")
REST = Message("pairs beyond the number asked for")
OTHERS = Message("pairs of pages whose id has another text in this project")
_CHECKING = Message("Checking the job")
_DOCUMENTS = Message("Storing documents")
_PAIRS = Message("Storing pairs")


@dataclass(frozen=True, slots=True)
class Imported:
    """The run made of a job's pairs, the ``documents`` that came with it, and how many pairs were ``left`` out."""

    run: Run
    documents: int
    left: int


def import_scale(
    ctx: Context, project_path: Path, folder: Path, *, least: float | None = None, most: int | None = None
) -> Imported:
    """Store pairs of the finished job in ``folder`` as a run: of at least the score ``least``, the ``most`` highest.

    Raises UserError, Cancelled.
    """
    state = status(folder)
    if state.state != "done":
        raise UserError(
            Message("This job is not finished."),
            path=folder,
            command=f"The same palimpsest scale run --out {folder} goes on with it.",
        )
    begun = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="palimpsest-") as scratch,
        BestPairs(folder, state.job, least, most, memory=MEMORY, scratch=Path(scratch)) as best_pairs,
        open_project(project_path) as project,
    ):
        # All of it before anything of it is stored: whoever made the folder may have sent anything.
        known = checked_pages(_counted(ctx, best_pairs.documents(), best_pairs.pages))
        check_results(_chunks(_counted(ctx, best_pairs.results(), best_pairs.pairs)), *known)
        pages, keys, added = _documents(ctx, project, best_pairs)
        left_out = {read(reason): n for reason, n in state.job["summary"]["left_out"].items()}
        left_out |= {reason: n for reason, n in ((FEWER, best_pairs.below), (REST, best_pairs.beyond)) if n}
        run = _store(ctx, project, state.job, best_pairs, (pages, keys), left_out, begun)
    return Imported(run, added, best_pairs.below + best_pairs.beyond)


def _documents(
    ctx: Context, project: Project, best_pairs: BestPairs
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Store the pages that the pairs need; page numbers, ascending, with the keys of their documents (0: refused)."""
    numbers, keys = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    done = added = 0
    try:
        with project.write() as connection:
            batch_id = begin_batch(connection)
        with batch_ended(project, batch_id):
            for batch in best_pairs.documents():
                ctx.check()
                with project.write() as connection:
                    result = add_documents(connection, documents(batch), batch_id)
                    known = keys_of(connection, result.ids)
                numbers.append(batch.column("page").to_numpy())
                keys.append(np.array([known.get(name, 0) for name in result.ids], np.int64))
                added += result.added
                done += len(batch)
                ctx.advance(_DOCUMENTS, done, best_pairs.pages)
    finally:
        ctx.changed("documents")
    pages = np.concatenate(numbers)
    order = np.argsort(pages)
    return pages[order], np.concatenate(keys)[order], added


def _store(
    ctx: Context,
    project: Project,
    job: Mapping[str, Any],
    best_pairs: BestPairs,
    keyed: tuple[NDArray[np.int64], NDArray[np.int64]],
    left_out: dict[str, int],
    begun: float,
) -> Run:
    origin = hashlib.sha256(json.dumps([job["results"], job["pages"]]).encode()).hexdigest()
    # Two in a row have CHUNK pairs or more. Where they are cut is seen when they are read; those not needed are empty.
    chunks = 2 * (best_pairs.pairs // CHUNK) + 2
    with project.write() as connection:
        run = begin_run(connection, job["method"], job["version"], job["parameters"], origin, chunks)
    ctx.changed("runs")
    number = done = others = 0
    try:
        for results, size, unknown in _ahead(_results(best_pairs, *keyed)):
            ctx.check()
            with project.write() as connection:
                finish_chunk(connection, run.id, number, results)
            number, done, others = number + 1, done + size, others + unknown
            ctx.changed("matches")
            ctx.advance(_PAIRS, done, best_pairs.pairs)
    except Cancelled:
        _ended(project, run, RunState.CANCELLED, begun, Message("cancelled"))
        raise
    except UserError as error:
        _ended(project, run, RunState.FAILED, begun, error.sentence)
        raise
    counts = left_out | ({OTHERS: others} if others else {})
    with project.write() as connection:
        for index in range(number, chunks):
            last = Results(excluded=counts) if index == chunks - 1 else Results()
            examined = job["summary"]["pages"] if index == chunks - 1 else 0
            finish_chunk(connection, run.id, index, last, documents=examined)
    finished = _ended(project, run, RunState.DONE, begun)
    ctx.changed("runs", "matches")
    return finished


def _results(
    best_pairs: BestPairs, pages: NDArray[np.int64], keys: NDArray[np.int64]
) -> Iterator[tuple[Results, int, int]]:
    """The pairs of each chunk, how many it has, and how many of these are of pages without a document."""
    for table in _chunks(best_pairs.results()):
        a, b = (values_of(table.column(name).to_numpy(), pages, keys) for name in "ab")
        known = (a > 0) & (b > 0) & (a != b)
        rows, a, b = table.filter(pa.array(known)), a[known], b[known]
        results = Results(read_passages(rows, a, b), _scored(rows, a, b), regions=read_regions(rows, a, b))
        yield results, len(table), int((~known).sum())


def _counted(ctx: Context, batches: Iterator[pa.RecordBatch], total: int) -> Iterator[pa.RecordBatch]:
    """``batches``, with the progress of checking them. Raises Cancelled."""
    done = 0
    for batch in batches:
        ctx.check()
        ctx.advance(_CHECKING, done, total)
        done += len(batch)
        yield batch


def _ahead(items: Iterator[_T]) -> Iterator[_T]:
    """``items``, the next of which is made in a thread while one is used."""
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, items, None)
        while (item := waiting.result()) is not None:
            waiting = thread.submit(next, items, None)
            yield item


def _ended(project: Project, run: Run, state: RunState, begun: float, message: str = "") -> Run:
    with project.write() as connection:
        return finish_run(connection, run.id, state, time.monotonic() - begun, message)


def _scored(rows: pa.Table, a: NDArray[np.int64], b: NDArray[np.int64]) -> PairScores:
    """What the method gave for the pairs of ``rows``, whose documents have the keys ``a`` and ``b``, by these."""
    chosen = np.flatnonzero(rows.column("scored").to_numpy(zero_copy_only=False))
    chosen = chosen[np.lexsort((b[chosen], a[chosen]))]
    return PairScores(a[chosen], b[chosen], *(rows.column(name).take(chosen).to_pylist() for name in GIVEN))


def _chunks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """About :data:`CHUNK` pairs at a time; those of a page together, unless they are very many: the figures of a page
    whose pairs are stored apart are made anew each time.
    """
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        waiting.append(batch)
        size += len(batch)
        if size < CHUNK:
            continue
        table = pa.Table.from_batches(waiting)
        pages = table.column("a").to_numpy()
        cut = int(np.searchsorted(pages, pages[-1]))
        if not cut:
            if size < _MOST * CHUNK:
                continue
            cut = size
        yield table.slice(0, cut)
        waiting = table.slice(cut).to_batches()
        size -= cut
    if size:
        yield pa.Table.from_batches(waiting)
