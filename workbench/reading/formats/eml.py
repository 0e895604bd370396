"""E-mail messages (RFC 5322, MIME): one document per file, from the readable body, whatever its encoding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message as Mail
from email.policy import Compat32
from email.utils import parsedate_to_datetime
from html import escape
from typing import cast

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import DateSource, Document
from workbench.reading.decoding import canonical, clean, decode
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.html import page
from workbench.reading.formats.media import document_of, kind_of, plain
from workbench.reading.formats.opening import whole
from workbench.reading.html.metadata import iso_date

name = "eml"
suffixes: tuple[str, ...] = (".eml",)
_HEADER = re.compile(rb"(?:From [^\r\n]{1,1000}\r?\n)?[A-Za-z][A-Za-z0-9-]{1,60}:[ \t]?[^\r\n]")
_MIME = re.compile(rb"^mime-version:", re.IGNORECASE | re.MULTILINE)
_FROM = re.compile(rb"^from:", re.IGNORECASE | re.MULTILINE)
_DATE = re.compile(rb"^date:", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")


_LONGEST_FIELD = 16_384
"""Maximum number of characters read of a header field: the standard library parses parameters and words in quadratic
time.
"""


class _Bounded(Compat32):
    """Header fields of bounded length; truncated ones are one character over the limit."""

    def header_source_parse(self, sourcelines: Sequence[str]) -> tuple[str, str]:
        """The name and the value of a field."""
        name, value = super().header_source_parse(list(sourcelines))
        return name, value[: _LONGEST_FIELD + 1]


@dataclass(frozen=True, slots=True)
class Body:
    """A readable part of a message: decoded bytes, the format that reads them, charset and address as declared."""

    data: bytes
    kind: str
    charset: str | None
    location: str
    identity: str


def sniff(head: bytes) -> bool:
    """Begins with the header of a message."""
    return looks_like_message(head)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The message's text, titled by its subject. Raises UnreadableInput if it is not a message or has no text."""
    mail = document(parsed(whole(source, options)), source.name, options)
    yield Record(None, replace(mail, title=mail.title or source.stem))


def looks_like_message(head: bytes) -> bool:
    """Begins with header fields, among them ``MIME-Version`` or both ``From`` and ``Date``."""
    fields = _HEAD_END.split(head, maxsplit=1)[0]
    return bool(_HEADER.match(fields) and (_MIME.search(fields) or (_FROM.search(fields) and _DATE.search(fields))))


def parsed(data: bytes) -> Mail:
    """The message in ``data``. Raises UnreadableInput if it is not one."""
    if not data.strip():
        raise UnreadableInput(Message("The file is empty."))
    if not _HEADER.match(data):
        raise UnreadableInput(Message("This is not a message: it does not begin with a header."))
    try:
        return message_from_bytes(data, policy=_Bounded())
    except (MessageError, ValueError, LookupError) as error:
        raise UnreadableInput(Message("This message is damaged.")) from error


def header(message: Mail, field: str) -> str:
    """A header field as text on one line, encoded words decoded; empty if there is none."""
    raw = message.get(field)
    if raw is None:
        return ""
    try:
        pieces = decode_header(str(raw))
    except (HeaderParseError, ValueError):
        pieces = [(str(raw), None)]
    text = "".join(p if isinstance(p, str) else clean(_decoded(p, charset))[0] for p, charset in pieces)
    return " ".join(clean(_decoded(text.encode("utf-8", "surrogateescape"), None))[0].split())


def date(message: Mail) -> str:
    """The ISO 8601 time of the message with its zone, its date where it has none; empty if it has neither."""
    try:
        sent = parsedate_to_datetime(str(message.get("date", "")))
        return sent.isoformat() if sent.tzinfo is not None else sent.date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return iso_date(header(message, "date"))


def remarks(message: Mail) -> Iterator[str]:
    """Remarks on truncated header fields of the message and its parts."""
    cut = sum(len(str(value)) > _LONGEST_FIELD for part in message.walk() for _, value in part.raw_items())
    if cut:
        yield f"left out the ends of header fields longer than {_LONGEST_FIELD:,} characters ({cut:,})"


def bodies(parts: Iterable[Mail], attachments: list[str]) -> Iterator[Body]:
    """The readable ones of ``parts`` in order; attachments and parts that are not text are added to ``attachments``."""
    for part in parts:
        if part.is_multipart():
            continue
        media_type = part.get_content_type()
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
        kind = kind_of(media_type, data[:4096]) if media_type.startswith(("text/", "application/xhtml")) else ""
        if kind not in ("txt", "html") or part.get_content_disposition() == "attachment":
            attachments.append(media_type)
            continue
        charset = part.get_content_charset()
        location = str(part.get("content-location") or "").strip()
        yield Body(data, kind, charset, location, str(part.get("content-id") or "").strip("<> "))


def document(message: Mail, identity: str, options: ReadOptions) -> Document:
    """The text of a message: of its parts in order, of alternatives the plain text. Raises UnreadableInput."""
    attachments: list[str] = []
    parts = [body for body in bodies(_without_alternatives(message), attachments) if body.data.strip()]
    if not parts:
        raise UnreadableInput(Message("There is no text in this message."))
    if len(parts) > 1:
        mail = _joined(parts, identity, options)
    else:
        (body,) = parts
        mail = document_of(body.data, body.kind, identity, options, declared=body.charset)
    notes = (f"left out attachments ({len(attachments):,})",) if attachments else ()
    how = replace(mail.extraction, format=name, repairs=(*mail.extraction.repairs, *notes, *remarks(message)))
    sent = date(message)
    dated_by = DateSource.FILE if sent else ""
    return replace(mail, title=header(message, "subject"), published=sent, dated_by=dated_by, extraction=how)


def _without_alternatives(part: Mail) -> list[Mail]:
    """The parts of a message that have no parts, without the HTML alternatives to a plain text."""
    if not part.is_multipart():
        return [part]
    inner = [leaf for child in part.get_payload() for leaf in _without_alternatives(cast(Mail, child))]
    if part.get_content_type() == "multipart/alternative" and any(map(_is_plain, inner)):
        return [leaf for leaf in inner if leaf.get_content_type() not in ("text/html", "application/xhtml+xml")]
    return inner


def _is_plain(part: Mail) -> bool:
    """Whether a part is a plain text that is not empty."""
    data = part.get_payload(decode=True) if part.get_content_type() == "text/plain" else b""
    return part.get_content_disposition() != "attachment" and isinstance(data, bytes) and bool(data.strip())


def _joined(parts: Sequence[Body], identity: str, options: ReadOptions) -> Document:
    """The text of several parts; if one of them is a page, all are read as one page."""
    read = [
        decode(body.data, declared=body.charset, html=body.kind == "html", override=options.encoding).text
        for body in parts
    ]
    if all(body.kind == "txt" for body in parts):
        return plain("\n\n".join(text.strip() for text in read), identity, options)
    markup = "\n".join(
        text if body.kind == "html" else f"<pre>{escape(text)}</pre>" for text, body in zip(read, parts, strict=True)
    )
    return page(markup, identity, language=options.language or "", selectors=options.selectors, rule=options.rule)


def _decoded(raw: bytes, charset: str | None) -> str:
    named = canonical(charset) if charset else None
    try:
        return raw.decode(named or "utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return decode(raw, declared=charset).text
    except UnreadableInput:
        return raw.decode("utf-8", "replace")
