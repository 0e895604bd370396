"""Version 25: pages that another program made of documents without any."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the table."""
    connection.execute(
        """CREATE TABLE page_file (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        hash BLOB NOT NULL,
        pages INTEGER NOT NULL
    ) STRICT"""
    )
