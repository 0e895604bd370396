"""Readable text of a web page, with its blocks, title, links and dates.

libxml2 builds a tree and writes it as XML, which one compiled pass reads. For large, deep and hostile pages the XML is
written from the parser's events instead, so depth and size are unlimited and nothing is recursive.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np
from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import MOST_LOOKS, Anchor, Look, LookKind, Span
from workbench.reading.blocks.page import Leaf, Page
from workbench.reading.html.hiding import StyleSheets, hidden_elements
from workbench.reading.html.metadata import Metadata
from workbench.reading.note_marks import is_added, is_note_mark, leave_out, move_notes, without_typed_marks
from workbench.text.markup.columns import KINDS, Columns, unescaped
from workbench.text.markup.tags import (
    BLOCK_TAGS,
    BOLD,
    CODE,
    EMPHASIS,
    INLINE_TAGS,
    ITALIC,
    KIND_OF,
    KNOWN,
    SKIPPED_TAGS,
)

if TYPE_CHECKING:
    from workbench.kernels.pages.page_pass import Tags

_SLOWEST = 10.0
"""Seconds of parsing after which a page is refused: libxml2 takes quadratic time on stray end tags in deep nesting."""

_CHUNK = 1 << 16

_NO_LINK = ("#", "javascript:", "mailto:", "tel:", "data:")
_DEEPEST_TREE = 2048
"""Maximum depth of a tree in libxml2."""
_LARGEST_TREE = 1 << 20
"""Largest page, in bytes, that is parsed into a tree; larger ones are read as a stream."""
_LONGEST_TAG = 1 << 16
_MOST_ATTRIBUTES = 1000
"""Maximum number of attributes of one tag: building a tree compares each with all others."""
_CONTROL = b"&#xFFFD;"
"""Written by libxml2 for characters that XML does not allow."""
_QUOTE = '"'
_NAME = re.compile(rb"[^ />]+")
_ATTRIBUTE = re.compile(rb' (.[^=]*)="([^"]*)"', re.DOTALL)
_METADATA_HINT = re.compile(rb"date|time|issued|publi|og:|content-language", re.IGNORECASE)
"""Occurs in each element that :class:`Metadata` reads."""
_RAISED_DIGIT = re.compile(r"[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]")
_RAISED_BY_NAME = re.compile(r"&(?:sup[123]|#1(?:85|78|79)|#[xX][bB][923])")
_LONGEST_SCHEME = max(map(len, _NO_LINK))


@dataclass(frozen=True)
class Extracted:
    """The result of extraction. ``page`` has the text and leaf blocks.

    ``language`` is the declared primary subtag or empty; ``published`` an ISO 8601 date or time or empty, and
    ``dated_by`` its DateSource; ``links``, the addresses of ``anchors`` and ``url`` are as they appear in the page.
    """

    page: Page
    language: str
    published: str
    url: str
    dated_by: str

    @property
    def title(self) -> str:
        """The page's own title, or empty."""
        return self.page.title

    @property
    def text(self) -> str:
        """The page's leaf blocks joined by ``\\n``."""
        return self.page.text

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The page's leaf blocks in order."""
        return self.page.leaves

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The addresses of links to other pages, each once."""
        columns = self.page.columns
        addresses = dict.fromkeys([columns.written(*place).strip() for place in columns.links.tolist()])
        return tuple([a for a in addresses if not a[:_LONGEST_SCHEME].lower().startswith(_NO_LINK)])

    @cached_property
    def anchors(self) -> tuple[Anchor, ...]:
        """The texts of links, in order."""
        columns = self.page.columns
        return tuple(
            [
                Anchor(Span(start, end), columns.written(*place).strip())
                for start, end, *place in columns.anchors.tolist()
            ]
        )

    @cached_property
    def looks(self) -> tuple[Look, ...]:
        """Emphasis and places of pictures, ordered and disjoint."""
        looks: list[Look] = []
        for start, end, bits in self.page.columns.looks[:MOST_LOOKS].tolist():
            before = looks[-1] if looks else None
            if before is not None and before.kind == bits and before.span.end == start < end:
                looks[-1] = Look(Span(before.span.start, end), before.kind)
            else:
                looks.append(Look(Span(start, end), LookKind(bits)))
        return tuple(looks)

    @cached_property
    def hidden(self) -> str:
        """The text that a browser does not show, a line for each block."""
        from workbench.kernels.pages import page_pass

        columns = self.page.columns
        pieces = [
            columns.written(first, end) or "\n"
            for kind, first, end in columns.notes.tolist()
            if kind == page_pass.HIDDEN
        ]
        lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
        return "\n".join(line for line in lines if line)


def extract_html(markup: str) -> Extracted:
    """Readable text of ``markup``; ``<br>`` is a line end. Without scripts, styles, hidden elements, ruby readings and
    (except in very large and deep pages) marks of notes.

    Elements are hidden if browsers do not show them because of the page's styles, see :mod:`.hiding`.
    ``<noscript>`` counts only if it has more text than the rest (a page otherwise drawn by its scripts).
    Raises UnreadableInput for a page that takes longer than 10 s to parse.
    """
    # Imported here, since a process that reads no page needs no compiler.
    from workbench.kernels.pages.page_pass import read

    data, sheets = _written(markup)
    hidden = hidden_elements(data, StyleSheets(sheets, time_limit()))
    columns = read(data, _tags(), hidden)
    if columns.depth >= _DEEPEST_TREE:
        data, sheets = parse(markup, _Writer()).result()
        hidden = hidden_elements(data, StyleSheets(sheets, time_limit()))
        columns = read(data, _tags(), hidden)
    if columns.noscript > len(columns.text):
        columns = read(data, _tags(), hidden, skip_noscript=False)
    about = _metadata(columns)
    page = Page(columns, about.title, about.language, about.kind)
    return Extracted(page, about.language, about.published, about.url, about.dated_by)


@lru_cache(maxsize=1)
def _tags() -> Tags:
    from workbench.kernels.pages import page_pass

    flags = {
        page_pass.BLOCK: BLOCK_TAGS,
        page_pass.SKIPPED: SKIPPED_TAGS,
        page_pass.INLINE: INLINE_TAGS,
        page_pass.EMPHASIS: EMPHASIS,
        page_pass.BREAK: ("br",),
        page_pass.LINK: ("a",),
        page_pass.TITLE: ("title",),
        page_pass.SCRIPT: ("script",),
        page_pass.NOSCRIPT: ("noscript",),
        page_pass.SPEAKS: ("html", "meta", "time"),
        page_pass.CANONICAL: ("link",),
        page_pass.BOLD: BOLD,
        page_pass.ITALIC: ITALIC,
        page_pass.CODE: CODE,
        page_pass.PICTURE: ("img",),
    }
    bits = [sum(flag for flag, tags in flags.items() if name in tags) for name in KNOWN]
    kinds = [KINDS.index(KIND_OF[name]) if name in KIND_OF else 0 for name in KNOWN]
    return page_pass.Tags(" ".join(KNOWN).encode(), np.array(bits, np.uint16), np.array(kinds, np.uint8))


def _metadata(columns: Columns) -> Metadata:
    """The page's own metadata."""
    from workbench.kernels.pages import page_pass

    metadata = Metadata()
    for what, first, end in columns.notes.tolist():
        if what == page_pass.ELEMENT:
            tag = columns.data[first:end]
            if not tag.startswith(b"meta") or _METADATA_HINT.search(tag):
                name = _NAME.match(tag)
                attributes = {unescaped(k.decode()): unescaped(v.decode()) for k, v in _ATTRIBUTE.findall(tag)}
                metadata.element(name[0].decode() if name else "", attributes)
        elif what == page_pass.TITLE_TEXT:
            metadata.text("title", columns.written(first, end))
        elif what == page_pass.TITLE_END:
            metadata.closed("title")
        elif what == page_pass.DATA:
            metadata.element("script", {"type": "ld+json"})
            metadata.text("script", columns.written(first, end))
            metadata.closed("script")
    return metadata


