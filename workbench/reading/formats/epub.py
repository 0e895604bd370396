"""Books (EPUB): the chapters in order, as one document."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.decoding import clean, decode
from workbench.reading.formats.api import Failure, Item, ReadOptions, Record, Source
from workbench.reading.formats.html import EmptyPage, page
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import Package, attribute, named, text_of
from workbench.reading.formats.paragraphs import Paragraphs, looks_within
from workbench.reading.html.elsewhere import shown_elsewhere
from workbench.reading.html.metadata import iso_date, year_or_month
from workbench.reading.html.unseen import hidden_in

name = "epub"
suffixes: tuple[str, ...] = (".epub",)
_FONT_ALGORITHMS = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_LINK = re.compile(r"<link\b[^<>]{1,1000}>", re.IGNORECASE)
_ADDRESS = re.compile(r"\bhref\s*=\s*[\"']([^\"']{1,500})[\"']", re.IGNORECASE)
_LONGEST_SHEET = 500_000
"""Maximum number of characters of style sheets searched with each chapter."""
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def sniff(head: bytes) -> bool:
    """A zip file that begins with its media type."""
    return head.startswith(b"PK\x03\x04") and head[30:].startswith(b"mimetypeapplication/epub+zip")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The book as one document; a block's path is its chapter and the path inside it (``ch1.xhtml/html[1]/body[1]``).

    A chapter that cannot be read is a failure (``book.epub!chapter``). Raises UnreadableInput if the book is protected,
    damaged or has no text.
    """
    package = Package(whole(source, options), options)
    _refuse_protected(package)
    rootfile = _rootfile(package)
    root = package.xml(rootfile)
    book = _Book()
    for chapter in _chapters(root, rootfile):
        try:
            book.add(chapter, package, options)
        except UnreadableInput as error:
            yield Failure.of(f"{source.name}!{chapter}", error)
            book.failed += 1
    if not book.paragraphs.text:
        if book.failed:
            return
        raise UnreadableInput(Message("There is no text in this book."))
    date = text_of(root, "date")
    yield Record(
        None,
        book.paragraphs.document(
            source.name,
            name,
            options,
            title=clean(text_of(root, "title"))[0] or source.stem,
            published=iso_date(date) or year_or_month(date),
            links=book.links,
            repairs=book.repairs,
        ),
    )


@dataclass(slots=True)
class _Book:
    """Collects the chapters."""

    paragraphs: Paragraphs = field(default_factory=Paragraphs)
    links: dict[str, None] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)
    failed: int = 0
    sheets: dict[str, str] = field(default_factory=dict)

    def add(self, chapter: str, package: Package, options: ReadOptions) -> None:
        """Add a chapter; one without text (such as a cover) adds nothing. Raises UnreadableInput."""
        decoded = decode(package.data(chapter), html=True, override=options.encoding)
        self.repairs.extend(f"{chapter}: {repair}" for repair in decoded.repairs)
        try:
            part = page(decoded.text, chapter)
        except EmptyPage:
            return
        if hidden := part.extraction.hidden:
            self.repairs.append(
                Message("{chapter}: {count} hidden characters left out", chapter=chapter, count=f"{hidden:,}")
            )
        markup = f"{self._linked(chapter, decoded.text, package)}{_LINK.sub('', decoded.text)}"
        self.paragraphs.outside += shown_elsewhere(markup)
        unseen = sorted(hidden_in(markup, part.text, part.blocks, by_any_class=True))
        for block in part.blocks:
            words = part.text[block.span.start : block.span.end]
            span = self.paragraphs.add(words, block.kind, chapter + block.path)
            first, last = (bisect_left(unseen, edge) for edge in block.span)
            own = (at - block.span.start for at in unseen[first:last])
            self.paragraphs.look(span, words, looks_within(part.extraction.looks, block.span))
            self.paragraphs.hide(span, words, ((at, at + 1) for at in own))
        self.links.update(dict.fromkeys(link for link in part.links if link.startswith(("http:", "https:"))))

    def _linked(self, chapter: str, markup: str, package: Package) -> str:
        """The style sheets of the book to which a chapter refers, each read once."""
        own = []
        for link in _LINK.findall(markup):
            address = _ADDRESS.search(link)
            if not (address and "stylesheet" in link):
                continue
            part = posixpath.normpath(posixpath.join(posixpath.dirname(chapter), unquote(address[1])))
            if part not in self.sheets:
                try:
                    self.sheets[part] = decode(package.data(part)).text[:_LONGEST_SHEET]
                except UnreadableInput:
                    self.sheets[part] = ""
            own.append(self.sheets[part])
        return "".join(f"<style>{sheet}</style>" for sheet in dict.fromkeys(own))


def _refuse_protected(package: Package) -> None:
    """Raise UnreadableInput when more than fonts is encrypted (digital rights management)."""
    for entry in named(package.xml_if_any("META-INF/encryption.xml"), "EncryptedData"):
        methods = {attribute(method, "Algorithm") for method in named(entry, "EncryptionMethod")}
        if not methods <= _FONT_ALGORITHMS:
            raise UnreadableInput(Message("This book is protected (DRM) and cannot be read."))


def _rootfile(package: Package) -> str:
    """Name of the package document. Raises UnreadableInput."""
    for rootfile in named(package.xml("META-INF/container.xml"), "rootfile"):
        if path := attribute(rootfile, "full-path"):
            return path
    raise UnreadableInput(Message("This book does not declare where its contents are."))


def _chapters(root: etree._Element, rootfile: str) -> Iterator[str]:
    """Parts with text in reading order, without the table of contents."""
    manifest = {attribute(item, "id"): item for item in named(root, "item")}
    folder = posixpath.dirname(rootfile)
    seen: set[str] = set()
    for reference in named(root, "itemref"):
        item = manifest.get(attribute(reference, "idref"))
        if item is None or attribute(item, "media-type").lower() not in _PAGES:
            continue
        path = posixpath.normpath(posixpath.join(folder, unquote(attribute(item, "href").split("#", 1)[0])))
        if path not in seen and "nav" not in attribute(item, "properties").split():
            seen.add(path)
            yield path
