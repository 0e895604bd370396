"""Reading inputs in worker processes, in small pieces of work and in the order of the inputs.

A parser may crash or hang on a hostile file, or need any amount of memory. That costs its worker, never the import:
the input is listed as failed, and the others of its piece are read again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks, worker_watch
from workbench.jobs.memory import limit_memory
from workbench.services.importing.cutting import Cutter, why_lost
from workbench.services.importing.ordering import in_order
from workbench.services.importing.pieces import Piece, Reading, Waiting, is_divisible, is_row_file, rows_of
from workbench.text import formats
from workbench.text.formats import Failure, Item, Record, Source, csv, jsonl
from workbench.text.formats.names import legible

_STAGE = Message("Reading")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a piece gave, in order."""

    items: tuple[Item, ...]


def parse_all(
    ctx: Watcher, inputs: Iterable[Source | Failure], reading: Reading, workers: int
) -> Generator[tuple[int, tuple[Item, ...]]]:
    """Yield (inputs, lines or parts read, their items) in the order of ``inputs``, however the workers finish."""
    parse = partial(parse_piece, reading=reading)
    with closing(Cutter(ctx, reading)) as cutter:
        pieces = _Pieces(inputs, reading, cutter)
        parsed = map_chunks(ctx, parse, pieces, workers=workers, initializer=limit_memory)
        with closing(parsed):
            for piece, found in in_order(parsed, pieces.take):
                if isinstance(found, Crash):
                    yield piece.units, tuple(_saved(ctx, piece, found, reading))
                else:
                    yield piece.units, found.items


class _Pieces:
    """The pieces of ``inputs`` in order; each is kept until it is taken."""

    def __init__(self, inputs: Iterable[Source | Failure], reading: Reading, cutter: Cutter) -> None:
        self._inputs = inputs
        self._reading = reading
        self._cutter = cutter
        self._under_way: dict[int, Piece] = {}

    def __iter__(self) -> Iterator[Piece]:
        for index, piece in enumerate(self._cut()):
            self._under_way[index] = piece
            yield piece

    def take(self, index: int) -> Piece:
        """The piece that was given out with this index; it is forgotten here."""
        return self._under_way.pop(index)

    def _cut(self) -> Iterator[Piece]:
        waiting = Waiting()
        for found in self._inputs:
            if (pieces := self._cut_file(found)) is not None:
                yield from waiting.take()
                yield from pieces
            elif waiting.add(found):
                yield from waiting.take()
        yield from waiting.take()

    def _cut_file(self, found: Source | Failure) -> Iterator[Piece] | None:
        """The pieces of a file that may be too big for one; None for any other input."""
        if isinstance(found, Failure):
            return None
        if is_divisible(found, self._reading):
            return self._cutter.pieces(found)
        return rows_of(found, self._reading) if is_row_file(found, self._reading.format) else None


def _saved(ctx: Watcher, piece: Piece, crash: Crash, reading: Reading) -> Iterator[Item]:
    """The items of a piece whose worker died: the input it was at is the failure, the others are read again.

    What took too long is not tried twice; what crashed may have suffered from those before it, and is tried alone.
    """
    singles = list(piece.split(reading.options))
    if crash.timed_out and not piece.lines:
        place = min(crash.place, len(singles) - 1)
        singles[place] = Piece((Failure(singles[place].name, why_lost(crash, reading.limit)),))
    parse = partial(parse_piece, reading=reading)
    again = map_chunks(ctx, parse, singles, workers=1, initializer=limit_memory)
    with closing(again):
        for single, found in in_order(again, singles.__getitem__):
            if isinstance(found, Crash):
                yield Failure(single.name, why_lost(found, reading.limit))
            else:
                yield from found.items


def parse_piece(piece: Piece, reading: Reading) -> Parsed:
    """Read a piece (in a worker). A parser's exception is the failure of its input."""
    items: list[Item] = []
    watch = worker_watch()
    for place, found in enumerate(piece.inputs):
        watch.advance(_STAGE, place)
        if not isinstance(found, Source):
            items.append(found)
            continue
        with Alarm(reading.limit):
            try:
                items.extend(_placed(item, found) for item in _read(found, piece, reading))
            except Exception as error:  # noqa: BLE001 - whatever a parser raises on one input must not end the others
                items.append(Failure.of(found.name, error))
    return Parsed(tuple(items))


def _read(source: Source, piece: Piece, reading: Reading) -> Iterator[Item]:
    if piece.header:
        return csv.read_lines(piece.lines, source.name, piece.extraction, reading.options, piece.header)
    if piece.lines:
        return jsonl.read_lines(piece.lines, source.name, piece.extraction, reading.options)
    return formats.read(source, format=reading.format, options=reading.options)


def _placed(item: Item, source: Source) -> Item:
    """``item`` with the whole path as origin where its id is a part of it: two files of one name stay apart."""
    if not isinstance(item, Record) or item.id is not None:
        return item
    member = source.name.partition("!")[2] if source.members else ""
    row = item.document.id.removeprefix(source.name)
    origin = legible(source.path.absolute().as_posix()) + (f"!{member}" if member else "") + row
    return replace(item, document=replace(item.document, origin=origin))
