"""Version 9: thresholds the project works with, and sheets of figures."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE threshold_event (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        method TEXT NOT NULL,
        kind TEXT NOT NULL,
        value REAL,
        facts TEXT NOT NULL DEFAULT '{}',
        who TEXT NOT NULL DEFAULT '',
        occurred TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX threshold_event_of ON threshold_event (method, kind, id)",
    """CREATE TABLE sheet (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        figure TEXT NOT NULL,
        request TEXT NOT NULL,
        drawn TEXT NOT NULL,
        occurred TEXT NOT NULL,
        deleted TEXT NOT NULL DEFAULT ''
    ) STRICT""",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add both tables."""
    for statement in _STATEMENTS:
        connection.execute(statement)
