"""Web archives (WARC): each captured page, text or PDF is a document."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.reading.formats.api import Failure, FileSlice, Item, Notice, ReadOptions, Record, Source
from workbench.reading.formats.compressed import expands_too_much
from workbench.reading.formats.media import document_of, kind_of
from workbench.reading.formats.opening import bounded, metered
from workbench.reading.formats.warc_records import RawRecord, raw_records

name = "warc"
suffixes: tuple[str, ...] = (".warc", ".wet")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?\s+(\d{3})")
_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_ENCODED = re.compile(rb"^(?:content|transfer)-encoding:", re.IGNORECASE | re.MULTILINE)
_CONTENT_TYPE = re.compile(r"\s*([\w.+/-]*)(?:.*?charset\s*=\s*[\"']?([\w.:-]+))?", re.IGNORECASE)
_STATUS_LEFT, _KIND_LEFT, _REVISIT_LEFT = (
    "responses with another HTTP status than success",
    "records that hold no page, text or PDF",
    "revisits of pages that had not changed",
)


def sniff(head: bytes) -> bool:
    """Begins with a record."""
    return head.startswith(b"WARC/")


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure | Notice]:
    """Each record with a page, text or PDF; damaged records are failures; the rest are counted in a notice.

    A record is called ``file!address``; a later one of the same address gets its date, or number, appended.
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
    """A page as its record keeps it: the HTTP status (0 where it has none, as in text extracts) and headers, the body
    without its HTTP encodings, when it was captured (as the record says), and the record's id.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    captured: str
    record: str


def answer_of(part: FileSlice, options: ReadOptions) -> ArchivedResponse:
    """The answer kept in a record cut out of an archive. Raises UnreadableInput."""
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
    """The record's content without its HTTP encodings, its media type, and what was wrong with it."""
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
    """Why a captured record is not read; empty if it is, or if the record is not a capture (a request)."""
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
