"""Stores parsed records in the project, one transaction per batch."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message
from workbench.base.tags import checked
from workbench.base.types import Document, Label, Role
from workbench.project import labels
from workbench.project.amendments import amendments
from workbench.project.database import Connection, Project
from workbench.project.documents import add_documents, delete_documents, earlier_versions
from workbench.project.imports import Parts, add_failures, finish_batch, ids_elsewhere, resolve_failures
from workbench.project.listing import DOCUMENT_LABELS
from workbench.reading.formats import Failure, Record
from workbench.services.labels.definitions import as_called, known_values
from workbench.services.labels.targets import IMPORTED

_BATCH_SECONDS = 0.5
_BATCH_CHARACTERS = 4_000_000
_LABEL_SETS = {"label": DOCUMENT_LABELS}
_NAMED = 5
"""Number of documents named in a sentence about several."""


def some_of(ids: Sequence[str]) -> str:
    """The first of ``ids``."""
    return ", ".join(ids[:_NAMED]) + (" …" if len(ids) > _NAMED else "")


def in_other_roles(kept: Mapping[str, str]) -> Iterator[Message]:
    """Sentences about documents that were given another role than the one they ``kept``, by id."""
    for role in sorted(set(kept.values())):
        ids = [identity for identity, stays in kept.items() if stays == role]
        yield Message(
            "Already in the project as {role}, and kept in that role ({count}): {names}. To change it, use Documents, "
            "or palimpsest tags on the command line.",
            role=Message(role),
            count=f"{len(ids):,}",
            names=some_of(ids),
        )


@contextmanager
def batch_ended(project: Project, batch: int) -> Iterator[None]:
    """Records how the batch ended: done, cancelled, or with which error. After a bug it counts as interrupted."""
    try:
        yield
    except (Cancelled, UserError) as error:
        with project.write() as connection:
            finish_batch(connection, batch, Message("cancelled") if isinstance(error, Cancelled) else error.sentence)
        raise
    with project.write() as connection:
        finish_batch(connection, batch)


class Store:
    """Collects records, writes them in batches, and counts the outcomes."""

    def __init__(
        self,
        batch_id: int,
        role: Role | None,
        titles: Mapping[str, str] | None = None,
        tags: tuple[str, ...] = (),
        *,
        update: bool = False,
        version_of: str = "",
    ) -> None:
        """``role`` applies to records that do not have one (None: source); ``titles`` overrides titles, by id; ``tags``
        are added.

        ``update``: a changed text becomes a new version, in the same role, of the document from the same place, or with
        the id that its row gives. ``version_of``: the one text becomes a new version of the document with this id.
        """
        self._titles = titles or {}
        self._tags = tags
        self._batch = batch_id
        self._role = role
        self._update = update
        self._version_of = version_of
        self._has_version = False
        self._same: set[int] = set()
        """Keys of documents of which an input is a version already: another input does not replace them."""
        self._parts: dict[str, Parts] = {}
        self._items: list[Record | Failure] = []
        self._characters = 0
        self._last = time.monotonic()
        self._known_labels: dict[str, dict[str, str]] = {}
        self._values: dict[str, list[str]] = {}
        self._former: dict[str, Mapping[str, str]] = {}
        self.imported = 0
        self.duplicates = 0
        self.failed: list[Failure] = []
        self.sites: set[str] = set()
        """Sites of the pages seen, whether stored before or now: repeated blocks must be searched for again."""
        self.kept: dict[str, str] = {}
        self.earlier: dict[str, str] = {}
        """See AddResult."""
        self.clashes: list[str] = []
        """Ids of rows that are the ids of other texts in the project."""
        self.replaced: list[int] = []
        """Keys of the documents that new versions took the place of."""

    def extend(self, items: Iterable[Record | Failure]) -> None:
        """Add records and failures, in order."""
        for item in items:
            self._items.append(item)
            if isinstance(item, Record):
                self._characters += len(item.document.text) + len(item.document.original)

    def is_due(self) -> bool:
        """Whether enough has been collected for a transaction."""
        waited = time.monotonic() - self._last
        return self._characters >= _BATCH_CHARACTERS or (waited >= _BATCH_SECONDS and bool(self._items))

    def commit(self, connection: Connection) -> None:
        """Write what was collected: documents, their labels and the failures in one transaction."""
        documents, versions = self._versions(connection)
        # Versions come first: other documents could take their ids.
        others = set(range(len(documents))).difference(versions)
        order = [*versions, *(at for at in sorted(others) if documents[at] is not None)]
        fixed = {d.id for at in versions if (d := documents[at]) is not None}
        present = (d for at in order if (d := documents[at]) is not None)
        result = add_documents(connection, present, self._batch, fixed)
        ids, reasons = dict(zip(order, result.ids, strict=True)), iter(result.failures)
        errors = {at: next(reasons)[1] for at in order if not ids[at]}
        refused: list[Failure] = []
        stored: list[tuple[Record, str]] = []
        at = -1
        for item in self._items:
            if isinstance(item, Failure):
                refused.append(item)
                continue
            at += 1
            if documents[at] is None:
                self.duplicates += 1
            elif ids[at]:
                stored.append((item, ids[at]))
            else:
                refused.append(Failure(_place(item), errors[at]))
                if item.id is not None:
                    self.clashes.append(item.id)
        self.sites.update(record.document.site for record, _ in stored if record.document.blocks)
        self._label(connection, stored, {ids[at] for at in versions})
        add_failures(connection, self._batch, [(f.path, f.error) for f in refused])
        places = [_place(record) for record, _ in stored]
        resolve_failures(connection, places)
        # This import may have read an archive or a table up to a damaged part only: that is a failure of its own.
        resolve_failures(connection, sorted({whole for place in places for whole in _wholes(place)}), self._batch)
        self.imported += result.added
        self.duplicates += result.duplicates
        with_role = {identity for record, identity in stored if (record.role or self._role) is not None}
        self.kept.update({identity: role for identity, role in result.kept.items() if identity in with_role})
        self.earlier.update(result.earlier)
        self.failed.extend(refused)
        self._items, self._characters = [], 0
        self._last = time.monotonic()

    def _versions(self, connection: Connection) -> tuple[list[Document | None], list[int]]:
        """The documents of the records, and which of them are new versions. Those of which they are versions are marked
        as deleted: the new ones have their ids, roles and tags, and verdicts follow. None: an earlier version that is
        not the present one.
        """
        if self._version_of:
            self._refuse_others()
        records = [item for item in self._items if isinstance(item, Record)]
        documents: list[Document | None] = [self._document(record) for record in records]
        if not self._version_of:
            present = [document for document in documents if document is not None]
            for at, identity in ids_elsewhere(connection, present, self._parts, self._batch).items():
                documents[at] = replace(present[at], id=identity)
        if not self._update and not self._version_of:
            return documents, []
        sought = [replace(d, id=self._version_of) if self._version_of else d for d in documents if d is not None]
        named = {at for at, record in enumerate(records) if record.id is not None or self._version_of}
        earlier_ones = earlier_versions(connection, sought, named, self._batch)
        self._same.update(earlier.key for earlier in earlier_ones if earlier is not None and earlier.is_same)
        replaced: dict[int, int] = {}
        for at, earlier in enumerate(earlier_ones):
            if earlier is None:
                continue
            role = records[at].role or earlier.role
            if self._role not in (None, role):
                self.kept[earlier.id] = role.value
            if earlier.is_same:
                documents[at] = replace(sought[at], id=earlier.id, role=role) if earlier.is_present else None
            elif earlier.key not in replaced and earlier.key not in self._same:
                tags = checked((*earlier.tags, *sought[at].tags))
                documents[at] = replace(sought[at], id=earlier.id, role=role, tags=tags)
                replaced[earlier.key] = at
        delete_documents(connection, sorted(replaced))
        self.replaced += sorted(replaced)
        return documents, list(replaced.values())

    def _refuse_others(self) -> None:
        """Keep the first record only: the new version."""
        for at, item in enumerate(self._items):
            if isinstance(item, Record) and self._has_version:
                reason = Message("Only one text can become the new version of {id}.", id=self._version_of)
                self._items[at] = Failure(_place(item), reason)
            elif isinstance(item, Record):
                self._has_version = True

    def _document(self, record: Record) -> Document:
        document = record.document
        title, role = self._titles.get(document.id, document.title), record.role or self._role or Role.SOURCE
        tags = checked((*document.tags, *self._tags)) if self._tags else document.tags
        if (title, role, tags) == (document.title, document.role, document.tags):
            return document
        return replace(document, role=role, title=title, tags=tags)

    def _label(self, connection: Connection, stored: Iterable[tuple[Record, str]], changed: Collection[str]) -> None:
        """Append the rows' labels, unless they were imported before, or somebody gave them: the same file imported
        again does not override what people decided since. Those of the ids ``changed`` are about their new texts.
        Values are spelled as in their set.
        """
        fresh = []
        for record, identity in stored:
            for field, value in record.labels:
                name = _LABEL_SETS.get(field, field)
                if name not in self._known_labels:
                    self._known_labels[name] = labels.known_values(connection, name, IMPORTED)
                    self._values[name] = known_values(connection, name)
                    self._former[name] = amendments(connection).names.get(name, {})
                known = self._known_labels[name]
                value = as_called(value, self._values[name], self._former[name]) or value
                target = f"document:{identity}"
                if identity in changed or value != known.get(target):
                    known[target] = value
                    fresh.append(Label(target, value, IMPORTED, "", label_set=name))
        if fresh:
            labels.add_labels(connection, fresh)


def _place(record: Record) -> str:
    """The origin of a record, in the form used in failures."""
    return record.document.id if record.id is None else record.document.origin


_ROW = re.compile(r":\d+$")


def _wholes(place: str) -> list[str]:
    """The table and the archives that the input at ``place`` is a part of."""
    parts = place.split("!")
    archives = ["!".join(parts[:at]) for at in range(1, len(parts))]
    return [*archives, _ROW.sub("", place)] if _ROW.search(place) else archives
