"""Imports the results of a job into a project: pairs with their passages, and only the documents they need.

A job's folder is untrusted: every number in it is checked before anything is stored.

Passages, figures and layouts are checked by the functions that projects use for their own.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.base.errors import Cancelled, ParameterError, ProjectError, UserError
from workbench.base.messages import Message, read
from workbench.base.sound import is_figure, outside_texts, values_of, without_score
from workbench.base.types import Document, Ints, Matches, PairScores, Results, Run, RunState
from workbench.jobs.context import Context
from workbench.project.columns import TYPES
from workbench.project.damaged_rows import LONGEST_FIELD, LONGEST_ID
from workbench.project.database import Project, open_project
from workbench.project.details import pack_details, unpack_details
from workbench.project.documents import add_documents
from workbench.project.imports import begin_batch
from workbench.project.listing import keys_of
from workbench.project.packing import LIMIT, flat, object_from_json
from workbench.project.runs import begin_run, finish_chunk, finish_run, runs
from workbench.scaleout.best_pairs import BestPairs
from workbench.scaleout.job import status
from workbench.scaleout.rows import (
    KEYS,
    PAGE,
    PASSAGES,
    RESULT,
    ROLES,
    SCORE_FIELDS,
    documents,
    read_passages,
    read_regions,
)
from workbench.services.importing.storing import batch_ended
from workbench.services.scaling.running import MEMORY

_ODD = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError),
    *(ParameterError, ProjectError),
)
"""Exceptions that reading an invalid row may raise."""
_LONGEST = 1e9
"""Maximum number of seconds of a step."""
_MOST_NAMES = 4096
"""Maximum number of characters of the names of evidence with their types."""


def checked_pages(batches: Iterator[pa.RecordBatch]) -> tuple[Ints, Ints]:
    """The numbers of the pages in ``batches``, ascending, and the code points of their texts.

    Raises UserError for pages that no job would write.
    """
    numbers: list[int] = []
    characters: list[int] = []
    ids: set[str] = set()
    for batch in batches:
        _check_columns(batch.schema, {**{field.name: field.type for field in PAGE}, "repeated": pa.string()})
        read = batch.column("page").to_pylist()
        if not all(number is not None and 0 <= number < len(ROLES) * KEYS for number in read):
            raise _unfit(Message("a page has an invalid number"))
        try:
            pages = documents(batch)
        except _ODD as error:
            raise _unfit(Message("the layout of a page cannot be read")) from error
        for document in pages:
            _check_page(document)
        ids.update(document.id for document in pages)
        numbers += read
        characters += [len(document.text) for document in pages]
    if len(ids) < len(numbers) or len(set(numbers)) < len(numbers):
        raise _unfit(Message("two pages have the same number or id"))
    order = np.argsort(np.array(numbers, np.int64))
    return np.array(numbers, np.int64)[order], np.array(characters, np.int64)[order]


def _check_page(document: Document) -> None:
    if not 0 < len(document.id) <= LONGEST_ID or (
        len(document.text) > LIMIT // 4 and len(document.text.encode("utf-8", "surrogatepass")) > LIMIT
    ):
        raise _unfit(Message("a page has an id or a text of invalid length"))
    try:
        unpack_details(pack_details(document), len(document.text), document.id)
    except _ODD as error:
        raise _unfit(Message("the layout of a page cannot be read")) from error


def check_results(tables: Iterator[pa.Table], pages: Ints, characters: Ints) -> None:
    """Raises UserError unless ``tables`` contain pairs of ``pages`` (ascending, with texts of ``characters``) as jobs
    write them.
    """
    last: tuple[int, int] = (-1, -1)
    names: set[str] | None = None
    for table in tables:
        _check_columns(table.schema, {field.name: field.type for field in RESULT})
        if any(table.column(name).null_count for name in RESULT.names if name not in _MAY_BE_NULL):
            raise _unfit(Message("a pair has no value where it must have one"))
        a, b = (table.column(name).to_numpy() for name in "ab")
        lengths = tuple(values_of(keys, pages, characters) for keys in (a, b))
        if any((length < 0).any() for length in lengths):
            raise _unfit(Message("a pair refers to a missing page"))
        places = [last, *zip(a.tolist(), b.tolist(), strict=True)]
        if (a == b).any() or any(here >= there for here, there in pairwise(places)):
            raise _unfit(Message("a pair occurs twice, or pairs a page with itself"))
        last = places[-1]
        _check_pairs(table)
        matches = _passages(table)
        if len(matches):
            if names is not None and names != set(matches.evidence):
                raise _unfit(Message("the evidence of passages differs from pair to pair"))
            names = set(matches.evidence)
        spread = (np.repeat(length, _sizes(table)) for length in lengths)
        if outside_texts(matches, *spread).any():
            raise _unfit(Message("a passage is outside its text"))
        if without_score(matches).any():
            raise _unfit(Message("a passage has no valid score"))
        _check_regions(table, a, b, (pages, characters))


_MAY_BE_NULL = ("resemblance", "containment", "relation", "left_out")


def _sizes(table: pa.Table) -> NDArray[np.int64]:
    sizes: NDArray[np.int64] = pc.list_value_length(table.column("scores")).to_numpy().astype(np.int64)
    return sizes


def _check_pairs(table: pa.Table) -> None:
    """Raises UserError unless the method's figures for the pairs of ``table`` can be stored in projects."""
    for name in ("score", "resemblance", "containment"):
        if not all(value is None or is_figure(value) for value in table.column(name).to_pylist()):
            raise _unfit(Message("a pair has no valid score"))
    words = (word for word in table.column("relation").unique().to_pylist() if word is not None)
    if any(len(word) > LONGEST_FIELD for word in words):
        raise _unfit(Message("a pair has no valid relation"))
    try:
        for text in table.column("evidence").to_pylist():
            if text != "{}":
                flat(object_from_json(text, "the evidence of a pair"), "the evidence of a pair")
    except ProjectError as error:
        raise _unfit(Message("the evidence of a pair cannot be read")) from error


