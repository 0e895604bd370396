"""Version 21: a count of unusual characters of each document; a column of watches that nothing used is dropped."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Change both tables; documents imported before count as having none."""
    connection.execute("ALTER TABLE document ADD COLUMN unusual INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE watch DROP COLUMN compared")
