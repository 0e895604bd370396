"""Documents: adding, loading, deleting."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Table, bindparam, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.types import Document, Role, Span, text_hash
from workbench.project.batches import among, batched
from workbench.project.clock import now
from workbench.project.damaged_rows import LONGEST_ID, shortened
from workbench.project.details import pack_details, unpack_details
from workbench.project.imports import whole_of
from workbench.project.originals import add_originals
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.pages import Override, content_columns, overridden, overrides_of, store_markup
from workbench.project.tables import detail_rows, document_rows, text_rows
from workbench.project.tags import EVERYTHING, Scope, attach_tags, from_column, to_column
from workbench.project.word_boxes import add_words


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
"""Maximum number of bytes of a code point in UTF-8."""


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
        raise damaged(Message("{what} does not have the recorded length", what=what))
    try:
        text = unpack(packed, what).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(Message("{what} is not text", what=what)) from error
    if len(text) != characters or text_hash(text) != content_hash:
        raise damaged(Message("{what} was changed", what=what))
    return text


_PAGE = 64
"""Documents fetched at once by :func:`iter_documents`; limits memory use and keeps cursors short-lived."""

_GROUP = 200
"""Documents in memory at a time in :func:`add_documents`."""

_WORDS = ("title", "url", "site", "published", "dated_by", "language", "origin", "tags")


@dataclass(frozen=True, slots=True)
class AddResult:
    """The outcome of adding documents. ``ids`` contains the id of each, "" if it failed, in order.

    ``kept`` are the roles of the duplicates that were given another one, by id; ``earlier`` are the ids of documents
    with another text from the same place as an added one, by its id.
    """

    added: int
    duplicates: int
    failures: tuple[tuple[str, str], ...]
    ids: tuple[str, ...]
    kept: Mapping[str, str] = field(default_factory=dict)
    earlier: Mapping[str, str] = field(default_factory=dict)


def add_documents(
    connection: Connection, documents: Iterable[Document], batch_id: int | None = None, versions: Collection[str] = ()
) -> AddResult:
    """Add ``documents``. One with the text of a stored document and its id, or as id another part of the same path
    (``origin``), is a duplicate: its tags are added to the stored document, as are its original file and word
    positions if none are stored.

    An id already used for another text is a failure, unless it was derived from the file's path (``origin`` ends with
    it); parent folders are then prepended until it is unused. So are they for an equal text of another file that has
    another role, or comes in the same batch: it is a copy, not a duplicate. The ids ``versions`` are kept while they
    are unused: these documents take the place of others, even if their file is in the project under another id.
    """
    added = duplicates = 0
    failures: list[tuple[str, str]] = []
    ids: list[str] = []
    kept: dict[str, str] = {}
    earlier: dict[str, str] = {}
    stream = iter(documents)
    while group := list(islice(stream, _GROUP)):
        fresh: list[tuple[Document, str, bytes]] = []
        again: list[tuple[str, tuple[str, ...]]] = []
        with_pages: dict[str, Document] = {}
        taken = _taken(connection, [name for document in group for name in (document.id, *_names(document))])
        for document in group:
            content = document.content_hash
            wanted = _Taken(content, document.role, document.origin, batch_id)
            has_place = document.id in versions and document.id not in taken
            identity = document.id if has_place else _free_id(document, wanted, taken)
            ids.append(identity)
            if not identity:
                failures.append(
                    (document.id, Message("Another text with the id {id} is already in the project.", id=document.id))
                )
            elif identity in taken:
                duplicates += 1
                if taken[identity].role != document.role.value:
                    kept[identity] = taken[identity].role
                if document.tags:
                    again.append((identity, document.tags))
                if document.original:
                    with_pages[identity] = document
            else:
                for name in () if whole_of(document) else _names(document):
                    if name in taken and taken[name].is_from(wanted.origin):
                        earlier[identity] = name
                taken[identity] = wanted
                fresh.append((document, identity, content))
        _insert(connection, fresh, batch_id)
        _tag(connection, again)
        _keep_pages(connection, {key_of(connection, identity): document for identity, document in with_pages.items()})
        added += len(fresh)
    return AddResult(added, duplicates, tuple(failures), tuple(ids), kept, earlier)


def _tag(connection: Connection, again: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    """Add tags to stored documents, given by id."""
    together: dict[tuple[str, ...], list[str]] = {}
    for identity, tags in again:
        together.setdefault(tags, []).append(identity)
    for tags, ids in together.items():
        query = select(document_rows.c.key).where(document_rows.c.id.in_(ids), document_rows.c.deleted == "")
        attach_tags(connection, list(connection.execute(query).scalars()), tags)


class _Taken(NamedTuple):
    """The text (its hash) of a document that has an id, and where it is from."""

    content: bytes
    role: str
    origin: str
    batch: int | None

    def is_from(self, origin: str) -> bool:
        """Whether it was read from the file ``origin``."""
        return self.origin == origin

    def is_copied_by(self, other: _Taken) -> bool:
        """Whether ``other``, with the same text, is another document."""
        same_batch = other.batch is not None and self.batch == other.batch
        return not self.is_from(other.origin) and (self.role != other.role or same_batch)


def _taken(connection: Connection, ids: Sequence[str]) -> dict[str, _Taken]:
    """The documents ``ids`` that are in the project, by id."""
    columns = (text_rows.c.hash, document_rows.c.role, document_rows.c.origin, document_rows.c.batch_id)
    query = select(document_rows.c.id, *columns).join(text_rows, document_rows.c.text_id == text_rows.c.id)
    query = query.where(document_rows.c.id.in_(ids), document_rows.c.deleted == "")
    return {identity: _Taken(*row) for identity, *row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class Earlier:
    """The present version of a document. ``is_same``: another text to be imported is one of its versions already; it is
    the present one if ``is_present``.
    """

    key: int
    id: str
    role: Role
    tags: tuple[str, ...]
    is_same: bool
    is_present: bool


_ORIGINS = 5_000
"""Places looked up at once: each look-up reads all documents."""


def earlier_versions(
    connection: Connection, documents: Sequence[Document], named: Collection[int], batch_id: int = 0
) -> list[Earlier | None]:
    """For each of ``documents`` the one in the project of which a version was read from the same place or, for those at
    the positions ``named``, that has the same id. None if there is none, for rows without ids and messages of mailboxes
    (one that is inserted moves all others), and for documents of the import ``batch_id``.
    """
    columns = [document_rows.c[name] for name in ("key", "id", "role", "tags", "origin", "batch_id", "deleted")]
    query: Any = select(*columns, text_rows.c.hash).join(text_rows, document_rows.c.text_id == text_rows.c.id)
    unnamed = {d.origin for at, d in enumerate(documents) if at not in named and not whole_of(d)} - {""}
    read: dict[str, list[Row[Any]]] = {}
    for part in batched(sorted(unnamed), _ORIGINS):
        for version in connection.execute(query.where(document_rows.c.origin.in_(part))):
            read.setdefault(version.origin, []).append(version)
    ids = {row.id for rows in read.values() for row in rows} | {documents[at].id for at in named}
    present: dict[str, Row[Any]] = {}
    for part in batched(sorted(ids), _ORIGINS):
        rows = connection.execute(query.where(document_rows.c.id.in_(part), document_rows.c.deleted == ""))
        present |= {row.id: row for row in rows}
    result: list[Earlier | None] = []
    for at, document in enumerate(documents):
        versions = [] if at in named or whole_of(document) else read.get(document.origin, [])
        names = {row.id for row in versions} or {document.id} if at in named or versions else set()
        there = [present[name] for name in names if name in present]
        row: Any = max(there, key=lambda row: row.key, default=None)
        if row is None or row.batch_id == batch_id:
            result.append(None)
            continue
        content = document.content_hash
        same = any(r.hash == content for r in (*versions, *there))
        known = next((r for r in there if r.hash == content), row)
        result.append(
            Earlier(known.key, known.id, stored_role(known.role), from_column(known.tags), same, known.hash == content)
        )
    return result


def _free_id(document: Document, wanted: _Taken, taken: Mapping[str, _Taken]) -> str:
    """The id under which ``document`` is or can be stored; "" if other texts use all candidates."""
    names = _names(document)
    longer = [name for name in names if len(name) > len(document.id)]
    # The same file may have been imported from another working folder, or with a folder above it.
    same = [name for name in names if name in taken and taken[name].is_from(wanted.origin)]
    for identity in (*same, document.id, *longer):
        there = taken.get(identity, wanted)
        if there.content == wanted.content and not (longer and there.is_copied_by(wanted)):
            return identity
    return ""


def _names(document: Document) -> list[str]:
    """The ids that a document may have that is named by its path: the last parts of it, shortest first."""
    origin, identity = document.origin.replace("\\", "/"), document.id.replace("\\", "/")
    if not origin.endswith("/" + identity):
        return []
    folders = [folder for folder in origin[: -len(identity) - 1].split("/") if folder not in ("", ".", "..")]
    parts = [*folders, *identity.split("/")]
    return ["/".join(parts[at:]) for at in reversed(range(len(parts)))]


def _insert(connection: Connection, fresh: list[tuple[Document, str, bytes]], batch_id: int | None) -> None:
    if not fresh:
        return
    texts = store_texts(connection, [(document.text, content) for document, _, content in fresh])
    first = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'document'").scalar() or 0
    rows, details = [], []
    for key, (document, identity, content) in enumerate(fresh, first + 1):
        rows.append(
            {
                "key": key,
                "id": identity,
                "role": document.role.value,
                "title": document.title,
                "url": document.url,
                "site": document.site,
                "published": document.published,
                "dated_by": document.dated_by,
                "language": document.language,
                "origin": document.origin,
                "characters": len(document.text),
                "text_id": texts[content],
                "batch_id": batch_id,
                "deleted": "",
                "tags": to_column(document.tags),
                "unusual": sum(flag.characters for flag in document.extraction.integrity),
                "ocr": document.extraction.confidence,
                **content_columns(document.blocks),
            }
        )
        packed = pack_details(document)
        details.append({"key": key, "size": packed.size, "packed": packed.data})
    insert_rows(connection, document_rows, rows)
    insert_rows(connection, detail_rows, details)
    keyed = ((key, document.markup) for key, (document, _, _) in enumerate(fresh, first + 1) if document.markup)
    store_markup(connection, keyed)
    numbered = enumerate(fresh, first + 1)
    _keep_pages(connection, {key: document for key, (document, _, _) in numbered if document.original})


def _keep_pages(connection: Connection, documents: Mapping[int, Document]) -> None:
    """Store the files of documents with pages, and the positions of recognised words, unless already stored."""
    add_originals(connection, {key: document.original for key, document in documents.items()})
    add_words(connection, {key: document.words for key, document in documents.items() if document.words})


_WHOLE = (
    select(
        document_rows.c.key,
        document_rows.c.id,
        document_rows.c.role,
        document_rows.c.characters,
        *(shortened(document_rows.c[name]) for name in _WORDS),
        text_rows.c.hash,
        text_rows.c.size.label("text_size"),
        text_rows.c.packed.label("text_packed"),
        detail_rows.c.size.label("detail_size"),
        detail_rows.c.packed.label("detail_packed"),
    )
    .join(text_rows, document_rows.c.text_id == text_rows.c.id)
    .join(detail_rows, detail_rows.c.key == document_rows.c.key)
)
# Built once: building the statement takes longer than reading a row with it.
_BY_KEY = _WHOLE.where(document_rows.c.key == bindparam("key"))
_BY_ID = _WHOLE.where(document_rows.c.id == bindparam("id"), document_rows.c.deleted == "")


def load_document(connection: Connection, which: int | str) -> Document:
    """The document with this key (even if deleted, for old runs) or id. Raises ProjectError if there is none."""
    if isinstance(which, int):
        row = connection.execute(_BY_KEY, {"key": which}).one_or_none()
    else:
        row = connection.execute(_BY_ID, {"id": which}).one_or_none()
    if row is None:
        raise no_document(connection, which)
    return _document(row, overrides_of(connection, [row.key]).get(row.key, {}))


def is_imported(connection: Connection, path: str) -> bool:
    """Whether a document of the project was read from the file at the absolute ``path``, or from a part of it."""
    origin = document_rows.c.origin
    query = select(document_rows.c.key).where(
        or_(origin == path, *(origin.startswith(f"{path}{sign}", autoescape=True) for sign in "!:"))
    )
    return connection.execute(query.limit(1)).first() is not None


def key_of(connection: Connection, name: str) -> int:
    """The key of the document with this id, otherwise of the last removed document that had it. Raises ProjectError."""
    query = select(document_rows.c.key).where(document_rows.c.id == name)
    query = query.order_by(document_rows.c.deleted != "", document_rows.c.key.desc()).limit(1)
    key: int | None = connection.execute(query).scalar()
    if key is None:
        raise no_document(connection, name)
    return key


_NEAR = 3
"""Maximum number of ids suggested for an unknown one."""


def no_document(connection: Connection, which: int | str) -> ProjectError:
    """The error for an unknown document: it names the most similar ids."""
    hint = near_ids(connection, which) if isinstance(which, str) else ""
    return ProjectError(Message("There is no document {id} in this project.", id=which), hint=hint)


def near_ids(connection: Connection, name: str) -> str:
    """A sentence with the ids most similar to ``name``, an unknown one; "" if none is."""
    near = _near(connection, name)
    return Message("Similar ids: {ids}.", ids=", ".join(near)) if near else ""


def _near(connection: Connection, name: str) -> list[str]:
    """Ids that contain ``name``, otherwise similar ones."""
    there = document_rows.c.deleted == ""
    part = name.strip().casefold()
    containing = select(document_rows.c.id).where(there, func.instr(func.lower(document_rows.c.id), part) > 0)
    ids = connection.execute(containing.order_by(func.length(document_rows.c.id)).limit(_NEAR)).scalars().all()
    if part and ids:
        return list(ids)
    # An id whose length differs by more than a third is not a typing error. People type a path's file name only.
    slack = max(2, len(part) // 3)
    spelled: dict[str, str] = {}
    for known in connection.execute(select(document_rows.c.id).where(there)).scalars():
        path = PurePosixPath(known)
        for spelling in (known, path.name, path.stem):
            if abs(len(spelling) - len(part)) <= slack:
                spelled.setdefault(spelling.casefold(), known)
    return list(dict.fromkeys(spelled[close] for close in get_close_matches(part, spelled, _NEAR, 0.7)))


def texts_of(connection: Connection, keys: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Key and text of the documents of ``keys``, one text in memory at a time."""
    query = select(
        document_rows.c.key,
        document_rows.c.id,
        document_rows.c.characters,
        text_rows.c.hash,
        text_rows.c.size,
        text_rows.c.packed,
    )
    query = query.join(text_rows, document_rows.c.text_id == text_rows.c.id).where(
        document_rows.c.key.in_(among(list(keys)))
    )
    for key, name, characters, content, size, packed in connection.execute(query):
        yield key, unpack_text(Packed(size, packed), characters, content, name)


