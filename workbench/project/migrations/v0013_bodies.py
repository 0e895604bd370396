"""Version 13: the bytes of captured pages, as they came."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the table of bodies, each kept once by its hash."""
    connection.execute(
        """CREATE TABLE capture_body (
            hash BLOB PRIMARY KEY,
            size INTEGER NOT NULL,
            packed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID"""
    )
