"""Word documents (DOCX): paragraphs with tracked insertions, text boxes, notes and the base text of ruby.

Left out: tracked deletions, hidden text, ruby readings, field codes, comments, headers and footers of pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import (
    Package,
    attribute,
    ignored_macros,
    is_pale,
    local,
    named,
    title_and_date,
)
from workbench.reading.formats.paragraphs import NO_LOOK, Paragraphs, StyledText, deeper

name = "docx"
suffixes: tuple[str, ...] = (".docx", ".docm", ".dotx", ".dotm")
_LEFT_OUT = frozenset(
    ["del", "moveFrom", "rt", "pPr", "rPr", "tblPr", "instrText", "delText", "Fallback", "sdtPr", "annotation"]
)
_WORDS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_QUOTES = frozenset(["quote", "intense quote", "block text", "quotations"])
"""Style names of quotations; Word stores these in English whatever its language. The last is LibreOffice's."""
_QUOTED = 400
"""Minimum indent of a quotation, in twentieths of a point (0.7 cm)."""
_NOTES = ("footnotes", "endnotes")
_DRAWINGS = frozenset(("drawing", "pict", "object"))
_PICTURES = frozenset(("blip", "chart", "imagedata"))
"""Elements of a drawing that shows more than text."""
_T = TypeVar("_T")
_PAPER = frozenset(["background1", "light1"])
"""Names of the paper's colour."""
_TINY, _NARROW = 3, 5
"""Letters are hidden up to this font size in half-points, or this percentage of the usual width."""
_OVERLAPPING = 200
"""Letter spacing in twentieths of a point (condensed) from which letters overlap."""


