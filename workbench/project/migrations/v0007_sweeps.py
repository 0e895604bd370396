"""Version 7: which runs are points of a sweep."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the column for the run whose parameters a sweep varied."""
    connection.execute("ALTER TABLE run ADD COLUMN varied_from INTEGER")
