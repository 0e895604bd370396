"""Pairs and suspects of a run: writing them with their chunk, and reading them back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Connection, Table, and_, case, func, literal, not_, or_, select, tuple_

from workbench.base.errors import ProjectError
from workbench.base.messages import Message, read
from workbench.base.sound import is_count, is_figure
from workbench.base.types import Evidence, Ints, Matches, PairScore, PairScores
from workbench.project.aggregates import Aggregates, by_pair, by_suspect, in_order
from workbench.project.batches import batched
from workbench.project.damaged_rows import damage_of
from workbench.project.matches import matches_of
from workbench.project.packing import flat, object_from_json
from workbench.project.tables import pair_rows, suspect_rows

_PAGE = 5_000

_MATCHED = ("matches", "total", "best", "covered_a", "covered_b", "longest")
_SCORE_FIELDS = ("score", "resemblance", "containment", "relation", "evidence")
_OF_PAIRS = Message("pairs without proper figures"), Message("pairs of unknown documents")
_OF_SUSPECTS = Message("suspects without proper figures"), Message("suspects of unknown documents")
"""Reasons to leave out rows."""
_SUSPECT = ("matches", "sources", "total", "best", "covered", "longest")


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of documents (keys; ``a`` is the suspect) in a run.

    ``score`` is the method's score of the pair, otherwise ``total``; ``total`` and ``best`` are the sum and the
    greatest of the match scores; ``covered_a``, ``covered_b`` count code points covered by matches, ``longest`` those
    of the longest match.
    """

    a: int
    b: int
    matches: int
    score: float
    total: float
    best: float
    covered_a: int
    covered_b: int
    longest: int
    resemblance: float | None
    containment: float | None
    relation: str | None
    evidence: Evidence

    @property
    def is_sum(self) -> bool:
        """Whether its score is the sum of those of its matches: the method gives pairs none of their own."""
        return self.matches > 0 and self.score == self.total


@dataclass(frozen=True, slots=True)
class SuspectTotals:
    """A suspect (key) in a run, over all its sources; ``covered`` and ``longest`` in code points of the suspect."""

    a: int
    matches: int
    sources: int
    total: float
    best: float
    covered: int
    longest: int


_T = TypeVar("_T", bound="Pair | SuspectTotals | _Total")

_MOST = sys.float_info.max
_COUNTS = (
    pair_rows.c.a,
    pair_rows.c.b,
    pair_rows.c.matches,
    pair_rows.c.covered_a,
    pair_rows.c.covered_b,
    pair_rows.c.longest,
)
_FIGURES = (pair_rows.c.total, pair_rows.c.best)
_FIGURE_COLUMNS = (pair_rows.c.score, pair_rows.c.resemblance, pair_rows.c.containment)
_WHOLE_PAIR = and_(
    *(and_(func.typeof(column) == "integer", column.between(0, (1 << 62) - 1)) for column in _COUNTS),
    *(and_(func.typeof(column).in_(("integer", "real")), column.between(-_MOST, _MOST)) for column in _FIGURES),
    *(
        or_(column.is_(None), and_(func.typeof(column).in_(("integer", "real")), column.between(-_MOST, _MOST)))
        for column in _FIGURE_COLUMNS
    ),
    func.typeof(pair_rows.c.relation).in_(("null", "text")),
    func.typeof(pair_rows.c.evidence) == "text",
    case((func.typeof(pair_rows.c.evidence) == "text", func.json_valid(pair_rows.c.evidence)), else_=0) == 1,
)
"""The condition for a valid pair row; :func:`_pair` checks the same for a row that has been read."""


