"""Version 1: the first tables."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    """CREATE TABLE text (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
        characters INTEGER NOT NULL,
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE import_batch (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        role TEXT NOT NULL,
        started TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT '',
        message TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE TABLE import_failure (
        id INTEGER PRIMARY KEY,
        batch_id INTEGER NOT NULL REFERENCES import_batch (id),
        path TEXT NOT NULL,
        error TEXT NOT NULL,
        occurred TEXT NOT NULL,
        resolved TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX import_failure_path ON import_failure (path)",
    """CREATE TABLE document (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('source', 'suspect', 'background')),
        title TEXT NOT NULL,
        url TEXT NOT NULL,
        site TEXT NOT NULL,
        published TEXT NOT NULL,
        language TEXT NOT NULL,
        origin TEXT NOT NULL,
        characters INTEGER NOT NULL,
        text_id INTEGER NOT NULL REFERENCES text (id),
        batch_id INTEGER REFERENCES import_batch (id),
        deleted TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE UNIQUE INDEX document_id ON document (id) WHERE deleted = ''",
    "CREATE INDEX document_role ON document (role, key) WHERE deleted = ''",
    """CREATE TABLE document_detail (
        key INTEGER PRIMARY KEY REFERENCES document (key),
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        method TEXT NOT NULL,
        version INTEGER NOT NULL,
        parameters TEXT NOT NULL,
        corpus_hash TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
        created TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT '',
        seconds REAL NOT NULL DEFAULT 0,
        chunks INTEGER NOT NULL,
        documents INTEGER NOT NULL DEFAULT 0,
        matches INTEGER NOT NULL DEFAULT 0,
        pairs INTEGER NOT NULL DEFAULT 0,
        scores INTEGER NOT NULL DEFAULT 0,
        excluded TEXT NOT NULL DEFAULT '{}',
        message TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE TABLE run_chunk (
        run_id INTEGER NOT NULL REFERENCES run (id),
        chunk_index INTEGER NOT NULL,
        PRIMARY KEY (run_id, chunk_index)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE match_block (
        id INTEGER PRIMARY KEY,
        run_id INTEGER NOT NULL REFERENCES run (id),
        position INTEGER NOT NULL,
        rows INTEGER NOT NULL,
        a_low INTEGER NOT NULL,
        a_high INTEGER NOT NULL,
        size INTEGER NOT NULL,
        packed BLOB NOT NULL,
        UNIQUE (run_id, position)
    ) STRICT""",
    """CREATE TABLE pair (
        run_id INTEGER NOT NULL REFERENCES run (id),
        a INTEGER NOT NULL REFERENCES document (key),
        b INTEGER NOT NULL REFERENCES document (key),
        matches INTEGER NOT NULL DEFAULT 0,
        total REAL NOT NULL DEFAULT 0,
        best REAL NOT NULL DEFAULT 0,
        covered_a INTEGER NOT NULL DEFAULT 0,
        covered_b INTEGER NOT NULL DEFAULT 0,
        longest INTEGER NOT NULL DEFAULT 0,
        score REAL,
        resemblance REAL,
        containment REAL,
        relation TEXT,
        evidence TEXT NOT NULL DEFAULT '{}',
        PRIMARY KEY (run_id, a, b)
    ) WITHOUT ROWID, STRICT""",
    "CREATE INDEX pair_b ON pair (run_id, b)",
    """CREATE TABLE suspect (
        run_id INTEGER NOT NULL REFERENCES run (id),
        a INTEGER NOT NULL REFERENCES document (key),
        matches INTEGER NOT NULL,
        sources INTEGER NOT NULL,
        total REAL NOT NULL,
        best REAL NOT NULL,
        covered INTEGER NOT NULL,
        longest INTEGER NOT NULL,
        PRIMARY KEY (run_id, a)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE label_event (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        label_set TEXT NOT NULL,
        target TEXT NOT NULL,
        value TEXT NOT NULL,
        old TEXT NOT NULL,
        who TEXT NOT NULL,
        occurred TEXT NOT NULL,
        note TEXT NOT NULL,
        hash BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX label_event_target ON label_event (target, label_set, id)",
    """CREATE TRIGGER label_event_no_update BEFORE UPDATE ON label_event
    BEGIN SELECT RAISE(ABORT, 'label events are never changed'); END""",
    """CREATE TRIGGER label_event_no_delete BEFORE DELETE ON label_event
    BEGIN SELECT RAISE(ABORT, 'label events are never deleted'); END""",
    """CREATE VIEW current_label AS
    SELECT label_set, target, value, old, who, occurred, note FROM label_event
    WHERE id IN (SELECT max(id) FROM label_event GROUP BY target, label_set) AND value <> ''""",
)


def apply(connection: sqlite3.Connection) -> None:
    """Create the tables of version 1 in an empty database."""
    for statement in _STATEMENTS:
        connection.execute(statement)
