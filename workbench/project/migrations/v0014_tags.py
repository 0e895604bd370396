"""Version 14: tags of documents."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the tags: names between commas, one before the first and one after the last; empty without any."""
    connection.execute("ALTER TABLE document ADD COLUMN tags TEXT NOT NULL DEFAULT ''")