def iter_documents(
    connection: Connection,
    roles: Sequence[Role] = (),
    after_key: int = 0,
    scope: Scope = EVERYTHING,
) -> Iterator[Document]:
    """Documents in ``roles`` (all if empty) and ``scope`` with keys above ``after_key``, in key order, a few in memory
    at a time.
    """
    while True:
        query = _WHOLE.where(document_rows.c.deleted == "", document_rows.c.key > after_key)
        if roles:
            query = query.where(document_rows.c.role.in_(roles))
        if scope:
            query = query.where(scope.condition())
        rows = connection.execute(query.order_by(document_rows.c.key).limit(_PAGE)).all()
        yield from _documents(connection, rows)
        if len(rows) < _PAGE:
            return
        after_key = rows[-1].key


def documents_of(connection: Connection, keys: Sequence[int], roles: Sequence[Role]) -> Iterator[Document]:
    """The existing documents of ``keys`` (in order) in ``roles``, in key order, a few in memory at a time."""
    for part in batched(keys, _PAGE):
        query = _WHOLE.where(document_rows.c.deleted == "", document_rows.c.key.in_(part))
        query = query.where(document_rows.c.role.in_(roles)).order_by(document_rows.c.key)
        yield from _documents(connection, connection.execute(query).all())


def _documents(connection: Connection, rows: Sequence[Row[Any]]) -> Iterator[Document]:
    overrides = overrides_of(connection, [row.key for row in rows])
    return (_document(row, overrides.get(row.key, {})) for row in rows)


