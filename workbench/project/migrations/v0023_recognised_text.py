"""Version 23: how sure the text of a document is that was read from pictures."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the column; documents imported before were not read from pictures."""
    connection.execute("ALTER TABLE document ADD COLUMN ocr INTEGER NOT NULL DEFAULT 0")
