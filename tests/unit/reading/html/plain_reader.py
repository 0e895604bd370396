"""Plain reference of the reader of pages: a target of the parser's events, which makes an object of every block."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from workbench.base.types import Anchor, BlockKind, Span
from workbench.reading.blocks.page import Element, Leaf
from workbench.reading.html.hiding import GONE, SHOWN, VEILED, StyleSheets
from workbench.reading.html.metadata import Metadata
from workbench.reading.html.page import _Writer, parse
from workbench.text.markup.columns import PATH_STEPS
from workbench.text.markup.tags import BLOCK_TAGS, EMPHASIS, INLINE_TAGS, KIND_OF, SKIPPED_TAGS

_SAYING = frozenset(("html", "meta", "link", "time", "script", "title"))
_SPACES = re.compile(r"[\t\f\r\v][ \t\f\r\v]*+| [ \t\f\r\v]++")
"""White space other than a single space."""
_WORD = re.compile(r"\S+")
_AROUND_BREAK = re.compile(r" *\n *")
_CJK = r"[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff9f\U00020000-\U0003fffd]"
_BETWEEN_CJK = re.compile(rf"(?<={_CJK})[ \t\f\r]*+\v[ \t\f\r\v]*+(?={_CJK})")
_HINTING = ("class", "id", "role", "itemprop")
_INLINE_HINTS = 240
_NO_LINK = ("#", "javascript:", "mailto:", "tel:", "data:")
_LONGEST_SCHEME = max(map(len, _NO_LINK))


@dataclass(frozen=True, slots=True)
class Plain:
    """What is read of a page; ``noscript`` is the number of characters left out in ``<noscript>``, ``hidden`` what is
    hidden, without white space.
    """

    text: str
    leaves: tuple[Leaf, ...]
    elements: tuple[Element, ...]
    links: tuple[str, ...]
    anchors: tuple[Anchor, ...]
    metadata: Metadata
    noscript: int
    hidden: str


def read_plainly(markup: str) -> Plain:
    """The page of ``markup``."""
    sheets = StyleSheets(parse(markup, _Writer()).result()[1])
    read = parse(markup, _Reader(SKIPPED_TAGS, sheets)).result()
    if read.noscript > len(read.text):
        read = parse(markup, _Reader(SKIPPED_TAGS - {"noscript"}, sheets)).result()
    return read


_Frame = tuple[str, int, int, BlockKind, int, dict[str, int], bool]
"""An open tag: its name, its number among the siblings of that name, the position of the innermost block tag, the kind
of the blocks in it, the position of the innermost element, how many children of each name it has had, and whether what
stands in it is invisible. Plain, since a page opens thousands."""


class _Reader:
    """Parser target: collects leaf blocks and the elements around them in document order.

    ``length`` is that of the text so far, ``noscript`` the number of characters left out in ``<noscript>``.
    """

    def __init__(self, skipped_tags: frozenset[str], sheets: StyleSheets) -> None:
        self._sheets = sheets
        self._hidden: list[str] = []
        self.metadata = Metadata()
        self.length = 0
        self.noscript = 0
        self._skipped_tags = skipped_tags
        self._frames: list[_Frame] = [("", 0, 0, BlockKind.PARAGRAPH, -1, {}, False)]
        self._paths = [""]
        self._skipping = 0
        self._link = 0
        self._emphasis = 0
        self._pending: list[str] = []
        self._href = ""
        self._edges: list[tuple[int, str]] = []
        self._anchors: list[Anchor] = []
        self._linked = self._links = self._emphasised = 0
        self._inline: list[str] = []
        self._texts: list[str] = []
        self._leaves: list[Leaf] = []
        self._elements: list[Element] = []
        self._hrefs: dict[str, None] = {}
        self._left_out: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        self._count()
        frames = self._frames
        at = len(frames)
        _, _, owner, kind, element, siblings, veiled = frames[-1]
        number = siblings[tag] = siblings.get(tag, 0) + 1
        if tag in BLOCK_TAGS:
            if self._pending or self._links or self._inline:
                self._flush()
            owner = at
            kind = KIND_OF.get(tag, kind)
        if not self._skipping:
            if tag in _SAYING or "itemprop" in attributes:
                self.metadata.element(tag, attributes)
            fate = self._sheets.fate(tag, attributes)
            veiled = fate == VEILED or (veiled and fate != SHOWN)
            if tag in self._skipped_tags or fate == GONE:
                self._skipping = at
            elif tag not in INLINE_TAGS:
                hints = _hints(attributes) if attributes else ""
                elements = self._elements
                elements.append(Element(element, tag, hints, at, len(self._leaves)))
                element = len(elements) - 1
            elif tag == "br":
                self._pending.append("\n")
            elif not veiled and (attributes or tag in EMPHASIS):
                self._inside(tag, attributes, at)
        frames.append((tag, number, owner, kind, element, {}, veiled))
        self._paths.append("")

    def _inside(self, tag: str, attributes: Mapping[str, str], at: int) -> None:
        """Open an inline element at position ``at``."""
        if attributes and len(self._inline) < _INLINE_HINTS // 8 and (hints := _hints(attributes)):
            self._inline.append(hints[:_INLINE_HINTS])
        if tag == "a" and (href := (attributes.get("href") or "").strip()):
            self._links += 1
            if not self._link:
                self._link, self._href = at, href
                self._edges.append((len(self._pending), href))
            if not href[:_LONGEST_SCHEME].lower().startswith(_NO_LINK):
                self._hrefs.setdefault(href)
        elif tag in EMPHASIS:
            self._emphasis = self._emphasis or at

    def end(self, tag: str) -> None:
        """Close an element, and any still open inside it."""
        self._count()
        frames = self._frames
        at = last = len(frames) - 1
        while at and frames[at][0] != tag:
            at -= 1
        if not at:
            return
        for position in range(last, at - 1, -1):
            tag, _, owner, _, element, *_ = frames[position]
            if owner == position and (self._pending or self._links or self._inline):
                self._flush()
            frames.pop()
            self._paths.pop()
            if element != frames[-1][4]:
                self._close(element)
            if self._skipping == position:
                self._skipping = 0
            if self._link == position:
                self._link = 0
                self._edges.append((len(self._pending), ""))
            elif self._emphasis == position:
                self._emphasis = 0
            if tag in _SAYING:
                self.metadata.closed(tag)

    def _count(self) -> None:
        """Count what was left out in ``<noscript>`` since the last tag."""
        self.noscript += len("".join(self._left_out).strip())
        self._left_out.clear()

    def _close(self, at: int) -> None:
        """End the element at ``at``; if it has no text (it is then the last), it is dropped."""
        element = self._elements[at]
        element.end = len(self._leaves)
        if element.first == element.end and not self._pending:
            del self._elements[at:]

    def data(self, text: str) -> None:
        """Character data."""
        tag, _, _, kind, _, _, veiled = self._frames[-1]
        if tag == "title" or tag == "script":
            self.metadata.text(tag, text)
        elif veiled and not self._skipping:
            self._hidden += text.split()
            if self._pending and text.strip() and kind is not BlockKind.PREFORMATTED:
                self._pending.append(" ")
        elif not self._skipping:
            if not self._pending and text.isspace():  # would be stripped
                return
            if kind is not BlockKind.PREFORMATTED:
                text = text.replace("\n", "\v")
            self._pending.append(text)
            if self._link:
                self._linked += _size(text)
            if self._emphasis:
                self._emphasised += _size(text)
        elif self._frames[self._skipping][0] == "noscript":
            self._left_out.append(text)
        elif self._skipped_tags.isdisjoint(frame[0] for frame in self._frames[self._skipping :]):
            self._hidden += text.split()

    def comment(self, text: str) -> None:
        """Comments are not text."""

    def close(self) -> None:
        """The end of the page."""
        self._count()
        self._flush()
        for element in self._elements:
            if element.end < 0:
                element.end = len(self._leaves)

    def result(self) -> Plain:
        """Everything collected."""
        return Plain(
            "\n".join(self._texts),
            tuple(self._leaves),
            tuple(self._elements),
            tuple(self._hrefs),
            tuple(self._anchors),
            self.metadata,
            self.noscript,
            "".join(self._hidden),
        )

    def _flush(self) -> None:
        """End the current block: its text, if any, becomes a leaf."""
        if self._pending:
            owner = self._frames[-1][2]
            kind = self._frames[owner][3]
            pieces = self._pending
            text = "".join(pieces)
            text = text.strip() if kind is BlockKind.PREFORMATTED else _collapsed(text)
            if text:
                self._leaves.append(self._leaf(text, owner, kind))
                if self._edges:
                    self._anchors += _anchors(text, pieces, self._edges, self._leaves[-1].span.start)
            pieces.clear()
        self._linked = self._emphasised = 0
        self._links = 1 if self._link else 0
        self._edges = [(0, self._href)] if self._link else []
        self._inline.clear()

    def _leaf(self, text: str, owner: int, kind: BlockKind) -> Leaf:
        if self._texts:
            self.length += 1
        span = Span(self.length, self.length + len(text))
        self._texts.append(text)
        self.length = span.end
        return Leaf(
            span,
            kind,
            self._frames[owner][4],
            self._path(owner),
            _size(text),
            self._linked,
            self._links,
            self._emphasised,
            " ".join(self._inline)[:_INLINE_HINTS],
        )

    def _path(self, owner: int) -> str:
        """The DOM path of the open tag at ``owner``: tags, each with its number among the siblings of that tag."""
        if owner > PATH_STEPS:
            steps = self._frames[owner - PATH_STEPS + 1 : owner + 1]
            return "//" + "/".join([f"{tag}[{number}]" for tag, number, *_ in steps])
        if not owner:
            return "/"
        path = self._paths[owner]
        if not path:
            tag, number, *_ = self._frames[owner]
            path = self._paths[owner] = f"{self._path(owner - 1) if owner > 1 else ''}/{tag}[{number}]"
        return path


def _anchors(text: str, pieces: Sequence[str], edges: Sequence[tuple[int, str]], shift: int) -> Iterator[Anchor]:
    """The texts of links in a leaf that begins at ``shift`` of the page, whose ``pieces`` were collapsed to ``text``.

    Edge (n, href): from the n-th piece on, all is text of a link to ``href``, or of none. Collapsing only changes white
    space, so places are those of the same character other than white space.
    """
    if edges == [(0, edges[0][1]), (len(pieces), "")]:  # one link around all of it, as most are
        yield Anchor(Span(shift, shift + len(text)), edges[0][1])
        return
    before = [0, *accumulate(map(_size, pieces))]
    words: list[tuple[int, int]] = []
    counts: list[int] = []

    def place(n: int) -> int:
        """Where the n-th character other than white space is."""
        if not words:
            words.extend(word.span() for word in _WORD.finditer(text))
            counts.extend(accumulate((end - start for start, end in words), initial=0))
        word = bisect_right(counts, n) - 1
        return words[word][0] + n - counts[word]

    for (start, href), (end, _) in pairwise([*edges, (len(pieces), "")]):
        first, last = before[start], before[end]
        if href and first < last:
            whole = first == 0 and last == before[-1]
            span = (0, len(text)) if whole else (place(first), place(last - 1) + 1)
            yield Anchor(Span(shift + span[0], shift + span[1]), href)


def _hints(attributes: Mapping[str, str]) -> str:
    if "id" in attributes or "role" in attributes or "itemprop" in attributes:
        return " ".join([attributes[name] for name in _HINTING if name in attributes]).lower()
    return attributes["class"].lower() if "class" in attributes else ""


def _size(text: str) -> int:
    """Characters other than white space."""
    return sum(map(len, text.split()))


def _collapsed(text: str) -> str:
    """White space as a browser displays it; a source line end (``\\v``) between CJK characters is not a space."""
    if "\v" in text and not text.isascii():
        text = _BETWEEN_CJK.sub("", text)
    text = _SPACES.sub(" ", text)
    return (_AROUND_BREAK.sub("\n", text) if "\n" in text else text).strip()
