"""Suspects, pairs and passages of a run, with the current verdicts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, lengths
from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.types import Document, Ints, Matches, Region, Run
from workbench.project.database import Connection
from workbench.project.documents import load_document, texts_of
from workbench.project.labels import last_event
from workbench.project.listing import DocumentItem, ids_of, items_of
from workbench.project.matches import match_columns, matches_by_pair, matches_of
from workbench.project.pairs import Pair, pair_keys, pairs_of
from workbench.project.runs import is_whole, load_run
from workbench.project.scores import regions_of
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.labels.targets import pair_target
from workbench.services.review.by_hand import keys_added, pairs_with_added, suspects_with_added, with_added
from workbench.services.review.judged_text import JudgedTexts
from workbench.services.review.judgement import Judgement, Reviewer, passage_tally
from workbench.services.review.passages import passages
from workbench.services.review.sides import matches_of_suspect, others_of
from workbench.services.review.spans import mutual_overlap, share
from workbench.services.session import Session

SAME = 0.8
"""Minimum mutual overlap, on both sides, at which passages of two runs count as one."""


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Passages only in the second run, only in the first, and in both (with the second run's limits)."""

    appeared: Matches
    vanished: Matches
    common: Matches


def diff_matches(first: Matches, second: Matches, placed: Matches | None = None) -> RunDifference:
    """Compare by spans: equal ones first, then those that overlap by SAME on both sides, one to one.

    The runs may have compared two documents in different directions. ``placed``: the matches of ``first`` in the texts
    of ``second``, if documents were imported again in between.
    """
    one, other = _one_way(first if placed is None else placed), _one_way(second)
    in_first, in_second = _equal(one, other)
    for i, j in _overlapping(one, np.flatnonzero(~in_first), other, np.flatnonzero(~in_second)):
        in_first[i] = in_second[j] = True
    return RunDifference(second.take(~in_second), first.take(~in_first), second.take(in_second))


_LIMITS = ("a_start", "a_end", "b_start", "b_end")


def _one_way(matches: Matches) -> Matches:
    """The places of ``matches``, each from the side of the document with the lower key."""
    turned, other = matches.a > matches.b, matches.from_other_side()
    names = ("a", "b", *_LIMITS)
    columns = (np.where(turned, getattr(other, name), getattr(matches, name)) for name in names)
    a, b, a_start, a_end, b_start, b_end = columns
    return Matches(a, b, a_start, a_end, b_start, b_end, matches.score, matches.tier)


def _spans(matches: Matches) -> NDArray[np.void]:
    columns = (matches.a, matches.b, matches.a_start, matches.a_end, matches.b_start, matches.b_end)
    packed = np.ascontiguousarray(np.stack(columns, axis=1), np.int64)
    return packed.view([("", np.int64)] * len(columns)).ravel()


def _equal(first: Matches, second: Matches) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the rows whose spans occur in the other run."""
    if not len(first) or not len(second):
        return np.zeros(len(first), bool), np.zeros(len(second), bool)
    one, two = _spans(first), _spans(second)
    return np.isin(one, two), np.isin(two, one)


def _overlapping(
    first: Matches, rows_first: NDArray[np.intp], second: Matches, rows_second: NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Row pairs of the same documents that overlap enough; each row at most once, best overlap first."""
    by_pair: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for i in rows_first.tolist():
        by_pair[int(first.a[i]), int(first.b[i])].append((int(first.a_start[i]), i))
    for rows in by_pair.values():
        rows.sort()
    scored = []
    for j in rows_second.tolist():
        start, end = int(second.a_start[j]), int(second.a_end[j])
        # Spans that overlap by SAME of the longer one start at most this far apart.
        reach = (1 - SAME) / SAME * (end - start) + 1
        rows = by_pair.get((int(second.a[j]), int(second.b[j])), [])
        for _, i in rows[bisect_left(rows, (start - reach,)) : bisect_right(rows, (start + reach,))]:
            overlap = min(
                mutual_overlap((first.a_start[i], first.a_end[i]), (start, end)),
                mutual_overlap((first.b_start[i], first.b_end[i]), (second.b_start[j], second.b_end[j])),
            )
            if overlap >= SAME:
                scored.append((-overlap, i, j))
    chosen: list[tuple[int, int]] = []
    taken_first: set[int] = set()
    taken_second: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in taken_first and j not in taken_second:
            taken_first.add(i)
            taken_second.add(j)
            chosen.append((i, j))
    return chosen


