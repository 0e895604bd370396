"""Version 5: watches, their checks, and the matches they reported."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE watch (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        settings TEXT NOT NULL,
        created TEXT NOT NULL,
        compared INTEGER NOT NULL DEFAULT 0,
        deleted TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE UNIQUE INDEX watch_name ON watch (name) WHERE deleted = ''",
    """CREATE TABLE watch_check (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        watch_id INTEGER NOT NULL REFERENCES watch (id),
        started TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT '',
        fetched INTEGER NOT NULL DEFAULT 0,
        unchanged INTEGER NOT NULL DEFAULT 0,
        failed INTEGER NOT NULL DEFAULT 0,
        examined INTEGER NOT NULL DEFAULT 0,
        reported INTEGER NOT NULL DEFAULT 0,
        known INTEGER NOT NULL DEFAULT 0,
        run_id INTEGER REFERENCES run (id),
        message TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX watch_check_watch ON watch_check (watch_id, id)",
    """CREATE TABLE watch_match (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        watch_id INTEGER NOT NULL REFERENCES watch (id),
        check_id INTEGER NOT NULL REFERENCES watch_check (id),
        page TEXT NOT NULL,
        a INTEGER NOT NULL REFERENCES document (key),
        b INTEGER NOT NULL REFERENCES document (key),
        a_start INTEGER NOT NULL,
        a_end INTEGER NOT NULL,
        b_start INTEGER NOT NULL,
        b_end INTEGER NOT NULL,
        score REAL NOT NULL,
        tier INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX watch_match_page ON watch_match (watch_id, page, b)",
    "CREATE INDEX watch_match_check ON watch_match (check_id, id)",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the tables of watches."""
    for statement in _STATEMENTS:
        connection.execute(statement)
