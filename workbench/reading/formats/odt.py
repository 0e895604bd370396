"""OpenDocument texts (ODT): paragraphs with text boxes, notes, formulas and the base text of ruby.

Left out: tracked deletions, text that is not displayed, ruby readings, comments, headers and footers of pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import Package, attribute, is_pale, local, named, text_of
from workbench.reading.formats.paragraphs import Paragraphs, StyledText, deeper
from workbench.reading.html.metadata import iso_date

name = "odt"
suffixes: tuple[str, ...] = (".odt", ".ott")
_MIMETYPE = b"mimetypeapplication/vnd.oasis.opendocument.text"
_LEFT_OUT = frozenset(["tracked-changes", "ruby-text", "annotation", "note-citation", "script", "forms"])
_INSIDE = frozenset(("text-box", "note-body"))
_MATH = frozenset(["mi", "mn", "mo", "mtext", "ms"])
_SPACES = re.compile(r"[ \t\r\n]+")
_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)pt")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)%")
_QUOTATIONS, _SOURCE_TEXT = "Quotations", "Source_20_Text"
"""Names of styles that every OpenDocument program has."""
_TINY, _NARROW = 1.5, 5
"""Letters are hidden up to this many points, or this percentage of the usual width."""
_MOST_SPACES = 80
"""Most spaces one element may stand for, about a line: a file full of such elements would exhaust memory."""


def sniff(head: bytes) -> bool:
    """Accepts a zip file that begins with its media type."""
    return head.startswith(b"PK\x03\x04") and head[30:].startswith(_MIMETYPE)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``p[n]`` from 1, of quotations ``quote/p[n]``,
    of headings ``h1/p[n]``, items of lists ``ol[1]/li[2]/p[n]`` and cells of tables ``table[1]/tr[2]/td[3]/p[n]``.

    Raises UnreadableInput if it is encrypted, damaged or has no text.
    """
    package = Package(whole(source, options), options)
    if next(named(package.xml_if_any("META-INF/manifest.xml"), "encryption-data"), None) is not None:
        raise UnreadableInput(Message("This document is protected by a password."))
    root = package.xml("content.xml")
    reader = _Reader(package, _Styles(package.xml_if_any("styles.xml"), root))
    for body in named(root, "text"):
        reader.walk(body, BlockKind.PARAGRAPH, "")
    meta = package.xml_if_any("meta.xml")
    remarks = (
        ["macros in the file were ignored"] if any(n.startswith(("Basic/", "Scripts/")) for n in package.names) else []
    )
    deleted = sum(1 for _ in named(root, "deletion"))
    if deleted:
        remarks.append(f"left out tracked deletions ({deleted:,})")
    if reader.hidden:
        remarks.append(f"left out hidden text ({reader.hidden:,})")
    links = (attribute(a, "href") for a in named(root, "a"))
    yield Record(
        None,
        reader.paragraphs.document(
            source.name,
            name,
            options,
            title=clean(text_of(meta, "title"))[0] or source.stem,
            created=iso_date(text_of(meta, "creation-date", "date")),
            links=tuple(dict.fromkeys(link for link in links if link.startswith(("http://", "https://")))),
            repairs=remarks,
        ),
    )


class _Look(Enum):
    """The properties of a style that hide its text."""

    HIDDEN = "not displayed"
    TINY = "tiny"
    PALE = "white on white"


