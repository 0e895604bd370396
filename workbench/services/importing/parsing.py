"""Reads inputs in worker processes, in small pieces of work and in the order of the inputs.

A parser may crash or hang on a hostile file, or need any amount of memory. That costs only its worker, never the
import: the input is listed as failed, and the others in its piece are read again.

Archives, dumps and mailboxes are cut into pieces in a separate process, since they may be hostile: if it crashes, hangs
or needs too much memory, only that file fails. Meanwhile the job still notices cancellation.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks, report, worker_progress
from workbench.reading import formats, recognition
from workbench.reading.formats import Failure, Item, Record, Source, csv, jsonl
from workbench.reading.formats.names import placed
from workbench.reading.integrity import with_flags
from workbench.services.importing.pieces import (
    PROGRESS_BYTES,
    PieceBuilder,
    Reading,
    WorkItem,
    file_units,
    is_divisible,
    is_row_file,
    parts_of,
    rows_of,
)

_UNITS_A_SECOND = 5_000_000 // PROGRESS_BYTES
"""Lowest acceptable speed of searching a file for its next part, in units of progress per second."""


@dataclass(slots=True)
class _Request:
    """The file whose next piece is requested, None for none; the same object serves all requests.

    A request a dead process had not started on goes to the next process in its current state.
    """

    number: int = 0
    source: Source | None = None


def crash_reason(crash: Crash, limit: float) -> str:
    """The reason, as a sentence, why an input on which a reading process died is refused."""
    if crash.timed_out:
        return Message("It could not be read within the limit of {limit} seconds.", limit=f"{limit:g}")
    return Message("Its reader failed, or needed too much memory. {message}", message=crash.message)


class Cutter:
    """Cuts files one after another; its process starts with the first and serves all."""

    def __init__(self, ctx: Progress, reading: Reading) -> None:
        self._reading = reading
        self._request = _Request()
        cut = partial(_next_piece, reading=reading)
        self._answers = map_chunks(ctx, cut, self._requests(), workers=1, untrusted=True)

    def _requests(self) -> Iterator[_Request]:
        while True:
            yield self._request

    def pieces(self, source: Source) -> Iterator[WorkItem]:
        """The pieces of ``source`` in order; if the process dies on it, the last item is its failure."""
        self._request.number += 1
        self._request.source = source
        units = file_units(source)
        for _, answer in self._answers:
            if isinstance(answer, Crash):
                self._request.source = None
                yield WorkItem((Failure(source.name, crash_reason(answer, self._reading.limit)),), progress=units)
                return
            number, piece = answer
            if number != self._request.number:
                continue
            if piece is None:
                return
            units -= piece.units
            yield piece

    def close(self) -> None:
        """End the process."""
        self._answers.close()


_open: list[tuple[int, Generator[WorkItem]]] = []
"""State of the process: the number of the file being cut, and its pieces."""


def _next_piece(request: _Request, reading: Reading) -> tuple[int, WorkItem | None]:
    if request.source is None:
        return request.number, None
    if not _open or _open[0][0] != request.number:
        _open[:] = [(request.number, _timed(request.source, reading))]
    return request.number, next(_open[0][1], None)


def _timed(source: Source, reading: Reading) -> Generator[WorkItem]:
    seconds = reading.limit + file_units(source) / _UNITS_A_SECOND
    with closing(parts_of(source, reading)) as pieces:
        while True:
            with Alarm(seconds):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece


T = TypeVar("T")
C = TypeVar("C")

HELD = 16
"""Results kept in memory while they wait for an earlier one; more wait in a temporary file."""


def in_order(results: Iterable[tuple[int, T]], chunk: Callable[[int], C]) -> Iterator[tuple[C, T]]:
    """Yield (chunk, result) by index 0, 1, 2, ... from ``results`` in any order; each index occurs once."""
    following = 0
    with tempfile.TemporaryFile(prefix="palimpsest-") as file:
        buffered: dict[int, T] = {}
        spilled: dict[int, int] = {}
        for index, result in results:
            if index != following and len(buffered) >= HELD:
                file.seek(0, 2)
                spilled[index] = file.tell()
                pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
            else:
                buffered[index] = result
            while following in buffered or following in spilled:
                if following in buffered:
                    ready = buffered.pop(following)
                else:
                    file.seek(spilled.pop(following))
                    ready = pickle.load(file)
                yield chunk(following), ready
                following += 1
            if not spilled:
                file.truncate(0)


_STAGE = Message("Reading")


@dataclass(frozen=True, slots=True)
class Parsed:
    """The items read from a piece, in order."""

    items: tuple[Item, ...]


def parse_all(
    ctx: Progress,
    inputs: Iterable[Source | Failure],
    reading: Reading,
    workers: int,
    read_before: Mapping[Path, int] | None = None,
) -> Generator[tuple[WorkItem, tuple[Item, ...]]]:
    """Yield (piece, its items) in the order of ``inputs``, however the workers finish.

    ``read_before``: how many pieces of a file that is cut into parts are skipped; the same file and options always give
    the same pieces.
    """
    parse = partial(parse_piece, reading=reading)
    with closing(Cutter(ctx, reading)) as cutter:
        pieces = _Pieces(inputs, reading, cutter, read_before or {})
        parsed = map_chunks(ctx, parse, pieces, workers=workers, untrusted=True)
        with closing(parsed):
            for piece, result in in_order(parsed, pieces.take):
                if isinstance(result, Crash):
                    yield piece, tuple(_saved(ctx, piece, result, reading))
                else:
                    yield piece, result.items


class _Pieces:
    """The pieces of ``inputs`` in order; each is held until it is taken."""

    def __init__(
        self, inputs: Iterable[Source | Failure], reading: Reading, cutter: Cutter, read_before: Mapping[Path, int]
    ) -> None:
        self._inputs = inputs
        self._read_before = read_before
        self._reading = reading
        self._cutter = cutter
        self._under_way: dict[int, WorkItem] = {}

    def __iter__(self) -> Iterator[WorkItem]:
        for index, piece in enumerate(self._cut()):
            self._under_way[index] = piece
            yield piece

    def take(self, index: int) -> WorkItem:
        """The piece that was sent with this index; it is dropped here."""
        return self._under_way.pop(index)

    def _cut(self) -> Iterator[WorkItem]:
        waiting = PieceBuilder()
        for item in self._inputs:
            if (pieces := self._cut_file(item)) is not None:
                yield from waiting.take()
                yield from pieces
            elif waiting.add(item):
                yield from waiting.take()
        yield from waiting.take()

    def _cut_file(self, item: Source | Failure) -> Iterator[WorkItem] | None:
        """The pieces of a file that may be too big for a single one; None for any other input."""
        if isinstance(item, Failure):
            return None
        if is_divisible(item, self._reading):
            pieces = islice(self._cutter.pieces(item), self._read_before.get(item.path, 0), None)
            return (replace(piece, file=item.path) for piece in pieces)
        return rows_of(item, self._reading) if is_row_file(item, self._reading.format) else None


def _saved(ctx: Progress, piece: WorkItem, crash: Crash, reading: Reading) -> Iterator[Item]:
    """The items of a piece whose worker died: the input it was reading is the failure, the others are read again.

    An input that took too long is not retried; one that crashed may have suffered from those before it, and is retried
    alone.
    """
    singles = list(piece.split(reading.options))
    if crash.timed_out and not piece.lines:
        place = min(crash.place, len(singles) - 1)
        singles[place] = WorkItem((Failure(singles[place].name, crash_reason(crash, reading.limit)),))
    parse = partial(parse_piece, reading=reading)
    again = map_chunks(ctx, parse, singles, workers=1, untrusted=True)
    with closing(again):
        for single, result in in_order(again, singles.__getitem__):
            if isinstance(result, Crash):
                yield Failure(single.name, crash_reason(result, reading.limit))
            else:
                yield from result.items


def parse_piece(piece: WorkItem, reading: Reading) -> Parsed:
    """Read a piece (in a worker). A parser's exception becomes the failure of its input."""
    items: list[Item] = []
    progress = worker_progress()
    for place, source in enumerate(piece.inputs):
        progress.advance(_STAGE, place)
        if not isinstance(source, Source):
            items.append(source)
            continue
        with Alarm(reading.limit) as alarm, _pages_reported(source, alarm):
            try:
                items.extend(placed(item, source) for item in _read(source, piece, reading))
            except Exception as error:  # noqa: BLE001 - whatever a parser raises on one input must not end the others
                items.append(Failure.of(source.name, error))
    return Parsed(tuple(items))


@contextmanager
def _pages_reported(source: Source, alarm: Alarm) -> Iterator[None]:
    """Report each page that is read from a picture; each has a time limit of its own."""

    def on_page(done: int, pages: int) -> None:
        alarm.renew()
        report(Message("Recognising {name}", name=source.name), done, pages)

    token = recognition.on_page.set(on_page)
    try:
        yield
    finally:
        recognition.on_page.reset(token)


def _read(source: Source, piece: WorkItem, reading: Reading) -> Iterator[Item]:
    if piece.header:
        return map(_flagged, csv.read_lines(piece.lines, source.name, piece.extraction, reading.options, piece.header))
    if piece.lines:
        return map(_flagged, jsonl.read_lines(piece.lines, source.name, piece.extraction, reading.options))
    return formats.read(source, format=reading.format, options=reading.options)


def _flagged(item: Item) -> Item:
    """``item`` flagged for unusual characters, as :func:`formats.read` flags whole files."""
    return replace(item, document=with_flags(item.document)) if isinstance(item, Record) else item
