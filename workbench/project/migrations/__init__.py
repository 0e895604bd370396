"""The versions of the project file, one step per module, applied in one transaction after a copy to ``.bak``."""

from __future__ import annotations

import functools
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.project.migrations import (
    v0001_initial,
    v0002_scores_and_regions,
    v0003_pages,
    v0004_captures,
    v0005_watches,
    v0006_fingerprints,
    v0007_sweeps,
    v0008_label_sets,
    v0009_measuring,
    v0010_continued_runs,
    v0011_judged_text,
    v0012_watched_pages,
    v0013_bodies,
    v0014_tags,
    v0015_scans,
    v0016_dated_by,
    v0017_timestamps,
    v0018_gaps,
)

Step = Callable[[sqlite3.Connection], None]

STEPS: tuple[Step, ...] = (
    v0001_initial.apply,
    v0002_scores_and_regions.apply,
    v0003_pages.apply,
    v0004_captures.apply,
    v0005_watches.apply,
    v0006_fingerprints.apply,
    v0007_sweeps.apply,
    v0008_label_sets.apply,
    v0009_measuring.apply,
    v0010_continued_runs.apply,
    v0011_judged_text.apply,
    v0012_watched_pages.apply,
    v0013_bodies.apply,
    v0014_tags.apply,
    v0015_scans.apply,
    v0016_dated_by.apply,
    v0017_timestamps.apply,
    v0018_gaps.apply,
)
"""``STEPS[n]`` migrates version n to version n + 1."""

Schema = frozenset[tuple[str, str, str, str | None]]


def newest() -> int:
    """The version this program writes."""
    return len(STEPS)


def upgrade(connection: sqlite3.Connection, before: Callable[[int], object] = lambda version: None) -> None:
    """Apply the steps the file lacks, all or none; if it lacks any, ``before`` is first called with its version.

    Waits for another program doing the same, and does not repeat its work.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = max(0, connection.execute("PRAGMA user_version").fetchone()[0])
        if version < newest():
            before(version)
            for step in STEPS[version:]:
                step(connection)
            connection.execute(f"PRAGMA user_version = {newest()}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def back_up(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Copy the database, including its journal, to ``<path>.v<version>.bak``; complete or absent.

    Raises ProjectError if the copy cannot be written.
    """
    target = Path(f"{path}.v{version}.bak")
    part = Path(f"{target}.part")
    try:
        # Anything already at this name is a link, or was left by a crash.
        for remains in (part, Path(f"{part}-journal"), Path(f"{part}-wal"), Path(f"{part}-shm")):
            remains.unlink(missing_ok=True)
        try:
            with closing(sqlite3.connect(part)) as copy:
                connection.backup(copy)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        message = Message("The copy of the older project cannot be written ({reason}).", reason=error)
        raise ProjectError(message, path=target) from error
    return target


def schema_of(connection: sqlite3.Connection) -> Schema:
    """Everything ``sqlite_master`` declares: kind, name, table and SQL."""
    return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def expected_schema(version: int) -> Schema:
    """The schema of ``version``; a file that declares anything else is not ours."""
    return _schema(STEPS[:version])


@functools.cache
def _schema(steps: tuple[Step, ...]) -> Schema:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for step in steps:
            step(connection)
        return schema_of(connection)