class _Styles:
    """Character styles that hide their text, with looks, and list styles that number their items; styles inherit."""

    def __init__(self, *roots: etree._Element | None) -> None:
        self._looks: dict[str, _Look | None] = {}
        self._parents: dict[str, str] = {}
        self._written: dict[str, dict[LookKind, bool]] = {}
        self._numbered: dict[str, set[str]] = {}
        self._own: dict[str, set[str]] = {"letters": set(), "background": set()}
        for root in roots:
            for style in named(root, "style"):
                name = attribute(style, "name")
                self._parents[name] = attribute(style, "parent-style-name")
                self._looks[name] = next(map(_look, named(style, "text-properties")), None)
                self._written[name] = next(map(_written, named(style, "text-properties")), {})
                if any(attribute(e, "color") or attribute(e, "font-size") for e in named(style, "text-properties")):
                    self._own["letters"].add(name)
                behind = [attribute(e, "background-color") for e in named(style, "paragraph-properties")]
                if any(colour not in ("", "transparent") and not is_pale(colour) for colour in behind):
                    self._own["background"].add(name)
            for style in named(root, "list-style"):
                levels = {attribute(e, "level") for e in named(style, "list-level-style-number")}
                self._numbered[attribute(style, "name")] = levels

    def is_numbered(self, style: str, level: int) -> bool:
        """Whether items of a ``level``, from 1, of lists of the style are numbered."""
        return str(level) in self._numbered.get(style, ())

    def is_quote(self, style: str) -> bool:
        """Whether paragraphs of the style are quotations."""
        return _QUOTATIONS in self._ancestry(style)

    def has(self, style: str, what: str) -> bool:
        """Whether a style has its own colour or size of ``letters``, or a ``background`` that is not white."""
        return any(name in self._own[what] for name in self._ancestry(style))

    def written(self, style: str, around: LookKind) -> LookKind:
        """The look of text in the style inside text with the look ``around``."""
        looks: dict[LookKind, bool] = {}
        for name in self._ancestry(style):
            looks = {**self._written.get(name, {}), **looks}
            if name == _SOURCE_TEXT:
                looks.setdefault(LookKind.CODE, True)
        for kind, on in looks.items():
            around = around | kind if on else around & ~kind
        return around

    def _ancestry(self, style: str) -> Iterator[str]:
        for _ in range(20):
            if not style:
                return
            yield style
            style = self._parents.get(style, "")

    def look(self, style: str) -> _Look | None:
        """The reason why the text of ``style`` is hidden; None if it is visible."""
        return next((look for name in self._ancestry(style) if (look := self._looks.get(name))), None)


def _written(properties: etree._Element) -> dict[LookKind, bool]:
    """The looks that a style switches on or off."""
    weight, posture = attribute(properties, "font-weight"), attribute(properties, "font-style")
    face = (attribute(properties, "font-name") or attribute(properties, "font-family")).lower()
    looks = {}
    if weight:
        looks[LookKind.BOLD] = weight == "bold" or (weight.isdecimal() and len(weight) == 3 and weight >= "600")
    if posture:
        looks[LookKind.ITALIC] = posture in ("italic", "oblique")
    if face:
        looks[LookKind.CODE] = "mono" in face or face.startswith("courier")
    return looks


def _look(properties: etree._Element) -> _Look | None:
    if attribute(properties, "display") == "none":
        return _Look.HIDDEN
    size = _POINTS.fullmatch(attribute(properties, "font-size"))
    width = _PERCENT.fullmatch(attribute(properties, "text-scale"))
    if (size and float(size[1]) <= _TINY) or (width and float(width[1]) <= _NARROW):
        return _Look.TINY
    behind = attribute(properties, "background-color")
    if is_pale(attribute(properties, "color")) and (behind in ("", "transparent") or is_pale(behind)):
        return _Look.PALE
    return None


