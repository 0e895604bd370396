"""Scores of documents and regions of pairs: written with their chunk, read back by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, func, insert, select

from workbench.base.types import DocumentScore, Region, Span
from workbench.project.models import RegionRow, ScoreRow
from workbench.project.packing import flat, object_from_json, to_json

_PAGE = 5_000


def add_scores(connection: Connection, run_id: int, scores: Sequence[DocumentScore]) -> None:
    """Record the scores of a chunk; a document has one score a run."""
    if scores:
        rows = [
            {"run_id": run_id, "document": s.document, "score": s.score, "evidence": to_json(dict(s.evidence))}
            for s in scores
        ]
        connection.execute(insert(ScoreRow), rows)


def scores_of(connection: Connection, run_id: int) -> Iterator[DocumentScore]:
    """Scores of a run by document key, some in memory at a time."""
    after = -1
    what = "the evidence of a score"
    while True:
        query = select(ScoreRow.document, ScoreRow.score, ScoreRow.evidence)
        query = query.where(ScoreRow.run_id == run_id, ScoreRow.document > after)
        page = connection.execute(query.order_by(ScoreRow.document).limit(_PAGE)).all()
        for document, score, evidence in page:
            yield DocumentScore(document, score, flat(object_from_json(evidence, what), what))
            after = document
        if len(page) < _PAGE:
            return


def count_scores(connection: Connection, run_id: int) -> int:
    """Exact number of scores of a run."""
    return connection.execute(select(func.count()).select_from(ScoreRow).where(ScoreRow.run_id == run_id)).scalar_one()


def add_regions(connection: Connection, run_id: int, regions: Sequence[Region]) -> None:
    """Record the regions of a chunk, in order."""
    if regions:
        rows = [
            {
                "run_id": run_id,
                "a": r.a,
                "b": r.b,
                "a_start": r.a_span.start,
                "a_end": r.a_span.end,
                "b_start": r.b_span.start,
                "b_end": r.b_span.end,
                "slope": r.slope,
            }
            for r in regions
        ]
        connection.execute(insert(RegionRow), rows)


def regions_of(connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None) -> list[Region]:
    """Regions of a run, of suspect ``a`` and source ``b`` (each None: all), by pair, in the method's order."""
    query = select(
        RegionRow.a,
        RegionRow.b,
        RegionRow.a_start,
        RegionRow.a_end,
        RegionRow.b_start,
        RegionRow.b_end,
        RegionRow.slope,
    ).where(RegionRow.run_id == run_id)
    if a is not None:
        query = query.where(RegionRow.a == a)
    if b is not None:
        query = query.where(RegionRow.b == b)
    rows = connection.execute(query.order_by(RegionRow.a, RegionRow.b, RegionRow.id)).all()
    return [Region(r[0], r[1], Span(r[2], r[3]), Span(r[4], r[5]), r[6]) for r in rows]
