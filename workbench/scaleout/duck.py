"""In-process DuckDB with a memory limit and a folder for spilling."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base import own_folders
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.scaleout.api import KEPT, Lost, Pool, Query, Stage, disk_full, is_full, unfinished
from workbench.scaleout.record import SCRATCH

CHUNK_BYTES = 16_000_000
"""Size of the rows passed to a worker at a time, in bytes of Arrow."""
_ROWS = 2048
"""Rows fetched at a time; few, because texts of pages may be large."""
_POLL = 0.1
"""Seconds between two checks of the cancel flag."""
COMPRESSION = "zstd"


class DuckDb:
    """The embedded engine. ``memory`` in DuckDB's notation (``1GB``); stages run in the processes of ``pool``."""

    def __init__(self, pool: Pool, *, memory: str, threads: int, scratch: Path) -> None:
        """Raises UserError if ``memory`` is not an amount."""
        self._pool = pool
        self._connection = duckdb.connect()
        try:
            self._connection.execute(f"set memory_limit = {quoted(memory)}")
        except duckdb.Error as error:
            raise UserError(
                Message("{memory} is not an amount of memory.", memory=memory), hint=Message("Write 500MB or 4GB.")
            ) from error
        self._scratch = scratch
        self._connection.execute(f"set temp_directory = {quoted(str(scratch))}")
        self._connection.execute(f"set threads = {threads}")
        self._connection.execute("set preserve_insertion_order = false")
        self._connection.execute("set enable_progress_bar = true")
        self._connection.execute("set enable_progress_bar_print = false")

    def view(self, name: str, folders: Sequence[Path]) -> None:
        """Present the rows of all ``folders`` as the view ``name``. Raises UserError if they are damaged."""
        try:
            self._connection.execute(f"create or replace view {name} as select * from {parquet_of(folders)}")
        except duckdb.Error as error:
            raise _explained_error(error) from error

    def write(self, query: Query, folder: Path, title: str, watch: Progress) -> None:
        """Write the rows of ``query`` into the empty ``folder``. Raises UserError, Cancelled."""
        if query.stage is None:
            target = quoted(str(folder / "part-0.parquet"))
            statement = f"copy ({query.sql}) to {target} (format parquet, compression {COMPRESSION})"
            self._watched(lambda: self._connection.execute(statement), title, watch)
            return
        sql = f"{query.sql} order by {', '.join(query.by)}" if query.by else query.sql
        # Without this, parts of an ordered result may arrive in any order.
        self._connection.execute(f"set preserve_insertion_order = {'true' if query.by else 'false'}")
        reader = self._watched(lambda: self._connection.sql(sql).to_arrow_reader(_ROWS), title, watch)
        batches = _watched_batches(self, reader, title, watch)
        chunks = chunked(batches, query.by[0] if query.by else None)
        self._mapped(query.stage, reader.schema, chunks, folder, title, watch)
        if not any(folder.glob("*.parquet")):
            pq.write_table(query.stage.schema.empty_table(), folder / "part-empty.parquet")

    def _mapped(
        self,
        stage: Stage,
        schema: pa.Schema,
        chunks: Iterator[list[pa.RecordBatch]],
        folder: Path,
        title: str,
        watch: Progress,
    ) -> None:
        sent: dict[int, bytes] = {}
        rows = 0

        def numbered() -> Iterator[Chunk]:
            for number, chunk in enumerate(chunks):
                sent[number] = _packed(schema, chunk)
                yield Chunk(sent[number], str(folder / f"part-{number}.parquet"))

        for number, result in self._pool(watch, Mapped(stage), numbered()):
            if isinstance(result, Lost):
                self._again(stage, sent[number], folder / f"part-{number}.parquet", result, title, watch)
            del sent[number]
            rows += result if isinstance(result, int) else 0
            watch.advance(title, rows)

    def _again(self, stage: Stage, data: bytes, path: Path, lost: Lost, title: str, watch: Progress) -> None:
        """Retry a lost chunk row by row, so that only the row that kills its worker is lost."""
        if stage.lost is None:
            raise UserError(
                Message("Part of the step {title} was lost. {message}", title=title, message=lost.message),
                hint=KEPT,
            )
        path.unlink(missing_ok=True)
        table = _unpacked(data)
        singles = [table.slice(i, 1) for i in range(len(table))]
        names = [path.with_name(f"{path.stem}-{i}.parquet") for i in range(len(singles))]
        chunks = (Chunk(_packed(t.schema, t.to_batches()), str(n)) for t, n in zip(singles, names, strict=True))
        for number, result in self._pool(watch, Mapped(stage), chunks):
            if isinstance(result, Lost):
                pq.write_table(stage.lost(singles[number], result.message), names[number], compression=COMPRESSION)

    def _watched(self, work: Callable[[], Any], title: str, watch: Progress) -> Any:
        """The result of ``work``, run in a thread, so that it can be cancelled and its progress reported."""
        outcome: list[Any] = []

        def run() -> None:
            try:
                outcome.append(work())
            except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
                outcome.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(_POLL)
                done = self._connection.query_progress()
                watch.advance(title, max(0, round(done)), 100)
        except BaseException:
            self._connection.interrupt()
            thread.join()
            raise
        if isinstance(outcome[0], duckdb.Error):
            raise _explained_error(outcome[0]) from outcome[0]
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

    def close(self) -> None:
        """Close the database, and delete its scratch files."""
        self._connection.close()
        own_folders.remove(self._scratch, SCRATCH)


