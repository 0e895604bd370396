"""Web pages saved as one file (MHTML, RFC 2557): the page itself is the document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.formats import eml
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.media import document_of
from workbench.reading.formats.opening import whole

name = "mhtml"
suffixes: tuple[str, ...] = (".mhtml", ".mht")


def sniff(head: bytes) -> bool:
    """Whether it begins with the header of a multipart/related message."""
    return eml.looks_like_message(head) and b"multipart/related" in head.lower()


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The root page, with the URL from which it was saved. Raises UnreadableInput if there is none."""
    saved = eml.parsed(whole(source, options))
    pages = [body for body in eml.bodies(saved.walk(), []) if body.kind == "html" and body.data.strip()]
    start = str(saved.get_param("start") or "").strip("<> ")
    root = next((body for body in pages if start and body.identity == start), pages[0] if pages else None)
    if root is None:
        raise UnreadableInput(Message("There is no page in this file."))
    location = root.location or eml.header(saved, "snapshot-content-location")
    url = location if location.startswith(("http://", "https://")) else ""
    document = document_of(root.data, root.kind, source.name, options, declared=root.charset, url=url)
    title = document.title or eml.header(saved, "subject") or source.stem
    repairs = (*document.extraction.repairs, *eml.remarks(saved))
    extraction = replace(document.extraction, format=name, repairs=repairs)
    yield Record(None, replace(document, title=title, extraction=extraction))
