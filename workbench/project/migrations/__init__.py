"""The versions of the project file, one step each, applied in one transaction after a copy to ``.bak``."""

from __future__ import annotations

import functools
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.project.migrations import schema

Step = Callable[[sqlite3.Connection], None]

FIRST = 20
"""The version made by the first of STEPS; earlier ones were never released."""


def unusual_characters(connection: sqlite3.Connection) -> None:
    """Version 21: a count of unusual characters of each document, 0 for those imported before.

    A column of watches that nothing used is dropped.
    """
    connection.execute("ALTER TABLE document ADD COLUMN unusual INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE watch DROP COLUMN compared")


def originals(connection: sqlite3.Connection) -> None:
    """Version 22: the files that documents with pages were read from; none for those imported before."""
    connection.execute(
        """CREATE TABLE original (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        hash BLOB NOT NULL
    ) STRICT"""
    )


def recognised_text(connection: sqlite3.Connection) -> None:
    """Version 23: the confidence of text recognised from pictures; 0, for none, in documents imported before."""
    connection.execute("ALTER TABLE document ADD COLUMN ocr INTEGER NOT NULL DEFAULT 0")


def word_boxes(connection: sqlite3.Connection) -> None:
    """Version 24: the positions of recognised words on their pages; unknown for documents imported before."""
    connection.execute(
        """CREATE TABLE word_box (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT"""
    )


def page_files(connection: sqlite3.Connection) -> None:
    """Version 25: pages that another program made for documents without any."""
    connection.execute(
        """CREATE TABLE page_file (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        hash BLOB NOT NULL,
        pages INTEGER NOT NULL
    ) STRICT"""
    )


def withheld_matches(connection: sqlite3.Connection) -> None:
    """Version 26: a column for pages with a match that a watch did not report; it was the end of their content."""
    connection.execute("ALTER TABLE watch_seen ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "UPDATE watch_seen SET content = replace(content, ' withheld', ''), withheld = 1 "
        "WHERE content LIKE '% withheld'"
    )


def run_documents(connection: sqlite3.Connection) -> None:
    """Version 27: the documents that each run was applied to; unknown for earlier runs."""
    connection.execute(
        """CREATE TABLE run_document (
        run_id INTEGER PRIMARY KEY REFERENCES run (id),
        roles TEXT NOT NULL,
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT"""
    )


def removed_tags(connection: sqlite3.Connection) -> None:
    """Version 28: the tags that were removed from each document; unknown for those removed before."""
    connection.execute("ALTER TABLE document ADD COLUMN untagged TEXT NOT NULL DEFAULT ''")


STEPS: tuple[Step, ...] = (
    schema.apply,
    unusual_characters,
    originals,
    recognised_text,
    word_boxes,
    page_files,
    withheld_matches,
    run_documents,
    removed_tags,
)
"""``STEPS[n]`` makes version FIRST + n from the preceding one."""

Schema = frozenset[tuple[str, str, str, str | None]]


class Stored(NamedTuple):
    """A column of a table: its declared type, whether it may be NULL, and whether it is in the primary key."""

    name: str
    kind: str
    is_nullable: bool
    is_key: bool


def newest() -> int:
    """The version this program writes."""
    return FIRST + len(STEPS) - 1


def missing(version: int) -> tuple[Step, ...]:
    """The steps that a file of ``version`` (0: empty) lacks."""
    return STEPS[version - FIRST + 1 if version else 0 :]


def upgrade(connection: sqlite3.Connection, before: Callable[[int], object] = lambda version: None) -> None:
    """Apply the missing steps, all or none; if there are any, ``before`` is first called with the file's version.

    Waits for another program doing the same, and does not repeat its work.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = max(0, connection.execute("PRAGMA user_version").fetchone()[0])
        if version < newest():
            before(version)
            for step in missing(version):
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
        # Any file of this name is a link, or was left by a crash.
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
    """Everything that ``sqlite_master`` declares: kind, name, table and SQL."""
    return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def expected_schema(version: int) -> Schema:
    """The schema of ``version``; files that declare anything else are foreign."""
    return _created(STEPS[: max(0, version - FIRST + 1)])[0]


def newest_columns() -> Mapping[str, Sequence[Stored]]:
    """The columns of each table of the newest version."""
    return _created(STEPS)[1]


@functools.cache
def _created(steps: tuple[Step, ...]) -> tuple[Schema, dict[str, list[Stored]]]:
    """The schema made by ``steps``, and the columns of its tables."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for step in steps:
            step(connection)
        columns: dict[str, list[Stored]] = {}
        query = (
            'SELECT t.name, c.name, c.type, c."notnull", c.pk FROM sqlite_master t, pragma_table_info(t.name) c '
            "WHERE t.type = 'table'"
        )
        for table, name, kind, not_null, key in connection.execute(query):
            columns.setdefault(table, []).append(Stored(name, kind, not (not_null or key), key > 0))
        return schema_of(connection), columns
