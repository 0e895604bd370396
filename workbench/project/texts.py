"""Texts, stored once by content hash."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from workbench.base.types import text_hash
from workbench.project.models import TextRow
from workbench.project.packing import Packed, damaged, pack, unpack


def find_text(connection: Connection, content_hash: bytes) -> int | None:
    """The id of a stored text; None when it is not there."""
    return connection.execute(select(TextRow.id).where(TextRow.hash == content_hash)).scalar()


def store_text(connection: Connection, text: str, content_hash: bytes) -> int:
    """Store ``text`` unless it is there, and return its id. Raises ProjectError above the size limit."""
    found = find_text(connection, content_hash)
    if found is not None:
        return found
    packed = pack(text.encode("utf-8", "surrogatepass"))
    row = {"hash": content_hash, "characters": len(text), "size": packed.size, "packed": packed.data}
    identity: int = connection.execute(insert(TextRow).returning(TextRow.id), row).scalar_one()
    return identity


def unpack_text(packed: Packed, content_hash: bytes, name: str) -> str:
    """The text of the document ``name``. Raises ProjectError where it is not what was stored."""
    what = f"the text of {name}"
    try:
        text = unpack(packed, what).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(f"{what} is not text") from error
    if text_hash(text) != content_hash:
        raise damaged(f"{what} was changed")
    return text
