"""Scans: searches of web archives, whose pages are not documents unless something was found on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from workbench.base.messages import read, stored
from workbench.base.types import Results, Run
from workbench.project.clock import now
from workbench.project.models import RunRow, ScanFailureRow, ScanFileRow, ScanRow
from workbench.project.packing import object_from_json, to_json
from workbench.project.runs import finish_chunk, load_run


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A file as it was when it was listed (``size`` in bytes, ``modified`` in nanoseconds), how many of its pieces were
    searched, and whether all were.
    """

    path: str
    size: int
    modified: int
    pieces: int = 0
    done: bool = False

    @property
    def stamp(self) -> tuple[str, int, int]:
        """What identifies the file with its content."""
        return self.path, self.size, self.modified


@dataclass(frozen=True, slots=True)
class Scan:
    """A search of web archives. ``basis`` identifies what their pages are compared with, and how; ``settings`` are its
    parts by name.
    """

    id: int
    run: Run
    basis: str
    settings: Mapping[str, Any]


def begin_scan(connection: Connection, run: Run, basis: str, settings: Mapping[str, Any]) -> Scan:
    """Record a scan that stores what it finds in ``run``."""
    row = {"run_id": run.id, "basis": basis, "settings": to_json(dict(settings))}
    key = connection.execute(insert(ScanRow).returning(ScanRow.id), row).scalar_one()
    return Scan(key, run, basis, settings)


def add_files(connection: Connection, scan: Scan, files: Sequence[ScanFile]) -> None:
    """Add files that the scan has not listed."""
    rows = [
        {"scan_id": scan.id, "path": f.path, "size": f.size, "modified": f.modified, "pieces": 0, "finished": ""}
        for f in files
    ]
    if rows:
        connection.execute(insert(ScanFileRow), rows)


def scans(connection: Connection) -> Iterator[Scan]:
    """All scans, newest first. Raises ProjectError."""
    for row in connection.execute(_WHOLE.order_by(ScanRow.id.desc())).all():
        yield _scan(connection, row)


def scan_of_run(connection: Connection, run_id: int) -> Scan | None:
    """The scan that made a run; None if none did."""
    row = connection.execute(_WHOLE.where(ScanRow.run_id == run_id)).one_or_none()
    return None if row is None else _scan(connection, row)


def files_of(connection: Connection, scan: Scan) -> list[ScanFile]:
    """The files of a scan, by path."""
    f = ScanFileRow
    rows = connection.execute(select(*f.__table__.columns).where(f.scan_id == scan.id).order_by(f.path))
    return [ScanFile(row.path, row.size, row.modified, row.pieces, bool(row.finished)) for row in rows]


def searched(connection: Connection, basis: str) -> set[tuple[str, int, int]]:
    """The stamps of the files that scans of this basis searched to the end."""
    f = ScanFileRow
    query = select(f.path, f.size, f.modified).join(ScanRow, ScanRow.id == f.scan_id)
    return {
        (row.path, row.size, row.modified)
        for row in connection.execute(
            query.where(ScanRow.basis == basis, f.finished != "", ScanRow.run_id.not_in(_REMOVED))
        )
    }


def advance(
    connection: Connection,
    scan: Scan,
    pieces: Mapping[str, int],
    finished: Iterable[str],
    results: Results,
    *,
    documents: int,
    failures: Iterable[tuple[str, str]] = (),
) -> None:
    """Store in one transaction how far the files (by path) are, that some are ``finished``, and what that brought."""
    run_id = scan.run.id
    index = connection.execute(
        update(RunRow).where(RunRow.id == run_id).values(chunks=RunRow.chunks + 1).returning(RunRow.chunks)
    ).scalar_one()
    finish_chunk(connection, run_id, index - 1, results, documents=documents)
    f = ScanFileRow
    for path, count in pieces.items():
        connection.execute(update(f).where(f.scan_id == scan.id, f.path == path).values(pieces=count))
    for path in finished:
        connection.execute(update(f).where(f.scan_id == scan.id, f.path == path).values(finished=now()))
    rows = [{"scan_id": scan.id, "path": path, "error": stored(error)} for path, error in failures]
    if rows:
        connection.execute(insert(ScanFailureRow), rows)


def failures_of(connection: Connection, scan: Scan) -> Iterator[tuple[str, str]]:
    """(path, why) of what could not be read, in order."""
    query = select(ScanFailureRow.path, ScanFailureRow.error).where(ScanFailureRow.scan_id == scan.id)
    for row in connection.execute(query.order_by(ScanFailureRow.id)):
        yield row.path, read(row.error)


def count_failures(connection: Connection, scan: Scan) -> int:
    """How many records and files could not be read."""
    query = select(func.count()).select_from(ScanFailureRow).where(ScanFailureRow.scan_id == scan.id)
    return connection.execute(query).scalar_one()


_REMOVED = select(RunRow.id).where(RunRow.removed != "")
_WHOLE = select(ScanRow.id, ScanRow.run_id, ScanRow.basis, ScanRow.settings).where(ScanRow.run_id.not_in(_REMOVED))


def _scan(connection: Connection, row: Any) -> Scan:
    settings = object_from_json(row.settings, "the settings of a scan")
    return Scan(row.id, load_run(connection, row.run_id), row.basis, settings)
