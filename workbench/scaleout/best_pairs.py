"""The best pairs of a finished job and their pages, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from workbench.base.errors import UserError
from workbench.base.messages import Message, reason
from workbench.scaleout.duck import parquet_of, quoted
from workbench.scaleout.rows import KEYS
from workbench.scaleout.work import STEPS

_ROWS = 2048


@contextmanager
def readable() -> Iterator[None]:
    """Raises UserError if data read in the context are damaged, or were not written by a job."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, OSError, UnicodeError) as error:
        # UnicodeError: the engine's message quotes bytes of the file.
        raise UserError(
            Message("The results of the job cannot be read. {reason}", reason=reason(error)),
            hint=Message("Run the job again, or ask the sender for the original folder."),
        ) from error


class BestPairs:
    """The pairs of the job in ``folder`` (``job`` is its record) with a score of at least ``least``, and of these the
    ``most`` best (None: all).

    ``pairs`` counts the chosen ones, ``below`` those with a lower score, ``beyond`` those over the limit; ``pages``
    counts the pages of the chosen ones.
    """

    def __init__(
        self, folder: Path, job: Mapping[str, Any], least: float | None, most: int | None, *, memory: str, scratch: Path
    ) -> None:
        self._connection = duckdb.connect()
        with readable():
            self._choose(folder, job, least, most, memory, scratch)

    def _choose(
        self, folder: Path, job: Mapping[str, Any], least: float | None, most: int | None, memory: str, scratch: Path
    ) -> None:
        run = self._connection.execute
        run(f"set memory_limit = {quoted(memory)}")
        run(f"set temp_directory = {quoted(str(scratch))}")
        run("set enable_progress_bar = false")
        run("set preserve_insertion_order = false")
        results, pages = (self._files(folder, job[name]) for name in ("results", "pages"))
        run(f"create view results as select * from {results} where a is not null")
        run(f"create view raw as select * from {pages} where page is not null")
        (total,) = run("select count(*) from results").fetchone()  # type: ignore[misc]
        enough = "true" if least is None else f"score >= {least!r}"
        (above,) = run(f"select count(*) from results where {enough}").fetchone()  # type: ignore[misc]
        chosen = f"select a, b from results where {enough}"
        self._rest = f"where {enough}"
        if most is not None and most < above:
            run(f"create table chosen as {chosen} order by score desc, a, b limit {most}")
            chosen, self._rest = "select a, b from chosen", "semi join chosen c on c.a = r.a and c.b = r.b"
        run(f"create table pages as select a as page from ({chosen}) union select b from ({chosen})")
        self.pairs = above if most is None else min(above, most)
        self.below = total - above
        self.beyond = above - self.pairs
        (self.pages,) = run("select count(*) from pages").fetchone()  # type: ignore[misc]
        repeated = job.get("repeated")
        source = self._files(folder, [repeated]) if repeated else "(select null::bigint as page, '' as repeated)"
        self._documents = (
            f"select r.*, s.repeated from raw r semi join pages p on p.page = r.page "
            f"left join {source} s on s.page = r.page order by r.page % {KEYS}"
        )

    @staticmethod
    def _files(folder: Path, names: list[str]) -> str:
        folders = [folder / name for name in names]
        for place in (folder, folder / STEPS, *folders, *(file for step in folders for file in step.iterdir())):
            if place.is_symlink():
                raise UserError(
                    Message("There is a symbolic link in the folder of the job; nothing was read."), path=place
                )
        return parquet_of(folders)

    def documents(self) -> Iterator[pa.RecordBatch]:
        """The pages of the chosen pairs in the order of the input."""
        return self._rows(self._documents)

    def results(self) -> Iterator[pa.RecordBatch]:
        """The chosen pairs, ordered by page and other page."""
        return self._rows(f"select r.* from results r {self._rest} order by r.a, r.b")

    def _rows(self, sql: str) -> Iterator[pa.RecordBatch]:
        # Without this, parts of an ordered result may arrive in any order.
        self._connection.execute("set preserve_insertion_order = true")
        with readable():
            reader: pa.RecordBatchReader = self._connection.sql(sql).to_arrow_reader(_ROWS)
            yield from reader

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
