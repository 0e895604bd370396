"""Version 4: captures, the answers received by fetching."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE capture (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        fetch TEXT NOT NULL,
        url TEXT NOT NULL,
        final_url TEXT NOT NULL,
        captured TEXT NOT NULL,
        status INTEGER NOT NULL,
        outcome TEXT NOT NULL CHECK (outcome IN ('new', 'unchanged', 'duplicate', 'failed')),
        document INTEGER REFERENCES document (key),
        etag TEXT NOT NULL,
        last_modified TEXT NOT NULL,
        body_hash BLOB NOT NULL,
        error TEXT NOT NULL,
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX capture_fetch ON capture (fetch, url)",
    "CREATE INDEX capture_url ON capture (url, id) WHERE document IS NOT NULL",
    "CREATE INDEX capture_final_url ON capture (final_url, id) WHERE document IS NOT NULL",
    "CREATE INDEX capture_document ON capture (document, id) WHERE document IS NOT NULL",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the table of captures."""
    for statement in _STATEMENTS:
        connection.execute(statement)