def add_pairs(connection: Connection, run_id: int, matches: Matches, scored: PairScores) -> int:
    """Record pairs and suspects of a chunk whose ``matches`` (in order) are already stored. Returns the number of new
    pairs.

    If a suspect has matches from an earlier chunk, its figures are recomputed from all of them.
    """
    aggregates = by_pair(matches)
    suspects = by_suspect(matches)
    known = _known_pairs(connection, run_id, {*aggregates.a.tolist(), *scored.a.tolist()})
    if not known:
        return _add_new(connection, run_id, aggregates, suspects, scored)
    again = sorted({a for a, _ in known} & set(suspects.a.tolist()))
    if again:
        whole = in_order(Matches.concatenate([matches_of(connection, run_id, a=a) for a in again]))
        _upsert(connection, pair_rows, 3, _pair_columns(run_id, by_pair(whole)))
        _upsert(connection, suspect_rows, 2, _suspect_columns(run_id, by_suspect(whole)))
    for table, keys, columns in (
        (pair_rows, 3, _pair_columns(run_id, aggregates, ~np.isin(aggregates.a, again))),
        (suspect_rows, 2, _suspect_columns(run_id, suspects, ~np.isin(suspects.a, again))),
        (pair_rows, 3, _scored_columns(run_id, scored)),
    ):
        _upsert(connection, table, keys, columns)
    return len((_keys(aggregates) | _keys(scored)) - known)


def described_pairs(connection: Connection, run_id: int) -> tuple[PairScore, ...]:
    """The method's figures for the pairs of a run that cannot be derived from their matches."""
    return tuple(
        PairScore(p.a, p.b, p.score, p.resemblance, p.containment, p.relation, p.evidence)
        for p in pairs_of(connection, run_id)
        if p.relation is not None or p.evidence or p.resemblance is not None
    )


def change_pairs(connection: Connection, run_id: int, scores: Sequence[PairScore]) -> None:
    """Replace the method's figures for pairs of the run."""
    _upsert(connection, pair_rows, 3, _scored_columns(run_id, PairScores.of(scores)))


def _add_new(
    connection: Connection, run_id: int, aggregates: Aggregates, suspects: Aggregates, scored: PairScores
) -> int:
    """Insert suspects that have no row in the run, with their pairs; returns the number of pairs."""
    _insert(connection, suspect_rows, _suspect_columns(run_id, suspects))
    matched = _pair_columns(run_id, aggregates)
    if np.array_equal(aggregates.a, scored.a) and np.array_equal(aggregates.b, scored.b):
        _insert(connection, pair_rows, matched | _score_columns(scored))
        return len(scored.a)
    _insert(connection, pair_rows, matched)
    _upsert(connection, pair_rows, 3, _scored_columns(run_id, scored))
    return len(_keys(aggregates) | _keys(scored))


def _keys(pairs: Aggregates | PairScores) -> set[tuple[int, int]]:
    return set(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))


def _known_pairs(connection: Connection, run_id: int, suspects: set[int]) -> set[tuple[int, int]]:
    ordered = sorted(suspects)
    known: set[tuple[int, int]] = set()
    for part in batched(ordered):
        query = select(pair_rows.c.a, pair_rows.c.b).where(pair_rows.c.run_id == run_id, pair_rows.c.a.in_(part))
        known.update((row.a, row.b) for row in connection.execute(query))
    return known


_Columns = dict[str, Sequence[Any]]
"""The columns of rows to be written, by name, key columns first."""


def _pair_columns(run_id: int, aggregates: Aggregates, chosen: Any = slice(None)) -> _Columns:
    columns = {name: getattr(aggregates, name)[chosen].tolist() for name in ("a", "b", *_MATCHED)}
    return {"run_id": [run_id] * len(columns["a"]), **columns}


def _suspect_columns(run_id: int, aggregates: Aggregates, chosen: Any = slice(None)) -> _Columns:
    names = {"partners": "sources", "covered_a": "covered"}
    columns = ("a", "matches", "partners", "total", "best", "covered_a", "longest")
    profile = {names.get(name, name): getattr(aggregates, name)[chosen].tolist() for name in columns}
    return {"run_id": [run_id] * len(profile["a"]), **profile}


def _scored_columns(run_id: int, scored: PairScores) -> _Columns:
    keys: _Columns = {"run_id": [run_id] * len(scored.a), "a": scored.a.tolist(), "b": scored.b.tolist()}
    return keys | _score_columns(scored)


def _score_columns(scored: PairScores) -> _Columns:
    return {name: getattr(scored, name) for name in _SCORE_FIELDS}


