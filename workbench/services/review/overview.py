"""One run as Review shows it: its suspects, all its matches as columns, and their verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, covered_by_group, lengths
from workbench.base.evidence import ADDED
from workbench.base.types import Floats, Ints, Label, Matches, Role, Run, RunState
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.listing import DocumentItem, ids_of, items_of, keys_of_role, removed_keys, replaced_keys
from workbench.project.matches import match_columns
from workbench.project.pairs import pairs_of
from workbench.project.run_documents import run_documents
from workbench.project.runs import is_whole, newest, newest_finished, runs
from workbench.project.tags import tags_by_key
from workbench.services.detecting.corpus import not_examined, scope_of_run
from workbench.services.labels.sets import (
    ATTACHED,
    LABEL_SET,
    PAIR_LABELS,
    SUSPECT_LABELS,
    is_positive,
)
from workbench.services.labels.targets import parse_document, parse_pair, passage_of_pair, passages
from workbench.services.labels.verdicts import SUSPECT, values
from workbench.services.review.assigning import assigned_to
from workbench.services.review.by_hand import gone, made_by_reviewers, with_added
from workbench.services.review.counting import FOLLOWED, SuspectCount, follow_counted
from workbench.services.review.judgement import CODES, CONFLICT, VERDICTS, Judgement, Reviewer
from workbench.services.review.pairs import ANYBODY, SuspectRow, suspect_rows
from workbench.services.review.passages import places_of
from workbench.services.review.sides import compared_first
from workbench.services.review.spans import share
from workbench.services.review.verdict_index import UnplacedPassage, VerdictIndex, touched
from workbench.services.review.verdicts import Unit
from workbench.services.review.whole_pairs import as_matches, judgements_of_pairs, suspects_of_pairs
from workbench.services.session import Session

TIERS = 3
DECISIONS: tuple[str, ...] = (*values(SUSPECT), CONFLICT)
"""The verdicts on suspects; one without a decision, or with a conflict, is open."""
_DECIDED = np.array([False, *(is_positive(value) is not None for value in VERDICTS)])
_POSITIVE = np.array([False, *(bool(is_positive(value)) for value in VERDICTS)])


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdicts on each of the n matches of a run, and on its s suspects.

    ``code`` int8[n]: 0 for no verdict, else 1 + the index in VERDICTS; ``carried`` bool[n]: the verdict was given for a
    passage with other limits; ``own`` bool[n]: the viewer has a verdict on the match. ``counts`` int32[s,
    len(VERDICTS)]: judged matches of each suspect by verdict. ``decision`` int8[s]: the verdict on the suspect itself,
    0 for none, else 1 + the index in DECISIONS.
    """

    code: NDArray[np.int8]
    carried: NDArray[np.bool_]
    own: NDArray[np.bool_]
    counts: NDArray[np.int32]
    decision: NDArray[np.int8]

    def value(self, row: int) -> str:
        """The verdict on match ``row``; "" for none."""
        code = int(self.code[row])
        return VERDICTS[code - 1] if code else ""

    def values(self) -> dict[int, str]:
        """The verdicts, by row."""
        return {row: self.value(row) for row in np.flatnonzero(self.code).tolist()}

    def conflicts_on_suspects(self) -> Ints:
        """Indexes of the suspects on which the reviewers differ."""
        return np.flatnonzero(self.decision == DECISIONS.index(CONFLICT) + 1)

    def conflicts(self) -> Ints:
        """Rows of the matches whose verdicts differ."""
        return np.flatnonzero(self.code == CODES[CONFLICT])

    def after(self, columns: RunColumns, changed: Mapping[int, ShownVerdict]) -> Judged:
        """A copy with other verdicts in the rows ``changed`` of ``columns``."""
        code, carried, own, counts = self.code.copy(), self.carried.copy(), self.own.copy(), self.counts.copy()
        rows = np.fromiter(changed, np.int64, len(changed))
        code[rows] = [CODES.get(shown.value, 0) for shown in changed.values()]
        carried[rows] = [shown.carried for shown in changed.values()]
        own[rows] = [shown.own for shown in changed.values()]
        for codes, step in ((self.code, -1), (code, 1)):
            judged = rows[codes[rows] > 0]
            np.add.at(counts, (columns.suspect[judged], codes[judged] - 1), step)
            beside = judged[np.isin(judged, columns.second)]
            np.add.at(counts, (columns.second_suspect(beside), codes[beside] - 1), step)
        return Judged(code, carried, own, counts, self.decision)

    def after_decisions(self, changed: Mapping[int, str]) -> Judged:
        """A copy with other decisions ("" for none) on the suspects at the indexes ``changed``."""
        decision = self.decision.copy()
        for place, value in changed.items():
            decision[place] = DECISIONS.index(value) + 1 if value in DECISIONS else 0
        return replace(self, decision=decision)


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """The verdict on a match in the lists ("" for none), whether it was carried over, and whether it is the viewer's
    own."""

    value: str = ""
    carried: bool = False
    own: bool = False