def _document(row: Row[Any], overrides: Mapping[Span, Override]) -> Document:
    if not isinstance(row.id, str) or len(row.id) > LONGEST_ID:
        raise damaged(Message("the document {key} has no valid id", key=row.key))
    text = unpack_text(Packed(row.text_size, row.text_packed), row.characters, row.hash, row.id)
    details = unpack_details(Packed(row.detail_size, row.detail_packed), len(text), row.id)
    return Document(
        id=row.id,
        text=text,
        role=stored_role(row.role),
        key=row.key,
        title=row.title,
        url=row.url,
        site=row.site,
        published=row.published,
        dated_by=row.dated_by,
        language=row.language,
        origin=row.origin,
        blocks=overridden(details.blocks, overrides),
        links=details.links,
        anchors=details.anchors,
        extraction=details.extraction,
        tags=from_column(row.tags),
    )


def stored_role(value: str) -> Role:
    """The role of a row. Raises ProjectError for an unknown value."""
    try:
        return Role(value)
    except ValueError as error:
        raise damaged(Message("{value} is not a role of a document", value=repr(value))) from error


def count_documents(
    connection: Connection, roles: Sequence[Role] = (), scope: Scope = EVERYTHING, after_key: int = 0
) -> int:
    """Number of documents of ``scope`` in ``roles`` (all if empty) with keys above ``after_key``, not counting deleted
    ones.
    """
    query = select(func.count()).select_from(document_rows)
    query = query.where(document_rows.c.deleted == "", document_rows.c.key > after_key)
    if roles:
        query = query.where(document_rows.c.role.in_(roles))
    if scope:
        query = query.where(scope.condition())
    return connection.execute(query).scalar_one()


