"""Reading a pair for Review, off the window's thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.types import BlockKind, Document, Ints, Label, Match, Matches, Region, Run, Verdict
from workbench.gui.widgets.alignment import Alignment
from workbench.gui.widgets.document_layout import DocumentLayout
from workbench.project import labels
from workbench.project.listing import items_of
from workbench.project.matches import matches_of
from workbench.project.pairs import Pair, pairs_of
from workbench.project.runs import load_run
from workbench.services.differences import Edit, differences
from workbench.services.reviewing import open_pair
from workbench.services.session import Session
from workbench.services.verdicts import Held, target
from workbench.services.whole_pairs import is_whole

FIRST, LAST = -1, -2
"""In place of a match's number: the first or last one shown."""
LAST_SOURCE = -1
"""In place of a key: the suspect's source that it shares least with."""
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A source of the suspect: ``number`` from 1 by characters shared, ``matches`` passages, ``best`` score."""

    key: int
    number: int
    title: str
    language: str
    matches: int
    best: float


@dataclass(frozen=True, slots=True)
class Opened:
    """A suspect with one of its sources open. ``matches`` are the pair's in order of the suspect, ``held`` parallel.

    ``others`` are the suspect's passages from its other sources; ``other_source`` their source numbers. ``regions``
    are the pair's trustable regions; ``figures`` what the run says of the pair as a whole.
    """

    run: Run
    a: Document
    b: Document
    matches: Matches
    held: tuple[Held | None, ...]
    sources: tuple[SourceItem, ...]
    others: Matches
    other_source: Ints
    a_lines: DocumentLayout
    b_lines: DocumentLayout
    alignment: Alignment
    regions: tuple[Region, ...] = ()
    figures: Pair | None = None

    @property
    def whole(self) -> bool:
        """Whether the run compares whole documents: there are no passages, the pair itself is judged."""
        return is_whole(self.run)

    def is_of(self, other: Opened) -> bool:
        """Whether both are of the same pair of the same run."""
        return (self.run.id, self.a.key, self.b.key) == (other.run.id, other.a.key, other.b.key)

    def passage(self, number: int) -> tuple[str, str]:
        """Both texts of match ``number``."""
        m = self.matches
        a = self.a.text[int(m.a_start[number]) : int(m.a_end[number])]
        return a, self.b.text[int(m.b_start[number]) : int(m.b_end[number])]

    def also(self, number: int) -> list[tuple[SourceItem, Match]]:
        """Other sources that hold some of match ``number``'s passage of the suspect, the longest overlap first."""
        m, o = self.matches, self.others
        start, end = m.a_start[number], m.a_end[number]
        overlap = np.minimum(o.a_end, end) - np.maximum(o.a_start, start)
        by_number = {s.number: s for s in self.sources}
        found: dict[int, int] = {}
        for row in np.argsort(-overlap, kind="stable").tolist():
            if overlap[row] > 0:
                found.setdefault(int(self.other_source[row]), row)
        return [(by_number[n], o.row(row)) for n, row in found.items()]


def make_opened(
    run: Run,
    a: Document,
    b: Document,
    matches: Matches,
    held: tuple[Held | None, ...] = (),
    sources: tuple[SourceItem, ...] = (),
    others: Matches | None = None,
    regions: tuple[Region, ...] = (),
    figures: Pair | None = None,
) -> Opened:
    """Lay the ground for showing a pair; ``matches`` are those of the pair in order of the suspect."""
    rest = others if others is not None else Matches.empty()
    numbers = {s.key: s.number for s in sources}
    m = matches
    return Opened(
        run,
        a,
        b,
        matches,
        held or (None,) * len(matches),
        sources,
        rest,
        np.array([numbers[int(key)] for key in rest.b], np.int64),
        DocumentLayout(a.text, headings(a)),
        DocumentLayout(b.text, headings(b)),
        Alignment(m.a_start, m.a_end, m.b_start, m.b_end, len(a.text), len(b.text)),
        regions,
        figures,
    )


