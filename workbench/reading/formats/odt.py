"""OpenDocument texts (ODT): paragraphs with text boxes, notes, formulas and the base text of ruby.

Left out: tracked deletions, text that is not displayed, ruby readings, comments, headers and footers of pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import inf

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.colours import PAPER, is_lost
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import Package, attribute, local, named, text_of
from workbench.reading.formats.paragraphs import Paragraphs, StyledText, deeper
from workbench.reading.html.metadata import iso_date
from workbench.reading.note_marks import is_mark_after, text_after

name = "odt"
suffixes: tuple[str, ...] = (".odt", ".ott")
_MIMETYPE = b"mimetypeapplication/vnd.oasis.opendocument.text"
_LEFT_OUT = frozenset(["tracked-changes", "ruby-text", "annotation", "note-citation", "script", "forms"])
_DRAWING = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
"""Namespace of the title and description of a picture or shape, which are not shown."""
_BOXED = frozenset(("p", "h", "list", "table"))
"""Children of text boxes, shapes and notes within a paragraph."""
_MATH = frozenset(["mi", "mn", "mo", "mtext", "ms"])
_SPACES = re.compile(r"[ \t\r\n]+")
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,6})?)(pt|in|cm|mm|px|pc)")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "px": 0.75, "pc": 12.0}
_RAISED = re.compile(r"super|[1-9]")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)%")
_QUOTATIONS, _SOURCE_TEXT = "Quotations", "Source_20_Text"
"""Names of styles in every OpenDocument program."""
_TINY, _NARROW = 1.5, 5
"""Letters are hidden up to this many points, or this percentage of the usual width or size."""
_OVERLAPPING, _FAR_LEFT = 10, 600
"""Letters are hidden if closer than usual by this many points, or outdented by this many."""
_LOOKS = {
    "text-properties": (
        *("display", "color", "font-size", "text-scale", "letter-spacing", "text-position", "background-color"),
        "opacity",
    ),
    "paragraph-properties": ("background-color", "line-height", "margin-left"),
    "table-cell-properties": ("background-color",),
    "table-row-properties": ("background-color",),
    "table-properties": ("background-color",),
}
"""The properties of styles that may hide text."""
Properties = dict[str, str]
_MOST_SPACES = 80
"""Maximum number of spaces represented by one element, about a line: a file full of such elements would exhaust memory.
"""


def sniff(head: bytes) -> bool:
    """Accepts a zip file that begins with its media type."""
    return head.startswith(b"PK\x03\x04") and head[30:].startswith(_MIMETYPE)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``p[n]`` from 1, of quotations ``quote/p[n]``,
    of headings ``h1/p[n]``, items of lists ``ol[1]/li[2]/p[n]``, cells of tables ``table[1]/tr[2]/td[3]/p[n]``, in
    notes ``footnotes/p[n]`` or ``endnotes/p[n]``.

    Raises UnreadableInput if it is encrypted, damaged or has no text.
    """
    package = Package(whole(source, options), options)
    if next(named(package.xml_if_any("META-INF/manifest.xml"), "encryption-data"), None) is not None:
        raise UnreadableInput(Message("This document is protected by a password."))
    root = package.xml("content.xml")
    common = package.xml_if_any("styles.xml")
    styles = _Styles(common, root)
    reader = _Reader(package, styles, _paper(common))
    reader.paragraphs.outside += _heads(package, styles, common)
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


def _paper(styles: etree._Element | None) -> str | None:
    """The colour of the pages; None if they differ or have a picture."""
    layouts = [*named(styles, "page-layout-properties")]
    colours = {attribute(layout, "background-color").replace("transparent", "") or PAPER for layout in layouts}
    has_picture = any(next(named(layout, "background-image"), None) is not None for layout in layouts)
    return None if has_picture or len(colours) > 1 else next(iter(colours), PAPER)


def _heads(package: Package, styles: _Styles, root: etree._Element | None) -> Iterator[str]:
    """The paragraphs of headers and footers of pages."""
    for page in named(root, "master-page"):
        reader = _Reader(package, styles, PAPER)
        for part in page:
            if local(part).startswith(("header", "footer")):
                reader.walk(part, BlockKind.PARAGRAPH, "")
        yield from reader.paragraphs.text.split("\n")