class _Reader:
    """Walks the elements; libxml2 refuses more than 256 levels, so recursion is bounded."""

    def __init__(self, package: Package, styles: _Styles) -> None:
        self.paragraphs = Paragraphs()
        self._styles = styles
        self._coloured = 0
        self._package = package
        self._number = 0
        self.hidden = 0
        """Hidden sections, paragraphs and texts that were left out."""
        self._objects: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._list_style = ""

    def walk(self, element: etree._Element, kind: BlockKind, path: str) -> None:
        """All paragraphs below ``element``, of ``kind`` unless they are in a list or table; their paths begin with
        ``path``.
        """
        for child in element:
            tag = local(child)
            if tag in ("p", "h"):
                self._paragraph(child, BlockKind.HEADING if tag == "h" else kind, path)
            elif tag == "list":
                self._list(child, kind, path)
            elif tag == "list-item":
                self.walk(child, BlockKind.LIST_ITEM, self._step(path, "li"))
            elif tag in ("table", "table-row"):
                self.walk(child, kind, self._step(path, "table" if tag == "table" else "tr"))
            elif tag == "table-cell":
                self.walk(child, BlockKind.TABLE_CELL, self._step(path, "td"))
                self._counts[f"{path}td"] += _count(attribute(child, "number-columns-repeated") or "1") - 1
            elif tag == "covered-table-cell":
                self._counts[f"{path}td"] += _count(attribute(child, "number-columns-repeated") or "1")
            elif tag == "section" and attribute(child, "display") == "none":
                self.hidden += 1
            elif tag not in _LEFT_OUT:
                self.walk(child, kind, path)

    def _step(self, path: str, name: str) -> str:
        """The path of the next element of this name in ``path``; tables and lists are numbered together."""
        counted = f"{path}{name}" if name in ("li", "tr", "td") else name
        self._counts[counted] += 1
        return deeper(path, f"{name}[{self._counts[counted]}]/")

    def _list(self, element: etree._Element, kind: BlockKind, path: str) -> None:
        before = self._list_style
        self._list_style = attribute(element, "style-name") or before
        numbered = self._styles.is_numbered(self._list_style, path.count("li[") + 1)
        self.walk(element, kind, self._step(path, "ol" if numbered else "ul"))
        self._list_style = before

    def _paragraph(self, element: etree._Element, kind: BlockKind, path: str) -> None:
        self._number += 1
        if kind is BlockKind.HEADING:
            level = attribute(element, "outline-level")
            path += f"h{min(6, max(1, int(level)))}/" if len(level) == 1 and level.isdecimal() else ""
        elif kind is BlockKind.PARAGRAPH and self._styles.is_quote(attribute(element, "style-name")):
            path += "quote/"
        path += f"p[{self._number}]"
        pieces = StyledText()
        inside: list[etree._Element] = []
        if any(attribute(e, "is-hidden") == "true" for e in named(element, "hidden-paragraph")):
            self.hidden += 1
            return
        self._coloured += kind is BlockKind.TABLE_CELL
        style = attribute(element, "style-name")
        look = self._styles.look(style)
        on_white = not self._coloured and not self._styles.has(style, "background")
        pieces.is_unseen = look is _Look.TINY or (look is _Look.PALE and on_white)
        self._collect(element, pieces, inside)
        self._coloured -= kind is BlockKind.TABLE_CELL
        text = clean("".join(pieces.pieces))[0]
        span = self.paragraphs.add(text, kind, path)
        if len(text) == pieces.length:
            self.paragraphs.hide(span, text, pieces.unseen)
            self.paragraphs.look(span, text, pieces.looks)
        self._coloured += 1
        for box in inside:
            self.walk(box, BlockKind.PARAGRAPH, "")
        self._coloured -= 1

    def _collect(self, element: etree._Element, pieces: StyledText, inside: list[etree._Element]) -> None:
        pieces.add(_SPACES.sub(" ", element.text or ""))
        for child in element:
            tag = local(child)
            if tag in _INSIDE:
                inside.append(child)
            elif tag == "s":
                pieces.add(" " * _count(attribute(child, "c")))
            elif tag == "tab":
                pieces.add("\t")
            elif tag == "line-break":
                pieces.add("\n")
            elif tag == "object":
                formula = self._formula(attribute(child, "href").removeprefix("./"))
                pieces.add(formula)
                if not formula:
                    pieces.looks.append((pieces.length, pieces.length, LookKind.PICTURE))
            elif tag == "image":
                # A formula or chart has its picture beside it.
                if next(element.iterchildren("{*}object"), None) is None:
                    pieces.looks.append((pieces.length, pieces.length, LookKind.PICTURE))
            elif tag == "span":
                self._span(child, pieces, inside)
            elif tag not in _LEFT_OUT and not self._is_hidden(child):
                self._collect(child, pieces, inside)
            pieces.add(_SPACES.sub(" ", child.tail or ""))

    def _is_hidden(self, element: etree._Element) -> bool:
        """Whether an element is text that its author hid, also under a condition that is met; it is counted."""
        is_hidden = local(element) == "hidden-text" and attribute(element, "is-hidden") == "true"
        self.hidden += is_hidden
        return is_hidden

    def _span(self, element: etree._Element, pieces: StyledText, inside: list[etree._Element]) -> None:
        style = attribute(element, "style-name")
        look, around = self._styles.look(style), pieces.look
        start, is_unseen = pieces.length, pieces.is_unseen
        if look is not _Look.HIDDEN:
            pieces.look = self._styles.written(style, around)
            pieces.is_unseen = is_unseen and not self._styles.has(style, "letters")
            self._collect(element, pieces, inside)
            pieces.look, pieces.is_unseen = around, is_unseen
        if look is _Look.TINY or (look is _Look.PALE and not self._coloured):
            pieces.unseen.append((start, pieces.length))

    def _formula(self, folder: str) -> str:
        """The characters of a formula in order; empty for other objects, and for a repeated formula."""
        if not folder or folder in self._objects:
            return ""
        self._objects.add(folder)
        root = self._package.xml_if_any(f"{folder}/content.xml")
        if root is None or local(root) != "math":
            return ""
        return "".join((e.text or "").strip() for e in root.iter() if local(e) in _MATH)


def _count(written: str) -> int:
    return min(int(written[:9]), _MOST_SPACES) if written.isdecimal() else 1
