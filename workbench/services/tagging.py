"""Tags and roles of documents: listing and changing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.tags import TagFilter, checked
from workbench.base.types import Role
from workbench.project.database import Connection
from workbench.project.documents import change_role
from workbench.project.listing import current_ids, keys_of
from workbench.project.tags import (
    attach_tags,
    detach_tags,
    give_back,
    note_removed_tags,
    tag_counts,
    tags_by_id,
    tags_by_key,
)
from workbench.services.session import Session


def tags(session: Session) -> dict[str, int]:
    """Number of documents by tag, in alphabetical order."""
    with session.read() as connection:
        return tag_counts(connection)


def tagged(session: Session, chosen: str) -> dict[str, tuple[str, ...]]:
    """Tags by id of the documents that have any and pass the filter ``chosen`` (see :class:`TagFilter`); with a filter
    that only excludes tags, also of those without tags.
    """
    wanted = TagFilter.parse(chosen)
    with session.read() as connection:
        by_id = tags_by_id(connection)
        names = sorted(current_ids(connection)) if wanted and not wanted.wanted else by_id
        return {name: own for name in names if wanted.accepts(own := by_id.get(name, ()))}


def document_tags(session: Session) -> dict[int, tuple[str, ...]]:
    """Tags by key of the documents that have any."""
    with session.read() as connection:
        return tags_by_key(connection)


def no_such_tags(connection: Connection) -> UserError:
    """The error for a filter that no document passes; it names the tags that documents have."""
    tags = ", ".join(tag_counts(connection)) or Message("none")
    return UserError(Message("No document has the chosen tags."), hint=Message("Available: {tags}.", tags=tags))


def change_tags(
    session: Session, keys: Sequence[int], added: Sequence[str], removed: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    """Add tags to documents, and remove others. Returns the previous tags of each changed document, by key.

    Raises ParameterError for an invalid tag.
    """
    with session.write() as connection:
        before = detach_tags(connection, keys, removed)
        # Undo restores a document's first tags.
        before = attach_tags(connection, keys, checked(added)) | before
        note_removed_tags(connection, before)
        return before


def restore_tags(
    session: Session, before: Mapping[int, Sequence[str]], added: Sequence[str], removed: Sequence[str]
) -> None:
    """Undo :func:`change_tags`, which returned ``before``; other tags that were changed since then stay."""
    with session.write() as connection:
        give_back(connection, before, checked(added), removed)
        note_removed_tags(connection, {key: [tag for tag in tags if tag in removed] for key, tags in before.items()})


def change_tags_of(session: Session, ids: Sequence[str], added: Sequence[str], removed: Sequence[str]) -> int:
    """:func:`change_tags` by document ids; returns the number changed. Raises UserError for an unknown one."""
    return len(change_tags(session, list(_keys(session, ids).values()), added, removed))


def change_roles_of(session: Session, ids: Sequence[str], role: Role) -> dict[Role, list[str]]:
    """Give documents ``role``; runs keep their matches. Returns the ids of those that had another by their previous
    role. Raises UserError for an unknown one.
    """
    names = {key: name for name, key in _keys(session, ids).items()}
    with session.write() as connection:
        before = change_role(connection, list(names), role)
    return {former: sorted(names[key] for key in keys) for former, keys in before.items()}


def _keys(session: Session, ids: Sequence[str]) -> dict[str, int]:
    with session.read() as connection:
        known = keys_of(connection, ids)
    for name in ids:
        if name not in known:
            raise UserError(Message("There is no document {id} in this project.", id=name))
    return known
