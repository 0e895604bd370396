"""Records of a web archive as bytes, resynchronised after damage. ISO 28500 (WARC 1.0, 1.1)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.formats.api import MEGABYTE, ReadOptions
from workbench.reading.formats.compressed import expands_too_much

GZIP = b"\x1f\x8b\x08"
_CHUNK = 1 << 14
_HELD = 8 * MEGABYTE
"""Bytes of a gzip member held back until its checksum is verified; the rest of a longer member is passed on unverified.
"""
_LONGEST_HEAD = 1 << 16
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_START = re.compile(rb"WARC/[01]\.\d")
_NEXT = re.compile(rb"\r?\n\r?\n(?=WARC/[01]\.\d\d?\r?\n)")
_LINE_END = re.compile(rb"[\r\n]*")


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record: its number from 1, header fields in lower case, its whole bytes, and where its content begins.

    ``problem`` says why it cannot be read; then ``data`` is empty.
    """

    number: int
    fields: Mapping[str, str] = field(default_factory=dict)
    data: bytes = b""
    content: int = 0
    problem: str = ""


def raw_records(stream: IO[bytes], position: Callable[[], int], options: ReadOptions) -> Iterator[RawRecord]:
    """Records of ``stream``, gzipped (record by record or as a whole) or not, in order and with bounded memory.

    A damaged record has a ``problem``; reading continues at the next one. Raises UnreadableInput if the file is not a
    web archive at all, or is an archive bomb.
    """
    beginning = stream.read(_CHUNK)
    if not beginning:
        raise UnreadableInput(Message("The file is empty."))
    is_packed = beginning.startswith(GZIP)
    pieces = _unpacked(stream, beginning, position, options) if is_packed else _read(stream, beginning)
    return _Splitter(pieces, options).records()


def _read(stream: IO[bytes], beginning: bytes) -> Iterator[bytes | None]:
    while beginning:
        yield beginning
        beginning = stream.read(1 << 18)


def _unpacked(  # noqa: C901 - one state machine over members
    stream: IO[bytes], beginning: bytes, position: Callable[[], int], options: ReadOptions
) -> Iterator[bytes | None]:
    """Unpacked bytes, with None where some are lost; what follows then begins with a whole gzip member."""
    raw = bytearray(beginning)
    size = 0
    while raw.startswith(GZIP):
        unpacker, output, at, intact = zlib.decompressobj(31), bytearray(), 0, True
        while not unpacker.eof and intact:
            if at == len(raw):
                if not (more := stream.read(_CHUNK)):
                    break
                raw += more
            step = bytes(raw[at : at + _CHUNK])
            try:
                output += unpacker.decompress(step)
            except zlib.error:
                intact = False
                break
            at += len(step) - len(unpacker.unused_data)
            if len(output) > _HELD:
                size += len(output)
                yield bytes(output)
                output.clear()
                del raw[:at]
                at = 0
                if expands_too_much(position(), size, options) and position():
                    raise UnreadableInput(
                        Message(
                            "This unpacks to more than {ratio} times its size, like a decompression bomb.",
                            ratio=options.ratio,
                        )
                    )
        if intact:
            size += len(output)
            yield bytes(output)
        if unpacker.eof:
            del raw[:at]
            if len(raw) < len(GZIP):
                raw += stream.read(_CHUNK)
            if not raw.strip(b"\0"):
                return
        if not unpacker.eof or not raw.startswith(GZIP):
            yield None
            if not _find_member(raw, stream):
                return


def _find_member(raw: bytearray, stream: IO[bytes]) -> bool:
    """Drop the beginning of ``raw`` up to the next gzip member that holds a record. Returns whether there is one."""
    start = 1
    while True:
        while (member := raw.find(GZIP, start)) >= 0:
            try:
                if zlib.decompressobj(31).decompress(bytes(raw[member : member + 1024]), 64).startswith(b"WARC/"):
                    del raw[:member]
                    return True
            except zlib.error:
                pass
            start = member + 1
        del raw[: max(0, len(raw) - 1024)]
        start = 0
        if not (more := stream.read(_CHUNK)):
            return False
        raw += more


