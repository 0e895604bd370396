"""The matches that a report is about, as passages, with the other documents of the project that contain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.base.types import Ints, Matches
from workbench.project.database import Connection
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.services.review.by_hand import with_added
from workbench.services.review.common_phrases import PhraseHolders, phrase_holders
from workbench.services.review.pairs import PairRow
from workbench.services.review.passages import passages
from workbench.services.review.sides import matches_of_suspect


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The n ``matches`` of a report, pair by pair, passages in the order of the suspect, a passage's matches together.

    ``passage`` int64[n]: the number of each match's passage in its pair, from 0. ``others`` int64[n]: how many other
    documents of the project, beside the pair, hold the match's text, by ``phrases``; it is a common phrase where they
    are more than ``common_from``. ``titles`` are those of the documents that hold a common phrase, by key.
    """

    matches: Matches
    passage: Ints
    others: Ints
    common_from: int
    titles: Mapping[int, str]
    phrases: PhraseHolders
    _places: Mapping[tuple[int, int], slice]

    def place(self, row: PairRow) -> slice:
        """Where the matches of the pair ``row`` lie."""
        return self._places.get((row.a, row.b), slice(0, 0))

    def passages_in(self, row: PairRow) -> int:
        """How many passages the pair has."""
        of_pair = self.passage[self.place(row)]
        return int(of_pair[-1]) + 1 if len(of_pair) else 0

    @property
    def common_passages(self) -> int:
        """How many passages are common phrases, at least in part."""
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
    items = items_of(connection, sorted({key for row in common for key in phrases.beside(matches, row)}))
    titles = {key: item.title or item.id for key, item in items.items()}
    return Findings(matches, passage, others, common_from, titles, phrases, places)


def _changes(column: Ints) -> NDArray[np.bool_]:
    """Where ``column`` has another value than before, bool[n]; its first row counts as such."""
    changed = np.ones(len(column), np.bool_)
    changed[1:] = column[1:] != column[:-1]
    return changed


def _matches_of(connection: Connection, run_id: int, rows: Sequence[PairRow]) -> Matches:
    suspects, sources = {row.a for row in rows}, {row.b for row in rows}
    if len(suspects) > 1:
        return with_added(connection, run_id, match_columns(connection, run_id))
    a, b = next(iter(suspects), 0), next(iter(sources)) if len(sources) == 1 else None
    return matches_of_suspect(connection, run_id, a, [row.b for row in rows if row.other_side], b)
