"""Pieces of reading: inputs, parts of large files and rows, in about equal amounts of work."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from workbench.base.messages import Message
from workbench.base.types import Extraction
from workbench.reading import formats
from workbench.reading.formats import Failure, Notice, ReadOptions, Source, csv, jsonl
from workbench.reading.formats.opening import opened
from workbench.reading.formats.rows import text_lines

PIECE_BYTES = 250_000
"""Target weight of a piece: small, so that progress is smooth and little is lost with a process."""
MOST_INPUTS = 500
_MOST_LINES = 5_000
_FILE_COST = 2_000
"""Cost of opening a file, in bytes."""
NOTHING = Message("There is nothing to read in this file.")
PROGRESS_BYTES = 1 << 16
"""Bytes per unit of progress of a file read part by part."""


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
class WorkItem:
    """Work for one process: whole inputs, or (with ``lines``) some lines of the one input ``inputs[0]``.

    ``progress`` is the number of units of a file cut into parts since the previous piece, ``file`` that file.
    """

    inputs: tuple[Input, ...]
    lines: tuple[Line, ...] = ()
    header: str = ""
    extraction: Extraction = field(default_factory=Extraction)
    progress: int | None = None
    file: Path | None = None

    @property
    def units(self) -> int:
        """Inputs, lines or units of a file read part by part, for progress."""
        return self.progress if self.progress is not None else len(self.lines) or len(self.inputs)

    def split(self, options: ReadOptions) -> Iterator[WorkItem]:
        """One piece for each input or row."""
        if self.lines:
            for row in _rows(self.lines, self.header, options):
                yield WorkItem(self.inputs, row, self.header, self.extraction)
        else:
            for single in self.inputs:
                yield WorkItem((single,))

    @property
    def name(self) -> str:
        """The path of the first input or line, as in failures."""
        first = self.inputs[0]
        name = first.name if isinstance(first, Source) else first.path
        return f"{name}:{self.lines[0][0]}" if self.lines else name


class PieceBuilder:
    """Collects inputs until they make up a piece."""

    def __init__(self) -> None:
        self._inputs: list[Input] = []
        self._weight = 0

    def add(self, item: Input) -> bool:
        """Add ``item``; whether the inputs collected so far make up a piece."""
        self._inputs.append(item)
        self._weight += _weight(item)
        return self._weight > PIECE_BYTES or len(self._inputs) >= MOST_INPUTS

    def take(self) -> Iterator[WorkItem]:
        """The waiting inputs as a piece; none if nothing is waiting."""
        if self._inputs:
            yield WorkItem(tuple(self._inputs))
            self._inputs.clear()
            self._weight = 0


def is_divisible(source: Source, reading: Reading) -> bool:
    """Whether :func:`parts_of` cuts ``source``."""
    return formats.cut(source, format=reading.format, options=reading.options) is not None


def parts_of(source: Source, reading: Reading) -> Generator[WorkItem]:
    """The pieces of an archive, a dump or a mailbox; the last one accounts for its remaining units."""
    total, passed = file_units(source), 0
    waiting = PieceBuilder()

    def placed(piece: WorkItem, position: int) -> WorkItem:
        nonlocal passed
        progress = max(0, min(total, position // PROGRESS_BYTES) - passed)
        passed += progress
        return replace(piece, progress=progress)

    is_empty = True
    for part in _entries(source, reading):
        is_empty = False
        if isinstance(part, WorkItem):
            for piece in chain(waiting.take(), (part,)):
                yield placed(piece, 0)
        elif waiting.add(part):
            for piece in waiting.take():
                yield placed(piece, part.position if isinstance(part, Source) else 0)
    if is_empty:
        waiting.add(Failure(source.name, NOTHING))
    yield from (placed(piece, 0) for piece in waiting.take())
    yield WorkItem((), progress=total - passed)


def _entries(source: Source, reading: Reading) -> Iterator[Input | WorkItem]:
    """The parts of ``source``, recursively."""
    for part in formats.cut(source, format=reading.format, options=reading.options) or ():
        if isinstance(part, Source) and not (part.part is not None and part.part.format):
            if is_divisible(part, reading):
                yield from _entries(part, reading)
                continue
            if is_row_file(part, reading.format):
                yield from rows_of(part, reading)
                continue
        yield part


def rows_of(source: Source, reading: Reading) -> Iterator[WorkItem]:
    """The lines of a row file, in batches; only the ends of rows are detected here."""
    try:
        with opened(source, reading.options) as stream:
            numbered, extraction = text_lines(stream, reading.options)
            header = "" if _is_jsonl(source, reading.format) else csv.header(numbered, reading.options)
            rows = _rows(numbered, header, reading.options)
            is_empty = True
            while lines := tuple(chain.from_iterable(_next_rows(rows))):
                is_empty = is_empty and all(text is not None and not text.strip() for _, text in lines)
                yield WorkItem((source,), lines, header, extraction)
            if is_empty:
                yield WorkItem((Failure(source.name, NOTHING),), progress=0)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one file must not end the others
        yield WorkItem((Failure.of(source.name, error),))


def _next_rows(rows: Iterator[Row]) -> Iterator[Row]:
    """The next rows, about enough for a piece."""
    size = lines = 0
    for row in rows:
        yield row
        size += sum(len(text) for _, text in row if text) * 2
        lines += len(row)
        if lines >= _MOST_LINES or size > PIECE_BYTES:
            return


def _rows(lines: Iterable[Line], header: str, options: ReadOptions) -> Iterator[Row]:
    """The lines of each row: one, unless it is CSV (with a ``header``), where quotes may contain line ends."""
    return csv.rows(lines, header, options) if header else ((line,) for line in lines)


def file_units(source: Source) -> int:
    """Units of progress of a file that is read part by part."""
    try:
        return max(1, source.path.stat().st_size // PROGRESS_BYTES)
    except OSError:
        return 1


def is_row_file(source: Source, format_name: str) -> bool:
    """Whether ``source`` is read line by line."""
    return _is_jsonl(source, format_name) or _is(csv, source, format_name)


def _is_jsonl(source: Source, format_name: str) -> bool:
    return _is(jsonl, source, format_name)


def _is(kind: formats.Format, source: Source, format_name: str) -> bool:
    return format_name == kind.name or (format_name in ("auto", "zip", "tar") and source.suffix in kind.suffixes)


def _weight(item: Input) -> int:
    """Bytes to read; for a member of a zip archive, its size according to the archive."""
    if not isinstance(item, Source):
        return 1
    if item.part is not None:
        return _FILE_COST + len(item.part.data)
    if item.members:
        return _FILE_COST + item.size
    try:
        return _FILE_COST + item.path.stat().st_size
    except OSError:
        return _FILE_COST
