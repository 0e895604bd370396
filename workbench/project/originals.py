"""Originals: the files that documents were read from, unchanged, so that their pages can be shown or rendered."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from workbench.project.batches import batched
from workbench.project.captures import add_bodies, body_of
from workbench.project.tables import original_rows, page_file_rows


def add_originals(connection: Connection, originals: Mapping[int, bytes]) -> None:
    """Store the files of documents by their keys; a stored file is not replaced."""
    missing = {key: originals[key] for key in originals.keys() - with_original(connection, originals.keys())}
    hashes = {key: hashlib.sha256(data).digest() for key, data in missing.items()}
    add_bodies(connection, {hashes[key]: data for key, data in missing.items()})
    if missing:
        connection.execute(insert(original_rows), [{"document": key, "hash": hashes[key]} for key in missing])


def with_original(connection: Connection, keys: Collection[int]) -> set[int]:
    """The documents among ``keys`` whose files are stored."""
    kept: set[int] = set()
    for part in batched(list(keys)):
        query = select(original_rows.c.document).where(original_rows.c.document.in_(part))
        kept.update(connection.execute(query).scalars())
    return kept


def load_original(connection: Connection, key: int) -> bytes:
    """The file of a document; empty if none is stored. Raises ProjectError if it is damaged."""
    content = connection.execute(select(original_rows.c.hash).where(original_rows.c.document == key)).scalar()
    return b"" if content is None else body_of(connection, content) or b""


class PageFile(NamedTuple):
    """The PDF made from the file of a document, and its number of ``pages``."""

    data: bytes
    pages: int


def add_page_file(connection: Connection, key: int, file: PageFile) -> None:
    """Store the pages made for a document, unless it has some."""
    content = hashlib.sha256(file.data).digest()
    add_bodies(connection, {content: file.data})
    values = {"document": key, "hash": content, "pages": file.pages}
    connection.execute(insert(page_file_rows).prefix_with("OR IGNORE"), [values])


def load_page_file(connection: Connection, key: int) -> PageFile | None:
    """The pages made for a document; None if there are none. Raises ProjectError if they are damaged."""
    row = connection.execute(select(page_file_rows).where(page_file_rows.c.document == key)).first()
    data = None if row is None else body_of(connection, row.hash)
    return PageFile(data, row.pages) if row is not None and data else None


def with_page_file(connection: Connection) -> set[int]:
    """The documents with pages made from their files."""
    return set(connection.execute(select(page_file_rows.c.document)).scalars())
