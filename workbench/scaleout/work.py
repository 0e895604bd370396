"""The folder of a job: finished steps, their inputs, and the step in progress.

Every step is a folder of parquet files named after the key of its query. It is written under another name and renamed
when complete, so a folder with that name is a finished step, even if the job was interrupted (a step whose files have
been truncated is computed again). If its SQL, settings or inputs change, a step has another key, as has every step that
reads it.

A job only works in a folder that it created, and only deletes steps that it created
(:mod:`workbench.base.own_folders`): the user's other folders are refused before anything in them is touched.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from workbench.base import own_folders
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.scaleout.api import Engine, Query, not_written
from workbench.scaleout.record import JOB, read_job

STEPS = "steps"
_FACTS = "_step.json"
"""Engines ignore files whose names begin with an underscore."""
_PART = ".part"
_USE = "job"


@dataclass(frozen=True, slots=True)
class StepRows:
    """The rows of a finished step; as text, the name of its view."""

    view: str
    folders: tuple[Path, ...]
    rows: int

    def __str__(self) -> str:
        return self.view

    def row(self) -> dict[str, Any]:
        """The row of a table that has one row."""
        (row,) = (row for file in self.folders[0].glob("*.parquet") for row in pq.read_table(file).to_pylist())
        return dict(row)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """Facts about a finished step: name, key, rows, bytes and seconds."""

    name: str
    key: str
    rows: int
    bytes: int
    seconds: float


class Work:
    """A job's folder, opened by the only process that works in it, and its engine.

    Raises UserError if another process works in it, or if the folder was not created by a job of this user; exceptions
    of ``engine``; OSError.
    """

    def __init__(self, folder: Path, engine: Callable[[], Engine], watch: Progress) -> None:
        # Workers of a cluster run in other folders.
        self.folder = folder = folder.absolute()
        self.watch = watch
        self.steps: list[StepFacts] = []
        self.maker = ""
        """The method that the next steps are of, and its version; another version computes them again."""
        self._step_use = f"step of job {_taken(folder)}"
        self._lock = FileLock(folder / "lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UserError(Message("Another program is working in this folder."), path=folder) from None
        try:
            (folder / STEPS).mkdir(exist_ok=True)
            for part in (folder / STEPS).glob(f"*{_PART}"):
                own_folders.remove(part, self._step_use)
            self.engine = engine()
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Close the engine, and release the folder for other programs."""
        try:
            self.engine.close()
        finally:
            self._lock.release()

    def step(self, name: str, title: str, query: Query) -> StepRows:
        """The rows of ``query``, computed now unless they were earlier. Raises UserError, Cancelled."""
        self.watch.check()
        key = Query(f"{self.maker} {query.key}").key if self.maker else query.key
        return self._done(name, key, title, query)

    def table(self, name: str, rows: pa.Table) -> StepRows:
        """``rows`` as a separate step, with a key derived from their content."""
        text = json.dumps(rows.to_pylist(), sort_keys=True, ensure_ascii=False)
        query = Query(f"{rows.schema} {text}")
        return self._done(name, query.key, name, rows)

    def union(self, name: str, tables: Sequence[StepRows]) -> StepRows:
        """The rows of all ``tables``, which have the same columns. There is at least one."""
        if len(tables) == 1:
            return tables[0]
        folders = tuple(folder for table in tables for folder in table.folders)
        view = _view(name, Query(" ".join(map(str, tables))).key)
        self.engine.view(view, folders)
        return StepRows(view, folders, sum(table.rows for table in tables))

    def by_content(self, table: StepRows) -> StepRows:
        """``table`` under a name derived from its rows, not from their computation: steps that read it are reused
        if it is recomputed with the same rows.
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
        return StepRows(view, table.folders, table.rows)

    def _done(self, name: str, key: str, title: str, content: Query | pa.Table) -> StepRows:
        """The step ``name`` with ``key``, computed earlier, or created now from ``content``."""
        folder = self.folder / STEPS / f"{name}-{key}"
        facts = self._whole(folder) or self._make(folder, name, key, title, content)
        if facts not in self.steps:
            self.steps.append(facts)
        view = _view(name, key)
        self.engine.view(view, (folder,))
        self.note(steps=[asdict(step) for step in self.steps])
        return StepRows(view, (folder,), facts.rows)

    def _make(self, folder: Path, name: str, key: str, title: str, content: Query | pa.Table) -> StepFacts:
        part = folder.with_name(folder.name + _PART)
        for old in (part, folder):
            if not own_folders.remove(old, self._step_use):
                raise UserError(
                    Message("A file that this job did not create is in the way of a step."),
                    path=old,
                    hint=Message("Move it away; the same command then continues."),
                )
        begun = time.monotonic()
        self.note(current=name)
        try:
            own_folders.make(part, self._step_use)
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
            part.replace(folder)
            return facts
        except (OSError, pa.ArrowException) as error:
            raise not_written(title, error) from error
        finally:
            own_folders.remove(part, self._step_use)

    def _whole(self, folder: Path) -> StepFacts | None:
        """The facts about the finished step in ``folder``; None if this job created none there, or not completely."""
        return whole(folder) if own_folders.is_own(folder, self._step_use) else None

    def note(self, **facts: Any) -> None:
        """Record ``facts`` of the job for :func:`read_job`."""
        path = self.folder / JOB
        beside = path.with_suffix(".tmp")
        beside.write_text(json.dumps(read_job(self.folder) | facts, ensure_ascii=False, indent=1), encoding="utf-8")
        os.replace(beside, path)

    def drop_others(self) -> None:
        """Delete steps that this job did not use, from other settings or inputs."""
        used = {f"{step.name}-{step.key}" for step in self.steps}
        for folder in (self.folder / STEPS).iterdir():
            if folder.name not in used:
                own_folders.remove(folder, self._step_use)


def _taken(folder: Path) -> str:
    """The identity of the job in ``folder``, which is created if necessary. Raises UserError if it was not created by a
    job of this user, or if anything in it is a link; OSError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        identity = own_folders.make(folder, _USE)
    except FileExistsError:
        raise UserError(
            Message("This is not the folder of a job started here; nothing in it was touched."),
            path=folder,
            hint=Message("Choose a new or an empty folder for the job."),
        ) from None
    for place in (folder, folder / STEPS):
        with suppress(FileNotFoundError):
            for entry in os.scandir(place):
                if entry.is_symlink():
                    raise UserError(
                        Message(
                            "There is a symbolic link in the folder of the job; nothing in the folder was touched."
                        ),
                        path=Path(entry.path),
                        hint=Message("Remove the link, or choose another folder for the job."),
                    )
    return identity


def _view(name: str, key: str) -> str:
    return f"{name.replace('-', '_')}_{key}"


def whole(folder: Path) -> StepFacts | None:
    """The facts about the finished step in ``folder``; None if there is none, or if it is incomplete."""
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
