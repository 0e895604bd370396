"""Documents from bytes with a declared media type, as found in web archives, messages and saved pages."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.reading.decoding import decode, decoded_as
from workbench.reading.formats import html, pdf
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.html import page, site_of
from workbench.text.languages import detect_language

_PAGES = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_PDF = ("application/pdf", "application/x-pdf")


def kind_of(media_type: str, head: bytes) -> str:
    """The format that reads data of ``media_type`` beginning with ``head``: html, pdf, txt, or empty for any other.

    A PDF or a page is recognised by its beginning if the type is missing, generic or XML.
    """
    media_type = media_type.split(";", 1)[0].strip().lower()
    if media_type in _PDF or (media_type in ("", "application/octet-stream", "text/plain") and pdf.sniff(head)):
        return pdf.name
    if media_type in _PAGES:
        return html.name
    if media_type in ("", "application/xml", "text/xml", "text/plain") and html.sniff(head):
        return html.name
    return "txt" if media_type == "text/plain" else ""


def document_of(
    data: bytes, kind: str, identity: str, options: ReadOptions, *, declared: str | None = None, url: str = ""
) -> Document:
    """The document in ``data`` read as ``kind`` (of :func:`kind_of`); ``declared`` is the encoding declared outside it.

    Raises UnreadableInput for binary data or if there is no text.
    """
    if kind == pdf.name:
        return replace(pdf.document(data, identity, options), url=url, site=site_of(url))
    if not data.strip():
        raise UnreadableInput(Message("There is no text in it."))
    decoded = decode(data, declared=declared, html=kind == html.name, override=options.encoding)
    if kind == html.name:
        language = options.language or ""
        document = page(
            decoded.text, identity, url=url, language=language, selectors=options.selectors, rule=options.rule
        )
    else:
        document = plain(decoded.text, identity, options, url=url)
    return replace(document, extraction=decoded_as(replace(document.extraction, format=kind), decoded))


def plain(text: str, identity: str, options: ReadOptions, *, url: str = "") -> Document:
    """A document of plain text. Raises UnreadableInput if there is none."""
    if not text.strip():
        raise UnreadableInput(Message("There is no text in it."))
    return Document(
        id=identity,
        text=text,
        url=url,
        site=site_of(url),
        language=options.language or detect_language(text),
        origin=identity,
    )
