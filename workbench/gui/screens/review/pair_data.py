"""A pair as data, read off the window's thread, with all passages of its suspect in the order of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, B, covered
from workbench.base.evidence import is_translation
from workbench.base.locators import Places
from workbench.base.types import Document, Ints, Match, Matches, Region, Run, Span
from workbench.gui.document.alignment import Alignment
from workbench.gui.document.layout import DocumentLayout, laid_out
from workbench.services.records import Pair, is_whole
from workbench.services.review.differences import Edit, differences, differing
from workbench.services.review.judged_text import digest
from workbench.services.review.judgement import Judgement, Reviewer
from workbench.services.review.pairs import RankedSource, open_suspect, text_order
from workbench.services.review.passages import passages, places_of
from workbench.services.review.verdicts import Unit
from workbench.services.review.word_marks import outside
from workbench.services.session import Session

FIRST, LAST = -1, -2
"""Used instead of a match's number: the first or last match shown."""
Limits = tuple[int, int, int, int]
"""Start and end of a match in the suspect and in the source, which identify it across sessions."""
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PairData:
    """A suspect with one of its sources open. ``matches`` are the pair's, in order of the suspect.

    ``judgements`` are parallel to them. ``others`` are the suspect's passages from its other sources; ``other_source``
    their source numbers. ``group`` int64[matches + others]: matches of equal value are parts of one passage.
    ``regions`` are the pair's trustable regions; ``figures`` the run's figures for the pair as a whole; ``last`` the
    number of the last event of the label log in ``judgements``. ``turned``: the run compared the two in reverse (see
    :class:`workbench.services.review.pairs.PairView`).
    """

    run: Run
    a: Document
    b: Document
    matches: Matches
    judgements: tuple[Judgement | None, ...]
    sources: tuple[RankedSource, ...]
    others: Matches
    other_source: Ints
    group: Ints
    a_lines: DocumentLayout
    b_lines: DocumentLayout
    a_places: Places
    b_places: Places
    alignment: Alignment
    regions: tuple[Region, ...] = ()
    figures: Pair | None = None
    last: int = 0
    turned: bool = False

    @property
    def source(self) -> int:
        """Number of the open source; 1 if it is the only one."""
        return next((source.number for source in self.sources if source.key == self.b.key), 1)

    @property
    def whole(self) -> bool:
        """Whether the run compares whole documents: there are no passages, and the pair itself is judged."""
        return is_whole(self.run)

    def has_matches_of(self, other: PairData | None) -> bool:
        """Whether both are from the same read of a pair, so that matches have the same numbers."""
        return other is not None and self.matches is other.matches

    def with_judgements(self, changed: Mapping[int, Judgement | None]) -> PairData:
        """A copy with other judgements on the matches ``changed``."""
        judgements = list(self.judgements)
        for number, judgement in changed.items():
            judgements[number] = judgement
        return replace(self, judgements=tuple(judgements))

    def passage(self, number: int) -> tuple[str, str]:
        """Both texts of match ``number``."""
        m = self.matches
        a = self.a.text[int(m.a_start[number]) : int(m.a_end[number])]
        return a, self.b.text[int(m.b_start[number]) : int(m.b_end[number])]

    def as_compared(self) -> PairData:
        """The texts and matches as the run compared them, which is how verdicts, splits and hand-added passages refer
        to them.
        """
        if not self.turned:
            return self
        return replace(self, a=self.b, b=self.a, matches=self.matches.from_other_side(), turned=False)

    def limits(self, number: int) -> Limits:
        """The limits that identify match ``number``."""
        m = self.matches
        return int(m.a_start[number]), int(m.a_end[number]), int(m.b_start[number]), int(m.b_end[number])

    def number_of(self, limits: Limits) -> int:
        """The match with these ``limits``; FIRST if the pair has none."""
        m = self.matches
        at = np.flatnonzero(
            (m.a_start == limits[0]) & (m.a_end == limits[1]) & (m.b_start == limits[2]) & (m.b_end == limits[3])
        )
        return int(at[0]) if len(at) else FIRST

    def match_at(self, span: Span, *, in_suspect: bool = True) -> int | None:
        """The match that covers most of ``span``, in the suspect or the source; None if none covers half of it."""
        m = self.matches
        start, end = (m.a_start, m.a_end) if in_suspect else (m.b_start, m.b_end)
        shared = np.minimum(end, span.end) - np.maximum(start, span.start)
        best = int(np.argmax(shared)) if len(shared) else -1
        return best if best >= 0 and 2 * shared[best] >= span.end - span.start else None

    def also(self, number: int) -> list[tuple[RankedSource, Match]]:
        """Other sources that contain some of the suspect's passage of match ``number``, longest overlap first."""
        m, o = self.matches, self.others
        start, end = m.a_start[number], m.a_end[number]
        overlap = np.minimum(o.a_end, end) - np.maximum(o.a_start, start)
        by_number = {s.number: s for s in self.sources}
        row_by_source: dict[int, int] = {}
        for row in np.argsort(-overlap, kind="stable").tolist():
            if overlap[row] > 0:
                row_by_source.setdefault(int(self.other_source[row]), row)
        return [(by_number[n], o.row(row)) for n, row in row_by_source.items()]


