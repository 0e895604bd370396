"""The pairs of a report, read one after another: their matches, grouped into passages, with the other documents of the
project that contain them; shared data are read once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, lengths
from workbench.base.progress import Progress
from workbench.base.types import Ints, Matches
from workbench.project.captures import captures_of_document
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.imports import imported_times
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.services.relations.earlier import Chain, earlier_sources
from workbench.services.reports.anonymous import Disguise
from workbench.services.reports.data import PairMatches, ReportDocument, ReportPair, report_pair
from workbench.services.review.by_hand import with_added
from workbench.services.review.common_phrases import PhraseHolders, phrase_holders
from workbench.services.review.pairs import PairRow
from workbench.services.review.passages import passages
from workbench.services.review.sides import matches_of_suspect, others_of
from workbench.services.review.verdicts import events_of
from workbench.services.session import Session


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The n ``matches`` of a report, pair by pair, passages in the order of the suspect, a passage's matches together.

    ``passage`` int64[n]: the number of each match's passage in its pair, from 0. ``others`` int64[n]: the number of
    other documents of the project with the match's text, by ``phrases``; it is a common phrase if that exceeds
    ``common_from``. ``earlier``: for each match, the documents that its source itself took the passage from.
    ``titles``: by key, of the documents with a common phrase and the earlier ones.
    """

    matches: Matches
    passage: Ints
    others: Ints
    common_from: int
    titles: Mapping[int, str]
    phrases: PhraseHolders
    earlier: Sequence[Chain]
    _places: Mapping[tuple[int, int], slice]

    def place(self, row: PairRow) -> slice:
        """The range of the matches of the pair ``row``."""
        return self._places.get((row.a, row.b), slice(0, 0))

    def passages_in(self, row: PairRow) -> int:
        """The number of passages of the pair."""
        of_pair = self.passage[self.place(row)]
        return int(of_pair[-1]) + 1 if len(of_pair) else 0

    def longest(self, row: PairRow) -> int:
        """The number of the suspect's characters in the longest match of the pair."""
        return int(lengths(self.matches.take(self.place(row)), A).max(initial=0))

    @property
    def common_passages(self) -> int:
        """The number of passages that are common phrases, at least in part."""
        common = self.others > self.common_from
        columns = (column[common] for column in (self.matches.a, self.matches.b, self.passage))
        return len(np.unique(np.column_stack(tuple(columns)), axis=0))


def read_findings(
    watcher: Progress, connection: Connection, run_id: int, rows: Sequence[PairRow], common_from: int
) -> Findings:
    """The matches of the pairs ``rows`` of a run. Raises Cancelled."""
    matches = _matches_of(connection, run_id, rows)
    matches = matches.take(np.lexsort((matches.b_start, matches.a_end, matches.a_start, matches.b, matches.a)))
    lead = passages(matches)
    order = np.argsort(lead, kind="stable")
    matches, lead = matches.take(order), lead[order]
    first = _changes(matches.a) | _changes(matches.b)
    number = np.cumsum(first | _changes(lead))
    begins = np.flatnonzero(first)
    edges = [*begins.tolist(), len(matches)]
    keys = zip(matches.a[begins].tolist(), matches.b[begins].tolist(), strict=True)
    places = {key: slice(*edges[at : at + 2]) for at, key in enumerate(keys)}
    passage: Ints = number - np.repeat(number[begins], np.diff(edges))
    phrases = phrase_holders(watcher, connection, matches)
    others = phrases.counts(matches)
    common = np.flatnonzero(others > common_from).tolist()
    among = [matches]
    if len(places) == 1:
        suspect = int(matches.a[0])
        among = [matches_of_suspect(connection, run_id, suspect, others_of(connection, run_id, suspect))]
    earlier = earlier_sources(connection, matches, among, watcher)
    named = {key for row in common for key in phrases.beside(matches, row)}
    items = items_of(connection, sorted(named | {link.key for links in earlier for link in links}))
    titles = {key: item.title or item.id for key, item in items.items()}
    return Findings(matches, passage, others, common_from, titles, phrases, earlier, places)


def _changes(column: Ints) -> NDArray[np.bool_]:
    """Where ``column`` differs from the previous row, bool[n]; including the first row."""
    changed = np.ones(len(column), np.bool_)
    changed[1:] = column[1:] != column[:-1]
    return changed


def _matches_of(connection: Connection, run_id: int, rows: Sequence[PairRow]) -> Matches:
    suspects, sources = {row.a for row in rows}, {row.b for row in rows}
    if len(suspects) > 1:
        return with_added(connection, run_id, match_columns(connection, run_id))
    a, b = next(iter(suspects), 0), next(iter(sources)) if len(sources) == 1 else None
    return matches_of_suspect(connection, run_id, a, [row.b for row in rows if row.other_side], b)


_KEPT = 1 << 26
"""Number of code points of documents cached for later pairs."""

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

        Raises ProjectError if one of its documents is damaged, Cancelled.
        """
        place = self._findings.place(row)
        matches = self._findings.matches.take(place)
        verdicts = self._verdicts.of(*row.as_compared)
        compared = matches.from_other_side() if row.other_side else matches
        judgements = verdicts.on(compared)[:most]
        passages = (compared.row(at) for at in range(len(judgements)))
        keys = (row.b, row.a) if row.other_side else (row.a, row.b)
        notes = [verdicts.notes(match.a_span, match.b_span, keys) for match in passages]
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
        earlier = self._findings.earlier[place] if self._disguise is None else [()] * len(judgements)
        others = self._findings.others[place]
        of_pair = self._findings.passage[place], judgements, histories, others, holders, notes, earlier
        return report_pair(number, a, b, PairMatches(matches, *of_pair), self._watcher)

    def _holders(self, at: int) -> tuple[str, ...]:
        """The documents that contain match ``at``, a common phrase; () for other matches and if names are replaced."""
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
    """A document and its identifying facts, under the names of ``disguise``. Raises ProjectError if it is damaged."""
    document = load_document(connection, key)
    imported = imported_times(connection, [document.key]).get(document.key, "")
    first = next(iter(captures_of_document(connection, document.key)), None)
    captured = ("", "") if first is None else (first.captured, first.body_hash.hex())
    facts = ReportDocument(document, document.content_hash.hex(), imported, *captured)
    return facts if disguise is None else disguise.document(facts)