class _Styles:
    """Styles with properties that may hide text, their looks, and numbered list styles; styles inherit."""

    def __init__(self, *roots: etree._Element | None) -> None:
        self._own: dict[str, Properties] = {}
        self.default: Properties = {}
        """Of paragraphs."""
        self._parents: dict[str, str] = {}
        self._written: dict[str, dict[LookKind, bool]] = {}
        self._numbered: dict[str, set[str]] = {}
        for root in roots:
            for style in named(root, "style"):
                name = attribute(style, "name")
                self._parents[name] = attribute(style, "parent-style-name")
                self._own[name] = _properties(style)
                self._written[name] = next(map(_written, named(style, "text-properties")), {})
            for style in named(root, "default-style"):
                self.default |= _properties(style) if attribute(style, "family") == "paragraph" else {}
            for style in named(root, "list-style"):
                levels = {attribute(e, "level") for e in named(style, "list-level-style-number")}
                self._numbered[attribute(style, "name")] = levels

    def is_numbered(self, style: str, level: int) -> bool:
        """Whether items of a ``level``, from 1, of lists of the style are numbered."""
        return str(level) in self._numbered.get(style, ())

    def is_quote(self, style: str) -> bool:
        """Whether paragraphs of the style are quotations."""
        return _QUOTATIONS in self._style_ancestors(style)

    def of(self, style: str) -> Properties:
        """The properties of the style that may hide text."""
        merged: Properties = {}
        for name in self._style_ancestors(style):
            merged = {**self._own.get(name, {}), **merged}
        return merged

    def written(self, style: str, around: LookKind) -> LookKind:
        """The look of text in the style inside text with the look ``around``."""
        looks: dict[LookKind, bool] = {}
        for name in self._style_ancestors(style):
            looks = {**self._written.get(name, {}), **looks}
            if name == _SOURCE_TEXT:
                looks.setdefault(LookKind.CODE, True)
        for kind, on in looks.items():
            around = around | kind if on else around & ~kind
        return around

    def _style_ancestors(self, style: str) -> Iterator[str]:
        for _ in range(20):
            if not style:
                return
            yield style
            style = self._parents.get(style, "")


def _written(properties: etree._Element) -> dict[LookKind, bool]:
    """The looks switched on or off by a style."""
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


def _properties(style: etree._Element) -> Properties:
    """The own properties of a style that may hide text; a character's background is ``behind``."""
    own: Properties = {}
    for part in style:
        for name in _LOOKS.get(local(part), ()):
            if value := attribute(part, name):
                own["behind" if name == "background-color" and local(part) == "text-properties" else name] = value
        if attribute(part, "use-window-font-color") == "true" or (attribute(part, "color") and "opacity" not in own):
            # LibreOffice writes no opacity for letters in the system colour.
            own["opacity"] = "100%"
    return own


def _place(box: etree._Element) -> str:
    """The prefix of paths of paragraphs in a text box or note."""
    note = box.getparent()
    if local(box) != "note-body" or note is None:
        return ""
    return "endnotes/" if attribute(note, "note-class") == "endnote" else "footnotes/"


def _is_unseen(own: Properties, ground: str | None) -> bool:
    """Whether text is invisible: tiny, almost without width, overlapping, far away, transparent, or in the colour of
    its background; ``ground`` is the background of its paragraph, None if unknown.
    """
    lengths = {key: float(m[1]) * _POINTS[m[2]] for key, v in own.items() if (m := _LENGTH.fullmatch(v))}
    shares = {key: float(m[1]) for key, v in own.items() if (m := _PERCENT.fullmatch(v.rpartition(" ")[2]))}
    if (
        min(lengths.get("font-size", inf), lengths.get("line-height", inf)) <= _TINY
        or any(shares.get(key, inf) <= _NARROW for key in ("font-size", "text-scale", "text-position", "opacity"))
        or lengths.get("letter-spacing", 0) <= -_OVERLAPPING
        or lengths.get("margin-left", 0) <= -_FAR_LEFT
    ):
        return True
    behind = (own[key] for key in ("behind", "background-color") if own.get(key, "transparent") != "transparent")
    return is_lost(own.get("color"), next(behind, ground))


