"""What a reviewer looks at: suspects, pairs and passages of a run, with the verdicts that hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from workbench.base.types import Document, Matches, Region, Run
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem, ids_of, items_of
from workbench.project.matches import match_columns, matches_of
from workbench.project.pairs import Pair, pairs_of, suspects_of
from workbench.project.runs import load_run
from workbench.project.scores import regions_of
from workbench.services.coverage import share
from workbench.services.diffing import RunDifference, diff_matches
from workbench.services.session import Session
from workbench.services.verdicts import LABEL_SET, Held, VerdictIndex, tally


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """A suspect in a run.

    ``score`` is its best passage's; ``coverage`` the share (0..1) of its characters that passages cover; ``longest`` is
    in characters; ``verdicts`` counts its passages by verdict.
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
    verdicts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair of documents in a run; ``coverage_a`` and ``coverage_b`` are shares (0..1) of either text."""

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


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair opened for review. ``held`` is parallel to ``matches``, which are in the order of ``a``.

    ``regions`` are in the method's order; ``figures`` is what the run says of the pair as a whole, if anything.
    """

    a: Document
    b: Document
    matches: Matches
    held: tuple[Held | None, ...]
    run: Run
    regions: tuple[Region, ...] = ()
    figures: Pair | None = None


def suspects(session: Session, run_id: int) -> list[SuspectRow]:
    """The suspects with passages in the run, best score first."""
    with session.read() as connection:
        rows = suspects_of(connection, run_id)
        items = items_of(connection, [row.a for row in rows])
        tallies = _tallies(connection, run_id)
    verdicts: dict[int, Counter[str]] = defaultdict(Counter)
    for (a, _), counts in tallies.items():
        verdicts[a].update(counts)
    found = []
    for row in rows:
        item = items[row.a]
        found.append(
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
                dict(verdicts[row.a]),
            )
        )
    return sorted(found, key=lambda r: (-r.score, r.key))


def pairs(
    session: Session, run_id: int, suspect_key: int | None = None, source_key: int | None = None
) -> list[PairRow]:
    """The pairs of the run (of one suspect, of one source), best score first."""
    with session.read() as connection:
        rows = pairs_of(connection, run_id, a=suspect_key, b=source_key)
        items = items_of(connection, sorted({key for row in rows for key in (row.a, row.b)}))
        tallies = _tallies(connection, run_id)
    found = [_pair_row(row, items, tallies.get((row.a, row.b), {})) for row in rows]
    return sorted(found, key=lambda r: (-r.score, r.a, r.b))


def _pair_row(row: Pair, items: Mapping[int, DocumentItem], verdicts: Mapping[str, int]) -> PairRow:
    a, b = items[row.a], items[row.b]
    return PairRow(
        row.a,
        row.b,
        a.id,
        b.id,
        a.title,
        b.title,
        row.score,
        row.matches,
        row.longest,
        share(row.covered_a, a.length),
        share(row.covered_b, b.length),
        row.relation or "",
        verdicts,
    )


def open_pair(session: Session, run_id: int, a_key: int, b_key: int) -> PairView:
    """Both texts, the passages they share in this run, and the verdicts. Raises ProjectError for unknown keys."""
    with session.read() as connection:
        run = load_run(connection, run_id)
        a, b = load_document(connection, a_key), load_document(connection, b_key)
        matches = _in_text_order(matches_of(connection, run_id, a=a_key, b=b_key))
        index = _verdicts(connection, {a_key: a.id, b_key: b.id})
        regions = tuple(regions_of(connection, run_id, a=a_key, b=b_key))
        figures = next(iter(pairs_of(connection, run_id, a=a_key, b=b_key)), None)
    return PairView(a, b, matches, tuple(map(index.held, matches)), run, regions, figures)


def diff_runs(session: Session, run1: int, run2: int) -> RunDifference:
    """Which passages appeared from ``run1`` to ``run2``, which vanished, which are common."""
    with session.read() as connection:
        load_run(connection, run1)
        load_run(connection, run2)
        return diff_matches(match_columns(connection, run1), match_columns(connection, run2))


def _in_text_order(matches: Matches) -> Matches:
    return matches.take(np.lexsort((matches.b_start, matches.a_end, matches.a_start)))


def _verdicts(connection: Connection, ids: Mapping[int, str]) -> VerdictIndex:
    return VerdictIndex(labels.current(connection, LABEL_SET), ids)


def _tallies(connection: Connection, run_id: int) -> dict[tuple[int, int], dict[str, int]]:
    """Verdict counts by pair of keys. Only pairs that somebody judged are looked at, however large the run."""
    current = labels.current(connection, LABEL_SET)
    if not current:
        return {}
    ids = ids_of(connection)
    keys: dict[str, list[int]] = defaultdict(list)
    for key, name in ids.items():
        keys[name].append(key)
    index = VerdictIndex(current, ids)
    found = {}
    for a_id, b_id in index.pairs():
        for a, b in product(keys[a_id], keys[b_id]):
            counts = tally([index.held(match) for match in matches_of(connection, run_id, a=a, b=b)])
            if counts:
                found[a, b] = counts
    return found
