"""Web archives (WARC): each captured page, text or PDF is a document."""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Any, Literal

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.reading.formats.api import MEGABYTE, Failure, FileSlice, Item, Notice, ReadOptions, Record, Source
from workbench.reading.formats.compressed import expands_too_much
from workbench.reading.formats.media import document_of, kind_of
from workbench.reading.formats.opening import bounded, metered

NO_ARCHIVE = Message("This is not a web archive (WARC).")
GZIP = b"\x1f\x8b\x08"
_CHUNK = 1 << 14
_HELD = 8 * MEGABYTE
"""Bytes of a gzip member held back until its checksum is verified; the rest of longer members is passed on unverified.
"""
_LONGEST_HEAD = 1 << 16
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_START = re.compile(rb"WARC/[01]\.\d")
_NEXT = re.compile(rb"\r?\n\r?\n(?=WARC/[01]\.\d\d?\r?\n)")
_LINE_END = re.compile(rb"[\r\n]*")


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record: its number from 1, header fields in lower case, its whole bytes, and the offset of its content.

    ``problem`` is the reason why it cannot be read; ``data`` is then empty.
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
    """Unpacked bytes, with None where some are lost; the next bytes then begin with a whole gzip member."""
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
    """Drop the beginning of ``raw`` up to the next gzip member that contains a record. Returns whether there is one."""
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
        """The records."""
        while True:
            self._skip_line_ends()
            if self._buffer:
                self._number += 1
                record = self._next()
                if self._number == 1 and record.problem and not self._buffer and not record.fields:
                    raise UnreadableInput(NO_ARCHIVE)
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
        """The record at the start of the buffer, or its problem; the buffer then starts with the next record."""
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
            problem = Message("The record does not end where it should, after {length} bytes.", length=f"{length:,}")
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
    """Header fields by lower-case name; of several with the same name, the first."""
    fields: dict[str, str] = {}
    for line in head.splitlines()[1:]:
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


name = "warc"
suffixes: tuple[str, ...] = (".warc", ".wet")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?\s+(\d{3})")
_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_ENCODED = re.compile(rb"^(?:content|transfer)-encoding:", re.IGNORECASE | re.MULTILINE)
_CONTENT_TYPE = re.compile(r"\s*([\w.+/-]*)(?:.*?charset\s*=\s*[\"']?([\w.:-]+))?", re.IGNORECASE)
_STATUS_LEFT, _KIND_LEFT, _REVISIT_LEFT = (
    "responses with another HTTP status than success",
    "records that hold no page, text or PDF",
    "revisits of pages that had not changed",
)


def sniff(head: bytes) -> bool:
    """Whether it begins with a record."""
    return head.startswith(b"WARC/")


def begins_an_archive(head: bytes) -> bool:
    """Whether a file that begins like this may be a web archive, compressed or not."""
    return head.startswith(GZIP) or sniff(head)


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure | Notice]:
    """Each record with a page, text or PDF; damaged records are failures; the rest are counted in a notice.

    A record is named ``file!address``; later records of the same address have their date, or number, appended.
    """
    skipped: Counter[str] = Counter()
    seen: set[int] = set()
    with metered(source, options, unpack=False) as (stream, position):
        for record in raw_records(stream, position, options):
            address = _address(record)
            label = _name(source, record, address, seen)
            if record.problem:
                yield Failure(label, record.problem)
            elif _may_hold_text(record) and len(record.data) == record.content:
                yield Failure(label, Message("The record is empty."))
            elif reason := _left_out(record):
                skipped[reason] += 1
            elif _may_hold_text(record):
                facts = (address, record.fields.get("warc-date", ""), record.fields.get("warc-truncated", ""))
                part = FileSlice(record.data, name, facts)
                yield Source(source.path, label, (*source.members, str(record.number)), part, position())
    if skipped:
        yield Notice(
            source.name,
            Message("Left out: {what}.", what=Message.joined(", ", (why + f" ({n:,})" for why, n in skipped.items()))),
        )


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The document of one record cut out of an archive. Raises UnreadableInput."""
    part = source.part
    if part is None:
        raise UnreadableInput(Message("A web archive is read record by record."))
    address, captured, truncated = part.context
    body, content_type, notes = _payload(part.data, options)
    media_type, charset = _parsed_type(content_type)
    document = document_of(
        body, kind_of(media_type, body[:4096]) or "html", source.name, options, declared=charset, url=address
    )
    if truncated:
        notes.append(f"the capture was cut short ({truncated})")
    if captured:
        notes.append(f"captured {captured}")
    yield Record(None, _noted(document, address, notes))


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """A page as archived in its record: the HTTP status (0 if there is none, as in text extracts) and headers, the
    body without its HTTP encodings, the time of capture (according to the record), and the record's id.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    captured: str
    record: str


