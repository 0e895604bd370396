"""Blocks of packed matches: writing, walking in order, merging."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select

from workbench.base.types import Matches
from workbench.project.columns import pack_matches, unpack_matches
from workbench.project.models import BlockRow
from workbench.project.packing import Packed, damaged

BLOCK_ROWS = 16_384
"""Most matches in a block: reading one pair unpacks one or two blocks, reading all of them few."""

PARTS = 1 << 20
"""Blocks that one chunk may have."""

_SMALL = BLOCK_ROWS // 4
"""Blocks below this are worth merging."""


class Block(NamedTuple):
    """A block of a run and its place in the run's order."""

    position: int
    matches: Matches


def write_blocks(connection: Connection, run_id: int, position: int, matches: Matches) -> None:
    """Store ``matches`` (in order) as blocks from ``position`` on."""
    rows = []
    for part, start in enumerate(range(0, len(matches), BLOCK_ROWS)):
        piece = matches.take(slice(start, start + BLOCK_ROWS))
        packed = pack_matches(piece)
        rows.append(
            {
                "run_id": run_id,
                "position": position + part,
                "rows": len(piece),
                "a_low": int(piece.a.min()),
                "a_high": int(piece.a.max()),
                "size": packed.size,
                "packed": packed.data,
            }
        )
    if rows:
        connection.execute(insert(BlockRow), rows)


def walk(
    connection: Connection, run_id: int, *, after: int = -1, low: int | None = None, high: int | None = None
) -> Iterator[Block]:
    """Blocks of a run beyond position ``after``, in order, that may hold suspects ``low``..``high``; one in memory."""
    while True:
        query = select(BlockRow.position, BlockRow.rows, BlockRow.size, BlockRow.packed)
        query = query.where(BlockRow.run_id == run_id, BlockRow.position > after)
        if low is not None and high is not None:
            query = query.where(BlockRow.a_low <= high, BlockRow.a_high >= low)
        page = connection.execute(query.order_by(BlockRow.position).limit(8)).all()
        for position, rows, size, packed in page:
            if not isinstance(rows, int) or not 0 < rows <= BLOCK_ROWS:
                raise damaged("a block of matches has no allowed number of rows")
            yield Block(position, unpack_matches(Packed(size, packed), rows))
            after = position
        if len(page) < 8:
            return


def merge_small_blocks(connection: Connection, run_id: int) -> None:
    """Join small neighbouring blocks, which many short chunks leave, so that reading all of them is quick.

    The order of the matches stays; a merged block takes the first one's position.
    """
    query = select(BlockRow.position, BlockRow.rows).where(BlockRow.run_id == run_id).order_by(BlockRow.position)
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
    chosen = delete(BlockRow).where(BlockRow.run_id == run_id, BlockRow.position.between(first, last))
    connection.execute(chosen)
    write_blocks(connection, run_id, first, Matches.concatenate(parts))
