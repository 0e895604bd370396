"""Tags of documents: listing, adding and removing them, and choosing documents by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, false, func, or_, select, true, update

from workbench.base.tags import ALL, SEPARATOR, ByTag, TagFilter, checked
from workbench.base.types import Role
from workbench.project.batches import batched
from workbench.project.damaged_rows import shortened
from workbench.project.tables import document_rows


def to_column(tags: Iterable[str]) -> str:
    """The stored form of tags. Raises ParameterError for invalid tags."""
    names = checked(tags)
    return f"{SEPARATOR}{SEPARATOR.join(names)}{SEPARATOR}" if names else ""


def from_column(stored: str) -> tuple[str, ...]:
    """The tags of a document from their stored form."""
    return tuple(name for name in stored.split(SEPARATOR) if name)


@dataclass(frozen=True, slots=True)
class Scope:
    """The documents that a run examines: suspects chosen by one tag filter, sources and background by another."""

    suspects: TagFilter = ALL
    others: TagFilter = ALL

    def __bool__(self) -> bool:
        """Whether it can exclude any document."""
        return bool(self.suspects or self.others)

    def condition(self) -> ColumnElement[bool]:
        """The SQL condition for the rows of these documents."""
        suspect = document_rows.c.role == Role.SUSPECT.value
        return or_(and_(suspect, _passes(self.suspects)), and_(~suspect, _passes(self.others)))


EVERYTHING = Scope()


def _passes(chosen: TagFilter) -> ColumnElement[bool]:
    has = [_has(tag) for tag in sorted(chosen.wanted)]
    lacks = [~_has(tag) for tag in sorted(chosen.unwanted)]
    return and_(true(), *lacks, *([or_(*has)] if has else []))


def _has(tag: str) -> ColumnElement[bool]:
    return func.instr(document_rows.c.tags, f"{SEPARATOR}{tag}{SEPARATOR}") > 0


def keys_passing(connection: Connection, chosen: TagFilter) -> ByTag[int]:
    """Keys of the documents by their tags, including deleted ones (old runs refer to them)."""

    def keys(passing: ColumnElement[bool]) -> frozenset[int]:
        return frozenset(connection.execute(select(document_rows.c.key).where(passing)).scalars())

    return ByTag(keys(_passes(chosen)), keys(or_(false(), *map(_has, sorted(chosen.unwanted)))))


def tag_counts(connection: Connection) -> dict[str, int]:
    """Number of documents by tag, in alphabetical order."""
    query = select(shortened(document_rows.c.tags)).where(document_rows.c.deleted == "", document_rows.c.tags != "")
    counts = Counter(tag for stored in connection.execute(query).scalars() for tag in from_column(stored))
    return dict(sorted(counts.items()))


def tags_by_id(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Tags of the documents that have any, by id."""
    query = select(document_rows.c.id, shortened(document_rows.c.tags)).where(
        document_rows.c.deleted == "", document_rows.c.tags != ""
    )
    return {name: from_column(stored) for name, stored in connection.execute(query)}


def tags_by_key(connection: Connection) -> dict[int, tuple[str, ...]]:
    """Tags of the documents that have any, by key, including deleted ones (old runs still refer to them)."""
    query = select(document_rows.c.key, shortened(document_rows.c.tags)).where(document_rows.c.tags != "")
    return {key: from_column(stored) for key, stored in connection.execute(query).all()}


def removed_tags_by_id(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Tags that a person removed from documents, and that are not there again, by id."""
    query = select(document_rows.c.id, shortened(document_rows.c.untagged)).where(
        document_rows.c.deleted == "", document_rows.c.untagged != ""
    )
    return {name: from_column(stored) for name, stored in connection.execute(query)}


def note_removed_tags(connection: Connection, before: Mapping[int, Sequence[str]]) -> None:
    """Record the tags of ``before`` (by key) that documents no longer have as removed by a person, those that they have
    as not removed.
    """
    for part in batched(list(before)):
        columns = (document_rows.c.key, shortened(document_rows.c.tags), shortened(document_rows.c.untagged))
        for key, tags, untagged in connection.execute(select(*columns).where(document_rows.c.key.in_(part))).all():
            removed = {*from_column(untagged), *before[key]} - {*from_column(tags)}
            stored = f"{SEPARATOR}{SEPARATOR.join(sorted(removed))}{SEPARATOR}" if removed else ""
            if stored != untagged:
                connection.execute(update(document_rows).where(document_rows.c.key == key).values(untagged=stored))


def attach_tags(connection: Connection, keys: Sequence[int], tags: Iterable[str]) -> dict[int, tuple[str, ...]]:
    """Add ``tags`` to documents. Returns the previous tags of the changed ones, by key. Raises ParameterError."""
    added = checked(tags)
    return _changed(connection, keys, lambda present: {*present, *added})


def detach_tags(connection: Connection, keys: Sequence[int], tags: Iterable[str]) -> dict[int, tuple[str, ...]]:
    """Remove ``tags`` from documents. Returns the previous tags of the changed ones, by key."""
    removed = set(tags)
    return _changed(connection, keys, lambda present: {*present} - removed)


def give_back(
    connection: Connection, before: Mapping[int, Sequence[str]], added: Iterable[str], removed: Iterable[str]
) -> None:
    """Undo that tags were ``added`` to documents with the tags ``before`` (by key), and others ``removed``; what anyone
    has changed besides since then stays.
    """
    added, removed = {*added}, {*removed}
    for part in batched(list(before)):
        query = select(document_rows.c.key, shortened(document_rows.c.tags)).where(document_rows.c.key.in_(part))
        for key, stored in connection.execute(query).all():
            own = {*before[key]}
            tags = ({*from_column(stored)} - (added - own)) | (removed & own)
            connection.execute(update(document_rows).where(document_rows.c.key == key).values(tags=to_column(tags)))


def _changed(
    connection: Connection, keys: Sequence[int], after: Callable[[tuple[str, ...]], set[str]]
) -> dict[int, tuple[str, ...]]:
    """Change the tags of documents; documents with equal tags are written together."""
    before: dict[int, tuple[str, ...]] = {}
    alike: dict[str, list[int]] = {}
    for part in batched(keys):
        query = select(document_rows.c.key, shortened(document_rows.c.tags)).where(document_rows.c.key.in_(part))
        for key, stored in connection.execute(query):
            present = from_column(stored)
            column = to_column(after(present))
            if column != to_column(present):
                before[key] = present
                alike.setdefault(column, []).append(key)
    for column, some in alike.items():
        for part in batched(some):
            connection.execute(update(document_rows).where(document_rows.c.key.in_(part)).values(tags=column))
    return before