def sniff(head: bytes) -> bool:
    """Accepts a zip file whose first part is one of Word's."""
    return head.startswith(b"PK\x03\x04") and head[30:60].startswith((b"[Content_Types].xml", b"_rels/", b"word/"))


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``p[n]`` from 1, in notes ``footnotes/p[n]``,
    of quotations ``quote/p[n]``; of headings ``h1/p[n]``, items of lists ``ol[1]/li[2]/p[n]`` and cells of tables
    ``table[1]/tr[2]/td[3]/p[n]``.

    Raises UnreadableInput if it is encrypted, damaged or has no text.
    """
    package = Package(whole(source, options), options)
    main = _main_part(package)
    folder, _, file = main.rpartition("/")
    body = package.xml(main)
    styles, lists = (package.xml_if_any(f"{folder}/{part}.xml") for part in ("styles", "numbering"))
    reader = _Reader(_Styles(styles), Lists(lists))
    reader.read(body, "")
    lost = []
    for notes in _NOTES:
        try:
            if (part := f"{folder}/{notes}.xml") in package.names:
                reader.read(package.xml(part), f"{notes}/")
        except UnreadableInput:
            lost.append(f"left out {notes} that cannot be read")
    title, created = title_and_date(package)
    yield Record(
        None,
        reader.paragraphs.document(
            source.name,
            name,
            options,
            title=title or source.stem,
            created=created,
            links=_links(package, f"{folder}/_rels/{file}.rels"),
            repairs=(*_remarks(package, body), *lost),
        ),
    )


def _main_part(package: Package) -> str:
    for relation in named(package.xml_if_any("_rels/.rels"), "Relationship"):
        if attribute(relation, "Type").endswith("/officeDocument"):
            target = attribute(relation, "Target").lstrip("/")
            if not target.startswith("word/") and target not in package.names:
                break
            return target
    if "word/document.xml" not in package.names:
        raise UnreadableInput(Message("This is not a Word document: it has no main text."))
    return "word/document.xml"


def _links(package: Package, relations: str) -> Iterator[str]:
    for relation in named(package.xml_if_any(relations), "Relationship"):
        target = attribute(relation, "Target")
        if attribute(relation, "Type").endswith("/hyperlink") and target.startswith(("http://", "https://")):
            yield target


def _remarks(package: Package, body: etree._Element) -> Iterator[str]:
    yield from ignored_macros(package)
    deleted = sum(1 for element in body.iter() if local(element) in ("delText", "moveFrom"))
    if deleted:
        yield f"left out tracked deletions ({deleted:,})"
    embedded = sum(1 for _ in named(body, "altChunk"))
    if embedded:
        yield f"left out embedded documents ({embedded:,})"


class _Styles:
    """Which styles are headings or list items, by style id."""

    def __init__(self, root: etree._Element | None) -> None:
        self._kinds: dict[str, BlockKind] = {}
        self._based: dict[str, str] = {}
        self._levels: dict[str, int] = {}
        self._lists: dict[str, str] = {}
        self._looks: dict[str, dict[LookKind, bool]] = {}
        self._quotes: set[str] = set()
        self._tiny: set[str] = set()
        self._pale: set[str] = set()
        for style in named(root, "style"):
            identity = attribute(style, "styleId")
            self._based[identity] = next((attribute(e, "val") for e in named(style, "basedOn")), "")
            if _is_tiny(style):
                self._tiny.add(identity)
            if _is_pale(style):
                self._pale.add(identity)
            title = next((attribute(e, "val") for e in named(style, "name")), "").lower()
            if level := _level(style, title):
                self._levels[identity] = level
            if numbers := [attribute(e, "val") for e in named(style, "numId")]:
                self._lists[identity] = numbers[0]
            if looks := _looks(style, title):
                self._looks[identity] = looks
            if title in _QUOTES or _indent(style) >= _QUOTED:
                self._quotes.add(identity)
            if title.startswith("heading") or title in ("title", "subtitle") or _has(style, "outlineLvl", below="9"):
                self._kinds[identity] = BlockKind.HEADING
            elif _has(style, "numPr") or title.startswith("list "):
                self._kinds[identity] = BlockKind.LIST_ITEM

    def hides(self, run: etree._Element, *, coloured: bool) -> bool:
        """Whether the run is invisible: tiny, or white on white. ``coloured``: it may be on a coloured background."""
        properties = next((child for child in run if local(child) == "rPr"), None)
        if properties is None:
            return False
        style = next((attribute(e, "val") for e in named(properties, "rStyle")), "")
        if _is_tiny(properties) or style in self._tiny:
            return True
        return (_is_pale(properties) or style in self._pale) and not coloured and not _is_shaded(run, "rPr")

    def look(self, run: etree._Element) -> LookKind:
        """The look of the run, its own or that of its style; styles inherit."""
        properties = next((child for child in run if local(child) == "rPr"), None)
        if properties is None:
            return NO_LOOK
        style = next((attribute(e, "val") for e in named(properties, "rStyle")), "")
        looks = {**self._inherited(self._looks, style, {}), **_looks(properties)}
        return LookKind(sum(kind for kind, on in looks.items() if on))

    def level(self, style: str) -> int:
        """Heading level of the style, from 1; 0 if it has none."""
        return self._inherited(self._levels, style, 0)

    def list_of(self, style: str) -> str:
        """The number of the list that paragraphs of the style are in; "" for none."""
        return self._inherited(self._lists, style, "")

    def _inherited(self, known: Mapping[str, _T], style: str, otherwise: _T) -> _T:
        for _ in range(20):
            if style in known:
                return known[style]
            style = self._based.get(style, "")
        return otherwise

    def is_quote(self, style: str) -> bool:
        """Whether paragraphs of the style are quotations, by its name or its indent; styles inherit."""
        for _ in range(20):
            if style in self._quotes:
                return True
            style = self._based.get(style, "")
        return False

    def kind(self, style: str) -> BlockKind:
        """Kind of a paragraph of the style; styles inherit."""
        return self._inherited(self._kinds, style, BlockKind.PARAGRAPH)


def _indent(element: etree._Element) -> int:
    """Left indent of all lines of a paragraph or style, in twentieths of a point; 0 for a hanging indent."""
    for indent in named(element, "ind"):
        left = attribute(indent, "left") or attribute(indent, "start")
        if left.isdecimal() and attribute(indent, "hanging") in ("", "0"):
            return int(left)
    return 0


def _level(element: etree._Element, title: str = "") -> int:
    """Heading level, 1 to 6, from the outline level of a paragraph or style, or from the style's title; 0 for none."""
    outline = next((attribute(e, "val") for e in named(element, "outlineLvl")), "")
    if len(outline) == 1 and "0" <= outline <= "8":
        return min(6, int(outline) + 1)
    if title in ("title", "subtitle"):
        return 1 + (title == "subtitle")
    number = title.removeprefix("heading").strip()
    return min(6, int(number)) if len(number) == 1 and "1" <= number <= "9" and title != number else 0


def _looks(element: etree._Element, title: str = "") -> dict[LookKind, bool]:
    """The looks that the properties of a run or a style switch on or off."""
    looks = {
        kind: attribute(e, "val") not in ("0", "false", "off")
        for name, kind in (("b", LookKind.BOLD), ("i", LookKind.ITALIC))
        for e in named(element, name)
    }
    faces = [attribute(e, "ascii").lower() for e in named(element, "rFonts")]
    if title.endswith(" code") or any(face.startswith("courier") or "mono" in face for face in faces):
        looks[LookKind.CODE] = True
    return looks


def _has(element: etree._Element, name: str, below: str = "") -> bool:
    return any(not below or attribute(e, "val") < below for e in named(element, name))


