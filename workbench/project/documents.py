"""Documents: adding, loading, deleting."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from workbench.base.errors import ProjectError
from workbench.base.types import Document, Role
from workbench.project.clock import now
from workbench.project.details import pack_details, unpack_details
from workbench.project.models import DetailRow, DocumentRow, TextRow
from workbench.project.packing import Packed, damaged
from workbench.project.texts import store_text, unpack_text

_PAGE = 64
"""Documents fetched at once by :func:`iter_documents`; bounds what is in memory and ends each cursor soon."""

_MANY = 500
"""Values in one IN (...)."""


@dataclass(frozen=True, slots=True)
class AddResult:
    """What became of the given documents. ``ids`` is parallel to them: the id each has now, "" where it failed."""

    added: int
    duplicates: int
    failures: tuple[tuple[str, str], ...]
    ids: tuple[str, ...]


def add_documents(connection: Connection, documents: Iterable[Document], batch_id: int | None = None) -> AddResult:
    """Add ``documents``; one with the id and text of a stored one is a duplicate.

    An id that is taken by another text is a failure, except where it was made from the file's path (``origin`` ends
    with it): then it is lengthened by the folders above until it is free.
    """
    added = duplicates = 0
    failures: list[tuple[str, str]] = []
    ids: list[str] = []
    for document in documents:
        content = document.content_hash
        identity, known = _free_id(connection, document, content)
        if known:
            duplicates += 1
        elif not identity:
            failures.append((document.id, f"Another text with the id {document.id} is already in the project."))
        else:
            _insert(connection, document, identity, content, batch_id)
            added += 1
        ids.append(identity)
    return AddResult(added, duplicates, tuple(failures), tuple(ids))


def _free_id(connection: Connection, document: Document, content: bytes) -> tuple[str, bool]:
    """The id to store under ("" for none), and whether this document is already there under it."""
    for identity in _candidates(document):
        query = select(TextRow.hash).join(DocumentRow, DocumentRow.text_id == TextRow.id)
        taken = connection.execute(query.where(DocumentRow.id == identity, DocumentRow.deleted == "")).scalar()
        if taken is None or taken == content:
            return identity, taken is not None
    return "", False


def _candidates(document: Document) -> Iterator[str]:
    yield document.id
    origin, identity = document.origin.replace("\\", "/"), document.id.replace("\\", "/")
    if not origin.endswith("/" + identity):
        return
    above = origin[: -len(identity) - 1].split("/")
    while above:
        folder = above.pop()
        if folder not in ("", ".", ".."):
            identity = f"{folder}/{identity}"
            yield identity


def _insert(connection: Connection, document: Document, identity: str, content: bytes, batch_id: int | None) -> None:
    row = {
        "id": identity,
        "role": document.role.value,
        "title": document.title,
        "url": document.url,
        "site": document.site,
        "published": document.published,
        "language": document.language,
        "origin": document.origin,
        "characters": len(document.text),
        "text_id": store_text(connection, document.text, content),
        "batch_id": batch_id,
        "deleted": "",
    }
    key = connection.execute(insert(DocumentRow).returning(DocumentRow.key), row).scalar_one()
    details = pack_details(document)
    connection.execute(insert(DetailRow), {"key": key, "size": details.size, "packed": details.data})


def load_document(connection: Connection, which: int | str) -> Document:
    """The document with this key (also a deleted one, for old runs) or id. Raises ProjectError for an unknown one."""
    if isinstance(which, int):
        row = connection.execute(_whole().where(DocumentRow.key == which)).one_or_none()
    else:
        row = connection.execute(_whole().where(DocumentRow.id == which, DocumentRow.deleted == "")).one_or_none()
    if row is None:
        raise ProjectError(f"There is no document {which} in this project.")
    return _document(row)


def iter_documents(connection: Connection, roles: Sequence[Role] = (), after_key: int = 0) -> Iterator[Document]:
    """Documents in ``roles`` (all when empty) with keys above ``after_key``, in key order, some in memory at a time."""
    while True:
        query = _whole().where(DocumentRow.deleted == "", DocumentRow.key > after_key)
        if roles:
            query = query.where(DocumentRow.role.in_(roles))
        rows = connection.execute(query.order_by(DocumentRow.key).limit(_PAGE)).all()
        for row in rows:
            yield _document(row)
        if len(rows) < _PAGE:
            return
        after_key = rows[-1].key


def _whole() -> Select[Any]:
    query = select(
        *DocumentRow.__table__.columns,
        TextRow.hash,
        TextRow.size.label("text_size"),
        TextRow.packed.label("text_packed"),
        DetailRow.size.label("detail_size"),
        DetailRow.packed.label("detail_packed"),
    )
    return query.join(TextRow, DocumentRow.text_id == TextRow.id).join(DetailRow, DetailRow.key == DocumentRow.key)


def _document(row: Row[Any]) -> Document:
    text = unpack_text(Packed(row.text_size, row.text_packed), row.hash, row.id)
    blocks, links, extraction = unpack_details(Packed(row.detail_size, row.detail_packed), len(text), row.id)
    return Document(
        id=row.id,
        text=text,
        role=stored_role(row.role),
        key=row.key,
        title=row.title,
        url=row.url,
        site=row.site,
        published=row.published,
        language=row.language,
        origin=row.origin,
        blocks=blocks,
        links=links,
        extraction=extraction,
    )


def stored_role(value: str) -> Role:
    """The role of a row. Raises ProjectError for a word that is none."""
    try:
        return Role(value)
    except ValueError as error:
        raise damaged(f"{value!r} is no role of a document") from error


def count_documents(connection: Connection, roles: Sequence[Role] = ()) -> int:
    """Number of documents in ``roles`` (all when empty), deleted ones left out."""
    query = select(func.count()).select_from(DocumentRow).where(DocumentRow.deleted == "")
    if roles:
        query = query.where(DocumentRow.role.in_(roles))
    return connection.execute(query).scalar_one()


def corpus_hash(connection: Connection, roles: Sequence[Role] = ()) -> str:
    """SHA-256 (hex) over key, role and text of the documents in ``roles``: equal where a method sees the same."""
    query = select(DocumentRow.key, DocumentRow.role, TextRow.hash).join(TextRow, DocumentRow.text_id == TextRow.id)
    query = query.where(DocumentRow.deleted == "").order_by(DocumentRow.key)
    if roles:
        query = query.where(DocumentRow.role.in_(roles))
    digest = hashlib.sha256()
    for key, role, content in connection.execute(query):
        digest.update(f"{key}:{role}:".encode() + content)
    return digest.hexdigest()


def delete_documents(connection: Connection, keys: Sequence[int]) -> int:
    """Mark documents as deleted; runs keep their matches. Returns how many were there."""
    when = now()
    return sum(
        connection.execute(
            update(DocumentRow).where(DocumentRow.key.in_(part), DocumentRow.deleted == "").values(deleted=when)
        ).rowcount
        for part in _parts(keys)
    )


def restore_documents(connection: Connection, keys: Sequence[int]) -> int:
    """Undo :func:`delete_documents`. Raises ProjectError where an id has been given to another document since."""
    restored = 0
    for part in _parts(keys):
        gone = select(DocumentRow.id).where(DocumentRow.key.in_(part), DocumentRow.deleted != "")
        taken = select(DocumentRow.id).where(DocumentRow.id.in_(gone), DocumentRow.deleted == "").limit(1)
        name = connection.execute(taken).scalar()
        if name is not None:
            raise ProjectError(f"Another document has the id {name} now.", hint="Delete that one first.")
        change = update(DocumentRow).where(DocumentRow.key.in_(part), DocumentRow.deleted != "").values(deleted="")
        restored += connection.execute(change).rowcount
    return restored


def _parts(keys: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(keys), _MANY):
        yield [int(key) for key in keys[start : start + _MANY]]
