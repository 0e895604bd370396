"""Version 15: searches of web archives, their files and how far each was searched."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the tables of scans."""
    connection.execute(
        """CREATE TABLE scan (
            id INTEGER PRIMARY KEY,
            run_id INTEGER NOT NULL REFERENCES run (id),
            basis TEXT NOT NULL,
            settings TEXT NOT NULL
        ) STRICT"""
    )
    connection.execute(
        """CREATE TABLE scan_file (
            scan_id INTEGER NOT NULL REFERENCES scan (id),
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            pieces INTEGER NOT NULL,
            finished TEXT NOT NULL,
            PRIMARY KEY (scan_id, path)
        ) STRICT, WITHOUT ROWID"""
    )
    connection.execute(
        """CREATE TABLE scan_failure (
            id INTEGER PRIMARY KEY,
            scan_id INTEGER NOT NULL REFERENCES scan (id),
            path TEXT NOT NULL,
            error TEXT NOT NULL
        ) STRICT"""
    )
    connection.execute("CREATE INDEX scan_failure_by_scan ON scan_failure (scan_id)")