@dataclass(slots=True)
class _Paragraph(StyledText):
    """A paragraph, and the text boxes anchored in it."""

    in_cell: bool = False
    boxes: list[etree._Element] = field(default_factory=list)


class _Reader:
    """Walks the elements; libxml2 refuses more than 256 levels, so recursion is bounded."""

    def __init__(self, styles: _Styles, lists: Lists) -> None:
        self.paragraphs = Paragraphs()
        self._styles, self._lists = styles, lists
        self._tables = self._rows = self._column = 0
        self._number = 0
        self._prefix = ""
        self._in_box = False

    def read(self, root: etree._Element, prefix: str) -> None:
        """All paragraphs below ``root``, numbered from 1, their paths beginning with ``prefix``."""
        self._number, self._prefix = 0, prefix
        self._walk(root, "")

    def _walk(self, element: etree._Element, cell: str) -> None:
        """All paragraphs below ``element``; ``cell`` is the path of the enclosing table cell."""
        for child in element:
            tag = local(child)
            if tag == "p":
                self._paragraph(child, cell)
            elif tag == "tbl":
                self._tables += 1
                self._walk(child, deeper(cell, f"table[{self._tables}]/"))
            elif tag == "tr":
                self._rows += 1
                before, self._column = self._column, 0
                self._walk(child, deeper(cell, f"tr[{self._rows}]/"))
                self._column = before
            elif tag == "tc":
                self._column += 1
                self._walk(child, deeper(cell, f"td[{self._column}]/"))
                spans = [attribute(e, "val")[:2] for e in child.iterfind("{*}tcPr/{*}gridSpan")]
                self._column += int(spans[0]) - 1 if spans and spans[0].isdecimal() and int(spans[0]) else 0
            elif tag not in _LEFT_OUT:
                self._walk(child, cell)

    def _paragraph(self, element: etree._Element, cell: str) -> None:
        self._number += 1
        in_cell = "/td[" in cell
        number = f"p[{self._number}]"
        paragraph = _Paragraph(in_cell=in_cell or self._in_box or _is_shaded(element, "pPr"))
        self._collect(element, paragraph)
        text, _ = clean("".join(paragraph.pieces))
        kind = self._kind(element)
        if kind is BlockKind.PARAGRAPH and not in_cell and self._is_quote(element):
            path = f"quote/{self._prefix}{number}"
        else:
            path = f"{self._prefix}{cell}{self._around(element, kind) if text.strip() else ''}{number}"
        kind = BlockKind.TABLE_CELL if in_cell and kind is BlockKind.PARAGRAPH else kind
        span = self.paragraphs.add(text, kind, path)
        if len(text) == paragraph.length:
            self.paragraphs.hide(span, text, paragraph.unseen)
            self.paragraphs.look(span, text, paragraph.looks)
        around = self._in_box
        self._in_box = True
        for box in paragraph.boxes:
            self._walk(box, "")
        self._in_box = around

    def _collect(self, element: etree._Element, paragraph: _Paragraph) -> None:
        for child in element:
            tag = local(child)
            if tag == "t":
                paragraph.add(child.text or "")
            elif tag == "txbxContent":
                paragraph.boxes.append(child)
            elif tag in _WORDS:
                paragraph.add(_WORDS[tag])
            elif tag not in _LEFT_OUT and not (tag == "r" and _is_hidden(child)):
                start, before = paragraph.length, paragraph.look
                if tag == "r":
                    paragraph.look = self._styles.look(child)
                elif tag in _DRAWINGS and any(local(e) in _PICTURES for e in child.iter()):
                    paragraph.looks.append((start, start, LookKind.PICTURE))
                self._collect(child, paragraph)
                paragraph.look = before
                if tag == "r" and self._styles.hides(child, coloured=paragraph.in_cell):
                    paragraph.unseen.append((start, paragraph.length))

    def _around(self, element: etree._Element, kind: BlockKind) -> str:
        """The path of the heading or list item that a paragraph is."""
        properties = next((child for child in element if local(child) == "pPr"), None)
        if properties is None:
            return ""
        style = next((attribute(e, "val") for e in named(properties, "pStyle")), "")
        if kind is BlockKind.HEADING:
            return f"h{level}/" if (level := _level(properties) or self._styles.level(style)) else ""
        if kind is not BlockKind.LIST_ITEM:
            return ""
        numbers = [attribute(e, "val") for e in named(properties, "numId")] or [self._styles.list_of(style)]
        return self._lists.item(numbers[0], next((attribute(e, "val") for e in named(properties, "ilvl")), ""))

    def _is_quote(self, element: etree._Element) -> bool:
        """Whether a paragraph is a block quotation: by its style, or because it is indented as a whole."""
        properties = next((child for child in element if local(child) == "pPr"), None)
        if properties is None:
            return False
        style = next((attribute(e, "val") for e in named(properties, "pStyle")), "")
        return self._styles.is_quote(style) or _indent(properties) >= _QUOTED

    def _kind(self, element: etree._Element) -> BlockKind:
        properties = next((child for child in element if local(child) == "pPr"), None)
        if properties is None:
            return BlockKind.PARAGRAPH
        if _has(properties, "outlineLvl", below="9"):
            return BlockKind.HEADING
        numbers = [attribute(e, "val") for e in named(properties, "numId")]
        kind = self._styles.kind(next((attribute(e, "val") for e in named(properties, "pStyle")), ""))
        if kind is BlockKind.HEADING or not numbers:
            return kind
        return BlockKind.PARAGRAPH if numbers[0] == "0" else BlockKind.LIST_ITEM


