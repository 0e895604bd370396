"""Version 12: which run belongs to a watch, what a watch compared each page with, and what a check could not fetch."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    "ALTER TABLE run ADD COLUMN watch INTEGER",
    "ALTER TABLE watch ADD COLUMN basis TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE watch_check ADD COLUMN ignored INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE watch_check ADD COLUMN gone TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE watch_check ADD COLUMN failures TEXT NOT NULL DEFAULT '[]'",
    """CREATE TABLE watch_seen (
        watch_id INTEGER NOT NULL REFERENCES watch (id),
        document INTEGER NOT NULL REFERENCES document (key),
        content TEXT NOT NULL,
        PRIMARY KEY (watch_id, document)
    ) STRICT, WITHOUT ROWID""",
    "UPDATE run SET watch = (SELECT watch_id FROM watch_check WHERE watch_check.run_id = run.id)",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the columns and the table; past checks name the runs they made."""
    for statement in _STATEMENTS:
        connection.execute(statement)
