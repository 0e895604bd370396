"""Reading the matches of a run: as columns, by document, or as counts.

They are ordered by chunk, and within a chunk by suspect, source and position: independent of the number of processes
that worked on the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

import numpy as np
from sqlalchemy import Connection, func, select

from workbench.base.evidence import RECOGNISED
from workbench.base.messages import Message
from workbench.base.types import Matches
from workbench.project.blocks import RunBlock, walk, walk_suspects
from workbench.project.packing import damaged
from workbench.project.tables import block_rows, pair_rows


def match_columns(connection: Connection, run_id: int) -> Matches:
    """All matches of a run; a million takes about a tenth of a second and 100 MB."""
    return _joined([block.matches for block in walk(connection, run_id)])


def iter_matches(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> Iterator[Matches]:
    """Matches of suspect ``a``, source ``b``, scoring at least ``min_score`` (None: all), a few thousand at a time."""
    for block in _chosen(connection, run_id, a, b):
        matches = block.matches.take(_mask(block.matches, a, b, min_score))
        if len(matches):
            yield matches


def matches_of(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> Matches:
    """The result of :func:`iter_matches` in one table."""
    return _joined(list(iter_matches(connection, run_id, a=a, b=b, min_score=min_score)))


def matches_by_pair(
    connection: Connection, run_id: int, pairs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Matches]:
    """The matches of each of ``pairs`` (keys) that has any, by pair; each block is unpacked once."""
    by_pair: dict[tuple[int, int], list[Matches]] = {}
    suspects = {a for a, _ in pairs}
    requested = np.array(sorted(suspects), np.int64)
    for block in walk_suspects(connection, run_id, suspects):
        matches = block.matches.take(np.isin(block.matches.a, requested))
        change = (np.diff(matches.a) != 0) | (np.diff(matches.b) != 0)
        edges = [0, *(np.flatnonzero(change) + 1).tolist(), len(matches)]
        for start, end in pairwise(edges if len(matches) else ()):
            pair = int(matches.a[start]), int(matches.b[start])
            if pair in pairs:
                by_pair.setdefault(pair, []).append(matches.take(slice(start, end)))
    return {pair: _joined(parts) for pair, parts in by_pair.items()}


def count_matches(
    connection: Connection, run_id: int, *, a: int | None = None, b: int | None = None, min_score: float | None = None
) -> int:
    """Exact number of matches that :func:`iter_matches` would yield."""
    if min_score is not None:
        return sum(len(part) for part in iter_matches(connection, run_id, a=a, b=b, min_score=min_score))
    if a is None and b is None:
        query = select(func.coalesce(func.sum(block_rows.c.rows), 0)).where(block_rows.c.run_id == run_id)
    else:
        query = select(func.coalesce(func.sum(pair_rows.c.matches), 0)).where(pair_rows.c.run_id == run_id)
        if a is not None:
            query = query.where(pair_rows.c.a == a)
        if b is not None:
            query = query.where(pair_rows.c.b == b)
    return int(connection.execute(query).scalar_one())


def _chosen(connection: Connection, run_id: int, a: int | None, b: int | None) -> Iterator[RunBlock]:
    """Blocks that may contain matches of ``a`` and ``b``."""
    low, high = a, a
    if b is not None and a is None:
        partners = select(func.min(pair_rows.c.a), func.max(pair_rows.c.a)).where(
            pair_rows.c.run_id == run_id, pair_rows.c.b == b
        )
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
    if len({frozenset(part.evidence) - {RECOGNISED} for part in parts if len(part)}) > 1:
        raise damaged(Message("the matches of a run do not have the same evidence"))
    return Matches.concatenate(parts)
