"""The pairs of a report, read one after another; shared data are read once."""

from __future__ import annotations

from collections import OrderedDict

from workbench.base.progress import Progress
from workbench.project.captures import captures_of_document
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.imports import imported_times
from workbench.services.reports.anonymous import Disguise
from workbench.services.reports.data import PairMatches, ReportDocument, ReportPair, report_pair
from workbench.services.reports.findings import Findings
from workbench.services.review.pairs import PairRow
from workbench.services.review.verdicts import events_of
from workbench.services.session import Session

_KEPT = 1 << 26
"""Code points of documents that are kept for the pairs that follow."""

_MOST_DOCUMENTS = 10_000


class PairReader:
    """Reads the pairs of a report, in any order, in time linear in their passages.

    The findings, the verdicts and some documents are in memory.
    """

    def __init__(
        self, session: Session, findings: Findings, watcher: Progress, disguise: Disguise | None = None
    ) -> None:
        self._session, self._findings, self._watcher, self._disguise = session, findings, watcher, disguise
        self._documents: OrderedDict[int, ReportDocument] = OrderedDict()
        self._characters = 0
        with session.read() as connection:
            self._verdicts = session.verdicts.follow(connection)

    def read(self, number: int, row: PairRow, most: int | None = None) -> ReportPair:
        """The pair with its passages in the order of the suspect, or the first ``most`` of their matches.

        Raises ProjectError where one of its documents is damaged, Cancelled.
        """
        place = self._findings.place(row)
        matches = self._findings.matches.take(place)
        verdicts = self._verdicts.of(*row.as_compared)
        compared = matches.from_other_side() if row.other_side else matches
        judgements = verdicts.on(compared)[:most]
        passages = (compared.row(at) for at in range(len(judgements)))
        notes = [verdicts.notes(match.a_span, match.b_span) for match in passages]
        with self._session.read() as connection:
            a, b = self._document(connection, row.a), self._document(connection, row.b)
            histories = [[] if judgement is None else events_of(connection, judgement) for judgement in judgements]
        if self._disguise is not None:
            judgements = tuple(
                None if judgement is None else self._disguise.judgement(judgement) for judgement in judgements
            )
            histories = [[self._disguise.label(event) for event in events] for events in histories]
            notes = [tuple(map(self._disguise.label, of_passage)) for of_passage in notes]
        holders = [self._holders(at) for at in range(place.start, place.start + len(judgements))]
        of_pair = self._findings.passage[place], judgements, histories, self._findings.others[place], holders, notes
        return report_pair(number, a, b, PairMatches(matches, *of_pair), self._watcher)

    def _holders(self, at: int) -> tuple[str, ...]:
        """The documents that hold match ``at``, a common phrase; () for any other, and where names are replaced."""
        findings = self._findings
        if self._disguise is not None or findings.others[at] <= findings.common_from:
            return ()
        return tuple(findings.titles[key] for key in findings.phrases.beside(findings.matches, at))

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


def document_facts(connection: Connection, key: int, disguise: Disguise | None = None) -> ReportDocument:
    """A document and what identifies it, under the names of ``disguise``. Raises ProjectError where it is damaged."""
    document = load_document(connection, key)
    imported = imported_times(connection, [document.key]).get(document.key, "")
    first = next(iter(captures_of_document(connection, document.key)), None)
    captured = ("", "") if first is None else (first.captured, first.body_hash.hex())
    facts = ReportDocument(document, document.content_hash.hex(), imported, *captured)
    return facts if disguise is None else disguise.document(facts)
