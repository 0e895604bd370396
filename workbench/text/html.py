"""Readable text of a web page, with its blocks, title, links and dates.

libxml2's parser is used as a stream of events; no tree is built, so neither depth nor size meets a limit or
a recursion.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.types import Block, BlockKind, Span
from workbench.text.html_metadata import Metadata

PATH_STEPS = 32
"""Steps kept of a block's path; a longer one is written ``//`` and its last steps."""

_SLOWEST = 10.0
"""Seconds of parsing after which a page is refused: stray end tags in deep nesting take libxml2 quadratic time."""

_CHUNK = 1 << 16

_BLOCK_NAMES = """
    address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav
    noframes ol p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp caption title
"""
_SKIPPED_NAMES = """
    script style template noscript iframe object embed svg math audio video canvas map select datalist textarea
    rt rp rtc
"""
_BLOCK_TAGS = frozenset(_BLOCK_NAMES.split())
_SKIPPED_TAGS = frozenset(_SKIPPED_NAMES.split())
_KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), BlockKind.HEADING),
    **dict.fromkeys(("li", "dt", "dd"), BlockKind.LIST_ITEM),
    **dict.fromkeys(("td", "th", "caption"), BlockKind.TABLE_CELL),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), BlockKind.PREFORMATTED),
}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\f\r\v]+")
_AROUND_BREAK = re.compile(r" *\n *")
_CJK = re.compile(r"[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff9f\U00020000-\U0003fffd]")
_NO_LINK = ("#", "javascript:", "mailto:", "tel:", "data:")


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a page says. ``text`` is its blocks joined by ``\\n``; ``blocks`` are their spans, with kind and DOM path.

    ``language`` is the declared primary subtag or empty; ``published`` an ISO 8601 date or empty; ``links`` and ``url``
    are as written in the page.
    """

    title: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    language: str
    published: str
    url: str


def extract_html(markup: str) -> Extracted:
    """Readable text of ``markup``: scripts, styles, hidden elements and ruby readings left out, ``<br>`` a line end.

    ``<noscript>`` counts only where it holds more text than the rest (a page otherwise drawn by its scripts).
    Raises UnreadableInput for a page that takes longer than 10 s to parse.
    """
    reader = _read(markup, _Reader(_SKIPPED_TAGS))
    if reader.noscript > reader.length:
        reader = _read(markup, _Reader(_SKIPPED_TAGS - {"noscript"}))
    return reader.result()


def _read(markup: str, reader: _Reader) -> _Reader:
    parser = etree.HTMLParser(target=cast(Any, reader), huge_tree=True, encoding="utf-8")
    data = markup.encode("utf-8", "replace")
    deadline = time.monotonic() + _SLOWEST
    for at in range(0, len(data), _CHUNK):
        parser.feed(data[at : at + _CHUNK])
        if time.monotonic() > deadline:
            raise UnreadableInput(
                f"This page is nested so badly that reading it takes more than {_SLOWEST:.0f} seconds."
            )
    if data:
        parser.close()
    return reader


@dataclass(slots=True)
class _Frame:
    """An open element. ``owner`` is the position of the innermost block element, itself included."""

    tag: str
    step: str
    owner: int
    kind: BlockKind
    children: dict[str, int] = field(default_factory=dict)


class _Reader:
    """Parser target: collects text per block in document order.

    ``length`` is that of the text so far, ``noscript`` the number of characters left out in ``<noscript>``.
    """

    def __init__(self, skipped_tags: frozenset[str]) -> None:
        self.metadata = Metadata()
        self.length = 0
        self.noscript = 0
        self._skipped_tags = skipped_tags
        self._frames = [_Frame("", "", 0, BlockKind.PARAGRAPH)]
        self._skipping = 0
        self._pending: list[str] = []
        self._texts: list[str] = []
        self._blocks: list[Block] = []
        self._links: dict[str, None] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        parent = self._frames[-1]
        count = parent.children[tag] = parent.children.get(tag, 0) + 1
        is_block = tag in _BLOCK_TAGS
        if is_block:
            self._flush()
        at = len(self._frames)
        kind = _KINDS.get(tag, parent.kind)
        self._frames.append(_Frame(tag, f"{tag}[{count}]", at if is_block else parent.owner, kind))
        if self._skipping:
            return
        self.metadata.element(tag, attributes)
        if tag in self._skipped_tags or (tag not in ("html", "body") and _is_hidden(attributes)):
            self._skipping = at
        elif tag == "br":
            self._pending.append("\n")
        elif tag == "a" and (href := (attributes.get("href") or "").strip()) and not href.lower().startswith(_NO_LINK):
            self._links.setdefault(href)

    def end(self, tag: str) -> None:
        """Close an element, and whatever is still open inside it."""
        at = len(self._frames) - 1
        while at and self._frames[at].tag != tag:
            at -= 1
        if not at:
            return
        for position in range(len(self._frames) - 1, at - 1, -1):
            frame = self._frames[position]
            if frame.owner == position:
                self._flush()
            if self._skipping == position:
                self._skipping = 0
            self.metadata.closed(frame.tag)
            self._frames.pop()

    def data(self, text: str) -> None:
        """Character data."""
        frame = self._frames[-1]
        if frame.tag in ("title", "script"):
            self.metadata.text(frame.tag, text)
        elif not self._skipping:
            if frame.kind is not BlockKind.PREFORMATTED:
                text = text.replace("\n", "\v")
            self._pending.append(text)
        elif self._frames[self._skipping].tag == "noscript":
            self.noscript += len(text.strip())

    def comment(self, text: str) -> None:
        """Comments are no text."""

    def close(self) -> None:
        """The end of the page."""
        self._flush()

    def result(self) -> Extracted:
        """Everything collected."""
        m = self.metadata
        text, blocks = "\n".join(self._texts), tuple(self._blocks)
        return Extracted(m.title, text, blocks, tuple(self._links), m.language, m.published, m.url)

    def _flush(self) -> None:
        """End the current block: its text, if any, becomes one."""
        if not self._pending:
            return
        owner = self._frames[-1].owner
        kind = self._frames[owner].kind
        text = "".join(self._pending)
        self._pending.clear()
        text = text.strip() if kind is BlockKind.PREFORMATTED else _collapsed(text)
        if not text:
            return
        if self._texts:
            self.length += 1
        span = Span(self.length, self.length + len(text))
        self._texts.append(text)
        self.length = span.end
        self._blocks.append(Block(span, kind, path=self._path(owner)))

    def _path(self, owner: int) -> str:
        if owner > PATH_STEPS:
            return "//" + "/".join(f.step for f in self._frames[owner - PATH_STEPS + 1 : owner + 1])
        return "/" + "/".join(f.step for f in self._frames[1 : owner + 1])


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


def _collapsed(text: str) -> str:
    """White space as a browser shows it; a source line end (``\\v``) between CJK characters is no space."""

    def space(run: re.Match[str]) -> str:
        if "\v" in run[0] and run.start() > 0 and run.end() < len(text):
            return "" if _CJK.match(text[run.start() - 1]) and _CJK.match(text[run.end()]) else " "
        return " "

    return _AROUND_BREAK.sub("\n", _SPACES.sub(space, text)).strip()
