"""Context for judging an entry: which parts occur elsewhere, and how it was captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.base.types import Document, Run, Span
from workbench.methods.core import registry
from workbench.project.captures import captures_of_document
from workbench.project.documents import load_document
from workbench.project.matches import matches_of
from workbench.project.runs import by_weight
from workbench.services.labels.label_state import Item
from workbench.services.session import Session

DOCUMENT_FREQUENCY = "df"
"""The evidence of a match with the number of documents that contain its string."""


@dataclass(frozen=True, slots=True)
class CopiedString:
    """A string of the entry that occurs in ``documents`` documents, including this one."""

    span: Span
    documents: int


@dataclass(frozen=True, slots=True)
class Captured:
    """When and from where a page was captured (ISO 8601 in UTC), and the answer's status."""

    when: str
    url: str
    status: int


@dataclass(frozen=True, slots=True)
class EntryContext:
    """The copied strings of an entry according to ``run`` (0: no run), and its captures."""

    run: int = 0
    strings: tuple[CopiedString, ...] = ()
    captures: tuple[Captured, ...] = ()


def string_run(every: Sequence[Run]) -> Run | None:
    """The first run of ``every``, by weight, that counts the documents in which a string occurs."""
    return next((run for run in by_weight(every) if run.matches and _counts_documents(run)), None)


def _counts_documents(run: Run) -> bool:
    return run.method in registry.names() and {"scores", "matches"} <= registry.get(run.method).emits


def read_entry(item: Item) -> Callable[[Session], tuple[Document, ...]]:
    """A query for the documents of ``item``: one, or the two of a pair or passage."""

    def read(session: Session) -> tuple[Document, ...]:
        with session.read() as connection:
            return tuple(load_document(connection, key) for key in (item.a, item.b) if key)

    return read


def read_entry_context(item: Item, run: Run | None) -> Callable[[Session], EntryContext]:
    """A query for the context of ``item``, a single document."""

    def read(session: Session) -> EntryContext:
        with session.read() as connection:
            captures = [
                Captured(c.captured, c.final_url or c.url, c.status) for c in captures_of_document(connection, item.a)
            ]
            if run is None:
                return EntryContext(captures=tuple(captures))
            matches = matches_of(connection, run.id, a=item.a)
        counts = matches.evidence.get(DOCUMENT_FREQUENCY)
        if counts is None:
            # The run has no match in this entry.
            return EntryContext(run.id, captures=tuple(captures))
        spans = zip(matches.a_start.tolist(), matches.a_end.tolist(), counts.tolist(), strict=True)
        strings = {CopiedString(Span(start, end), int(documents)) for start, end, documents in spans}
        return EntryContext(run.id, tuple(sorted(strings, key=lambda s: s.span)), tuple(captures))

    return read
