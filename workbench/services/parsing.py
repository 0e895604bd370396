"""Reading inputs in worker processes, in small pieces of work and in the order of the inputs.

A parser may crash or hang on a hostile file. That costs its worker, never the import: the piece is read again input
by input, and the input that does it again is listed as failed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from workbench.base.errors import UserError
from workbench.base.progress import Watcher
from workbench.base.types import Extraction
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks
from workbench.services.ordering import in_order
from workbench.text import formats
from workbench.text.formats import Failure, Item, Notice, ReadOptions, Record, Source, csv, jsonl
from workbench.text.formats.names import legible
from workbench.text.formats.opening import opened
from workbench.text.formats.rows import text_lines

PIECE_SECONDS = 0.25
"""Aimed length of a piece of work: short, so that progress is live and a cancel is quick."""
_FIRST_PACE = 500_000
"""Bytes a second assumed before anything was measured."""
_FILE_COST = 2_000
"""Bytes that opening a file is counted as."""
_MOST_FILES = 500
_MOST_LINES = 5_000
PROGRESS_BYTES = 1 << 16
"""Bytes of a file read part by part that are a unit of progress."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read: format name, options of the formats, and the seconds one input may take."""

    format: str = "auto"
    options: ReadOptions = field(default_factory=ReadOptions)
    limit: float = 60.0


Input = Source | Failure | Notice

Line = tuple[int, str | None]
"""Number from 1 and text of a line of a row file; None for a line that is too long."""
Row = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Work for one worker: whole inputs, or (with ``lines``) some lines of the one input ``inputs[0]``.

    ``progress`` is how many units of a file that is cut into parts were passed since the piece before.
    """

    inputs: tuple[Input, ...]
    weight: int
    lines: tuple[Line, ...] = ()
    header: str = ""
    extraction: Extraction = field(default_factory=Extraction)
    progress: int | None = None

    @property
    def units(self) -> int:
        """Inputs, lines or units of a file read part by part, for progress."""
        return self.progress if self.progress is not None else len(self.lines) or len(self.inputs)

    def split(self, options: ReadOptions) -> Iterator[Piece]:
        """One piece an input or row."""
        if self.lines:
            for row in _rows(self.lines, self.header, options):
                yield Piece(self.inputs, _characters(row), row, self.header, self.extraction)
        else:
            for single in self.inputs:
                yield Piece((single,), _weight(single))

    @property
    def name(self) -> str:
        """The path of the first input or line, as in failures."""
        first = self.inputs[0]
        name = first.name if isinstance(first, Source) else first.path
        return f"{name}:{self.lines[0][0]}" if self.lines else name


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a piece gave, in order, and the seconds it took."""

    items: tuple[Item, ...]
    seconds: float


def parse_all(
    ctx: Watcher, inputs: Iterable[Source | Failure], reading: Reading, workers: int
) -> Iterator[tuple[int, tuple[Item, ...]]]:
    """Yield (inputs or lines read, their items) in the order of ``inputs``, however the workers finish."""
    pieces = _Pieces(inputs, reading)
    parse = partial(parse_piece, reading=reading)
    for piece, found in in_order(map_chunks(ctx, parse, pieces, workers=workers), pieces.take):
        if isinstance(found, Crash):
            yield piece.units, tuple(_one_by_one(ctx, piece, reading))
        else:
            pieces.learn(piece, found.seconds)
            yield piece.units, found.items


