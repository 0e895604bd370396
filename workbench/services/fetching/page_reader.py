"""Converts the bytes of a fetched page to a document, in a worker process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message as Mail
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document, Extraction
from workbench.jobs.alarm import Alarm
from workbench.reading import formats
from workbench.reading.decoding import decode, decoded_as
from workbench.reading.formats import Failure, ReadOptions, Record, Source, html, sentence
from workbench.reading.integrity import with_flags
from workbench.text.languages import detect_language

LIMIT = 60.0
"""Time limit for reading one page, in seconds."""

_PAGES = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_FILES = {
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/rtf": ".rtf",
    "text/rtf": ".rtf",
    **dict.fromkeys(["text/markdown", "text/x-markdown"], ".md"),
}
_UNSPECIFIC_TYPES = (
    "",
    "application/octet-stream",
    "binary/octet-stream",
    "application/unknown",
    "application/download",
)
_TEXTS = ("text/plain",)


@dataclass(frozen=True, slots=True)
class Received:
    """A body in a file, its URL and Content-Type, and the CSS selectors of main texts by host."""

    path: Path
    url: str
    content_type: str
    selectors: Mapping[str, str] = field(default_factory=dict)


def read_page(received: Received) -> Document | str:
    """The page as a document with its URL as id, or a sentence that says why it is not one."""
    with Alarm(LIMIT):
        try:
            return _read(received)
        except Exception as error:  # noqa: BLE001 - whatever a parser raises on one page must not end the others
            return sentence(error)


def _read(received: Received) -> Document:
    headers = Mail()
    headers["Content-Type"] = received.content_type
    media = headers.get_content_type() if received.content_type else ""
    charset = headers.get_content_charset() or None
    with received.path.open("rb") as file:
        head = file.read(4096)
    name = PurePosixPath(unquote(urlsplit(received.url).path)).name
    kind = _kind(media, head, PurePosixPath(name).suffix.lower())
    if kind == ".html":
        decoded = decode(received.path.read_bytes(), html=True, declared=charset)
        document = with_flags(html.page(decoded.text, received.url, url=received.url, selectors=received.selectors))
        how = decoded_as(document.extraction, decoded)
    elif kind == ".txt":
        decoded = decode(received.path.read_bytes(), declared=charset)
        language = detect_language(decoded.text)
        document = with_flags(Document(received.url, decoded.text, language=language, extraction=Extraction("txt")))
        how = decoded_as(document.extraction, decoded)
    else:
        document = _file(Source(received.path, f"page{kind}"))
        how = document.extraction
    if not document.text.strip():
        raise UnreadableInput(Message("There is no readable text in this page."))
    return replace(
        document,
        id=received.url,
        url=received.url,
        site=html.site_of(received.url),
        origin=received.url,
        title=document.title or name or html.site_of(received.url),
        extraction=how,
    )


def _kind(media: str, head: bytes, suffix: str) -> str:
    """The suffix of the format to read a page with; an unmistakable signature takes precedence over the header."""
    if head.startswith(b"%PDF-"):
        return ".pdf"
    if media in _PAGES or (html.sniff(head) and (media in _UNSPECIFIC_TYPES or media.endswith("xml"))):
        return ".html"
    if media in _TEXTS:
        return ".txt"
    if media in _FILES:
        return _FILES[media]
    if media in _UNSPECIFIC_TYPES and suffix in (*_FILES.values(), ".html", ".htm", ".txt"):
        return ".html" if suffix == ".htm" else suffix
    raise UnreadableInput(
        Message("This is not a page with text ({media}).", media=media or Message("no type is given"))
    )


def _file(source: Source) -> Document:
    """The one document of a file. Raises UnreadableInput if it has none or several."""
    if not any(source.suffix in kind.suffixes for kind in formats.FORMATS):
        raise UnreadableInput(Message("Pages of this type ({suffix}) cannot be read.", suffix=source.suffix[1:]))
    items = _first_two(formats.read(source, options=ReadOptions()))
    for item in items:
        if isinstance(item, Failure):
            raise UnreadableInput(item.error)
    if len(items) != 1 or not isinstance(items[0], Record):
        raise UnreadableInput(Message("This file contains several documents; save it and import it."))
    document = items[0].document
    return replace(document, title="" if document.title == source.stem else document.title)


def _first_two(items: Iterator[formats.Item]) -> list[Record | Failure]:
    records: list[Record | Failure] = []
    for item in items:
        if isinstance(item, Record | Failure):
            records.append(item)
        if len(records) == 2:
            break
    return records