def shown_verdict(judgement: Judgement | None, viewer: Reviewer) -> ShownVerdict:
    """The verdict of ``judgement`` that the lists show to ``viewer``."""
    seen = viewer.sees(judgement)
    if seen is None:
        return ShownVerdict()
    return ShownVerdict(seen.value, seen.is_carried, seen.own(viewer.name) is not None)


def nothing_judged(columns: RunColumns) -> Judged:
    """The initial state: no match of ``columns`` is judged."""
    n, suspects = len(columns.matches), len(columns.keys)
    no = np.zeros(n, np.bool_)
    counts = np.zeros((suspects, len(VERDICTS)), np.int32)
    return Judged(np.zeros(n, np.int8), no, no, counts, np.zeros(suspects, np.int8))


_FOLLOWED = (LABEL_SET, PAIR_LABELS, SUSPECT_LABELS, ATTACHED)
"""Label sets whose events change the judged state."""

ColumnsKey = tuple[int, int, str, tuple[str, ...]]
"""A run's numbers of pairs and matches and its end when its columns were read, and reviewers' additions and splits."""


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The matches of a finished run, n rows, with the columns that lists count by.

    ``suspect`` gives each match the position of its suspect in ``keys`` (sorted); ``ranked`` contains all scores in
    ascending order. ``second`` are the rows of the matches that also belong to the suspect on their second side (see
    :func:`compared_first`), in the order of its key; their suspects are among ``keys`` as well. ``first_source`` is the
    key of each suspect's best source; ``tiers`` its characters by tier, int64[s, 3]. ``whole``: the method compares
    whole documents; each match represents a pair. ``order`` sorts the matches by pair, ``pair`` contains their pairs
    (see _pair_code) in that order; ``key_of`` maps ids of documents to keys. ``made_of`` shows whether the columns are
    still current.
    """

    matches: Matches
    keys: Ints
    suspect: Ints
    ranked: Floats
    first_source: Ints
    tiers: NDArray[np.int64]
    items: Mapping[int, DocumentItem]
    order: Ints
    pair: Ints
    key_of: Mapping[str, int]
    second: Ints
    whole: bool = False
    made_of: ColumnsKey = (0, 0, "", ())

    def rows_of(self, a: int, b: int) -> Ints:
        """Rows of the matches of suspect ``a`` and source ``b``."""
        first, last = np.searchsorted(self.pair, _pair_code(a, b) + np.array([0, 1]))
        return self.order[first:last]

    def rows_of_suspect(self, suspect: int) -> Ints:
        """Rows of the matches of ``suspect`` (key), by source."""
        first, last = np.searchsorted(self.pair, [_pair_code(suspect, 0), _pair_code(suspect + 1, 0)])
        return self.order[first:last]

    def second_suspect(self, rows: Ints) -> Ints:
        """The position in ``keys`` of the suspect on the second side of ``rows``, a subset of ``second``."""
        return np.searchsorted(self.keys, self.matches.b[rows]).astype(np.int64)

    def seen_from(self, suspect: int) -> tuple[Ints, Matches]:
        """Rows of the matches in which ``suspect`` (key) is on either side, and their spans as seen from its side."""
        own = self.rows_of_suspect(suspect)
        first, last = np.searchsorted(self.matches.b[self.second], (suspect, suspect + 1))
        beside = self.second[first:last]
        m = self.matches
        return np.concatenate((own, beside)), places_of(m.take(own), m.take(beside).from_other_side())

    def place_of(self, suspect: int) -> int:
        """Index of the suspect (key) in ``keys``; -1 if it has no matches."""
        at = int(np.searchsorted(self.keys, suspect))
        return at if at < len(self.keys) and self.keys[at] == suspect else -1

    def unit(self, row: int) -> Unit:
        """The unit of a verdict on the match in ``row``."""
        match = self.matches.row(row)
        spans = None if self.whole else (match.a_span, match.b_span)
        return Unit(self.items[match.a].id, self.items[match.b].id, spans, keys=(match.a, match.b))

    def above(self, threshold: float) -> NDArray[np.bool_]:
        """Which matches score at least ``threshold``."""
        return self.matches.score >= threshold

    def count_above(self, threshold: float) -> int:
        """How many matches score at least ``threshold``."""
        return len(self.ranked) - int(np.searchsorted(self.ranked, threshold, "left"))

    def place(self, row: int) -> tuple[int, int, int]:
        """Suspect, source and number in its pair (in order of the suspect) of the match in ``row``."""
        m = self.matches
        a, b = int(m.a[row]), int(m.b[row])
        rows = self.rows_of(a, b)
        places = np.lexsort((m.b_start[rows], m.a_end[rows], m.a_start[rows]))
        return a, b, int(np.flatnonzero(rows[places] == row)[0])

    def row_of(self, a: int, b: int, limits: tuple[int, int, int, int]) -> int:
        """The row of the match of suspect ``a`` and source ``b`` with these starts and ends; -1 if there is none."""
        m, rows = self.matches, self.rows_of(a, b)
        spans = np.column_stack((m.a_start[rows], m.a_end[rows], m.b_start[rows], m.b_end[rows]))
        same = rows[(spans == limits).all(1)]
        return int(same[0]) if len(same) else -1

    def row_from(self, a: int, b: int, limits: tuple[int, int, int, int]) -> int:
        """Like :meth:`row_of`, from the side of suspect ``a``, even if the run compared the two in reverse."""
        row = self.row_of(a, b, limits)
        return row if row >= 0 else self.row_of(b, a, (*limits[2:], *limits[:2]))

    def title(self, key: int) -> str:
        """Title of a document, else its id."""
        item = self.items.get(key)
        return "" if item is None else item.title or item.id


def _pair_code(a: int, b: int) -> int:
    """One int64 for a pair of keys, in the order of (a, b)."""
    return a << 32 | b


@dataclass(frozen=True, slots=True)
class Overview:
    """The data that Review shows next to the texts. ``run`` is None if the project has no run to show.

    ``judged`` belongs to ``columns`` and contains the verdicts that ``viewer`` may see; ``last`` is the last event of
    the label log. ``newer`` documents are not covered by the run, but would be now; ``unplaced`` judged passages have
    no passage in the run; the text of ``gone`` hand-added passages no longer exists; ``assigned`` are the suspects
    (keys) that ``viewer`` is to review; ``unmatched`` counts those examined without a match. ``removed`` are the keys
    of documents that were removed from the project, ``replaced`` the newer versions (keys) of those that have
    one, ``tags`` the tags of documents, by key. ``successor`` is the number of the newest run by the same method, if it
    covers more of the documents, else 0.
    """

    runs: tuple[Run, ...] = ()
    run: Run | None = None
    suspects: tuple[SuspectRow, ...] = ()
    columns: RunColumns | None = None
    judged: Judged | None = None
    documents: int = 0
    last: int = 0
    viewer: Reviewer = ANYBODY
    newer: int = 0
    unplaced: int = 0
    assigned: frozenset[int] = frozenset()
    unmatched: int = 0
    gone: int = 0
    removed: frozenset[int] = frozenset()
    replaced: Mapping[int, int] = field(default_factory=dict)
    successor: int = 0
    tags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def read_overview(
    session: Session, run_id: int | None, known: RunColumns | None = None, viewer: Reviewer = ANYBODY
) -> Overview:
    """Run ``run_id`` (None, or a removed one: the newest finished run); ``known`` columns are reused."""
    with session.read() as connection:
        shown = [r for r in runs(connection) if r.state in (RunState.DONE, RunState.CANCELLED, RunState.INTERRUPTED)]
        ids = ids_of(connection)
        documents = len(ids)
        chosen = next((r for r in shown if r.id == run_id), None)
        if chosen is None:
            chosen = newest_finished(shown) or newest(shown)
        if chosen is None:
            return Overview(tuple(shown), documents=documents, viewer=viewer)
        whole = is_whole(chosen)
        made_of = (chosen.pairs, chosen.matches, chosen.finished, () if whole else made_by_reviewers(connection))
        if chosen.id != run_id or known is None or known.made_of != made_of or not _has_roles(connection, known):
            known = None
        last = labels.last_event(connection)
        index = session.verdicts.follow(connection)
        if whole:
            rows, columns, judged = _compared(connection, chosen.id, known, index, viewer, made_of)
        else:
            columns = known or replace(_read_columns(connection, chosen.id), made_of=made_of)
            rows = suspect_rows(connection, chosen.id)
            judged = _read_judged(index, columns, viewer)
        rows = _of_either_side(rows, columns)
        judged = judged.after_decisions(_decisions(index, columns, viewer))
        newer = not_examined(connection, chosen)
        lost = 0 if whole else sum(1 for _ in unplaced_in(index, columns, set(ids.values())))
        lost_by_hand = 0 if whole else len(gone(connection))
        # Nothing is known about suspects that a partial run did not examine.
        unmatched = 0 if chosen.part else len(suspects_without(connection, columns, chosen))
        removed, replaced, tags = removed_keys(connection), replaced_keys(connection), tags_by_key(connection)
        successor = successor_of(connection, shown, chosen, newer)
        mine = frozenset(
            columns.key_of[name] for name in assigned_to(connection, viewer.name) if name in columns.key_of
        )
    return Overview(
        tuple(shown),
        chosen,
        tuple(rows),
        columns,
        judged,
        documents,
        last,
        viewer,
        newer,
        lost,
        mine,
        unmatched,
        lost_by_hand,
        removed,
        replaced,
        successor,
        tags,
    )


def successor_of(connection: Connection, shown: Sequence[Run], run: Run, newer: int) -> int:
    """See ``successor`` of :class:`Overview`; ``newer`` documents are not covered by ``run``."""
    last = newest_finished([r for r in shown if r.method == run.method and not r.part]) if newer else None
    return last.id if last is not None and last.id > run.id and not_examined(connection, last) < newer else 0


def _has_roles(connection: Connection, columns: RunColumns) -> bool:
    """Whether the documents of ``columns`` still have the roles that they had when these were read."""
    suspects, removed = set(keys_of_role(connection, Role.SUSPECT)), removed_keys(connection)
    items = columns.items.items()
    return all((item.role is Role.SUSPECT) == (key in suspects) for key, item in items if key not in removed)


def _of_either_side(rows: Sequence[SuspectRow], columns: RunColumns) -> list[SuspectRow]:
    """``rows`` with the counts of matches on either side, and the suspects that are only on the second side, best score
    first; for whole documents only the first side's share is known.
    """
    m, second = columns.matches, columns.second
    if not len(second):
        return list(rows)
    keys = np.unique(m.b[second])
    seen = places_of(m.take(np.isin(m.a, keys)), m.take(second).from_other_side())
    of = np.searchsorted(keys, seen.a)
    best, longest = np.full(len(keys), -np.inf), np.zeros(len(keys), np.int64)
    np.maximum.at(best, of, seen.score)
    np.maximum.at(longest, of, lengths(seen, A))
    pairs = np.unique(np.column_stack((of, seen.b)), axis=0)
    matches, sources = np.bincount(of, minlength=len(keys)), np.bincount(pairs[:, 0], minlength=len(keys))
    covered = covered_by_group(seen, A, of, len(keys))
    listed = {row.key: row for row in rows}
    for at, key in enumerate(keys.tolist()):
        row = listed.get(key) or _unmatched_row(columns.items[key])
        if not columns.whole:
            row = replace(row, coverage=share(int(covered[at]), row.length), longest=int(longest[at]))
        listed[key] = replace(row, score=float(best[at]), matches=int(matches[at]), sources=int(sources[at]))
    return sorted(listed.values(), key=lambda row: (-row.score, -row.coverage, row.key))


def _unmatched_row(item: DocumentItem) -> SuspectRow:
    return SuspectRow(item.key, item.id, item.title, item.language, item.length, item.published, 0.0, 0.0, 0, 0, 0)


def suspects_without(connection: Connection, columns: RunColumns, run: Run) -> list[DocumentItem]:
    """The suspects that ``run`` was applied to and that are on neither side of a match in ``columns``, by title."""
    examined = run_documents(connection, run, scope_of_run(run)).keys(Role.SUSPECT)
    present = np.intersect1d(examined, keys_of_role(connection, Role.SUSPECT))
    keys = np.setdiff1d(present, np.union1d(columns.keys, columns.matches.b)).tolist()
    return sorted(items_of(connection, keys).values(), key=lambda item: (item.title or item.id).casefold())


def unplaced_in(index: VerdictIndex, columns: RunColumns, known: Collection[str]) -> Iterator[UnplacedPassage]:
    """The judged passages of ``known`` documents (ids) without a passage in ``columns``."""
    met: set[tuple[str, str]] = set()
    for a, b in index.pairs(known):
        if (b, a) not in met:
            met.add((a, b))
            yield from index.of(a, b).without_passage(_of_either(columns, a, b))


def _of_either(columns: RunColumns, a: str, b: str) -> Matches:
    """The matches of the documents ``a`` and ``b``, whichever the run compared with the other, from the side of
    ``a``.
    """
    one, two = (columns.key_of.get(name, -1) for name in (a, b))
    m = columns.matches
    turned = np.zeros(0, np.int64) if one == two else columns.rows_of(two, one)
    return places_of(m.take(columns.rows_of(one, two)), m.take(turned).from_other_side())


def _compared(
    connection: Connection,
    run_id: int,
    known: RunColumns | None,
    index: VerdictIndex,
    viewer: Reviewer,
    made_of: ColumnsKey,
) -> tuple[list[SuspectRow], RunColumns, Judged]:
    """Suspects, pairs (each as one match) and verdicts of a run that compares whole documents."""
    pairs = pairs_of(connection, run_id)
    keys = [(p.a, p.b) for p in pairs]
    items = items_of(connection, sorted({key for pair in keys for key in pair}))
    judgements = judgements_of_pairs(index, keys, {key: item.id for key, item in items.items()})
    columns = known
    if columns is None:
        columns = replace(make_columns(as_matches(pairs, items), items, whole=True), made_of=made_of)
    changed = {row: shown_verdict(judgements[pair], viewer) for row, pair in enumerate(keys) if pair in judgements}
    return suspects_of_pairs(pairs, items), columns, nothing_judged(columns).after(columns, changed)


def _read_columns(connection: Connection, run_id: int) -> RunColumns:
    """All matches of run ``run_id``."""
    matches = with_added(connection, run_id, match_columns(connection, run_id))
    used = np.union1d(np.unique(matches.a), np.unique(matches.b))
    return make_columns(matches, items_of(connection, used.tolist()))


def make_columns(matches: Matches, items: Mapping[int, DocumentItem], *, whole: bool = False) -> RunColumns:
    """Columns for the lists from matches in any order."""
    suspects = [key for key, item in items.items() if item.role is Role.SUSPECT]
    second = np.flatnonzero(compared_first(matches, suspects))
    second = second[np.argsort(matches.b[second], kind="stable")].astype(np.int64)
    seen = places_of(matches, matches.take(second).from_other_side())
    keys, of = np.unique(seen.a, return_inverse=True)
    by_score = np.argsort(seen.score, kind="stable")
    first = np.zeros(len(keys), np.int64)
    first[of[by_score]] = seen.b[by_score]
    cell = of * TIERS + seen.tier
    tiers = np.bincount(cell, weights=lengths(seen, A), minlength=len(keys) * TIERS).astype(np.int64).reshape(-1, TIERS)
    pair = matches.a << 32 | matches.b
    order = np.argsort(pair, kind="stable")
    return RunColumns(
        matches,
        keys,
        of[: len(matches)].astype(np.int64),
        np.sort(matches.score),
        first,
        tiers,
        items,
        order,
        pair[order],
        {item.id: key for key, item in items.items()},
        second,
        whole,
    )


def _read_judged(index: VerdictIndex, columns: RunColumns, viewer: Reviewer) -> Judged:
    """The matches that have a verdict; only judged pairs are examined."""
    changed: dict[int, ShownVerdict] = {}
    for a, b in index.pairs(columns.key_of):
        rows = columns.rows_of(columns.key_of[a], columns.key_of[b])
        for row, judgement in zip(rows.tolist(), index.of(a, b).on(columns.matches.take(rows)), strict=True):
            if judgement is not None:
                changed[row] = shown_verdict(judgement, viewer)
    return nothing_judged(columns).after(columns, changed)


def _decisions(index: VerdictIndex, columns: RunColumns, viewer: Reviewer) -> dict[int, str]:
    """The decisions on suspects, by their index in ``columns``."""
    judgements = (
        (place, viewer.sees(index.suspect(columns.items[key].id, key)))
        for place, key in enumerate(columns.keys.tolist())
    )
    return {place: judgement.value for place, judgement in judgements if judgement is not None}


class OpenPair(NamedTuple):
    """The open pair: the ids of its documents and its matches as the run compared them, the last event included in its
    verdicts, and the id of the suspect.
    """

    a: str
    b: str
    matches: Matches
    last: int
    suspect: str


@dataclass(frozen=True, slots=True)
class Followed:
    """An updated overview, and the changes in the open pair.

    ``changed``: new judgements of its matches, by number. ``decided``: whether its suspect was judged. ``counted``: its
    suspect's counted part.
    """

    overview: Overview
    changed: Mapping[int, Judgement | None] = field(default_factory=dict)
    decided: bool = False
    counted: SuspectCount | None = None


def follow_verdicts(
    session: Session,
    overview: Overview,
    opened: OpenPair | None = None,
    counted: SuspectCount | None = None,
) -> Followed:
    """``overview``, the ``opened`` pair and its suspect's counted passages, updated by everyone's later judgements.

    Reads only the new events of the label log.
    """
    columns, judged, viewer = overview.columns, overview.judged, overview.viewer
    with session.read() as connection:
        last = labels.last_event(connection)
        after = min([overview.last, *(part.last for part in (opened, counted) if part is not None)])
        events = labels.gained(connection, {*_FOLLOWED, *FOLLOWED}, after)
        index = session.verdicts.follow(connection, last)
        if counted is not None:
            counted = follow_counted(session, connection, counted, events, last)
    if columns is None or judged is None:
        return Followed(replace(overview, last=last), counted=counted)
    changed: dict[int, ShownVerdict] = {}
    decided: dict[int, str] = {}
    shown: dict[int, Judgement | None] = {}
    concerns = False
    for event in events:
        if event.label_set not in _FOLLOWED:
            continue
        if event.label_set == SUSPECT_LABELS:
            identity = parse_document(event.target)
            if identity is not None and identity in columns.key_of:
                seen = viewer.sees(index.suspect(identity, columns.key_of[identity]))
                decided[columns.place_of(columns.key_of[identity])] = "" if seen is None else seen.value
                concerns |= opened is not None and identity == opened.suspect
        elif columns.whole:
            of_pair = shown_verdict(index.whole(PAIR_LABELS, event.target, columns.key_of), viewer)
            changed |= dict.fromkeys(_rows_of_pair(columns, event), of_pair)
        else:
            # A verdict concerns its own passage, and the passages that it is, or was, attached to.
            attached = event.label_set == ATTACHED
            for target in (event.target, event.value, event.old) if attached else (event.target,):
                changed |= _shown_on(columns, index, target, viewer)
                if opened is not None and (passage := passage_of_pair(target, opened.a, opened.b)) is not None:
                    numbers = touched(opened.matches, *passage[0])
                    pair = index.of(opened.a, opened.b).on(opened.matches, numbers)
                    shown |= zip(numbers.tolist(), map(viewer.sees, pair), strict=True)
    judged = judged.after(columns, changed) if changed else judged
    judged = judged.after_decisions({p: v for p, v in decided.items() if p >= 0}) if decided else judged
    return Followed(replace(overview, judged=judged, last=last), shown, concerns, counted)


def _shown_on(columns: RunColumns, index: VerdictIndex, target: str, viewer: Reviewer) -> dict[int, ShownVerdict]:
    """The judgements on the rows that a verdict on ``target`` may concern."""
    changed: dict[int, ShownVerdict] = {}
    named = [((a, a_span), (b, b_span)) for a, a_span, b, b_span in passages(target, columns.key_of)]
    for (a, a_span), (b, b_span) in (turn for sides in named for turn in (sides, sides[::-1])):
        rows = columns.rows_of(columns.key_of[a], columns.key_of[b])
        matches = columns.matches.take(rows)
        numbers = touched(matches, a_span, b_span)
        for row, judgement in zip(rows[numbers].tolist(), index.of(a, b).on(matches, numbers), strict=True):
            changed[row] = shown_verdict(judgement, viewer)
    return changed


def _rows_of_pair(columns: RunColumns, event: Label) -> list[int]:
    """The rows that a label of a pair of documents is about."""
    pair = parse_pair(event.target) if event.label_set == PAIR_LABELS else None
    if pair is None or not all(name in columns.key_of for name in pair):
        return []
    a, b = (columns.key_of[name] for name in pair)
    return [*columns.rows_of(a, b).tolist(), *columns.rows_of(b, a).tolist()]


ENOUGH = 10
"""Minimum number of judged matches, both copies and others among them, for meaningful precision and recall."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Precision and recall at a threshold, over judged matches only; None if undefined.

    ``judged`` matches are decided, ``copies`` of them are copies; ``undecided`` ones are judged, but the verdict is
    *undecided*, or the reviewers differ.
    """

    judged: int
    copies: int
    precision: float | None
    recall: float | None
    undecided: int = 0

    @property
    def enough(self) -> bool:
        """Whether enough matches of both kinds are judged to show the figures."""
        return self.judged >= ENOUGH and 0 < self.copies < self.judged


def quality(columns: RunColumns, judged: Judged, threshold: float) -> Quality:
    """Precision: copies among judged matches at or above ``threshold``; recall: their share of all judged copies.

    Matches judged partial count as copies. Passages added by hand count as missed by the method.
    """
    # Most matches are not judged: their code is 0.
    rows = np.flatnonzero(judged.code > 0)
    undecided = int((~_DECIDED[judged.code[rows]]).sum())
    rows = rows[_DECIDED[judged.code[rows]]]
    if not len(rows):
        return Quality(0, 0, None, None, undecided)
    copy = _POSITIVE[judged.code[rows]]
    above = columns.matches.score[rows] >= threshold
    if ADDED in columns.matches.evidence:
        above &= columns.matches.evidence[ADDED][rows] == 0
    hits, copies = int(copy[above].sum()), int(copy.sum())
    precision = hits / int(above.sum()) if above.any() else None
    return Quality(len(copy), copies, precision, hits / copies if copies else None, undecided)
