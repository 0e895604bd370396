"""Version 22: the files that documents with pages were read from."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the table; documents imported before have no file until they are imported again."""
    connection.execute(
        """CREATE TABLE original (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        hash BLOB NOT NULL
    ) STRICT"""
    )
