"""Version 17: trusted timestamps of captured pages."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the table of answers of timestamp services, one for each hash and service."""
    connection.execute(
        """CREATE TABLE capture_timestamp (
            hash BLOB NOT NULL,
            service TEXT NOT NULL,
            stamped TEXT NOT NULL,
            size INTEGER NOT NULL,
            packed BLOB NOT NULL,
            PRIMARY KEY (hash, service)
        ) STRICT, WITHOUT ROWID"""
    )