class _Splitter:
    """Cuts unpacked bytes into records."""

    def __init__(self, pieces: Iterator[bytes | None], options: ReadOptions) -> None:
        self._pieces = pieces
        self._longest = options.member_bytes
        self._buffer = bytearray()
        self._lost = False
        self._number = 0

    def records(self) -> Iterator[RawRecord]:
        """All records."""
        while True:
            self._skip_line_ends()
            if self._buffer:
                self._number += 1
                record = self._next()
                if self._number == 1 and record.problem and not self._buffer and not record.fields:
                    raise UnreadableInput(Message("This is not a web archive (WARC)."))
                reported = bool(record.problem)
                yield record
                if self._lost and not self._buffer:
                    self._lost = False
                    if not reported:
                        self._number += 1
                        yield RawRecord(
                            self._number, problem=Message("The archive is damaged after the previous record.")
                        )
            elif self._lost:
                self._lost = False
                self._number += 1
                yield RawRecord(self._number, problem=Message("The archive is damaged here."))
            else:
                return

    def _more(self) -> bool:
        """Read more bytes; false at the end and where bytes are lost."""
        while not self._lost:
            piece = next(self._pieces, b"")
            if piece is None:
                self._lost = True
            elif piece:
                self._buffer += piece
                return True
            else:
                return False
        return False

    def _skip_line_ends(self) -> None:
        while True:
            match = _LINE_END.match(self._buffer)
            del self._buffer[: match.end() if match else 0]
            if self._buffer or not self._more():
                return

    def _next(self) -> RawRecord:
        """The record at the start of the buffer, or what is wrong with it; the buffer then starts with the next one."""
        while (end := _HEAD_END.search(self._buffer, 0, _LONGEST_HEAD)) is None and len(self._buffer) < _LONGEST_HEAD:
            if not self._more():
                break
        if not _START.match(self._buffer) or end is None:
            self._seek_next(0)
            return RawRecord(self._number, problem=Message("There is no record header here."))
        fields = _fields(bytes(self._buffer[: end.start()]))
        start = end.end()
        try:
            length = int(fields.get("content-length", ""))
        except ValueError:
            length = -1
        if length < 0:
            self._seek_next(start)
            return RawRecord(self._number, fields, problem=Message("The record does not state its length."))
        if length > self._longest:
            self._seek_next(start)
            limit = Message("The record is longer than the limit of {limit} MB.", limit=f"{self._longest / MEGABYTE:g}")
            return RawRecord(self._number, fields, problem=limit)
        return self._content(fields, start, length)

    def _content(self, fields: Mapping[str, str], start: int, length: int) -> RawRecord:
        end = start + length
        while len(self._buffer) < end + 4 and self._more():
            pass
        after = bytes(self._buffer[end : end + 4])
        whole = len(self._buffer) >= end
        if whole and (not after or after[:1] in b"\r\n" or after == b"WARC"):
            record = RawRecord(self._number, fields, bytes(self._buffer[:end]), start)
            del self._buffer[:end]
            return record
        next_record = self._seek_next(start)
        if next_record or whole:
            problem = Message("The record does not end where it says, after {length} bytes.", length=f"{length:,}")
        else:
            problem = Message("The archive is damaged or ends inside this record.")
        return RawRecord(self._number, fields, problem=problem)

    def _seek_next(self, start: int) -> bool:
        """Drop everything before the next record's header. Returns whether there is one before bytes are lost."""
        while True:
            if match := _NEXT.search(self._buffer, start):
                del self._buffer[: match.end()]
                return True
            del self._buffer[: max(0, len(self._buffer) - 64)]
            start = 0
            if not self._more():
                self._buffer.clear()
                return False


def _fields(head: bytes) -> dict[str, str]:
    """Header fields by lower-case name; the first of several with the same name."""
    fields: dict[str, str] = {}
    for line in head.splitlines()[1:]:
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    return fields
