"""Version 20: all tables. Earlier versions were never released."""

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
        deleted TEXT NOT NULL DEFAULT '',
        blocks INTEGER NOT NULL DEFAULT 0,
        blocks_kept INTEGER NOT NULL DEFAULT 0,
        content_digest TEXT NOT NULL DEFAULT '',
        tags TEXT NOT NULL DEFAULT '',
        dated_by TEXT NOT NULL DEFAULT ''
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
        message TEXT NOT NULL DEFAULT '',
        varied_from INTEGER,
        continues INTEGER,
        taken_over INTEGER NOT NULL DEFAULT 0,
        watch INTEGER,
        part INTEGER NOT NULL DEFAULT 0 CHECK (part IN (0, 1)),
        removed TEXT NOT NULL DEFAULT ''
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
        gaps_size INTEGER,
        gaps BLOB,
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
        hash BLOB NOT NULL,
        digest TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX label_event_target ON label_event (target, label_set, id)",
    """CREATE TRIGGER label_event_no_update BEFORE UPDATE ON label_event
        BEGIN SELECT RAISE(ABORT, 'label events are never changed'); END""",
    """CREATE TRIGGER label_event_no_delete BEFORE DELETE ON label_event
        BEGIN SELECT RAISE(ABORT, 'label events are never deleted'); END""",
    """CREATE VIEW current_label AS
        SELECT label_set, target, value, old, who, occurred, note FROM label_event
        WHERE id IN (SELECT max(id) FROM label_event GROUP BY target, label_set) AND value <> ''""",
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
    """CREATE TABLE page_source (
        key INTEGER PRIMARY KEY REFERENCES document (key),
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE block_override (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        document INTEGER NOT NULL REFERENCES document (key),
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        verdict TEXT NOT NULL CHECK (verdict IN ('content', 'non-content', '')),
        who TEXT NOT NULL,
        occurred TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX block_override_document ON block_override (document, id)",
    """CREATE TABLE body_selector (
        host TEXT PRIMARY KEY,
        selector TEXT NOT NULL
    ) WITHOUT ROWID, STRICT""",
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
    """CREATE TABLE watch (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        settings TEXT NOT NULL,
        created TEXT NOT NULL,
        compared INTEGER NOT NULL DEFAULT 0,
        deleted TEXT NOT NULL DEFAULT '',
        basis TEXT NOT NULL DEFAULT ''
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
        message TEXT NOT NULL DEFAULT '',
        ignored INTEGER NOT NULL DEFAULT 0,
        gone TEXT NOT NULL DEFAULT '[]',
        failures TEXT NOT NULL DEFAULT '[]'
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
        tier INTEGER NOT NULL,
        gaps TEXT
    ) STRICT""",
    "CREATE INDEX watch_match_page ON watch_match (watch_id, page, b)",
    "CREATE INDEX watch_match_check ON watch_match (check_id, id)",
    """CREATE TABLE page_fingerprint (
        key INTEGER PRIMARY KEY REFERENCES document (key),
        blocks BLOB NOT NULL,
        applied TEXT NOT NULL
    ) STRICT""",
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
    """CREATE TABLE watch_seen (
        watch_id INTEGER NOT NULL REFERENCES watch (id),
        document INTEGER NOT NULL REFERENCES document (key),
        content TEXT NOT NULL,
        PRIMARY KEY (watch_id, document)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE capture_body (
        hash BLOB PRIMARY KEY,
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE scan (
        id INTEGER PRIMARY KEY,
        run_id INTEGER NOT NULL REFERENCES run (id),
        basis TEXT NOT NULL,
        settings TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE scan_file (
        scan_id INTEGER NOT NULL REFERENCES scan (id),
        path TEXT NOT NULL,
        size INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        pieces INTEGER NOT NULL,
        finished TEXT NOT NULL,
        PRIMARY KEY (scan_id, path)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE scan_failure (
        id INTEGER PRIMARY KEY,
        scan_id INTEGER NOT NULL REFERENCES scan (id),
        path TEXT NOT NULL,
        error TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX scan_failure_by_scan ON scan_failure (scan_id)",
    """CREATE TABLE capture_timestamp (
        hash BLOB NOT NULL,
        service TEXT NOT NULL,
        stamped TEXT NOT NULL,
        size INTEGER NOT NULL,
        packed BLOB NOT NULL,
        PRIMARY KEY (hash, service)
    ) WITHOUT ROWID, STRICT""",
)


def apply(connection: sqlite3.Connection) -> None:
    """Create every table, index, view and trigger."""
    for statement in _STATEMENTS:
        connection.execute(statement)
