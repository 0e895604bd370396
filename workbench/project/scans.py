"""Scans: searches of web archives. Only pages with findings become documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from workbench.base.messages import read, stored
from workbench.base.types import Results, Run
from workbench.project.clock import now
from workbench.project.packing import object_from_json, to_json
from workbench.project.runs import finish_chunk, load_run
from workbench.project.tables import run_rows, scan_failure_rows, scan_file_rows, scan_rows


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A file as it was when it was listed (``size`` in bytes, ``modified`` in nanoseconds), how many of its pieces were
    searched, and whether all of them.
    """

    path: str
    size: int
    modified: int
    pieces: int = 0
    done: bool = False

    @property
    def stamp(self) -> tuple[str, int, int]:
        """Identifies the file and its content."""
        return self.path, self.size, self.modified


@dataclass(frozen=True, slots=True)
class Scan:
    """A search of web archives. ``basis`` identifies the documents and settings with which pages are compared;
    ``settings`` are the settings by name.
    """

    id: int
    run: Run
    basis: str
    settings: Mapping[str, Any]


def begin_scan(connection: Connection, run: Run, basis: str, settings: Mapping[str, Any]) -> Scan:
    """Record a scan that stores its findings in ``run``."""
    row = {"run_id": run.id, "basis": basis, "settings": to_json(dict(settings))}
    key = connection.execute(insert(scan_rows).returning(scan_rows.c.id), row).scalar_one()
    return Scan(key, run, basis, settings)


def add_files(connection: Connection, scan: Scan, files: Sequence[ScanFile]) -> None:
    """Add files not yet listed by the scan."""
    rows = [
        {"scan_id": scan.id, "path": f.path, "size": f.size, "modified": f.modified, "pieces": 0, "finished": ""}
        for f in files
    ]
    if rows:
        connection.execute(insert(scan_file_rows), rows)


def scans(connection: Connection) -> Iterator[Scan]:
    """All scans, newest first. Raises ProjectError."""
    for row in connection.execute(_WHOLE.order_by(scan_rows.c.id.desc())).all():
        yield _scan(connection, row)


def scan_of_run(connection: Connection, run_id: int) -> Scan | None:
    """The scan that made a run; None if no scan did."""
    row = connection.execute(_WHOLE.where(scan_rows.c.run_id == run_id)).one_or_none()
    return None if row is None else _scan(connection, row)


def files_of(connection: Connection, scan: Scan) -> list[ScanFile]:
    """The files of a scan, by path."""
    f = scan_file_rows.c
    rows = connection.execute(select(*f).where(f.scan_id == scan.id).order_by(f.path))
    return [ScanFile(row.path, row.size, row.modified, row.pieces, bool(row.finished)) for row in rows]


def searched(connection: Connection, basis: str) -> set[tuple[str, int, int]]:
    """The stamps of the files searched completely by scans with this basis."""
    f = scan_file_rows.c
    query = select(f.path, f.size, f.modified).join(scan_rows, scan_rows.c.id == f.scan_id)
    return {
        (row.path, row.size, row.modified)
        for row in connection.execute(
            query.where(scan_rows.c.basis == basis, f.finished != "", scan_rows.c.run_id.not_in(_REMOVED))
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
    """Store in one transaction how far each file (by path) was searched, which are ``finished``, and the results."""
    run_id = scan.run.id
    index = connection.execute(
        update(run_rows)
        .where(run_rows.c.id == run_id)
        .values(chunks=run_rows.c.chunks + 1)
        .returning(run_rows.c.chunks)
    ).scalar_one()
    finish_chunk(connection, run_id, index - 1, results, documents=documents)
    f = scan_file_rows.c
    for path, count in pieces.items():
        connection.execute(update(scan_file_rows).where(f.scan_id == scan.id, f.path == path).values(pieces=count))
    for path in finished:
        connection.execute(update(scan_file_rows).where(f.scan_id == scan.id, f.path == path).values(finished=now()))
    rows = [{"scan_id": scan.id, "path": path, "error": stored(error)} for path, error in failures]
    if rows:
        connection.execute(insert(scan_failure_rows), rows)


def failures_of(connection: Connection, scan: Scan) -> Iterator[tuple[str, str]]:
    """(path, reason) of everything that could not be read, in order."""
    query = select(scan_failure_rows.c.path, scan_failure_rows.c.error).where(scan_failure_rows.c.scan_id == scan.id)
    for row in connection.execute(query.order_by(scan_failure_rows.c.id)):
        yield row.path, read(row.error)


def count_failures(connection: Connection, scan: Scan) -> int:
    """Number of records and files that could not be read."""
    query = select(func.count()).select_from(scan_failure_rows).where(scan_failure_rows.c.scan_id == scan.id)
    return connection.execute(query).scalar_one()


_REMOVED = select(run_rows.c.id).where(run_rows.c.removed != "")
_WHOLE = select(scan_rows.c.id, scan_rows.c.run_id, scan_rows.c.basis, scan_rows.c.settings).where(
    scan_rows.c.run_id.not_in(_REMOVED)
)


def _scan(connection: Connection, row: Any) -> Scan:
    settings = object_from_json(row.settings, "the settings of a scan")
    return Scan(row.id, load_run(connection, row.run_id), row.basis, settings)
