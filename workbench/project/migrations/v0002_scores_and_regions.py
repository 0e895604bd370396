"""Version 2: scores of documents and trustable regions of pairs."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE document_score (
        run_id INTEGER NOT NULL REFERENCES run (id),
        document INTEGER NOT NULL REFERENCES document (key),
        score REAL NOT NULL,
        evidence TEXT NOT NULL DEFAULT '{}',
        PRIMARY KEY (run_id, document)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE region (
        id INTEGER PRIMARY KEY,
        run_id INTEGER NOT NULL REFERENCES run (id),
        a INTEGER NOT NULL REFERENCES document (key),
        b INTEGER NOT NULL REFERENCES document (key),
        a_start INTEGER NOT NULL,
        a_end INTEGER NOT NULL,
        b_start INTEGER NOT NULL,
        b_end INTEGER NOT NULL,
        slope REAL NOT NULL
    ) STRICT""",
    "CREATE INDEX region_pair ON region (run_id, a, b, id)",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the tables of version 2."""
    for statement in _STATEMENTS:
        connection.execute(statement)