class Target(Protocol):
    """Receives the events of parsing a page."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""

    def end(self, tag: str) -> None:
        """Close an element; also called for stray end tags."""

    def data(self, text: str) -> None:
        """Character data."""

    def comment(self, text: str) -> None:
        """A comment."""

    def close(self) -> None:
        """The end of the page."""


T = TypeVar("T", bound=Target)


def parse(markup: str, target: T) -> T:
    """Send the events of ``markup`` to ``target``, and return it.

    Raises UnreadableInput for a page that takes longer than 10 s to parse.
    """
    _fed(
        etree.HTMLParser(target=cast(Any, target), huge_tree=True, encoding="utf-8"), markup.encode("utf-8", "replace")
    )
    return target


def _suits_a_tree(data: bytes) -> bool:
    """Whether a tree of ``data`` would be neither large nor, because of a tag with thousands of attributes, slow to
    build.
    """
    from workbench.kernels.pages.styles import has_many_attributes

    starts = range(0, len(data) - _LONGEST_TAG, _LONGEST_TAG)
    short = len(data) <= _LARGEST_TREE and all(data.find(b">", at, at + _LONGEST_TAG) >= 0 for at in starts)
    return short and not has_many_attributes(np.frombuffer(data, np.uint8), _MOST_ATTRIBUTES)


def _fed(parser: etree.HTMLParser, data: bytes) -> Any:
    """The result of ``parser`` for ``data``; None for an empty page."""
    check = time_limit()
    for at in range(0, len(data), _CHUNK):
        parser.feed(data[at : at + _CHUNK])
        check()
    return parser.close() if data else None


def time_limit() -> Callable[[], None]:
    """Start the time limit of a page; the function returned raises UnreadableInput once it has passed."""
    deadline = time.monotonic() + _SLOWEST

    def check() -> None:
        if time.monotonic() > deadline:
            raise UnreadableInput(
                Message(
                    "Reading this page takes more than {limit} seconds: it is nested too deeply, or it has "
                    "too many styles.",
                    limit=f"{_SLOWEST:.0f}",
                )
            )

    return check


def _written(markup: str) -> tuple[bytes, tuple[str, ...]]:
    """The tree of ``markup``, written as XML, empty for an empty page, and its style sheets."""
    data = markup.encode("utf-8", "replace")
    if not _suits_a_tree(data):
        return parse(markup, _Writer()).result()
    parser = etree.HTMLParser(
        huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False
    )
    root = _fed(parser, data)
    if root is None:
        return b"", ()
    sheets = tuple(e.text for e in root.iter("style") if e.text and _on_screen(e.attrib, e.getparent().tag))
    for element in root.iter("script", "style"):
        if "ld+json" not in (element.get("type") or ""):
            element.text = None  # often most of a page, and never read
    for mark in [e for e in root.iter("a", "sup") if is_note_mark(e)]:
        leave_out(mark)
    if _RAISED_DIGIT.search(markup) or _RAISED_BY_NAME.search(markup):  # one pattern for both takes twice as long
        _drop_typed_marks(root)
    for added in [e for e in root.iter("a", "span", "sup") if is_added(e)]:
        del added[:]
        added.text = None
    move_notes(root, BLOCK_TAGS)
    # With the doctype of XHTML, attributes would be added.
    root.getroottree().docinfo.clear()
    written: bytes = etree.tostring(root, encoding="utf-8")
    if _CONTROL in written or root.getnext() is not None:  # a tree has one root
        return parse(markup, _Writer()).result()
    return written, sheets


def _drop_typed_marks(root: etree._Element) -> None:
    """Leave out marks of notes in raised digits (¹) from the texts of a page."""
    for element in root.iter():
        # libxml2 refuses to store control characters, which such a page may contain.
        with suppress(ValueError):
            own = "" if element.tag in ("script", "style") else element.text or ""
            if (text := without_typed_marks(own)) != own:
                element.text = text
            if element.tail and (tail := without_typed_marks(element.tail)) != element.tail:
                element.tail = tail


def _on_screen(attributes: Mapping[str, str], parent: str) -> bool:
    """Whether a ``style`` element within ``parent`` applies to screen media."""
    media = (attributes.get("media") or "").strip().lower()
    return media not in ("print", "speech") and parent != "noscript"


class _Writer:
    """Parser target: writes the events as XML, for pages with control characters, or too deep for a tree."""

    def __init__(self) -> None:
        self._tags: list[str] = []
        self._written: list[str] = []
        self._sheets: list[list[str]] = []
        self._in_sheet = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        self._in_sheet = tag == "style" and _on_screen(attributes, self._tags[-1] if self._tags else "")
        if self._in_sheet:
            self._sheets.append([])
        self._tags.append(tag)
        each = "".join([f' {name}="{_escaped(value).replace(_QUOTE, "&quot;")}"' for name, value in attributes.items()])
        self._written.append(f"<{tag}{each}>")

    def end(self, tag: str) -> None:
        """Close an element, and any still open inside it."""
        self._in_sheet = False
        if tag in self._tags:
            while self._tags:
                last = self._tags.pop()
                self._written.append(f"</{last}>")
                if last == tag:
                    break

    def data(self, text: str) -> None:
        """Character data."""
        if self._in_sheet:
            self._sheets[-1].append(text)
        else:
            self._written.append(_escaped(text))

    def comment(self, text: str) -> None:
        """Comments are not text."""

    def close(self) -> None:
        """The end of the page."""
        self._written.extend(f"</{tag}>" for tag in reversed(self._tags))

    def result(self) -> tuple[bytes, tuple[str, ...]]:
        """The XML, and the page's style sheets."""
        return "".join(self._written).encode("utf-8", "replace"), tuple(map("".join, self._sheets))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
