"""The inputs of a job: files and line ranges of large files, each with a number that never changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.reading import formats
from workbench.reading.formats import Failure, ReadOptions, Source, jsonl

RANGE_BYTES = 16_000_000
"""Approximate size of the ranges in which line files are read, so that workers share them."""
WAVE_BYTES = 2_000_000_000
"""Bytes of input per step; an interrupted step is repeated."""
_BLOCK = 1 << 20
_INPUTS = "inputs.json"
_STAGE = Message("Listing inputs")


@dataclass(frozen=True, slots=True)
class InputPiece:
    """A file, or its lines from byte ``start`` to ``end``, of which the first has the number ``line``.

    ``number`` orders pieces as first given; ``size`` and ``changed`` belong to the file. Pieces of one
    ``wave`` are read in one step.
    """

    number: int
    path: str
    name: str
    size: int
    changed: int
    start: int = 0
    end: int = 0
    line: int = 1
    wave: int = 0

    @property
    def bytes(self) -> int:
        """Bytes to read."""
        return (self.end - self.start) or self.size


def list_pieces(
    folder: Path, paths: Sequence[Path], options: ReadOptions, watch: Progress
) -> tuple[list[InputPiece], list[Failure]]:
    """The pieces of ``paths`` by number, and failures for unreadable input. Raises Cancelled.

    Files known from an earlier call for the same work ``folder`` keep their numbers; new ones and changed ones get
    numbers after them.
    """
    known: dict[tuple[str, int, int], list[InputPiece]] = {}
    stored = _stored(folder)
    for piece in stored:
        known.setdefault((piece.path, piece.size, piece.changed), []).append(piece)
    following = max((piece.number for piece in stored), default=-1) + 1
    wave, weight = max((piece.wave for piece in stored), default=-1), WAVE_BYTES
    pieces: list[InputPiece] = []
    failures: list[Failure] = []
    for count, item in enumerate(formats.expand(paths, options, archives=False)):
        watch.advance(_STAGE, count)
        if isinstance(item, Failure):
            failures.append(item)
            continue
        try:
            status = item.path.stat()
        except OSError as error:
            failures.append(Failure.of(item.name, error))
            continue
        place = str(item.path.absolute())
        of_file = known.get((place, status.st_size, status.st_mtime_ns))
        if of_file is None:
            of_file = []
            for start, end, line in _ranges(item, status.st_size, watch):
                wave, weight = (wave + 1, 0) if weight >= WAVE_BYTES else (wave, weight)
                fixed = (place, item.name, status.st_size, status.st_mtime_ns)
                piece = InputPiece(following + len(of_file), *fixed, start, end, line, wave)
                of_file.append(piece)
                weight += piece.bytes
            following += len(of_file)
        pieces += of_file
    _store(folder, sorted({p.number: p for p in (*stored, *pieces)}.values(), key=lambda p: p.number))
    return sorted(pieces, key=lambda piece: piece.number), failures


def _ranges(source: Source, size: int, watch: Progress) -> Iterator[tuple[int, int, int]]:
    """Byte ranges of whole lines with the number of their first line; (0, 0, 1) for a file read as a whole."""
    if size <= RANGE_BYTES or not is_lines(source):
        yield 0, 0, 1
        return
    start, line, at, lines = 0, 1, 0, 1
    with source.path.open("rb") as file:
        while block := file.read(_BLOCK):
            watch.check()
            cut = block.find(b"\n") + 1 if at - start >= RANGE_BYTES else 0
            if cut:
                yield start, at + cut, line
                start, line = at + cut, lines + 1
            at += len(block)
            lines += block.count(b"\n")
    if at > start:
        yield start, at, line


def is_lines(source: Source) -> bool:
    """Whether ``source`` can be read in ranges of lines."""
    return not source.compression and source.suffix in jsonl.suffixes


def waves(pieces: Sequence[InputPiece]) -> list[list[InputPiece]]:
    """``pieces`` by wave."""
    return [list(wave) for _, wave in groupby(sorted(pieces, key=lambda p: (p.wave, p.number)), lambda p: p.wave)]


def _stored(folder: Path) -> list[InputPiece]:
    try:
        return [InputPiece(**row) for row in json.loads((folder / _INPUTS).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def _store(folder: Path, pieces: Sequence[InputPiece]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f"{_INPUTS}.tmp"
    beside.write_text(json.dumps([asdict(piece) for piece in pieces], ensure_ascii=False), encoding="utf-8")
    beside.replace(folder / _INPUTS)
