"""Version 11: label events keep a hash of the text they are about."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the hash; events before have none."""
    connection.execute("ALTER TABLE label_event ADD COLUMN digest TEXT NOT NULL DEFAULT ''")
