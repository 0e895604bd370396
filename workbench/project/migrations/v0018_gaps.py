"""Version 18: what lies within the limits of matches and is no part of them."""

from __future__ import annotations

import sqlite3


def apply(connection: sqlite3.Connection) -> None:
    """Add the gaps of the matches of a block, packed, and those of a match that a watch reported, as JSON.

    NULL: there are none; so it is with every match of an earlier version.
    """
    connection.execute("ALTER TABLE match_block ADD COLUMN gaps_size INTEGER")
    connection.execute("ALTER TABLE match_block ADD COLUMN gaps BLOB")
    connection.execute("ALTER TABLE watch_match ADD COLUMN gaps TEXT")
