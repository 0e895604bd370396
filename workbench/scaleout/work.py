"""The folder of a job: finished steps, what they were computed from, and the step in progress.

Every step is a folder of parquet files named after the key of its query. It is written under another name and renamed
when whole, so a folder with its name is a finished step, whatever happened to the job (one whose files were cut short
since is made again); a step whose SQL, settings or inputs change has another key, and with it every step that reads it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.scaleout.api import Engine, Query
from workbench.scaleout.mishaps import not_written
from workbench.scaleout.record import JOB, read_job

STEPS = "steps"
_FACTS = "_step.json"
"""Engines ignore files whose names begin with an underscore."""
_PART = ".part"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a finished step; as text, the name of its view."""

    view: str
    folders: tuple[Path, ...]
    rows: int

    def __str__(self) -> str:
        return self.view

    def row(self) -> dict[str, Any]:
        """The one row of a table that has one."""
        (row,) = (row for file in self.folders[0].glob("*.parquet") for row in pq.read_table(file).to_pylist())
        return dict(row)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """Facts about a finished step: its name, key, rows, bytes and the seconds it took."""

    name: str
    key: str
    rows: int
    bytes: int
    seconds: float


class Work:
    """A job's folder, opened by the one process that works in it. Raises UserError if another does."""

    def __init__(self, folder: Path, engine: Engine, watch: Watcher) -> None:
        # Workers of a cluster are in other folders.
        self.folder = folder = folder.absolute()
        self.engine = engine
        self.watch = watch
        self.steps: list[StepFacts] = []
        (folder / STEPS).mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / "lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UserError(Message("Another program is working in this folder."), path=folder) from None
        for part in (folder / STEPS).glob(f"*{_PART}"):
            shutil.rmtree(part, ignore_errors=True)

    def close(self) -> None:
        """Release the folder for other programs."""
        self._lock.release()

    def step(self, name: str, title: str, query: Query) -> Table:
        """The rows of ``query``, computed now unless they were before. Raises UserError, Cancelled."""
        self.watch.check()
        return self._done(name, query.key, title, query)

    def table(self, name: str, rows: pa.Table) -> Table:
        """``rows``, which the caller knows, as a step of their own; the key is that of their content."""
        text = json.dumps(rows.to_pylist(), sort_keys=True, ensure_ascii=False)
        query = Query(f"{rows.schema} {text}")
        return self._done(name, query.key, name, rows)

    def union(self, name: str, tables: Sequence[Table]) -> Table:
        """The rows of all ``tables``, which have the same columns. There is at least one."""
        if len(tables) == 1:
            return tables[0]
        folders = tuple(folder for table in tables for folder in table.folders)
        view = _view(name, Query(" ".join(map(str, tables))).key)
        self.engine.view(view, folders)
        return Table(view, folders, sum(table.rows for table in tables))

    def by_content(self, table: Table) -> Table:
        """``table`` under a name that says what rows it has, not how they were made: steps that read it are kept where
        it is made anew with the same.
        """
        total = 0
        for folder in table.folders:
            for file in sorted(folder.glob("*.parquet")):
                for batch in pq.ParquetFile(file).iter_batches():
                    self.watch.check()
                    for row in batch.to_pylist():
                        text = json.dumps(row, sort_keys=True)
                        total += int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        view = f"{table.view.rpartition('_')[0]}_{table.rows}_{total % (1 << 64):016x}"
        self.engine.view(view, table.folders)
        return Table(view, table.folders, table.rows)

    def _done(self, name: str, key: str, title: str, content: Query | pa.Table) -> Table:
        """The step ``name`` with ``key``, as it was made before, or made now of ``content``."""
        folder = self.folder / STEPS / f"{name}-{key}"
        facts = whole(folder) or self._make(folder, name, key, title, content)
        if facts not in self.steps:
            self.steps.append(facts)
        view = _view(name, key)
        self.engine.view(view, (folder,))
        self.note(steps=[asdict(step) for step in self.steps])
        return Table(view, (folder,), facts.rows)

    def _make(self, folder: Path, name: str, key: str, title: str, content: Query | pa.Table) -> StepFacts:
        part = folder.with_name(folder.name + _PART)
        shutil.rmtree(part, ignore_errors=True)
        begun = time.monotonic()
        self.note(current=name)
        try:
            part.mkdir()
            if isinstance(content, Query):
                self.engine.write(content, part, title, self.watch)
            else:
                pq.write_table(content, part / "part-0.parquet")
            files = sorted(part.glob("*.parquet"))
            rows = sum(pq.read_metadata(file).num_rows for file in files)
            size = sum(file.stat().st_size for file in files)
            facts = StepFacts(name, key, rows, size, round(time.monotonic() - begun, 3))
            (part / _FACTS).write_text(json.dumps(asdict(facts)), encoding="utf-8")
            _flushed(part)
            shutil.rmtree(folder, ignore_errors=True)
            part.replace(folder)
            return facts
        except (OSError, pa.ArrowException) as error:
            raise not_written(title, error) from error
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def note(self, **facts: Any) -> None:
        """Record ``facts`` of the job for :func:`read_job`."""
        path = self.folder / JOB
        beside = path.with_suffix(".tmp")
        beside.write_text(json.dumps(read_job(self.folder) | facts, ensure_ascii=False, indent=1), encoding="utf-8")
        os.replace(beside, path)

    def drop_others(self) -> None:
        """Delete steps that this job did not use: those of other settings or inputs."""
        used = {f"{step.name}-{step.key}" for step in self.steps}
        for folder in (self.folder / STEPS).iterdir():
            if folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)


def _view(name: str, key: str) -> str:
    return f"{name.replace('-', '_')}_{key}"


def whole(folder: Path) -> StepFacts | None:
    """The facts about the finished step in ``folder``; None if there is none, or not all of it."""
    try:
        facts = StepFacts(**json.loads((folder / _FACTS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return facts if facts.bytes == sum(file.stat().st_size for file in folder.glob("*.parquet")) else None


def _flushed(folder: Path) -> None:
    """Flush ``folder`` to disk, so that no renamed step is incomplete after a power failure."""
    for file in folder.iterdir():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
