"""The pairs of a report, read one after another: what they share is read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from workbench.base.progress import Watcher
from workbench.base.types import Matches, Run
from workbench.project.captures import captures_of_document
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.imports import imported_times
from workbench.project.matches import match_columns, matches_of
from workbench.services.reports.anonymous import Disguise
from workbench.services.reports.data import ReportDocument, ReportPair, report_pair
from workbench.services.review.by_hand import with_added
from workbench.services.review.pairs import PairRow
from workbench.services.review.verdicts import events_of
from workbench.services.session import Session

_KEPT = 1 << 26
"""Code points of documents that are kept for the pairs that follow."""

_MOST_DOCUMENTS = 10_000


class PairReader:
    """Reads the pairs ``rows`` of a run, in any order, in time linear in their passages.

    Memory holds the columns of the chosen passages, the verdicts, and some documents.
    """

    def __init__(
        self, session: Session, run: Run, rows: Sequence[PairRow], watcher: Watcher, disguise: Disguise | None = None
    ) -> None:
        self._session, self._watcher, self._disguise = session, watcher, disguise
        self._documents: OrderedDict[int, ReportDocument] = OrderedDict()
        self._characters = 0
        with session.read() as connection:
            matches = _matches_of(connection, run.id, rows)
            self._verdicts = session.verdicts.follow(connection)
        self._matches = matches.take(
            np.lexsort((matches.b_start, matches.a_end, matches.a_start, matches.b, matches.a))
        )
        change = (np.diff(self._matches.a) != 0) | (np.diff(self._matches.b) != 0)
        first = np.concatenate((np.zeros(min(1, len(matches)), np.int64), np.flatnonzero(change) + 1))
        keys = zip(self._matches.a[first].tolist(), self._matches.b[first].tolist(), strict=True)
        edges = [*first.tolist(), len(matches)]
        self._places = {key: slice(*edges[number : number + 2]) for number, key in enumerate(keys)}

    def read(self, number: int, row: PairRow, most: int | None = None) -> ReportPair:
        """The pair with its passages in the order of the suspect, or the first ``most`` of them.

        Raises ProjectError where one of its documents is damaged, Cancelled.
        """
        matches = self._matches.take(self._places.get((row.a, row.b), slice(0)))
        judgements = self._verdicts.of(row.a_id, row.b_id).on(matches)[:most]
        with self._session.read() as connection:
            a, b = self._document(connection, row.a), self._document(connection, row.b)
            histories = [[] if judgement is None else events_of(connection, judgement) for judgement in judgements]
        if self._disguise is not None:
            judgements = tuple(
                None if judgement is None else self._disguise.judgement(judgement) for judgement in judgements
            )
            histories = [[self._disguise.label(event) for event in events] for events in histories]
        return report_pair(number, a, b, matches, judgements, histories, self._watcher)

    def _document(self, connection: Connection, key: int) -> ReportDocument:
        facts = self._documents.pop(key, None)
        if facts is None:
            facts = document_facts(connection, key, self._disguise)
            self._characters += len(facts.document.text)
        self._documents[key] = facts
        while len(self._documents) > 2 and (self._characters > _KEPT or len(self._documents) > _MOST_DOCUMENTS):
            _, oldest = self._documents.popitem(last=False)
            self._characters -= len(oldest.document.text)
        return facts


def _matches_of(connection: Connection, run_id: int, rows: Sequence[PairRow]) -> Matches:
    suspects, sources = {row.a for row in rows}, {row.b for row in rows}
    if len(suspects) > 1:
        return with_added(connection, run_id, match_columns(connection, run_id))
    a, b = next(iter(suspects), 0), next(iter(sources)) if len(sources) == 1 else None
    return with_added(connection, run_id, matches_of(connection, run_id, a=a, b=b), a, b)


def document_facts(connection: Connection, key: int, disguise: Disguise | None = None) -> ReportDocument:
    """A document and what identifies it, under the names of ``disguise``. Raises ProjectError where it is damaged."""
    document = load_document(connection, key)
    imported = imported_times(connection, [document.key]).get(document.key, "")
    first = next(iter(captures_of_document(connection, document.key)), None)
    captured = ("", "") if first is None else (first.captured, first.body_hash.hex())
    facts = ReportDocument(document, document.content_hash.hex(), imported, *captured)
    return facts if disguise is None else disguise.document(facts)
