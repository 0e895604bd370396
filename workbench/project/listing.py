"""Documents as rows of a table, without their texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, func, select

from workbench.base.types import Ints, Role
from workbench.project.batches import batched, columns_of
from workbench.project.damaged_rows import WHOLE_DOCUMENT, note_documents, shortened
from workbench.project.documents import stored_role
from workbench.project.tables import document_rows, pair_rows, run_rows, suspect_rows, text_rows, watch_match_rows
from workbench.project.tags import EVERYTHING, Scope, from_column

DOCUMENT_LABELS = "class"
"""Label set of document classes, from ``label`` fields of imported rows."""


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """A row of a table of documents; ``length`` in code points."""

    key: int
    id: str
    title: str
    role: Role
    language: str
    length: int
    site: str
    published: str
    dated_by: str = ""


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """All documents as columns of equal length n, in key order.

    ``length`` in code points; ``matches`` counts the requested run's passages in the document; ``blocks_kept`` of its
    ``blocks`` are content; ``unusual`` counts possibly disguising characters; ``ocr`` is the confidence of its
    recognised text, in percent (0: not recognised); ``tags`` are in alphabetical order.
    """

    key: Ints
    length: Ints
    matches: Ints
    blocks: Ints
    blocks_kept: Ints
    unusual: Ints
    ocr: Ints
    id: list[str]
    title: list[str]
    role: list[str]
    language: list[str]
    site: list[str]
    published: list[str]
    tags: list[tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.id)


_ALL_ITEMS = select(
    document_rows.c.key,
    document_rows.c.id,
    shortened(document_rows.c.title),
    document_rows.c.role,
    shortened(document_rows.c.language),
    document_rows.c.characters,
    shortened(document_rows.c.site),
    shortened(document_rows.c.published),
    shortened(document_rows.c.dated_by),
).order_by(document_rows.c.key)
_ITEMS_OF = _ALL_ITEMS.where(document_rows.c.key.in_(bindparam("keys", expanding=True)))
_ITEMS = _ALL_ITEMS.where(document_rows.c.deleted == "", WHOLE_DOCUMENT)


def documents_page(
    connection: Connection,
    *,
    after_key: int = 0,
    limit: int = 200,
    roles: Sequence[Role] = (),
    scope: Scope = EVERYTHING,
) -> list[DocumentItem]:
    """At most ``limit`` documents of ``scope`` with keys above ``after_key``, in key order; [] at the end."""
    query = _ITEMS.where(document_rows.c.key > after_key).limit(limit)
    if roles:
        query = query.where(document_rows.c.role.in_(roles))
    if scope:
        query = query.where(scope.condition())
    return [_item(row) for row in connection.execute(query)]


def _item(row: Any) -> DocumentItem:
    """The document of a row of ``_ALL_ITEMS``."""
    return DocumentItem(
        key=row.key,
        id=row.id,
        title=row.title,
        role=stored_role(row.role),
        language=row.language,
        length=row.characters,
        site=row.site,
        published=row.published,
        dated_by=row.dated_by,
    )


def document_table(connection: Connection, *, run_id: int | None = None) -> DocumentTable:
    """All documents; ``matches`` counts the matches of ``run_id``; if None, of the latest finished run, or those
    reported by watches if there are more of these.
    """
    note_documents(connection)
    d = document_rows.c
    columns = columns_of(
        connection.execute(_ITEMS.add_columns(d.blocks, d.blocks_kept, d.unusual, d.ocr, shortened(d.tags)))
    )
    key = np.array(columns["key"], np.int64)
    return DocumentTable(
        key=key,
        length=np.array(columns["characters"], np.int64),
        matches=_match_counts(connection, run_id, key),
        blocks=np.array(columns["blocks"], np.int64),
        blocks_kept=np.array(columns["blocks_kept"], np.int64),
        unusual=np.array(columns["unusual"], np.int64),
        ocr=np.array(columns["ocr"], np.int64),
        id=columns["id"],
        title=columns["title"],
        role=columns["role"],
        language=columns["language"],
        site=columns["site"],
        published=columns["published"],
        tags=[from_column(stored) for stored in columns["tags"]],
    )


def _match_counts(connection: Connection, run_id: int | None, key: Ints) -> Ints:
    if run_id is None:
        finished = select(run_rows.c.id).where(run_rows.c.state == "done", run_rows.c.removed == "")
        last = (run_rows.c.part, run_rows.c.varied_from.is_not(None), run_rows.c.id.desc())
        latest = connection.execute(finished.order_by(*last)).scalar()
        w = watch_match_rows.c
        reported = [select(column, func.count()).group_by(column) for column in (w.a, w.b)]
        return np.maximum(_match_counts(connection, latest or 0, key), _summed(connection, reported, key))
    examined = select(suspect_rows.c.a, suspect_rows.c.matches).where(suspect_rows.c.run_id == run_id)
    compared = (
        select(pair_rows.c.b, func.sum(pair_rows.c.matches)).where(pair_rows.c.run_id == run_id).group_by(pair_rows.c.b)
    )
    return _summed(connection, (examined, compared), key)


def _summed(connection: Connection, queries: Iterable[Any], key: Ints) -> Ints:
    """For each of ``key``, the sum of the counts in the results (key, count) of ``queries``."""
    result = np.zeros(len(key), np.int64)
    for query in queries:
        counted = [tuple(row) for row in connection.execute(query)]
        counts: NDArray[np.int64] = np.array(counted, np.int64).reshape(-1, 2)
        present = np.isin(counts[:, 0], key)
        result[np.searchsorted(key, counts[present, 0])] += counts[present, 1]
    return result


def ids_of(connection: Connection, keys: Sequence[int] | None = None) -> dict[int, str]:
    """Ids by key, including deleted documents: of all, or of ``keys``."""
    query = select(document_rows.c.key, document_rows.c.id)
    if keys is None:
        return {row.key: row.id for row in connection.execute(query)}
    ids: dict[int, str] = {}
    for some in batched(keys):
        part = query.where(document_rows.c.key.in_(some))
        ids.update((key, name) for key, name in connection.execute(part))
    return ids


def keys_of(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """Keys by id of the documents ``ids``, except deleted ones."""
    query = select(document_rows.c.id, document_rows.c.key).where(document_rows.c.deleted == "")
    keys: dict[str, int] = {}
    for some in batched(ids):
        keys.update((name, key) for name, key in connection.execute(query.where(document_rows.c.id.in_(some))))
    return keys


def current_ids(connection: Connection) -> frozenset[str]:
    """Ids of all documents that are not deleted."""
    return frozenset(connection.execute(select(document_rows.c.id).where(document_rows.c.deleted == "")).scalars())


def current_keys_in_order(connection: Connection) -> list[int]:
    """Keys of all documents that are not deleted, in their order."""
    query = select(document_rows.c.key).where(document_rows.c.deleted == "").order_by(document_rows.c.key)
    return list(connection.execute(query).scalars())


def replaced_keys(connection: Connection) -> dict[int, int]:
    """The present key of each document that was imported again with another text, by its former keys."""
    present = document_rows.alias()
    query = select(document_rows.c.key, present.c.key.label("present"))
    query = query.join(present, (present.c.id == document_rows.c.id) & (present.c.deleted == ""))
    return {row.key: row.present for row in connection.execute(query.where(document_rows.c.deleted != ""))}


def newest_key(connection: Connection) -> int:
    """Key of the document that was added last; 0 if there is none."""
    return connection.execute(select(func.max(document_rows.c.key))).scalar() or 0


def removed_keys(connection: Connection) -> frozenset[int]:
    """Keys of the documents that were removed from the project; runs keep their matches."""
    return frozenset(connection.execute(select(document_rows.c.key).where(document_rows.c.deleted != "")).scalars())


def keys_of_role(connection: Connection, role: Role, scope: Scope = EVERYTHING) -> list[int]:
    """Keys of the documents of ``scope`` with ``role`` that are not deleted."""
    query = select(document_rows.c.key).where(
        document_rows.c.role == role.value, document_rows.c.deleted == "", scope.condition()
    )
    return list(connection.execute(query.order_by(document_rows.c.key)).scalars())


def items_of(connection: Connection, keys: Sequence[int]) -> dict[int, DocumentItem]:
    """The documents of ``keys`` by key, including deleted ones (old runs refer to them)."""
    items: dict[int, DocumentItem] = {}
    for some in batched(keys):
        items |= {row.key: _item(row) for row in connection.execute(_ITEMS_OF, {"keys": some})}
    return items


def last_key(connection: Connection) -> int:
    """The highest key ever used; 0 if none was."""
    return connection.execute(select(func.max(document_rows.c.key))).scalar() or 0


def keys_with_id(connection: Connection, identity: str) -> list[int]:
    """The keys of all documents that ever had this id, the newest first."""
    query = select(document_rows.c.key).where(document_rows.c.id == identity)
    return list(connection.execute(query.order_by(document_rows.c.key.desc())).scalars())


def texts_of_page(connection: Connection, url: str) -> list[int]:
    """The keys of the documents of the page at ``url``, the newest first."""
    query = select(document_rows.c.key).where(document_rows.c.url == url, document_rows.c.deleted == "")
    return list(connection.execute(query.order_by(document_rows.c.key.desc())).scalars())


def text_numbers(connection: Connection) -> dict[int, int]:
    """The number of each document's text by key; equal texts have the same number."""
    query = select(document_rows.c.key, document_rows.c.text_id).where(document_rows.c.deleted == "")
    return {row.key: row.text_id for row in connection.execute(query)}


