"""Texts, stored once by content hash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, func, select

from workbench.base.messages import Message
from workbench.base.types import text_hash
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.tables import text_rows


def insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert ``rows`` (values by column, all with the same columns) in plain SQL: SQLAlchemy's overhead exceeds
    SQLite's own time.
    """
    if not rows:
        return
    names = [table.c[name].name for name in rows[0]]
    columns, places = ", ".join(f'"{name}"' for name in names), ", ".join(f":{name}" for name in names)
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", list(rows))


_MOST_BYTES = 4
"""Most bytes of a code point in UTF-8."""


def store_texts(connection: Connection, texts: Sequence[tuple[str, bytes]]) -> dict[bytes, int]:
    """Store (text, content hash) pairs that are not stored yet. Returns ids by hash. Raises ProjectError above the
    limit.
    """
    query = select(text_rows.c.hash, text_rows.c.id).where(text_rows.c.hash.in_([content for _, content in texts]))
    ids: dict[bytes, int] = {row.hash: row.id for row in connection.execute(query)}
    last = connection.execute(select(func.max(text_rows.c.id))).scalar() or 0
    rows = []
    for text, content in texts:
        if content in ids:
            continue
        last += 1
        ids[content] = last
        packed = pack(text.encode("utf-8", "surrogatepass"))
        row = {"id": last, "hash": content, "characters": len(text), "size": packed.size, "packed": packed.data}
        rows.append(row)
    insert_rows(connection, text_rows, rows)
    return ids


def unpack_text(packed: Packed, characters: int, content_hash: bytes, name: str) -> str:
    """The text (of ``characters`` code points) of the document ``name``. Raises ProjectError if it was altered."""
    what = f"the text of {name[:200]}"
    if not isinstance(characters, int) or not characters <= packed.size <= _MOST_BYTES * characters:
        raise damaged(Message("{what} does not have the length that is recorded", what=what))
    try:
        text = unpack(packed, what).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(Message("{what} is not text", what=what)) from error
    if len(text) != characters or text_hash(text) != content_hash:
        raise damaged(Message("{what} was changed", what=what))
    return text
