"""Version 3: sources of web pages, decisions on their blocks, body selectors of hosts."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    "ALTER TABLE document ADD COLUMN blocks INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE document ADD COLUMN blocks_kept INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE document ADD COLUMN content_digest TEXT NOT NULL DEFAULT ''",
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
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the page tables of version 3."""
    for statement in _STATEMENTS:
        connection.execute(statement)