def last_key(connection: Connection) -> int:
    """The greatest key of a document, deleted ones included; 0 if there is none."""
    return int(connection.execute(select(func.coalesce(func.max(document_rows.c.key), 0))).scalar_one())


def corpus_hash(
    connection: Connection,
    roles: Sequence[Role] = (),
    *,
    last: int | None = None,
    scope: Scope = EVERYTHING,
    keys: Sequence[int] | None = None,
) -> str:
    """SHA-256 (hex) over key, role, content blocks and text of the documents of ``scope`` in ``roles``.

    Equal for corpora that are equal to a method. With ``last``, documents with greater keys are excluded: the hash
    before they were imported. With ``keys``, it is that of these documents, replaced and removed ones included.
    """
    query = select(document_rows.c.key, document_rows.c.role, document_rows.c.content_digest, text_rows.c.hash)
    query = query.join(text_rows, document_rows.c.text_id == text_rows.c.id)
    present = document_rows.c.deleted == ""
    query = query.where(present if keys is None else document_rows.c.key.in_(among(keys)))
    query = query.order_by(document_rows.c.key)
    if roles:
        query = query.where(document_rows.c.role.in_(roles))
    if scope:
        query = query.where(scope.condition())
    if last is not None:
        query = query.where(document_rows.c.key <= last)
    digest = hashlib.sha256()
    for key, role, blocks, content in connection.execute(query):
        digest.update(f"{key}:{role}:{blocks}".encode() + content)
    return digest.hexdigest()


