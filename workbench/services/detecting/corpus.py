"""A project's documents in the form methods use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.base.types import Document, Role
from workbench.project.database import Connection
from workbench.project.documents import count_documents, iter_documents


class ProjectCorpus:
    """Implements :class:`workbench.methods.core.api.Corpus` on one snapshot of a project."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles`` (all roles if none is named)."""
        return count_documents(self._connection, roles)

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all if none is named), in key order, a few in memory at a time."""
        return iter_documents(self._connection, roles)


def characters(connection: Connection, roles: Sequence[Role]) -> list[tuple[int, int]]:
    """(key, length in code points) of the documents in ``roles``, in key order."""
    from workbench.project.listing import documents_page

    lengths: list[tuple[int, int]] = []
    after = 0
    while page := documents_page(connection, after_key=after, limit=5_000, roles=roles):
        lengths.extend((item.key, item.length) for item in page)
        after = page[-1].key
    return lengths