def make_opened(
    run: Run,
    a: Document,
    b: Document,
    matches: Matches,
    judgements: tuple[Judgement | None, ...] = (),
    sources: tuple[RankedSource, ...] = (),
    others: Matches | None = None,
    regions: tuple[Region, ...] = (),
    figures: Pair | None = None,
) -> PairData:
    """Prepare a pair for display; ``matches`` are those of the pair in order of the suspect."""
    rest = others if others is not None else Matches.empty()
    numbers = {s.key: s.number for s in sources}
    m = matches
    return PairData(
        run,
        a,
        b,
        matches,
        judgements or (None,) * len(matches),
        sources,
        rest,
        np.array([numbers[int(key)] for key in rest.b], np.int64),
        passages(places_of(matches, rest)),
        laid_out(a),
        laid_out(b),
        Places(a),
        Places(b),
        Alignment(m.a_start, m.a_end, m.b_start, m.b_end, len(a.text), len(b.text)),
        regions,
        figures,
    )


def read_opened(session: Session, run_id: int, a_key: int, b_key: int | None, viewer: Reviewer) -> PairData:
    """:func:`workbench.services.review.pairs.open_suspect`, ready to be shown."""
    pair, sources, rest = open_suspect(session, run_id, a_key, b_key, viewer)
    opened = make_opened(
        pair.run, pair.a, pair.b, pair.matches, pair.judgements, sources, rest, pair.regions, pair.figures
    )
    return replace(opened, last=pair.last, turned=pair.turned)


def identity(opened: PairData, number: int, edits: list[Edit]) -> float:
    """Share of characters common to the sides of match ``number``, 0 to 1: 2 x common / characters of both.

    Sentences in another order are common; gaps of the match belong to neither side.
    """
    match = opened.matches.take([number])
    one = opened.matches.row(number)
    different = differing(opened.a.text, one.a_span, opened.b.text, one.b_span, edits, (one.a_gaps, one.b_gaps))
    total = covered(match, A) + covered(match, B)
    return max(0.0, 1 - different / total) if total else 1.0


def differs_outside_gaps(match: Match, edits: Iterable[Edit]) -> bool:
    """Whether any of ``edits`` is not wholly in a gap of ``match``."""
    return any(
        part.end > part.start
        for edit in edits
        for span, gaps in ((edit.a_span, match.a_gaps), (edit.b_span, match.b_gaps))
        for part in outside([span], gaps)
    )