def answer_of(part: FileSlice, options: ReadOptions) -> ArchivedResponse:
    """The answer in a record cut out of an archive. Raises UnreadableInput."""
    try:
        record = _parsed(part.data, "all")
        body = _body(record, part.data, options)
    except OSError:
        record = _parsed(part.data, "none")
        body = _body(record, part.data, options)
    http = record.http_headers
    headers = () if http is None else tuple((str(name), str(value)) for name, value in http.items())
    status = 0 if http is None else http.status_code or 0
    identity = str(record.headers.get("warc-record-id") or "").strip("<>")
    return ArchivedResponse(status, headers, body, part.context[1], identity)


def _noted(document: Document, address: str, notes: list[str]) -> Document:
    how = document.extraction
    return replace(document, title=document.title or address, extraction=replace(how, repairs=(*how.repairs, *notes)))


def _payload(data: bytes, options: ReadOptions) -> tuple[bytes, str, list[str]]:
    """The record's content without its HTTP encodings, its media type, and its problems."""
    try:
        record = _parsed(data, "all")
        body = _body(record, data, options)
    except OSError:
        # Some crawlers store the unpacked content with the headers of the packed response.
        record = _parsed(data, "none")
        body = _body(record, data, options)
        return body, _type(record), ["its HTTP header names an encoding that it is not in"]
    return body, _type(record), []


def _parsed(data: bytes, decoding: Literal["all", "none"]) -> Any:
    from fastwarc.warc import ArchiveIterator

    record = next(iter(ArchiveIterator(io.BytesIO(data), parse_http=False, quirks_mode=True)), None)
    if record is None:
        raise UnreadableInput(Message("The header of this record cannot be read."))
    if "http" in (record.headers.get("content-type") or "http") and record.headers.get("warc-type") == "response":
        try:
            record.parse_http(auto_decode=decoding, quirks_mode=True)
        except OSError as error:
            if decoding == "none":
                raise UnreadableInput(Message("The HTTP header of this record cannot be read.")) from error
            raise
    return record


def _body(record: Any, data: bytes, options: ReadOptions) -> bytes:
    body = bounded(record.reader, options.member_bytes)
    if expands_too_much(len(data), len(body), options):
        raise UnreadableInput(
            Message(
                "The record unpacks to more than {ratio} times its size, like a decompression bomb.",
                ratio=options.ratio,
            )
        )
    return body


def _type(record: Any) -> str:
    headers = record.headers if record.http_headers is None else record.http_headers
    return str(headers.get("content-type") or "")


def _parsed_type(content_type: str) -> tuple[str, str | None]:
    """Media type and charset of a Content-Type."""
    match = _CONTENT_TYPE.match(content_type)
    return (match[1], match[2]) if match else ("", None)


def _address(record: RawRecord) -> str:
    return record.fields.get("warc-target-uri", "").strip("<> \t")


def _name(source: Source, record: RawRecord, address: str, seen: set[int]) -> str:
    """A name that is unique within the file."""
    if not address or not (record.problem or _may_hold_text(record)):
        return f"{source.name}:{record.number}"
    dated = f"{address} {record.fields.get('warc-date', '')}".rstrip()
    chosen = next((n for n in (address, dated) if hash(n) not in seen), f"{dated} {record.number}")
    seen.add(hash(chosen))
    return f"{source.name}!{chosen}"


def _kind(record: RawRecord) -> str:
    return record.fields.get("warc-type", "").lower()


def _may_hold_text(record: RawRecord) -> bool:
    return _kind(record) in ("response", "resource", "conversion")


def _left_out(record: RawRecord) -> str:
    """Why a captured record is not read; empty if it can be, or if the record is not a capture (but a request)."""
    if not _may_hold_text(record):
        return _REVISIT_LEFT if _kind(record) == "revisit" else ""
    content_type = record.fields.get("content-type", "")
    if _kind(record) != "response" or "http" not in (content_type or "http"):
        head = record.data[record.content : record.content + 4096]
        return "" if kind_of(content_type, head) else _KIND_LEFT
    end = _HEAD_END.search(record.data, record.content)
    http = record.data[record.content : end.start() if end else record.content + 4096]
    status, stated = _STATUS.match(http), _TYPE.search(http)
    if status and not (status[1].startswith(b"2") and status[1] not in (b"204", b"206")):
        return _STATUS_LEFT
    body = record.data[end.end() : end.end() + 4096] if end and not _ENCODED.search(http) else b""
    if end and not kind_of(stated[1].decode("latin-1") if stated else "", body):
        return _KIND_LEFT
    return ""