def _insert(connection: Connection, table: Table, columns: _Columns, rest: str = "") -> None:
    """Insert rows by SQLite itself: SQLAlchemy's overhead exceeds SQLite's own time."""
    places = ", ".join("?" * len(columns))
    sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({places}){rest}"
    raw: Any = connection.connection.driver_connection
    raw.executemany(sql, zip(*columns.values(), strict=True))


def _upsert(connection: Connection, table: Table, keys: int, columns: _Columns) -> None:
    """Insert rows; if their key (the first ``keys`` columns) exists, update the other columns."""
    names = list(columns)
    changed = ", ".join(f"{name} = excluded.{name}" for name in names[keys:])
    _insert(connection, table, columns, f" ON CONFLICT ({', '.join(names[:keys])}) DO UPDATE SET {changed}")


def pairs_of(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> list[Pair]:
    """Pairs of a run by (a, b): of suspect ``a``, source ``b``, ``score`` >= ``min_score``; without damaged ones."""
    return [pair for page in pair_pages(connection, run_id, a=a, b=b, min_score=min_score) for pair in page]


_SCORE = func.coalesce(pair_rows.c.score, pair_rows.c.total)
_PAIRS = select(
    pair_rows.c.a,
    pair_rows.c.b,
    pair_rows.c.matches,
    _SCORE.label("score"),
    *(pair_rows.c[name] for name in _MATCHED[1:]),
    *(pair_rows.c[name] for name in _SCORE_FIELDS[1:]),
)


def pair_pages(
    connection: Connection,
    run_id: int,
    *,
    a: int | None = None,
    b: int | None = None,
    min_score: float | None = None,
    size: int | None = None,
) -> Iterator[list[Pair]]:
    """The pairs of :func:`pairs_of`, at most ``size`` at a time."""
    size = size or _PAGE
    query = _PAIRS.where(pair_rows.c.run_id == run_id)
    if a is not None:
        query = query.where(pair_rows.c.a == a)
    if b is not None:
        query = query.where(pair_rows.c.b == b)
    if min_score is not None:
        query = query.where(min_score <= _SCORE)
    query = query.order_by(pair_rows.c.a, pair_rows.c.b).limit(size)
    rows = connection.execute(query).all()
    while rows:
        yield _whole(connection, run_id, rows, _pair, ("a", "b"), _OF_PAIRS)
        after = tuple_(pair_rows.c.a, pair_rows.c.b) > tuple_(*(literal(key) for key in rows[-1][:2]))
        rows = connection.execute(query.where(after)).all() if len(rows) == size else []


def pair_keys(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None
) -> list[tuple[int, int]]:
    """Keys of the pairs of a run by (a, b): of suspect ``a``, source ``b`` (each None: all)."""
    query = select(pair_rows.c.a, pair_rows.c.b).where(pair_rows.c.run_id == run_id)
    if a is not None:
        query = query.where(pair_rows.c.a == a)
    if b is not None:
        query = query.where(pair_rows.c.b == b)
    return [(row.a, row.b) for row in connection.execute(query.order_by(pair_rows.c.a, pair_rows.c.b))]


def has_pair(connection: Connection, run_id: int, a: int | None, b: int | None) -> bool:
    """Whether the run has a pair of suspect ``a`` and source ``b`` (each None: any)."""
    query = select(pair_rows.c.a).where(pair_rows.c.run_id == run_id)
    if a is not None:
        query = query.where(pair_rows.c.a == a)
    if b is not None:
        query = query.where(pair_rows.c.b == b)
    return connection.execute(query.limit(1)).first() is not None


def matched_pairs(connection: Connection, run_id: int) -> Ints:
    """Keys of the pairs of a run that have matches, n x 2, by (a, b); pairs that readers would skip are noted, faster
    than by reading all.
    """
    wrong = select(pair_rows.c.a, pair_rows.c.b).where(pair_rows.c.run_id == run_id, not_(_WHOLE_PAIR))
    broken = [(run_id, *row) for row in connection.execute(wrong)]
    damage_of(connection).note(_OF_PAIRS[0], broken)
    query = select(pair_rows.c.a, pair_rows.c.b).where(
        pair_rows.c.run_id == run_id, _WHOLE_PAIR, pair_rows.c.matches > 0
    )
    rows = connection.execute(query.order_by(pair_rows.c.a, pair_rows.c.b))
    return np.fromiter((key for row in rows for key in row), np.int64).reshape(-1, 2)


def count_pairs(connection: Connection, run_id: int) -> int:
    """Exact number of pairs of a run."""
    return connection.execute(
        select(func.count()).select_from(pair_rows).where(pair_rows.c.run_id == run_id)
    ).scalar_one()


def suspects_of(connection: Connection, run_id: int) -> list[SuspectTotals]:
    """Suspects of a run that have matches, by key."""
    query = select(suspect_rows.c.a, *(suspect_rows.c[name] for name in _SUSPECT)).where(
        suspect_rows.c.run_id == run_id
    )
    rows = connection.execute(query.order_by(suspect_rows.c.a)).all()
    return _whole(connection, run_id, rows, _suspect, ("a",), _OF_SUSPECTS)


def document_totals(connection: Connection, run_id: int) -> dict[int, float]:
    """Sum of the scores of the matches of each document that has any, on either side, by key.

    For two documents that were compared both ways, only the greater sum counts.
    """
    query = select(pair_rows.c.a, pair_rows.c.b, pair_rows.c.total).where(
        pair_rows.c.run_id == run_id, pair_rows.c.matches > 0
    )
    rows = connection.execute(query.order_by(pair_rows.c.a, pair_rows.c.b)).all()
    of_pair: dict[tuple[int, int], float] = {}
    for row in _whole(connection, run_id, rows, _total, ("a", "b"), _OF_PAIRS):
        pair = min(row.a, row.b), max(row.a, row.b)
        of_pair[pair] = max(of_pair.get(pair, row.total), row.total)
    totals: dict[int, float] = {}
    for pair, total in of_pair.items():
        for key in set(pair):
            totals[key] = totals.get(key, 0.0) + total
    return totals


class _Total(NamedTuple):
    a: int
    b: int
    total: float


def _total(row: Any) -> _Total | None:
    total = _Total(*row)
    return total if is_count(total.a) and is_count(total.b) and is_figure(total.total) else None


def _whole(
    connection: Connection,
    run_id: int,
    rows: Sequence[Any],
    read: Callable[[Any], _T | None],
    keys: tuple[str, ...],
    reasons: tuple[Message, Message],
) -> list[_T]:
    """The values ``read`` returns for ``rows``, without those it rejects and those whose ``keys`` are unknown
    documents; ``reasons`` name the former and the latter.
    """
    improper, of_unknown = reasons
    damage = damage_of(connection)
    values: list[_T] = []
    for row in rows:
        value = read(row)
        if value is None:
            damage.note(improper, [(run_id, *row[: len(keys)])])
        else:
            values.append(value)
    unknown = np.zeros(len(values), np.bool_)
    for name in keys:
        column = np.array([getattr(value, name) for value in values], np.int64)
        unknown |= damage.outside(connection, column, np.zeros(len(column), np.int64))
    for value in compress(values, unknown.tolist()):
        damage.note(of_unknown, [(run_id, *(getattr(value, name) for name in keys))])
    return list(compress(values, (~unknown).tolist()))


def _suspect(row: Any) -> SuspectTotals | None:
    suspect = SuspectTotals(*row)
    counts = (suspect.a, suspect.matches, suspect.sources, suspect.covered, suspect.longest)
    return suspect if all(map(is_count, counts)) and is_figure(suspect.total) and is_figure(suspect.best) else None


def _pair(row: Any) -> Pair | None:
    try:
        pair = Pair(**{**row._mapping, "evidence": _evidence(row.evidence)})
    except ProjectError:
        return None
    counts = (pair.a, pair.b, pair.matches, pair.covered_a, pair.covered_b, pair.longest)
    figures = (pair.score, pair.total, pair.best, pair.resemblance or 0.0, pair.containment or 0.0)
    words = isinstance(pair.relation, str | None)
    return pair if words and all(map(is_count, counts)) and all(map(is_figure, figures)) else None


def _evidence(packed: str) -> Evidence:
    if packed == "{}":
        return {}
    evidence = flat(object_from_json(packed, "the evidence of a pair"), "the evidence of a pair")
    return {name: read(value) if isinstance(value, str) else value for name, value in evidence.items()}
