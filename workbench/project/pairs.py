"""Pairs and suspects of a run: writing them with their chunk, and reading them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.sqlite import insert

from workbench.base.types import Evidence, Matches, PairScore
from workbench.project.aggregates import Aggregates, by_pair, by_suspect, in_order
from workbench.project.matches import matches_of
from workbench.project.models import PairRow, SuspectRow
from workbench.project.packing import flat, object_from_json, to_json

_MATCHED = ("matches", "total", "best", "covered_a", "covered_b", "longest")
_GIVEN = ("score", "resemblance", "containment", "relation", "evidence")
_SUSPECT = ("matches", "sources", "total", "best", "covered", "longest")


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of documents (keys; ``a`` is the suspect) in a run.

    ``score`` is the method's own for the pair, else ``total``; ``total`` and ``best`` are the sum and the greatest of
    the match scores; ``covered_a``, ``covered_b`` count code points under a match, ``longest`` those of the longest.
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


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspect (key) in a run, over all its sources; ``covered`` and ``longest`` in code points of the suspect."""

    a: int
    matches: int
    sources: int
    total: float
    best: float
    covered: int
    longest: int


def add_pairs(connection: Connection, run_id: int, matches: Matches, given: Sequence[PairScore]) -> int:
    """Record pairs and suspects of a chunk whose ``matches`` (in order) are already stored; how many pairs are new.

    Where a suspect has matches from an earlier chunk, its figures are counted anew from all of them.
    """
    found = by_pair(matches)
    suspects = by_suspect(matches)
    known = _known_pairs(connection, run_id, {*found.a.tolist(), *(pair.a for pair in given)})
    again = sorted({a for a, _ in known} & set(suspects.a.tolist()))
    if again:
        whole = in_order(Matches.concatenate([matches_of(connection, run_id, a=a) for a in again]))
        renewed = _pair_rows(run_id, by_pair(whole)), _suspect_rows(run_id, by_suspect(whole))
    pairs = {(row["a"], row["b"]): row for row in _pair_rows(run_id, found)}
    profile = {row["a"]: row for row in _suspect_rows(run_id, suspects)}
    if again:
        pairs |= {(row["a"], row["b"]): row for row in renewed[0]}
        profile |= {row["a"]: row for row in renewed[1]}
    _upsert(connection, PairRow, ("run_id", "a", "b"), _MATCHED, list(pairs.values()))
    _upsert(connection, SuspectRow, ("run_id", "a"), _SUSPECT, list(profile.values()))
    _upsert(connection, PairRow, ("run_id", "a", "b"), _GIVEN, [_given_row(run_id, pair) for pair in given])
    return len((pairs.keys() | {(pair.a, pair.b) for pair in given}) - known)


def _known_pairs(connection: Connection, run_id: int, suspects: set[int]) -> set[tuple[int, int]]:
    ordered = sorted(suspects)
    known: set[tuple[int, int]] = set()
    for start in range(0, len(ordered), 500):
        query = select(PairRow.a, PairRow.b).where(
            PairRow.run_id == run_id, PairRow.a.in_(ordered[start : start + 500])
        )
        known.update((row.a, row.b) for row in connection.execute(query))
    return known


def _pair_rows(run_id: int, found: Aggregates) -> list[dict[str, Any]]:
    names = ("a", "b", *_MATCHED)
    columns = [getattr(found, name).tolist() for name in names]
    return [dict(zip(names, row, strict=True), run_id=run_id) for row in zip(*columns, strict=True)]


def _suspect_rows(run_id: int, found: Aggregates) -> list[dict[str, Any]]:
    names = ("a", *_SUSPECT)
    columns = (found.a, found.matches, found.partners, found.total, found.best, found.covered_a, found.longest)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True), run_id=run_id) for row in rows]


def _given_row(run_id: int, pair: PairScore) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "a": pair.a,
        "b": pair.b,
        "score": pair.score,
        "resemblance": pair.resemblance,
        "containment": pair.containment,
        "relation": pair.relation,
        "evidence": to_json(dict(pair.evidence)),
    }


def _upsert(
    connection: Connection,
    table: type[PairRow] | type[SuspectRow],
    key: tuple[str, ...],
    names: tuple[str, ...],
    rows: list[dict[str, Any]],
) -> None:
    if rows:
        statement = insert(table)
        changed = {name: statement.excluded[name] for name in names}
        connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=changed), rows)


def pairs_of(
    connection: Connection,
    run_id: int,
    *,
    a: int | None = None,
    b: int | None = None,
    min_score: float | None = None,
    after: tuple[int, int] | None = None,
    limit: int | None = None,
) -> list[Pair]:
    """Pairs of a run by (a, b) after ``after``: of suspect ``a``, source ``b``, ``score`` >= ``min_score``."""
    score = func.coalesce(PairRow.score, PairRow.total)
    query = select(
        PairRow.a,
        PairRow.b,
        PairRow.matches,
        score.label("score"),
        *(getattr(PairRow, name) for name in _MATCHED[1:]),
        *(getattr(PairRow, name) for name in _GIVEN[1:]),
    ).where(PairRow.run_id == run_id)
    if a is not None:
        query = query.where(PairRow.a == a)
    if b is not None:
        query = query.where(PairRow.b == b)
    if min_score is not None:
        query = query.where(score >= min_score)
    if after is not None:
        query = query.where((PairRow.a > after[0]) | ((PairRow.a == after[0]) & (PairRow.b > after[1])))
    query = query.order_by(PairRow.a, PairRow.b).limit(limit)
    return [_pair(row) for row in connection.execute(query).all()]


def count_pairs(connection: Connection, run_id: int) -> int:
    """Exact number of pairs of a run."""
    return connection.execute(select(func.count()).select_from(PairRow).where(PairRow.run_id == run_id)).scalar_one()


def suspects_of(connection: Connection, run_id: int, *, a: int | None = None) -> list[Suspect]:
    """Suspects of a run that have matches, by key."""
    query = select(SuspectRow.a, *(getattr(SuspectRow, name) for name in _SUSPECT)).where(SuspectRow.run_id == run_id)
    if a is not None:
        query = query.where(SuspectRow.a == a)
    return [Suspect(*row) for row in connection.execute(query.order_by(SuspectRow.a)).all()]


def _pair(row: Any) -> Pair:
    return Pair(**{**row._mapping, "evidence": _evidence(row.evidence)})


def _evidence(stored: str) -> Evidence:
    if stored == "{}":
        return {}
    return flat(object_from_json(stored, "the evidence of a pair"), "the evidence of a pair")