def parquet_of(folders: Sequence[Path]) -> str:
    """The rows of all files in ``folders``, in SQL. Special meanings of paths (patterns, partitions) are switched
    off.
    """
    files = ", ".join(quoted(str(file)) for folder in folders for file in sorted(folder.glob("*.parquet")))
    return f"read_parquet([{files}], hive_partitioning = false)"


def _watched_batches(
    engine: DuckDb, reader: pa.RecordBatchReader, title: str, watch: Progress
) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise _explained_error(error) from error
        watch.check()
        yield batch


def _explained_error(error: Exception) -> UserError:
    """An ``error`` of the engine as a message that states what to do."""
    text = str(error).split("\n", 1)[0]
    if is_full(error):
        return disk_full(text)
    if isinstance(error, duckdb.OutOfMemoryException):
        return UserError(
            Message("The step needs more memory than it is allowed. {reason}", reason=text),
            hint=Message("Allow more memory (--memory) or fewer threads (--threads); the same command then continues."),
        )
    if ".parquet" in text and not isinstance(error, duckdb.IOException):
        return UserError(
            Message("A finished step is damaged. {reason}", reason=text),
            hint=Message("Delete its folder; it will be rebuilt."),
        )
    return unfinished(text)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows for one call of a stage in a worker (an Arrow stream), and the file for its result."""

    rows: bytes
    path: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """A stage as a function of chunks: it writes the result and returns the number of input rows."""

    stage: Stage

    def __call__(self, chunk: Chunk) -> int:
        """Map ``chunk``."""
        table = _unpacked(chunk.rows)
        writer = None
        try:
            for part in _gathered(self.stage(table.to_batches())):
                if writer is None:
                    writer = pq.ParquetWriter(chunk.path, self.stage.schema, compression=COMPRESSION)
                writer.write_table(part)
        finally:
            if writer is not None:
                writer.close()
        return len(table)


def _gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Merge small batches: each resulting table is a row group of the file."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size > CHUNK_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _packed(schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def _unpacked(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(pa.BufferReader(data)).read_all()


def chunked(
    batches: Iterator[pa.RecordBatch], group: str | None, size: int = CHUNK_BYTES
) -> Iterator[list[pa.RecordBatch]]:
    """``batches`` in lists of about ``size`` bytes; rows with equal values of ``group`` stay together.

    Rows must be ordered by ``group``.
    """
    waiting: list[pa.RecordBatch] = []
    weight = 0
    for batch in batches:
        for part in _slices(batch, size):
            if weight >= size:
                start = 0 if group is None else _fresh(waiting[-1], part, group)
                if start is not None:
                    if start:
                        waiting.append(part.slice(0, start))
                    yield waiting
                    waiting, weight = [], 0
                    part = part.slice(start)
            if len(part):
                waiting.append(part)
                weight += part.nbytes
    if waiting:
        yield waiting


def _slices(batch: pa.RecordBatch, size: int) -> Iterator[pa.RecordBatch]:
    parts = max(1, -(-batch.nbytes // size))
    step = max(1, -(-len(batch) // parts))
    for start in range(0, len(batch), step):
        yield batch.slice(start, step)


def _fresh(before: pa.RecordBatch, part: pa.RecordBatch, group: str) -> int | None:
    """The first row of ``part`` whose group differs from that of the last row of ``before``; None if there is none."""
    last = before.column(group)[len(before) - 1].as_py()
    values = part.column(group).to_numpy(zero_copy_only=False)
    other = (values != last).nonzero()[0]
    return int(other[0]) if len(other) else None


def quoted(text: str) -> str:
    """``text`` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