class _Reader:
    """Walks the elements; libxml2 refuses more than 256 levels, so recursion is bounded."""

    def __init__(self, package: Package, styles: _Styles, paper: str | None) -> None:
        self.paragraphs = Paragraphs()
        self._styles = styles
        self._ground = paper
        self._package = package
        self._number = 0
        self.hidden = 0
        """Hidden sections, paragraphs and texts that were left out."""
        self._objects: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._list_style = ""

    def walk(self, element: etree._Element, kind: BlockKind, path: str) -> None:
        """Read all paragraphs below ``element``, of ``kind`` unless they are in a list or table; their paths begin with
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
            elif tag in ("table", "table-row", "table-cell"):
                around, behind = self._ground, self._styles.of(attribute(child, "style-name")).get("background-color")
                self._ground = behind if behind not in (None, "transparent") else around
                is_cell = tag == "table-cell"
                step = self._step(path, "td" if is_cell else "table" if tag == "table" else "tr")
                self.walk(child, BlockKind.TABLE_CELL if is_cell else kind, step)
                self._ground = around
                if is_cell:
                    self._counts[f"{path}td"] += _count(attribute(child, "number-columns-repeated") or "1") - 1
            elif tag == "covered-table-cell":
                self._counts[f"{path}td"] += _count(attribute(child, "number-columns-repeated") or "1")
            elif tag == "section" and (
                attribute(child, "display") == "none" or attribute(child, "is-hidden") == "true"
            ):
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
        around = {**self._styles.default, **self._styles.of(attribute(element, "style-name"))}
        if around.get("display") == "none":
            self.hidden += 1
            return
        pieces.is_unseen = _is_unseen(around, self._ground)
        self._collect(element, pieces, inside, around)
        text = clean("".join(pieces.pieces))[0]
        span = self.paragraphs.add(text, kind, path)
        if len(text) == pieces.length:
            self.paragraphs.hide(span, text, pieces.unseen)
            self.paragraphs.look(span, text, pieces.looks)
        # The background of a frame is unknown.
        ground = self._ground
        for box in inside:
            self._ground = ground if local(box) == "note-body" else None
            self.walk(box, BlockKind.PARAGRAPH, _place(box))
        self._ground = ground

    def _collect(
        self, element: etree._Element, pieces: StyledText, inside: list[etree._Element], around: Properties
    ) -> None:
        pieces.add(_SPACES.sub(" ", element.text or ""))
        for child in element:
            tag = local(child)
            if tag not in _LEFT_OUT and any(local(e) in _BOXED for e in child):
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
                # A formula or chart is accompanied by a picture of it.
                if next(element.iterchildren("{*}object"), None) is None:
                    pieces.looks.append((pieces.length, pieces.length, LookKind.PICTURE))
            elif tag == "span":
                self._span(child, pieces, inside, around)
            elif tag not in _LEFT_OUT and not self._is_hidden(child) and not str(child.tag).startswith(_DRAWING):
                self._collect(child, pieces, inside, around)
            pieces.add(_SPACES.sub(" ", child.tail or ""))

    def _is_hidden(self, element: etree._Element) -> bool:
        """Whether an element is text hidden by its author, possibly under a condition that is met; it is counted."""
        is_hidden = local(element) == "hidden-text" and attribute(element, "is-hidden") == "true"
        self.hidden += is_hidden
        return is_hidden

    def _span(
        self, element: etree._Element, pieces: StyledText, inside: list[etree._Element], around: Properties
    ) -> None:
        style = attribute(element, "style-name")
        own = {**around, **self._styles.of(style)}
        if own.get("display") == "none" or (
            _RAISED.match(own.get("text-position", ""))
            and is_mark_after("".join(pieces.pieces[-4:]), "".join(map(str, element.itertext())), text_after(element))
        ):
            return
        look, is_unseen = pieces.look, pieces.is_unseen
        pieces.look = self._styles.written(style, look)
        pieces.is_unseen = _is_unseen(own, self._ground)
        self._collect(element, pieces, inside, own)
        pieces.look, pieces.is_unseen = look, is_unseen

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