def addresses(connection: Connection, keys: Sequence[int] | None = None) -> dict[int, str]:
    """The addresses, by key, of the documents ``keys`` (including removed ones), or of all, that have one."""
    query = select(document_rows.c.key, shortened(document_rows.c.url)).where(document_rows.c.url != "")
    if keys is None:
        parts = [query.where(document_rows.c.deleted == "")]
    else:
        parts = [query.where(document_rows.c.key.in_(part)) for part in batched(keys)]
    return {row[0]: row[1] for part in parts for row in connection.execute(part)}


def titles_of_sites(connection: Connection, sites: Collection[str]) -> dict[str, list[str]]:
    """The titles of the documents of each of ``sites``, in key order."""
    titles: dict[str, list[str]] = {site: [] for site in sites}
    for part in batched(sorted(sites)):
        query = select(shortened(document_rows.c.site), shortened(document_rows.c.title)).order_by(document_rows.c.key)
        for row in connection.execute(query.where(document_rows.c.site.in_(part), document_rows.c.deleted == "")):
            titles[row[0]].append(row[1])
    return titles


def hashes_of(connection: Connection, keys: Sequence[int]) -> dict[int, bytes]:
    """The hash of the text of each document of ``keys``, including deleted ones, by key."""
    query = select(document_rows.c.key, text_rows.c.hash).join(text_rows, document_rows.c.text_id == text_rows.c.id)
    hashes: dict[int, bytes] = {}
    for some in batched(keys):
        hashes.update((key, text) for key, text in connection.execute(query.where(document_rows.c.key.in_(some))))
    return hashes


def text_hashes(connection: Connection) -> dict[str, bytes]:
    """The hash of each document's text by id."""
    query = select(document_rows.c.id, text_rows.c.hash).join(text_rows, document_rows.c.text_id == text_rows.c.id)
    return {row.id: row.hash for row in connection.execute(query.where(document_rows.c.deleted == ""))}