def _is_tiny(properties: etree._Element) -> bool:
    """Whether letters are at most 1.5 points in size, almost without width, or overlap each other."""
    sizes = [attribute(e, "val") for e in named(properties, "sz")]
    widths = [attribute(e, "val") for e in named(properties, "w")]
    nearer = [
        attribute(e, "val").removeprefix("-") for e in named(properties, "spacing") if attribute(e, "val")[:1] == "-"
    ]
    return (
        any(v.isdecimal() and int(v[:6]) <= _TINY for v in sizes)
        or any(v.isdecimal() and int(v[:6]) <= _NARROW for v in widths)
        or any(v.isdecimal() and int(v[:6]) >= _OVERLAPPING for v in nearer)
    )


def _is_pale(properties: etree._Element) -> bool:
    """Whether letters are white, by their own or a theme colour, or not drawn at all."""
    for colour in named(properties, "color"):
        theme = attribute(colour, "themeColor")
        if is_pale(attribute(colour, "val")) or (theme in _PAPER and not attribute(colour, "themeShade")):
            return True
    is_outlined = any(local(e) != "noFill" for line in named(properties, "textOutline") for e in line)
    return not is_outlined and any(local(e) == "noFill" for fill in named(properties, "textFill") for e in fill)


def _is_shaded(element: etree._Element, properties: str) -> bool:
    """Whether a run or paragraph has its own background that is not white."""
    for own in (child for child in element if local(child) == properties):
        for shade in own:
            fill = attribute(shade, "fill" if local(shade) == "shd" else "val")
            if local(shade) in ("shd", "highlight") and fill.lower() not in ("", "auto", "none", "white", "ffffff"):
                return True
    return False


def _is_hidden(run: etree._Element) -> bool:
    properties = next((child for child in run if local(child) == "rPr"), None)
    if properties is None:
        return False
    return any(attribute(e, "val") not in ("0", "false", "off") for e in properties if local(e) == "vanish")


_DEEPEST = 8
"""The last list level; there are nine."""
_UNNUMBERED = frozenset(("bullet", "none"))


class Lists:
    """The lists defined in the part ``numbering``, and the number of items of each so far."""

    def __init__(self, numbering: etree._Element | None) -> None:
        levels = {attribute(e, "abstractNumId"): _levels(e) for e in named(numbering, "abstractNum")}
        self._numbered: dict[str, dict[int, bool]] = {}
        for one in named(numbering, "num"):
            of = next((attribute(e, "val") for e in one if local(e) == "abstractNumId"), "")
            self._numbered[attribute(one, "numId")] = levels.get(of, {})
        self._counts: dict[str, list[int]] = {}

    def item(self, number: str, level: str) -> str:
        """The path of the next item at a ``level``, from 0, of the list ``number``: ``ol[3]/li[2]/ul[3]/li[1]/``."""
        deep = min(_DEEPEST, int(level)) if level.isdecimal() else 0
        counts = self._counts.setdefault(number, [0] * (_DEEPEST + 1))
        counts[deep] += 1
        counts[deep + 1 :] = [0] * (_DEEPEST - deep)
        numbered = self._numbered.get(number, {})
        identity = number if number.isdecimal() else "0"
        return "".join(f"{'ol' if numbered.get(at) else 'ul'}[{identity}]/li[{counts[at]}]/" for at in range(deep + 1))


def _levels(definition: etree._Element) -> dict[int, bool]:
    """Whether each level of a list is numbered."""
    levels = {}
    for level in definition:
        at = attribute(level, "ilvl")
        if local(level) == "lvl" and at.isdecimal():
            form = next((attribute(e, "val") for e in level if local(e) == "numFmt"), "")
            levels[int(at)] = form not in _UNNUMBERED
    return levels