class _Pieces:
    """Cuts inputs into pieces that should take PIECE_SECONDS, by the pace measured so far."""

    def __init__(self, inputs: Iterable[Source | Failure], reading: Reading) -> None:
        self._inputs = inputs
        self._reading = reading
        self._pace = float(_FIRST_PACE)
        self._given: dict[int, Piece] = {}

    def __iter__(self) -> Iterator[Piece]:
        for index, piece in enumerate(self._cut()):
            self._given[index] = piece
            yield piece

    def take(self, index: int) -> Piece:
        """The piece that was given out with this index; it is forgotten here."""
        return self._given.pop(index)

    def learn(self, piece: Piece, seconds: float) -> None:
        """Follow the measured pace, half way at a time."""
        if seconds > 0.002:
            self._pace = 0.5 * self._pace + 0.5 * piece.weight / seconds

    def _cut(self) -> Iterator[Piece]:
        waiting: list[Input] = []
        weight = 0
        for found in self._inputs:
            if (pieces := self._cut_file(found)) is not None:
                if waiting:
                    yield Piece(tuple(waiting), weight)
                    waiting, weight = [], 0
                yield from pieces
                continue
            if waiting and weight + _weight(found) > self._pace * PIECE_SECONDS:
                yield Piece(tuple(waiting), weight)
                waiting, weight = [], 0
            waiting.append(found)
            weight += _weight(found)
            if len(waiting) >= _MOST_FILES:
                yield Piece(tuple(waiting), weight)
                waiting, weight = [], 0
        if waiting:
            yield Piece(tuple(waiting), weight)

    def _cut_file(self, found: Source | Failure) -> Iterator[Piece] | None:
        """The pieces of a file that may be too big for one; None for any other input."""
        if isinstance(found, Failure):
            return None
        parts = formats.cut(found, format=self._reading.format, options=self._reading.options)
        if parts is not None:
            return self._cut_parts(found, parts)
        return self._cut_rows(found) if is_row_file(found, self._reading.format) else None

    def _cut_parts(self, source: Source, parts: Iterator[Input]) -> Iterator[Piece]:
        """The parts of a file, some at a time; the last piece makes up the units of the file."""
        waiting: list[Input] = []
        weight = passed = 0
        for part in parts:
            waiting.append(part)
            weight += _weight(part)
            if weight > self._pace * PIECE_SECONDS or len(waiting) >= _MOST_FILES:
                position = part.part.position if isinstance(part, Source) and part.part else 0
                progress = max(0, position // PROGRESS_BYTES - passed)
                yield Piece(tuple(waiting), weight, progress=progress)
                passed += progress
                waiting, weight = [], 0
        yield Piece(tuple(waiting), weight, progress=max(0, file_units(source) - passed))

    def _cut_rows(self, source: Source) -> Iterator[Piece]:
        """The lines of a row file, some at a time; only ends of rows are looked for here."""
        try:
            with opened(source, self._reading.options) as stream:
                numbered, extraction = text_lines(stream, self._reading.options)
                header = "" if _is_jsonl(source, self._reading.format) else csv.header(numbered)
                found = _rows(numbered, header, self._reading.options)
                while lines := tuple(chain.from_iterable(self._some(found))):
                    yield Piece((source,), _characters(lines) * 2, lines, header, extraction)
        except (UserError, OSError, MemoryError) as error:
            yield Piece((Failure.of(source.name, error),), 1)

    def _some(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The next rows, about as many as make a piece."""
        size = lines = 0
        for row in rows:
            yield row
            size += _characters(row) * 2
            lines += len(row)
            if lines >= _MOST_LINES or size > self._pace * PIECE_SECONDS:
                return


def _rows(lines: Iterable[Line], header: str, options: ReadOptions) -> Iterator[Row]:
    """The lines of each row: one, but with a ``header`` (CSV) quotes may hold line ends."""
    return csv.rows(lines, header, options) if header else ((line,) for line in lines)


def _characters(lines: Row) -> int:
    return sum(len(text) for _, text in lines if text)


def file_units(source: Source) -> int:
    """Units of progress of a file that is read part by part; one inside an archive is one."""
    try:
        return 1 if source.members else max(1, source.path.stat().st_size // PROGRESS_BYTES)
    except OSError:
        return 1


def is_row_file(source: Source, format_name: str) -> bool:
    """Whether ``source`` is read line by line."""
    return _is_jsonl(source, format_name) or _is(csv, source, format_name)


def _is_jsonl(source: Source, format_name: str) -> bool:
    return _is(jsonl, source, format_name)


def _is(kind: formats.Format, source: Source, format_name: str) -> bool:
    return format_name == kind.name or (format_name in ("auto", "zip", "tar") and source.suffix in kind.suffixes)


def _weight(found: Input) -> int:
    """Bytes to read; of an archive member only known when it is unpacked, so a typical page."""
    if not isinstance(found, Source):
        return 1
    if found.part is not None:
        return _FILE_COST + len(found.part.data)
    if found.members:
        return _FILE_COST + 20_000
    try:
        return _FILE_COST + found.path.stat().st_size
    except OSError:
        return _FILE_COST


def _one_by_one(ctx: Watcher, piece: Piece, reading: Reading) -> Iterator[Item]:
    """The items of a piece whose worker died: each input on its own, so that only the cause is lost."""
    parse = partial(parse_piece, reading=reading)
    for single in piece.split(reading.options):
        begun = time.monotonic()
        for _, found in map_chunks(ctx, parse, [single], workers=1):
            if not isinstance(found, Crash):
                yield from found.items
            elif time.monotonic() - begun >= reading.limit:
                yield Failure(single.name, f"It could not be read within the limit of {reading.limit:g} seconds.")
            else:
                yield Failure(single.name, f"Reading it failed. {found.message}")


def parse_piece(piece: Piece, reading: Reading) -> Parsed:
    """Read a piece (in a worker). A parser's exception is the failure of its input."""
    begun = time.monotonic()
    items: list[Item] = []
    for found in piece.inputs:
        if not isinstance(found, Source):
            items.append(found)
            continue
        with Alarm(reading.limit):
            try:
                items.extend(_placed(item, found) for item in _read(found, piece, reading))
            except Exception as error:  # noqa: BLE001 - whatever a parser raises on one input must not end the others
                items.append(Failure(found.name, f"Reading it failed ({type(error).__name__}: {error})."))
    return Parsed(tuple(items), time.monotonic() - begun)


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
