"""Reading the matches of a run: all as columns, by document, counted.

The order is that of the chunks, inside a chunk by suspect, source and place: the same however many processes
worked on the run.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sqlalchemy import Connection, func, select

from workbench.base.errors import ProjectError
from workbench.base.types import Matches
from workbench.project.blocks import Block, walk
from workbench.project.models import BlockRow, PairRow


def match_columns(connection: Connection, run_id: int) -> Matches:
    """All matches of a run; a million takes about a tenth of a second and 100 MB."""
    return _joined([block.matches for block in walk(connection, run_id)])


def iter_matches(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> Iterator[Matches]:
    """Matches of suspect ``a``, source ``b``, at or above ``min_score`` (each None: all), some thousands at a time."""
    for block in _chosen(connection, run_id, a, b):
        found = block.matches.take(_mask(block.matches, a, b, min_score))
        if len(found):
            yield found


def matches_of(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> Matches:
    """What :func:`iter_matches` yields, in one."""
    return _joined(list(iter_matches(connection, run_id, a=a, b=b, min_score=min_score)))


def count_matches(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> int:
    """Exact number of matches that :func:`iter_matches` would yield."""
    if min_score is not None:
        return sum(len(part) for part in iter_matches(connection, run_id, a=a, b=b, min_score=min_score))
    if a is None and b is None:
        query = select(func.coalesce(func.sum(BlockRow.rows), 0)).where(BlockRow.run_id == run_id)
    else:
        query = select(func.coalesce(func.sum(PairRow.matches), 0)).where(PairRow.run_id == run_id)
        if a is not None:
            query = query.where(PairRow.a == a)
        if b is not None:
            query = query.where(PairRow.b == b)
    return int(connection.execute(query).scalar_one())


def _chosen(connection: Connection, run_id: int, a: int | None, b: int | None) -> Iterator[Block]:
    """Blocks that may hold matches of ``a`` and ``b``."""
    low, high = a, a
    if b is not None and a is None:
        partners = select(func.min(PairRow.a), func.max(PairRow.a)).where(PairRow.run_id == run_id, PairRow.b == b)
        low, high = connection.execute(partners).one()
        if low is None:
            return
    yield from walk(connection, run_id, low=low, high=high)


def _mask(
    matches: Matches, a: int | None, b: int | None, min_score: float | None
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    mask = np.ones(len(matches), bool)
    if a is not None:
        mask &= matches.a == a
    if b is not None:
        mask &= matches.b == b
    if min_score is not None:
        mask &= matches.score >= min_score
    return mask


def _joined(parts: list[Matches]) -> Matches:
    if len({frozenset(part.evidence) for part in parts if len(part)}) > 1:
        raise ProjectError("The project file is damaged: the matches of a run do not have the same evidence.")
    return Matches.concatenate(parts)
