"""Blocks of packed matches: writing, iterating in order, merging."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, bindparam, delete, insert, select

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.sound import is_count, outside_texts, without_score
from workbench.base.types import Matches
from workbench.project.columns import pack_gaps, pack_matches, unpack_gaps, unpack_matches
from workbench.project.damaged_rows import damage_of
from workbench.project.packing import Packed, damaged
from workbench.project.tables import block_rows

BLOCK_ROWS = 16_384
"""Maximum number of matches in a block: a pair is in one or two blocks, and all matches in few."""

PARTS = 1 << 20
"""Maximum number of blocks of a chunk."""

_STORED = ("position", "rows", "a_low", "a_high", "size", "packed", "gaps_size", "gaps")
_UNREADABLE = Message("blocks of passages that cannot be read")

_SMALL = BLOCK_ROWS // 4
"""Blocks with fewer matches are worth merging."""


class RunBlock(NamedTuple):
    """A block of a run and its position in the order of the run."""

    position: int
    matches: Matches


def write_blocks(connection: Connection, run_id: int, position: int, matches: Matches) -> None:
    """Store ``matches`` (in order) as blocks from ``position`` on."""
    rows = []
    for part, start in enumerate(range(0, len(matches), BLOCK_ROWS)):
        piece = matches.take(slice(start, start + BLOCK_ROWS))
        packed = pack_matches(piece)
        gaps = pack_gaps(piece.gaps) if len(piece.gaps) else None
        rows.append(
            {
                "run_id": run_id,
                "position": position + part,
                "rows": len(piece),
                "a_low": int(piece.a.min()),
                "a_high": int(piece.a.max()),
                "size": packed.size,
                "packed": packed.data,
                "gaps_size": None if gaps is None else gaps.size,
                "gaps": None if gaps is None else gaps.data,
            }
        )
    if rows:
        connection.execute(insert(block_rows), rows)


def walk(
    connection: Connection, run_id: int, *, after: int = -1, low: int | None = None, high: int | None = None
) -> Iterator[RunBlock]:
    """Blocks of a run after position ``after``, in order, that may contain suspects ``low``..``high``; one in
    memory at a time.
    """
    chosen = _bounds(connection, run_id, after)
    if low is not None and high is not None:
        chosen = [block for block in chosen if block.a_low <= high and block.a_high >= low]
    return _read(connection, run_id, [block.position for block in chosen])


def walk_suspects(connection: Connection, run_id: int, suspects: Iterable[int]) -> Iterator[RunBlock]:
    """Blocks of a run, in order, that may contain any of ``suspects``, each once; one in memory at a time."""
    ordered = sorted(suspects)
    chosen = (b.position for b in _bounds(connection, run_id) if _any_between(ordered, b.a_low, b.a_high))
    return _read(connection, run_id, list(chosen))


def _any_between(ordered: Sequence[int], low: int, high: int) -> bool:
    return bisect_left(ordered, low) < bisect_right(ordered, high)


def _bounds(connection: Connection, run_id: int, after: int = -1) -> Sequence[Any]:
    query = select(block_rows.c.position, block_rows.c.a_low, block_rows.c.a_high, block_rows.c.id).where(
        block_rows.c.run_id == run_id
    )
    if after >= 0:
        query = query.where(block_rows.c.position > after)
    rows = connection.execute(query.order_by(block_rows.c.position)).all()
    # Blocks with impossible numbers are not filtered out: their rows would be skipped silently.
    misplaced = [row.id for row in rows if not all(map(is_count, row[:3]))]
    if misplaced:
        damage_of(connection).note(_UNREADABLE, (("id", key) for key in misplaced))
    return [row for row in rows if row.id not in misplaced]


_BLOCKS = (
    select(*(block_rows.c[name] for name in _STORED))
    .where(
        block_rows.c.run_id == bindparam("run_id"), block_rows.c.position.in_(bindparam("positions", expanding=True))
    )
    .order_by(block_rows.c.position)
)


def _read(connection: Connection, run_id: int, positions: Sequence[int]) -> Iterator[RunBlock]:
    for start in range(0, len(positions), 8):
        chosen = {"run_id": run_id, "positions": positions[start : start + 8]}
        for position, rows, low, high, size, packed, gaps_size, gaps in connection.execute(_BLOCKS, chosen).all():
            try:
                if not isinstance(rows, int) or not 0 < rows <= BLOCK_ROWS:
                    raise damaged(Message("a block of matches has an invalid number of rows"))
                matches = unpack_matches(Packed(size, packed), rows)
                if (int(matches.a.min()), int(matches.a.max())) != (low, high):
                    raise damaged(Message("a block of matches belongs to other documents than it states"))
                if gaps is not None:
                    matches = replace(matches, gaps=unpack_gaps(Packed(gaps_size, gaps), matches))
            except ProjectError:
                damage_of(connection).note(_UNREADABLE, [(run_id, position)])
                continue
            yield RunBlock(position, _whole(connection, run_id, position, matches))


def _whole(connection: Connection, run_id: int, position: int, matches: Matches) -> Matches:
    """``matches`` without those outside their documents or with invalid figures."""
    damage = damage_of(connection)
    outside = outside_texts(matches, *(damage.characters(connection, key) for key in (matches.a, matches.b)))
    unclear = without_score(matches)
    for wrong, reason in (
        (outside, Message("passages outside their documents")),
        (unclear, Message("passages without a proper score")),
    ):
        if wrong.any():
            damage.note(reason, ((run_id, position, row) for row in np.flatnonzero(wrong).tolist()))
    wrong = outside | unclear
    return matches.take(~wrong) if wrong.any() else matches


def merge_small_blocks(connection: Connection, run_id: int) -> None:
    """Merge small adjacent blocks, left by many short chunks, so that reading all matches is fast.

    The order of the matches is preserved; a merged block takes the position of its first part.
    """
    query = (
        select(block_rows.c.position, block_rows.c.rows)
        .where(block_rows.c.run_id == run_id)
        .order_by(block_rows.c.position)
    )
    pending: list[int] = []
    total = 0
    for position, rows in connection.execute(query).all():
        if pending and (total + rows > BLOCK_ROWS or rows >= _SMALL):
            _merge(connection, run_id, pending)
            pending, total = [], 0
        if rows < _SMALL:
            pending.append(position)
            total += rows
    _merge(connection, run_id, pending)


def _merge(connection: Connection, run_id: int, positions: list[int]) -> None:
    if len(positions) < 2:
        return
    first, last = positions[0], positions[-1]
    parts = []
    for block in walk(connection, run_id, after=first - 1):
        if block.position > last:
            break
        parts.append(block.matches)
    chosen = delete(block_rows).where(block_rows.c.run_id == run_id, block_rows.c.position.between(first, last))
    connection.execute(chosen)
    write_blocks(connection, run_id, first, Matches.concatenate(parts))