def _passages(table: pa.Table) -> Matches:
    """The passages of ``table``, with row numbers for keys. Raises UserError for inconsistent lists."""
    sizes = _sizes(table)
    columns = {name: table.column(name).combine_chunks() for name in PASSAGES.names if name != "names"}
    lengths = {name: pc.list_value_length(column).to_numpy() for name, column in columns.items()}
    if any(column.flatten().null_count for column in columns.values()):
        raise _unfit(Message("a passage has no value where it must have one"))
    kinds = {text: _kinds(text) for text in table.column("names").unique().to_pylist()}
    widths = np.array([len(kinds[text]) for text in table.column("names").to_pylist()], np.int64)
    expected = {name: sizes * widths if name == "values" else sizes for name in columns if name != "gaps"}
    if any((lengths[name] != size).any() for name, size in expected.items()):
        raise _unfit(Message("a pair has lists of different lengths"))
    present = [kind for text, kind in kinds.items() if sizes[_where(table, text)].any()]
    if any(set(kind) != set(present[0]) for kind in present):
        raise _unfit(Message("the evidence of passages differs from pair to pair"))
    if not np.isfinite(columns["values"].flatten().to_numpy(zero_copy_only=False)).all():
        raise _unfit(Message("a passage has no valid score"))
    rows = np.arange(len(table))
    try:
        with np.errstate(invalid="raise", over="raise"):
            return read_passages(table, rows, rows)
    except (*_ODD, FloatingPointError) as error:
        raise _unfit(Message("a passage cannot be read")) from error


def _where(table: pa.Table, text: str) -> NDArray[np.bool_]:
    chosen: NDArray[np.bool_] = pc.equal(table.column("names"), text).to_numpy(zero_copy_only=False)
    return chosen


