"""One run as Review holds it: its suspects, all its matches as columns, and what was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints, Matches, Run, RunState
from workbench.project import labels
from workbench.project.listing import DocumentItem, ids_of, items_of
from workbench.project.matches import match_columns
from workbench.project.pairs import pairs_of
from workbench.project.runs import load_run, newest, runs
from workbench.services.reviewing import SuspectRow, suspects
from workbench.services.session import Session
from workbench.services.verdicts import LABEL_SET, MatchVerdict, VerdictIndex
from workbench.services.whole_pairs import as_matches, is_whole, suspects_of_pairs, verdicts_of_pairs

TIERS = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged matches of a run: their rows in the run's columns and what was said of them, of equal length.

    A value is a verdict on a passage or, where whole documents are compared, a label of a pair.
    """

    row: Ints
    value: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The matches of a finished run, n rows, with what the lists count by.

    ``suspect`` gives each match the position of its suspect in ``keys`` (sorted); ``ranked`` holds all scores in
    ascending order.
    ``first_source`` is the key of each suspect's best source; ``tiers`` its characters by tier, int64[s, 3].
    ``whole``: the method compares whole documents; each match stands for a pair.
    """

    matches: Matches
    keys: Ints
    suspect: Ints
    ranked: Floats
    first_source: Ints
    tiers: NDArray[np.int64]
    items: Mapping[int, DocumentItem]
    whole: bool = False

    def above(self, threshold: float) -> NDArray[np.bool_]:
        """Which matches score at least ``threshold``."""
        return self.matches.score >= threshold

    def count_above(self, threshold: float) -> int:
        """How many matches score at least ``threshold``."""
        return len(self.ranked) - int(np.searchsorted(self.ranked, threshold, "left"))

    def per_suspect(self, threshold: float) -> Ints:
        """Matches of each suspect at or above ``threshold``, int64[s]."""
        return np.bincount(self.suspect[self.above(threshold)], minlength=len(self.keys)).astype(np.int64)

    def place(self, row: int) -> tuple[int, int, int]:
        """Suspect, source and number in its pair (in order of the suspect) of the match in ``row``."""
        m = self.matches
        a, b = int(m.a[row]), int(m.b[row])
        before = (m.a_start < m.a_start[row]) | ((m.a_start == m.a_start[row]) & (m.a_end < m.a_end[row]))
        same = (m.a_start == m.a_start[row]) & (m.a_end == m.a_end[row]) & (m.b_start < m.b_start[row])
        return a, b, int(((m.a == a) & (m.b == b) & (before | same)).sum())

    def title(self, key: int) -> str:
        """Title of a document, else its id."""
        item = self.items.get(key)
        return "" if item is None else item.title or item.id


@dataclass(frozen=True, slots=True)
class Overview:
    """What Review shows beside the texts. ``run`` is None where the project has no run to show."""

    runs: tuple[Run, ...] = ()
    run: Run | None = None
    suspects: tuple[SuspectRow, ...] = ()
    columns: RunColumns | None = None
    judged: Judged = field(default_factory=lambda: Judged(np.zeros(0, np.int64), ()))
    documents: int = 0


def read_overview(session: Session, run_id: int | None, known: RunColumns | None = None) -> Overview:
    """Run ``run_id`` (None, or one that is gone: the newest finished run); ``known`` columns are used again."""
    with session.read() as connection:
        found = [r for r in runs(connection) if r.state in (RunState.DONE, RunState.CANCELLED, RunState.INTERRUPTED)]
        documents = len(ids_of(connection))
    chosen = next((r for r in found if r.id == run_id), None)
    if chosen is None:
        finished = [r for r in found if r.state == RunState.DONE] or found
        chosen = newest(finished)
    if chosen is None:
        return Overview(tuple(found), documents=documents)
    whole = is_whole(chosen)
    held = chosen.pairs if whole else chosen.matches
    same = known is not None and chosen.id == run_id and len(known.matches) == held
    if whole:
        return _whole_overview(session, Overview(tuple(found), chosen, documents=documents), known if same else None)
    columns = known if known is not None and same else read_columns(session, chosen.id)
    rows = tuple(suspects(session, chosen.id))
    return Overview(tuple(found), chosen, rows, columns, read_judged(session, columns), documents)


def _whole_overview(session: Session, base: Overview, known: RunColumns | None) -> Overview:
    """``base`` with the pairs of a run that compares whole documents, each as one match."""
    assert base.run is not None
    with session.read() as connection:
        pairs = pairs_of(connection, base.run.id)
        keys = [(p.a, p.b) for p in pairs]
        items = items_of(connection, sorted({key for pair in keys for key in pair}))
        verdicts = verdicts_of_pairs(connection, keys, {key: item.id for key, item in items.items()})
    columns = known or make_columns(as_matches(pairs, items), items, whole=True)
    said = [(row, verdicts[pair]) for row, pair in enumerate(keys) if pair in verdicts]
    judged = Judged(np.array([row for row, _ in said], np.int64), tuple(value for _, value in said))
    rows = tuple(suspects_of_pairs(pairs, items, verdicts))
    return replace(base, suspects=rows, columns=columns, judged=judged)


_COPY = {
    MatchVerdict.COPY: True,
    MatchVerdict.PARTIAL: True,
    MatchVerdict.NOT_COPY: False,
    "near-duplicate": True,
    "not": False,
}
"""Whether a verdict, or the label of a pair, counts as a copy where precision and recall are taken; others do not."""

ENOUGH = 10
"""Judged matches, copies and others among them, from which on precision and recall say something."""


def read_columns(session: Session, run_id: int) -> RunColumns:
    """All matches of run ``run_id``. Raises ProjectError where the run is gone."""
    with session.read() as connection:
        load_run(connection, run_id)
        matches = match_columns(connection, run_id)
        used = np.union1d(np.unique(matches.a), np.unique(matches.b))
        items = items_of(connection, used.tolist())
    return make_columns(matches, items)


def make_columns(matches: Matches, items: Mapping[int, DocumentItem], *, whole: bool = False) -> RunColumns:
    """Columns for the lists from matches in any order."""
    keys, suspect = np.unique(matches.a, return_inverse=True)
    order = np.argsort(matches.score, kind="stable")
    first = np.zeros(len(keys), np.int64)
    first[suspect[order]] = matches.b[order]
    length = matches.a_end - matches.a_start
    cell = suspect * TIERS + matches.tier
    tiers = np.bincount(cell, weights=length, minlength=len(keys) * TIERS).astype(np.int64).reshape(-1, TIERS)
    return RunColumns(matches, keys, suspect.astype(np.int64), matches.score[order], first, tiers, items, whole)


def read_judged(session: Session, columns: RunColumns) -> Judged:
    """The matches that hold a verdict; only pairs somebody judged are looked at."""
    with session.read() as connection:
        current = labels.current(connection, LABEL_SET)
    if not current:
        return Judged(np.zeros(0, np.int64), ())
    ids = {key: item.id for key, item in columns.items.items()}
    keys = {name: key for key, name in ids.items()}
    index = VerdictIndex(current, ids)
    m = columns.matches
    rows: list[int] = []
    values: list[str] = []
    for a_id, b_id in index.pairs():
        for row in np.flatnonzero((m.a == keys[a_id]) & (m.b == keys[b_id])).tolist():
            held = index.held(m.row(row))
            if held is not None:
                rows.append(row)
                values.append(held.label.value)
    return Judged(np.array(rows, np.int64), tuple(values))


@dataclass(frozen=True, slots=True)
class Quality:
    """Precision and recall at a threshold, over judged matches only; None where nothing decides them.

    ``judged`` matches are decided, ``copies`` of them are copies.
    """

    judged: int
    copies: int
    precision: float | None
    recall: float | None

    @property
    def enough(self) -> bool:
        """Whether as many matches of both kinds are judged as the figures need to be shown."""
        return self.judged >= ENOUGH and 0 < self.copies < self.judged


def quality(columns: RunColumns, judged: Judged, threshold: float) -> Quality:
    """Precision: copies among judged matches at or above ``threshold``; recall: their share of all judged copies.

    Matches judged partial count as copies.
    """
    decided = [(row, _COPY[value]) for row, value in zip(judged.row, judged.value, strict=True) if value in _COPY]
    if not decided:
        return Quality(0, 0, None, None)
    rows, copy = np.array(decided, np.int64).T
    above = columns.matches.score[rows] >= threshold
    hits, copies = int(copy[above].sum()), int(copy.sum())
    precision = hits / int(above.sum()) if above.any() else None
    return Quality(len(copy), copies, precision, hits / copies if copies else None)
