"""Version 10: which run another one continues, and for how many documents it took over what that one found."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the run that is continued, and the number of documents examined there."""
    connection.execute("ALTER TABLE run ADD COLUMN continues INTEGER")
    connection.execute("ALTER TABLE run ADD COLUMN taken_over INTEGER NOT NULL DEFAULT 0")