def _kinds(text: str) -> dict[str, str]:
    """The types of evidence by name, parsed from ``text``. Raises UserError for types that projects do not store."""
    try:
        listed = json.loads(text if len(text) <= _MOST_NAMES else "")
        kinds = {str(name): str(kind) for name, kind in listed}
        if len(kinds) == len(listed) and all(kind in TYPES for kind in kinds.values()):
            return kinds
    except _ODD:
        pass
    raise _unfit(Message("the evidence of passages cannot be read"))


def _check_regions(table: pa.Table, a: Ints, b: Ints, texts: tuple[Ints, Ints]) -> None:
    try:
        regions = read_regions(table, a, b)
        numbers = [(*r.a_span, *r.b_span) for r in regions]
        if not all(type(number) is int for row in numbers for number in row) or not all(
            is_figure(r.slope) for r in regions
        ):
            raise ValueError
        a_start, a_end, b_start, b_end = np.array(numbers, np.int64).reshape(-1, 4).T
    except _ODD as error:
        raise _unfit(Message("a region cannot be read")) from error
    keys = tuple(np.array([getattr(r, side) for r in regions], np.int64) for side in "ab")
    none = np.zeros(len(regions), np.int8)
    spans = Matches(keys[0], keys[1], a_start, a_end, b_start, b_end, none.astype(np.float64), none)
    if outside_texts(spans, *(values_of(key, *texts) for key in keys)).any():
        raise _unfit(Message("a region is outside its text"))


def _check_columns(schema: pa.Schema, expected: dict[str, pa.DataType]) -> None:
    if sorted(schema.names) != sorted(expected) or not all(
        _same(schema.field(name).type, kind) for name, kind in expected.items()
    ):
        raise _unfit(Message("a step has unexpected columns"))


def _same(kind: pa.DataType, other: pa.DataType) -> bool:
    """Whether both types are equal, ignoring the names of list items."""
    if pa.types.is_list(kind) and pa.types.is_list(other):
        return _same(kind.value_type, other.value_type)
    return bool(kind == other)


def _unfit(reason: str) -> UserError:
    return UserError(
        Message("Nothing of this job can be imported: {reason}.", reason=reason),
        hint=Message("Run the job again, or ask the sender for the original folder."),
    )


_T = TypeVar("_T")

CHUNK = 20_000
"""Approximate number of pairs stored in one transaction."""
_MOST = 10
"""Maximum number of pairs in one transaction, as a multiple of CHUNK, even if a page has more."""
FEWER = Message("pairs below the requested score")
REST = Message("pairs beyond the requested number")
OTHERS = Message("pairs of pages whose id has another text in this project")
_CHECKING = Message("Checking the job")
_DOCUMENTS = Message("Storing documents")
_PAIRS = Message("Storing pairs")


@dataclass(frozen=True, slots=True)
class Imported:
    """The run created from a job's pairs, the number of ``documents`` imported with it, and of pairs ``left`` out.

    ``before``: the run was imported earlier, and nothing now.
    """

    run: Run
    documents: int
    left: int
    before: bool = False


def import_scale(
    ctx: Context,
    project_path: Path,
    folder: Path,
    *,
    least: float | None = None,
    most: int | None = None,
    afresh: bool = False,
) -> Imported:
    """Store pairs of the finished job in ``folder`` as a run: those that score at least ``least``, and of these the
    ``most`` highest. Unless ``afresh``, a run that already has them is returned instead.

    Raises UserError, Cancelled.
    """
    state = status(folder)
    if state.state != "done":
        raise UserError(
            Message("This job is not finished."),
            path=folder,
            command=f"The same palimpsest scale run --out {shlex.quote(str(folder))} goes on with it.",
        )
    begun = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="palimpsest-") as scratch,
        BestPairs(folder, state.job, least, most, memory=MEMORY, scratch=Path(scratch)) as best_pairs,
        open_project(project_path) as project,
    ):
        omitted: dict[str, int] = {
            reason: n for reason, n in ((FEWER, best_pairs.below), (REST, best_pairs.beyond)) if n
        }
        left = sum(omitted.values())
        before = None if afresh else _imported_before(project, state.job, omitted)
        if before is not None:
            return Imported(before, 0, left, before=True)
        # Check everything before storing anything: the folder is untrusted.
        known = checked_pages(_counted(ctx, best_pairs.documents(), best_pairs.pages))
        check_results(_chunks(_counted(ctx, best_pairs.results(), best_pairs.pairs)), *known)
        pages, keys, added = _documents(ctx, project, best_pairs)
        left_out = {read(reason): n for reason, n in state.job["summary"]["left_out"].items()}
        run = _store(ctx, project, state.job, best_pairs, (pages, keys), left_out | omitted, begun)
    return Imported(run, added, left)