ANYBODY = Reviewer()
"""A viewer who sees all verdicts."""


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """A suspect in a run.

    ``score`` is that of its best passage; ``coverage`` the share (0..1) of its characters that passages cover;
    ``longest`` is in characters; ``verdicts`` counts judged passages by verdict, ``decision`` is the verdict on the
    suspect itself; a passage may have several ``matches``.
    """

    key: int
    id: str
    title: str
    language: str
    length: int
    published: str
    score: float
    coverage: float
    longest: int
    matches: int
    sources: int
    verdicts: Mapping[str, int] = field(default_factory=dict)
    decision: Judgement | None = None
    passages: int = 0

    @property
    def judged(self) -> int:
        """The number of its passages judged by anyone."""
        return sum(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair of documents in a run.

    ``score`` is that of its best passage, as of a suspect; of documents compared as a whole, the method's.
    ``coverage_a`` and ``coverage_b`` are shares (0..1) of each text, ``longest`` counts the characters of ``a`` in the
    longest match.

    ``verdicts`` counts its passages (neighbouring matches as one) by verdict; if whole documents were compared, it is
    the verdict on the pair. ``other_side``: the run compared them in reverse.
    """

    a: int
    b: int
    a_id: str
    b_id: str
    a_title: str
    b_title: str
    score: float
    matches: int
    longest: int
    coverage_a: float
    coverage_b: float
    relation: str
    verdicts: Mapping[str, int]
    other_side: bool = False

    @property
    def as_compared(self) -> tuple[str, str]:
        """The ids in the order in which the run compared the documents."""
        return (self.b_id, self.a_id) if self.other_side else (self.a_id, self.b_id)

    def from_other_side(self) -> PairRow:
        """The same pair with ``a`` and ``b`` exchanged; ``longest`` is still that of the former ``a``."""
        return PairRow(
            *(self.b, self.a, self.b_id, self.a_id, self.b_title, self.a_title),
            *(self.score, self.matches, self.longest, self.coverage_b, self.coverage_a),
            *(self.relation, self.verdicts, not self.other_side),
        )


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair opened for review. ``judgements`` is parallel to ``matches``, which are in the order of ``a``.

    ``regions`` are in the method's order; ``figures`` are the run's for the pair as a whole, if any. ``last`` is the
    number of the last event of the label log in ``judgements``. ``turned``: the run compared the two in reverse;
    everything is nevertheless seen from the side of ``a``.
    """

    a: Document
    b: Document
    matches: Matches
    judgements: tuple[Judgement | None, ...]
    run: Run
    regions: tuple[Region, ...] = ()
    figures: Pair | None = None
    last: int = 0
    turned: bool = False


def suspect_rows(connection: Connection, run_id: int) -> list[SuspectRow]:
    """The suspects with passages in the run, best score first, then largest coverage; passages and verdicts are not
    counted.
    """
    rows = suspects_with_added(connection, run_id)
    items = items_of(connection, [row.a for row in rows])
    suspect_list = []
    for row in rows:
        item = items[row.a]
        suspect_list.append(
            SuspectRow(
                row.a,
                item.id,
                item.title,
                item.language,
                item.length,
                item.published,
                row.best,
                share(row.covered, item.length),
                row.longest,
                row.matches,
                row.sources,
            )
        )
    return sorted(suspect_list, key=lambda r: (-r.score, -r.coverage, r.key))


def pairs(
    session: Session, run_id: int, suspect_key: int | None = None, source_key: int | None = None
) -> list[PairRow]:
    """The pairs of the run (of one suspect, of one source), best score first, then largest share of the suspect."""
    with session.read() as connection:
        rows = pairs_with_added(connection, run_id, suspect_key, source_key)
        items = items_of(connection, sorted({key for row in rows for key in (row.a, row.b)}))
        tallies = _tallies(session, connection, run_id, suspect_key, source_key)
    pair_rows = [_pair_row(row, items, tallies.get((row.a, row.b), {})) for row in rows]
    return sorted(pair_rows, key=lambda r: (-r.score, -r.coverage_a, r.a, r.b))


def _pair_row(row: Pair, items: Mapping[int, DocumentItem], verdicts: Mapping[str, int]) -> PairRow:
    a, b = items[row.a], items[row.b]
    return PairRow(
        row.a,
        row.b,
        a.id,
        b.id,
        a.title,
        b.title,
        row.best if row.matches else row.score,
        row.matches,
        row.longest,
        share(row.covered_a, a.length),
        share(row.covered_b, b.length),
        row.relation or "",
        verdicts,
    )


def open_pair(session: Session, run_id: int, a_key: int, b_key: int, viewer: Reviewer = ANYBODY) -> PairView:
    """Both texts, their shared passages in this run, and the verdicts visible to ``viewer``.

    Raises ProjectError for unknown keys.
    """
    with session.read() as connection:
        run = load_run(connection, run_id)
        stored = matches_of(connection, run_id, a=a_key, b=b_key)
        matches = with_added(connection, run_id, stored, a_key, b_key)
        return _pair_view(session, connection, run, b_key, matches, a_key, viewer)


def _pair_view(
    session: Session,
    connection: Connection,
    run: Run,
    b_key: int,
    matches: Matches,
    a_key: int,
    viewer: Reviewer,
    *,
    turned: bool = False,
) -> PairView:
    a, b = load_document(connection, a_key), load_document(connection, b_key)
    in_order = matches.take(np.lexsort((matches.b_start, matches.a_end, matches.a_start)))
    last = last_event(connection)
    index = session.verdicts.follow(connection, last)
    first, second = (b, a) if turned else (a, b)
    compared = in_order.from_other_side() if turned else in_order
    judgements = tuple(map(viewer.sees, index.of(first.id, second.id).on(compared)))
    regions = tuple(regions_of(connection, run.id, a=first.key, b=second.key))
    figures = next(iter(pairs_with_added(connection, run.id, first.key, second.key)), None)
    if turned:
        regions = tuple(Region(r.b, r.a, r.b_span, r.a_span, r.slope) for r in regions)
        # Containment of the first in the second says nothing about the second.
        figures = None if figures is None else replace(figures, containment=None)
    return PairView(a, b, in_order, judgements, run, regions, figures, last, turned)


@dataclass(frozen=True, slots=True)
class RankedSource:
    """A source of the suspect: ``number`` from 1, by characters shared, then by ``best`` score."""

    key: int
    number: int
    title: str
    language: str
    matches: int
    best: float


LAST_SOURCE = -1
"""Used instead of a source's key: the source of the suspect's last passage."""


def open_suspect(
    session: Session, run_id: int, a_key: int, b_key: int | None, viewer: Reviewer = ANYBODY
) -> tuple[PairView, tuple[RankedSource, ...], Matches]:
    """Suspect ``a_key`` with source ``b_key``, by default that of its first passage, or LAST_SOURCE.

    Returns the pair, all sources of the suspect (by score in a run that compares whole documents), and the suspect's
    passages from the other sources. Raises ProjectError for unknown keys and for a suspect without matches.
    """
    with session.read() as connection:
        run, others = load_run(connection, run_id), others_of(connection, run_id, a_key)
        if is_whole(run):
            matches, sources = Matches.empty(), _compared(connection, run_id, a_key, others)
        else:
            matches = matches_of_suspect(connection, run_id, a_key, others)
            sources = _sources(connection, matches)
        if b_key in (None, LAST_SOURCE):
            if not sources:
                raise ProjectError(Message("This document has no passages in run {run}.", run=run_id))
            at = 0 if b_key is None else -1
            b_key = int(matches.b[text_order(matches)[at]]) if len(matches) else sources[at].key
        of_pair = matches.b == b_key
        own, turned = matches.take(of_pair), b_key in others
        view = _pair_view(session, connection, run, b_key, own, a_key, viewer, turned=turned)
    return view, sources, matches.take(~of_pair)


def text_order(matches: Matches) -> Ints:
    """Rows of ``matches``, all of one suspect, in the order of its text; of the same text the highest score first, then
    by source.
    """
    m = matches
    return np.lexsort((m.b_end, m.b_start, m.b, -m.score, m.a_end, m.a_start))


def _sources(connection: Connection, matches: Matches) -> tuple[RankedSource, ...]:
    keys, place = np.unique(matches.b, return_inverse=True)
    items = items_of(connection, keys.tolist())
    shared = np.bincount(place, weights=lengths(matches, A), minlength=len(keys))
    best = np.full(len(keys), -np.inf)
    np.maximum.at(best, place, matches.score)
    counts = np.bincount(place, minlength=len(keys))
    sources = []
    for number, at in enumerate(np.lexsort((-best, -shared)).tolist(), start=1):
        item = items[int(keys[at])]
        title = item.title or item.id
        sources.append(RankedSource(item.key, number, title, item.language, int(counts[at]), float(best[at])))
    return tuple(sources)


def _compared(connection: Connection, run_id: int, a_key: int, others: Collection[int]) -> tuple[RankedSource, ...]:
    scores = {pair.b: pair.score for pair in pairs_of(connection, run_id, a=a_key)}
    scores |= {pair.a: pair.score for pair in pairs_of(connection, run_id, b=a_key) if pair.a in others}
    items = items_of(connection, sorted(scores))
    return tuple(
        RankedSource(key, number, items[key].title or items[key].id, items[key].language, 0, scores[key])
        for number, key in enumerate(sorted(scores, key=lambda key: (-scores[key], key)), 1)
    )


def diff_runs(session: Session, run1: int, run2: int) -> RunDifference:
    """The passages that appeared from ``run1`` to ``run2``, those that vanished, and the common ones."""
    with session.read() as connection:
        load_run(connection, run1)
        load_run(connection, run2)
        first, second = match_columns(connection, run1), match_columns(connection, run2)
        return diff_matches(first, second, _in_texts_of(connection, first, second))


def _in_texts_of(connection: Connection, first: Matches, second: Matches) -> Matches:
    """The places of ``first`` in the texts that ``second`` has of the same ids; unchanged if they are gone there."""
    keys, later = (np.union1d(matches.a, matches.b).tolist() for matches in (first, second))
    names = ids_of(connection, [*keys, *later])
    newer = {names[key]: key for key in later}
    moved = {key: newer[names[key]] for key in {*keys}.difference(later) if names[key] in newer}
    if not moved:
        return first
    texts = JudgedTexts(lambda key: next((text for _, text in texts_of(connection, [key])), ""))
    m = replace(first, **{name: getattr(first, name).copy() for name in ("a", "b", *_LIMITS)})
    for row in np.flatnonzero(np.isin(first.a, [*moved]) | np.isin(first.b, [*moved])).tolist():
        match = first.row(row)
        own, other = moved.get(match.a, match.a), moved.get(match.b, match.b)
        a, b = texts.place(match.a, own, match.a_span), texts.place(match.b, other, match.b_span)
        if a is not None and b is not None:
            m.a[row], m.b[row] = own, other
            m.a_start[row], m.a_end[row], m.b_start[row], m.b_end[row] = *a, *b
    return m


def _tallies(
    session: Session,
    connection: Connection,
    run_id: int,
    a: int | None = None,
    b: int | None = None,
) -> dict[tuple[int, int], dict[str, int]]:
    """Verdict counts of passages, including partly judged ones, by pair of keys; if the run compares whole documents,
    the verdict on the pair itself.

    Only judged pairs are examined, however large the run.
    """
    index = session.verdicts.follow(connection)
    ids = ids_of(connection)
    if is_whole(load_run(connection, run_id)):
        named = {pair: [ids.get(key, "") for key in pair] for pair in pair_keys(connection, run_id, a=a, b=b)}
        whole = {
            pair: index.whole(PAIR_LABELS, pair_target(*names), dict(zip(names, pair, strict=True)))
            for pair, names in named.items()
        }
        return {pair: {judgement.value: 1} for pair, judgement in whole.items() if judgement is not None}
    judged = set(index.pairs(set(ids.values())))
    if not judged:
        return {}
    keys = {*pair_keys(connection, run_id, a=a, b=b), *keys_added(connection, run_id, a, b)}
    chosen = {pair for pair in keys if (ids.get(pair[0]), ids.get(pair[1])) in judged}
    stored = matches_by_pair(connection, run_id, chosen)
    counts = {}
    for one, two in chosen:
        matches = with_added(connection, run_id, stored.get((one, two), Matches.empty()), one, two)
        judgements = index.of(ids[one], ids[two]).on(matches)
        counts[one, two] = passage_tally(passages(matches), judgements, partly=True)
    return {pair: count for pair, count in counts.items() if count}
