"""Scores of documents and regions of pairs: written with their chunk, read back by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
from sqlalchemy import Connection, func, insert, select

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.sound import is_count, is_figure
from workbench.base.types import DocumentScore, Region, Span
from workbench.project.damaged_rows import damage_of
from workbench.project.packing import flat, object_from_json, to_json
from workbench.project.tables import region_rows, score_rows

_PAGE = 5_000


def add_scores(connection: Connection, run_id: int, scores: Sequence[DocumentScore]) -> None:
    """Record the scores of a chunk; a document has one score per run."""
    if scores:
        rows = [
            {"run_id": run_id, "document": s.document, "score": s.score, "evidence": to_json(dict(s.evidence))}
            for s in scores
        ]
        connection.execute(insert(score_rows), rows)


def scores_of(connection: Connection, run_id: int) -> Iterator[DocumentScore]:
    """Scores of a run by document key, a few in memory at a time."""
    after = -1
    while True:
        query = select(score_rows.c.document, score_rows.c.score, score_rows.c.evidence)
        query = query.where(score_rows.c.run_id == run_id, score_rows.c.document > after)
        page = connection.execute(query.order_by(score_rows.c.document).limit(_PAGE)).all()
        scores = [score for score in map(_score, page) if score is not None]
        if len(scores) < len(page):
            whole = {score.document for score in scores}
            damage_of(connection).note(
                Message("scores that are not numbers"), ((run_id, r[0]) for r in page if r[0] not in whole)
            )
        yield from _of_documents(connection, run_id, scores)
        if len(page) < _PAGE:
            return
        after = page[-1].document


def _score(row: Any) -> DocumentScore | None:
    what = "the evidence of a score"
    try:
        score = DocumentScore(row.document, row.score, flat(object_from_json(row.evidence, what), what))
    except ProjectError:
        return None
    return score if is_count(score.document) and is_figure(score.score) else None


def _of_documents(connection: Connection, run_id: int, scores: list[DocumentScore]) -> Iterator[DocumentScore]:
    damage = damage_of(connection)
    keys = np.array([score.document for score in scores], np.int64)
    unknown = damage.outside(connection, keys, np.zeros(len(keys), np.int64))
    if unknown.any():
        damage.note(Message("scores of unknown documents"), ((run_id, key) for key in keys[unknown].tolist()))
    return compress(scores, (~unknown).tolist())


def count_scores(connection: Connection, run_id: int) -> int:
    """Exact number of scores of a run."""
    return connection.execute(
        select(func.count()).select_from(score_rows).where(score_rows.c.run_id == run_id)
    ).scalar_one()


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
        connection.execute(insert(region_rows), rows)


def regions_of(connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None) -> list[Region]:
    """Regions of a run, of suspect ``a`` and source ``b`` (each None: all), by pair, in the method's order."""
    query = select(
        region_rows.c.a,
        region_rows.c.b,
        region_rows.c.a_start,
        region_rows.c.a_end,
        region_rows.c.b_start,
        region_rows.c.b_end,
        region_rows.c.slope,
    ).where(region_rows.c.run_id == run_id)
    if a is not None:
        query = query.where(region_rows.c.a == a)
    if b is not None:
        query = query.where(region_rows.c.b == b)
    rows = connection.execute(query.order_by(region_rows.c.a, region_rows.c.b, region_rows.c.id)).all()
    whole = [row for row in rows if _is_region(row)]
    a_end, b_end = (np.array([row[at] for row in whole], np.int64) for at in (3, 5))
    a_key, b_key = (np.array([row[at] for row in whole], np.int64) for at in (0, 1))
    damage = damage_of(connection)
    outside = damage.outside(connection, a_key, a_end) | damage.outside(connection, b_key, b_end)
    regions = [
        Region(r[0], r[1], Span(r[2], r[3]), Span(r[4], r[5]), r[6]) for r in compress(whole, (~outside).tolist())
    ]
    if len(regions) < len(rows):
        usable = {(r.a, r.b, *r.a_span, *r.b_span) for r in regions}
        damage.note(
            Message("regions outside their documents"), ((run_id, *r) for r in rows if tuple(r[:6]) not in usable)
        )
    return regions


def _is_region(row: Any) -> bool:
    return all(map(is_count, row[:6])) and row[2] <= row[3] and row[4] <= row[5] and is_figure(row[6])
