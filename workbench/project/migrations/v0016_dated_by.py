"""Version 16: where the date of a document comes from."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the source of ``published``; empty where it is unknown."""
    connection.execute("ALTER TABLE document ADD COLUMN dated_by TEXT NOT NULL DEFAULT ''")
