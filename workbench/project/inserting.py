"""Inserting many rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table


def insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert ``rows`` (values by column, all with the same columns) in plain SQL: SQLAlchemy's overhead exceeds
    SQLite's own time.
    """
    if not rows:
        return
    names = [table.c[name].name for name in rows[0]]
    columns, places = ", ".join(f'"{name}"' for name in names), ", ".join(f":{name}" for name in names)
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", list(rows))
