"""Version 24: where the words that were read from pictures are on their pages."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the table; documents imported before have no places until they are imported again."""
    connection.execute(
        """CREATE TABLE word_box (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT"""
    )