def change_role(connection: Connection, keys: Sequence[int], role: Role) -> dict[Role, list[int]]:
    """Change the role of documents; runs keep their matches. Returns the keys of changed documents by previous role."""
    before: dict[Role, list[int]] = {}
    changed = document_rows.c.key.in_(among(keys)), document_rows.c.role != role.value
    for key, stored in connection.execute(select(document_rows.c.key, document_rows.c.role).where(*changed)):
        before.setdefault(stored_role(stored), []).append(key)
    connection.execute(update(document_rows).where(*changed).values(role=role.value))
    return before


def version_before(connection: Connection, document: Document) -> Document:
    """The text that had the id of ``document`` before it. Raises ProjectError if there is none."""
    query = select(func.max(document_rows.c.key)).where(
        document_rows.c.id == document.id, document_rows.c.key < document.key
    )
    key = connection.execute(query).scalar()
    if key is None:
        raise ProjectError(Message("The project has no earlier version of {id}.", id=document.id))
    return load_document(connection, int(key))


def present_versions(connection: Connection, keys: Sequence[int]) -> list[int]:
    """Keys of the documents that have the ids of ``keys`` now."""
    ids = select(document_rows.c.id).where(document_rows.c.key.in_(among(keys)))
    query = select(document_rows.c.key).where(document_rows.c.id.in_(ids), document_rows.c.deleted == "")
    return list(connection.execute(query.order_by(document_rows.c.key)).scalars())


def bring_back(connection: Connection, keys: Sequence[int]) -> None:
    """Restore the versions ``keys`` in place of those that have their ids now."""
    delete_documents(connection, sorted(set(present_versions(connection, keys)) - set(keys)))
    restore_documents(connection, keys)


def delete_documents(connection: Connection, keys: Sequence[int]) -> int:
    """Mark documents as deleted; runs keep their matches. Returns the number deleted."""
    present = document_rows.c.key.in_(among(keys)), document_rows.c.deleted == ""
    return connection.execute(update(document_rows).where(*present).values(deleted=now())).rowcount


def restore_documents(connection: Connection, keys: Sequence[int]) -> int:
    """Undo :func:`delete_documents`. Raises ProjectError if an id is now used by another document."""
    deleted = document_rows.c.key.in_(among(keys)), document_rows.c.deleted != ""
    try:
        return connection.execute(update(document_rows).where(*deleted).values(deleted="")).rowcount
    except IntegrityError as error:
        gone = select(document_rows.c.id).where(*deleted)
        taken = select(document_rows.c.id).where(document_rows.c.id.in_(gone), document_rows.c.deleted == "").limit(1)
        twice = gone.group_by(document_rows.c.id).having(func.count() > 1).limit(1)
        name = connection.execute(taken).scalar() or connection.execute(twice).scalar()
        raise ProjectError(
            Message("Another document now has the id {name}.", name=name), hint=Message("Remove that one first.")
        ) from error
