"""Web pages: one document a file, with its blocks, title, links and date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from workbench.base.errors import UnreadableInput
from workbench.base.types import Document, Extraction
from workbench.text.decoding import decode
from workbench.text.formats.api import Item, ReadOptions, Record, Source
from workbench.text.formats.opening import whole
from workbench.text.html import extract_html
from workbench.text.languages import detect_language

name = "html"
suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml")
_LOOKS_LIKE = re.compile(
    rb"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body|meta|title)\b", re.IGNORECASE | re.DOTALL
)


def sniff(head: bytes) -> bool:
    """Begins with a doctype or an element of a page's head."""
    return _LOOKS_LIKE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The page as one document. Raises UnreadableInput for binary data and pages without readable text."""
    data = whole(source, options)
    if not data.strip():
        raise UnreadableInput("The file is empty.")
    decoded = decode(data, html=True, override=options.encoding)
    document = page(decoded.text, source.name, language=options.language or "")
    extraction = Extraction(name, decoded.encoding, decoded.source, decoded.repairs)
    yield Record(None, replace(document, title=document.title or source.stem, extraction=extraction))


def page(markup: str, document_id: str, *, url: str = "", language: str = "") -> Document:
    """A document from markup; ``url`` and ``language`` win over what the page declares.

    Raises UnreadableInput when it holds no readable text.
    """
    extracted = extract_html(markup)
    if not extracted.text:
        raise UnreadableInput("There is no readable text in this page.")
    address = url or extracted.url
    found = language or detect_language(extracted.text)
    return Document(
        id=document_id,
        text=extracted.text,
        title=extracted.title,
        url=address,
        site=site_of(address),
        published=extracted.published,
        language=extracted.language or found if found == "und" else found,
        origin=document_id,
        blocks=extracted.blocks,
        links=tuple(_absolute(address, link) for link in extracted.links),
        extraction=Extraction(name),
    )


def site_of(url: str) -> str:
    """The host of ``url`` in lower case; empty when there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _absolute(base: str, link: str) -> str:
    try:
        return urljoin(base, link) if base else link
    except ValueError:
        return link