def _origin(job: Mapping[str, Any]) -> str:
    """What a run of this job's results has in place of the hash of a corpus."""
    return hashlib.sha256(json.dumps([job["results"], job["pages"]]).encode()).hexdigest()


def _imported_before(project: Project, job: Mapping[str, Any], omitted: Mapping[str, int]) -> Run | None:
    """The newest finished run with the results of ``job`` but for as many pairs as are ``omitted`` now."""
    wanted = job["method"], job["version"], _origin(job), RunState.DONE, omitted
    with project.read() as connection:
        for run in reversed(runs(connection)):
            omitted_then = {reason: run.excluded[reason] for reason in (FEWER, REST) if reason in run.excluded}
            if (run.method, run.version, run.corpus_hash, run.state, omitted_then) == wanted:
                return run
    return None


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
    # Two consecutive chunks have at least CHUNK pairs. Reading determines their limits; unneeded ones are empty.
    chunks = 2 * (best_pairs.pairs // CHUNK) + 2
    with project.write() as connection:
        run = begin_run(connection, job["method"], job["version"], job["parameters"], _origin(job), chunks)
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
    counts, summary = left_out | ({OTHERS: others} if others else {}), job["summary"]
    with project.write() as connection:
        for index in range(number, chunks):
            last = Results(excluded=counts) if index == chunks - 1 else Results()
            examined = summary.get("examined", summary["pages"]) if index == chunks - 1 else 0
            finish_chunk(connection, run.id, index, last, documents=examined)
    # The time of the run is that of the job.
    finished = _ended(project, run, RunState.DONE, begun - sum(_seconds(step["seconds"]) for step in job["steps"]))
    ctx.changed("runs", "matches")
    return finished


def _results(
    best_pairs: BestPairs, pages: NDArray[np.int64], keys: NDArray[np.int64]
) -> Iterator[tuple[Results, int, int]]:
    """The pairs of each chunk, their number, and how many of them have pages without a document."""
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
    """``items``, computing the next one in a thread."""
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, items, None)
        while (item := waiting.result()) is not None:
            waiting = thread.submit(next, items, None)
            yield item


def _seconds(value: float) -> float:
    """The time of a step, in a range that sums stay in."""
    return min(max(0.0, value), _LONGEST)


def _ended(project: Project, run: Run, state: RunState, begun: float, message: str = "") -> Run:
    with project.write() as connection:
        return finish_run(connection, run.id, state, time.monotonic() - begun, message)


def _scored(rows: pa.Table, a: NDArray[np.int64], b: NDArray[np.int64]) -> PairScores:
    """The method's figures for the pairs of ``rows`` by the keys ``a`` and ``b`` of their documents."""
    chosen = np.flatnonzero(rows.column("scored").to_numpy(zero_copy_only=False))
    chosen = chosen[np.lexsort((b[chosen], a[chosen]))]
    return PairScores(a[chosen], b[chosen], *(rows.column(name).take(chosen).to_pylist() for name in SCORE_FIELDS))


def _chunks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """About :data:`CHUNK` pairs at a time; those of a page together, unless very many: figures of a page stored in
    parts are recomputed each time.
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
