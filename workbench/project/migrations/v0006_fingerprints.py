"""Version 6: fingerprints of the blocks of web pages, to find what a site repeats without rereading its pages."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the table of fingerprints; it is filled as pages are compared."""
    connection.execute("""CREATE TABLE page_fingerprint (
        key INTEGER PRIMARY KEY REFERENCES document (key),
        blocks BLOB NOT NULL,
        applied TEXT NOT NULL
    ) STRICT""")
