"""Version 8: label sets as people define them, and who is asked to label what."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE label_set_version (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        definition TEXT NOT NULL,
        guidelines TEXT NOT NULL,
        who TEXT NOT NULL,
        occurred TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX label_set_version_name ON label_set_version (name, id)",
    """CREATE TRIGGER label_set_version_no_update BEFORE UPDATE ON label_set_version
    BEGIN SELECT RAISE(ABORT, 'versions of label sets are never changed'); END""",
    """CREATE TRIGGER label_set_version_no_delete BEFORE DELETE ON label_set_version
    BEGIN SELECT RAISE(ABORT, 'versions of label sets are never deleted'); END""",
    """CREATE TABLE label_assignment (
        label_set TEXT NOT NULL,
        target TEXT NOT NULL,
        annotator TEXT NOT NULL,
        PRIMARY KEY (label_set, target, annotator)
    ) WITHOUT ROWID, STRICT""",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the tables of label sets and assignments."""
    for statement in _STATEMENTS:
        connection.execute(statement)