def read_opened(session: Session, run_id: int, a_key: int, b_key: int | None) -> Opened:
    """Open suspect ``a_key`` with source ``b_key``, by default the one it shares most with, or LAST_SOURCE.

    Raises ProjectError for unknown keys, ValueError for a suspect without matches.
    """
    with session.read() as connection:
        every = matches_of(connection, run_id, a=a_key)
        whole = is_whole(load_run(connection, run_id))
    if whole:
        return _read_whole(session, run_id, a_key, b_key)
    with session.read() as connection:
        keys, place = np.unique(every.b, return_inverse=True)
        items = items_of(connection, keys.tolist())
    if not len(keys) and b_key in (None, LAST_SOURCE):
        raise ValueError(f"Document {a_key} has no matches in run {run_id}.")
    shared = np.bincount(place, weights=every.a_end - every.a_start, minlength=len(keys))
    sources = []
    for number, at in enumerate(np.argsort(-shared, kind="stable").tolist(), start=1):
        key = int(keys[at])
        item, scores = items[key], every.score[place == at]
        sources.append(SourceItem(key, number, item.title or item.id, item.language, len(scores), float(scores.max())))
    opened = sources[0].key if b_key is None else sources[-1].key if b_key == LAST_SOURCE else b_key
    pair = open_pair(session, run_id, a_key, opened)
    rest = every.take(every.b != opened)
    return make_opened(
        pair.run, pair.a, pair.b, pair.matches, pair.held, tuple(sources), rest, pair.regions, pair.figures
    )


def _read_whole(session: Session, run_id: int, a_key: int, b_key: int | None) -> Opened:
    """As :func:`read_opened` in a run that compares whole documents; sources in order of their pairs' scores."""
    with session.read() as connection:
        pairs = sorted(pairs_of(connection, run_id, a=a_key), key=lambda p: (-p.score, p.b))
        items = items_of(connection, [p.b for p in pairs])
    if not pairs and b_key in (None, LAST_SOURCE):
        raise ValueError(f"Document {a_key} is in no pair of run {run_id}.")
    sources = [
        SourceItem(p.b, n, items[p.b].title or items[p.b].id, items[p.b].language, 0, p.score)
        for n, p in enumerate(pairs, 1)
    ]
    opened = sources[0].key if b_key is None else sources[-1].key if b_key == LAST_SOURCE else b_key
    pair = open_pair(session, run_id, a_key, opened)
    return make_opened(
        pair.run, pair.a, pair.b, pair.matches, sources=tuple(sources), regions=pair.regions, figures=pair.figures
    )


def headings(document: Document) -> Spans:
    """Spans of the document's headings."""
    return tuple((b.span.start, b.span.end) for b in document.blocks if b.kind == BlockKind.HEADING)


def ignored(document: Document) -> Spans:
    """Spans of the blocks that are not content."""
    return tuple((b.span.start, b.span.end) for b in document.blocks if b.verdict == Verdict.NON_CONTENT)


def identity(a: str, b: str, edits: list[Edit]) -> float:
    """Share of characters two passages have in common, 0 to 1: 2 x common / (len(a) + len(b))."""
    different = sum(e.a_span.end - e.a_span.start + e.b_span.end - e.b_span.start for e in edits)
    total = len(a) + len(b)
    return 1.0 - different / total if total else 1.0


def edits_of(opened: Opened, number: int) -> list[Edit]:
    """Differences inside match ``number``, in offsets of the whole texts."""
    match = opened.matches.row(number)
    return differences(opened.a.text, match.a_span, opened.b.text, match.b_span)


def read_history(session: Session, opened: Opened, number: int) -> list[Label]:
    """Every verdict and note ever given on match ``number``, oldest first; carried ones from where they were given."""
    match = opened.matches.row(number)
    names = [target(opened.a.id, match.a_span, opened.b.id, match.b_span)]
    held = opened.held[number]
    if held is not None and held.carried:
        names.insert(0, held.label.target)
    with session.read() as connection:
        events = [e for name in names for e in labels.history(connection, name, "verdict")]
    return sorted(events, key=lambda e: e.when)