def edits_of(opened: PairData, number: int) -> list[Edit]:
    """Differences inside match ``number``, in offsets of the whole texts; none for a translation."""
    match = opened.matches.row(number)
    if is_translation(match.evidence):
        return []
    return differences(opened.a.text, match.a_span, opened.b.text, match.b_span)


def unit_of(opened: PairData, number: int) -> Unit:
    """The unit of a verdict on match ``number``."""
    compared = opened.as_compared()
    match = compared.matches.row(number)
    spans, keys = (match.a_span, match.b_span), (match.a, match.b)
    return Unit(compared.a.id, compared.b.id, spans, digest(*compared.passage(number)), keys)


class PassageMatch(NamedTuple):
    """A match of a passage: its ``number`` in the open pair (-1 for another source), source key, and limits."""

    number: int
    source: int
    limits: Limits


class PassageList:
    """The passages of the suspect of ``opened`` that score at least ``threshold`` and have one of the shown ``tiers``.

    Places count from 0, in :func:`text_order`; for a passage, of its first part.
    ``numbers`` int64[n]: the match of the open pair, -1 for a match of another source. ``merged``: neighbouring matches
    are parts of one passage; otherwise each is separate.
    """

    def __init__(self, opened: PairData, threshold: float, tiers: NDArray[np.bool_], *, merged: bool = False) -> None:
        m = places_of(opened.matches, opened.others)
        own = len(opened.matches)
        order = text_order(m)
        order = order[(m.score[order] >= threshold) & tiers[m.tier[order]]]
        group = opened.group[order] if merged else order
        _, first, group = np.unique(group, return_index=True, return_inverse=True)
        lead = first[group.ravel()]
        self._leads: Ints = np.sort(first)
        self._places: Ints = np.searchsorted(self._leads, lead)
        self._rows: Ints = np.argsort(self._places, kind="stable")
        self._bounds: Ints = np.searchsorted(self._places[self._rows], np.arange(len(first) + 1))
        self._numbers: Ints = np.where(order < own, order, -1)
        self._source: Ints = m.b[order]
        self._limits: Ints = np.column_stack((m.a_start, m.a_end, m.b_start, m.b_end))[order]
        self._place_of: Ints = np.full(own, -1, np.int64)
        self._place_of[order[order < own]] = self._places[order < own]
        self.source: Ints = self._source[self._leads]
        self.numbers: Ints = self._numbers[self._leads]

    def __len__(self) -> int:
        return len(self.numbers)

    def limits(self, place: int) -> Limits:
        """The limits that identify the first match at ``place``."""
        return self._named(int(self._leads[place]))

    def parts(self, place: int) -> list[PassageMatch]:
        """The matches of the passage at ``place``, in the order of the suspect."""
        rows = self._rows[self._bounds[place] : self._bounds[place + 1]].tolist()
        return [PassageMatch(int(self._numbers[row]), int(self._source[row]), self._named(row)) for row in rows]

    def place_of(self, number: int) -> int:
        """The place of match ``number`` of the open pair; -1 if not shown."""
        return int(self._place_of[number]) if 0 <= number < len(self._place_of) else -1

    def place_named(self, source: int, limits: Limits) -> int:
        """The place of the match of ``source`` with these ``limits``; -1 if not shown."""
        rows = np.flatnonzero((self._source == source) & (self._limits == limits).all(axis=1))
        return int(self._places[rows[0]]) if len(rows) else -1

    def near(self, offset: float) -> int:
        """The place of the first passage that begins at or after ``offset`` of the suspect."""
        return int(np.searchsorted(self._limits[self._leads, 0], offset))

    def first(self, places: Iterable[int], wanted: Callable[[int], bool]) -> int:
        """The first of ``places`` for which ``wanted`` is true; -1 if there is none."""
        return next((place for place in places if wanted(place)), -1)

    def _named(self, row: int) -> Limits:
        a, b, c, d = self._limits[row].tolist()
        return a, b, c, d
