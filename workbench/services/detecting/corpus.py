"""A project's documents in the form methods use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.base.tags import TagFilter
from workbench.base.types import Document, Role, Run
from workbench.methods.core import registry
from workbench.methods.core.api import Method, Parameters, with_default_comparison
from workbench.project.database import Connection
from workbench.project.documents import count_documents, iter_documents
from workbench.project.run_documents import documents_since
from workbench.project.tags import EVERYTHING, Scope


class ProjectCorpus:
    """Implements :class:`workbench.methods.core.api.Corpus` for the documents of ``scope`` with keys above ``after``,
    in one snapshot of a project.
    """

    def __init__(self, connection: Connection, scope: Scope = EVERYTHING, after: int = 0) -> None:
        self._connection = connection
        self._scope = scope
        self._after = after

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles`` (all roles if none is named)."""
        return count_documents(self._connection, roles, self._scope, self._after)

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all if none is named), in key order, a few in memory at a time."""
        return iter_documents(self._connection, roles, self._after, self._scope)


def settled(connection: Connection, method: Method, parameters: Mapping[str, Any], further: int = 0) -> Parameters:
    """``parameters`` as they apply to the project's documents and ``further`` suspects. Raises ParameterError."""
    # If tags leave one side empty, the other must not be compared with itself.
    corpus = ProjectCorpus(connection)
    sources, suspects = corpus.count(Role.SOURCE), corpus.count(Role.SUSPECT) + further
    return method.parameters.parse(with_default_comparison(method.parameters, parameters, sources, suspects))


def scope_of(parameters: Parameters) -> Scope:
    """The documents that a detection with these parameters covers."""
    return Scope(TagFilter.parse(parameters.suspect_tags), TagFilter.parse(parameters.source_tags))


def scope_of_run(run: Run) -> Scope:
    """The documents that ``run`` covers, by their current tags; all for runs older than tags."""
    chosen = (str(run.parameters.get(name, "")) for name in ("suspect_tags", "source_tags"))
    return Scope(*map(TagFilter.parse, chosen))


def not_examined(connection: Connection, run: Run) -> int:
    """Number of documents that ``run`` would be applied to but was not; 0 if its scores were imported."""
    return 0 if registry.is_imported(run.method) else documents_since(connection, run, scope_of_run(run))


def characters(connection: Connection, roles: Sequence[Role], scope: Scope = EVERYTHING) -> list[tuple[int, int]]:
    """(key, length in code points) of the documents of ``scope`` in ``roles``, in key order."""
    from workbench.project.listing import documents_page

    lengths: list[tuple[int, int]] = []
    after = 0
    while page := documents_page(connection, after_key=after, limit=5_000, roles=roles, scope=scope):
        lengths.extend((item.key, item.length) for item in page)
        after = page[-1].key
    return lengths
