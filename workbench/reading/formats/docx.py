"""Word documents (DOCX): paragraphs with tracked insertions, text boxes, notes and the base text of ruby.

Left out: tracked deletions, hidden text, ruby readings, field codes, comments, headers and footers of pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
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
from workbench.reading.formats.paragraphs import Paragraphs

name = "docx"
suffixes: tuple[str, ...] = (".docx", ".docm", ".dotx", ".dotm")
_LEFT_OUT = frozenset(
    ["del", "moveFrom", "rt", "pPr", "rPr", "tblPr", "instrText", "delText", "Fallback", "sdtPr", "annotation"]
)
_WORDS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_QUOTES = frozenset(["quote", "intense quote", "block text"])
"""Names of styles for quotations; Word stores these in English whatever its language."""
_QUOTED = 400
"""Twentieths of a point (0.7 cm) by which a quotation is indented at least."""
_NOTES = ("footnotes", "endnotes")
_TINY, _NARROW = 3, 5
"""Halves of a point, and percent of the usual width, up to which letters are hidden."""


def sniff(head: bytes) -> bool:
    """Accepts a zip file whose first part is one of Word's."""
    return head.startswith(b"PK\x03\x04") and head[30:60].startswith((b"[Content_Types].xml", b"_rels/", b"word/"))


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``p[n]`` from 1, in notes ``footnotes/p[n]``,
    of quotations ``quote/p[n]``.

    Raises UnreadableInput if it is encrypted, damaged or has no text.
    """
    package = Package(whole(source, options), options)
    main = _main_part(package)
    folder, _, file = main.rpartition("/")
    body = package.xml(main)
    reader = _Reader(_Styles(package.xml_if_any(f"{folder}/styles.xml")))
    reader.read(body, "p")
    lost = []
    for notes in _NOTES:
        try:
            if (part := f"{folder}/{notes}.xml") in package.names:
                reader.read(package.xml(part), f"{notes}/p")
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
            if title in _QUOTES or _indent(style) >= _QUOTED:
                self._quotes.add(identity)
            if title.startswith("heading") or title in ("title", "subtitle") or _has(style, "outlineLvl", below="9"):
                self._kinds[identity] = BlockKind.HEADING
            elif _has(style, "numPr") or title.startswith("list "):
                self._kinds[identity] = BlockKind.LIST_ITEM

    def hides(self, run: etree._Element, *, coloured: bool) -> bool:
        """Whether nobody sees the run: it is tiny, or white on white. ``coloured``: it may be on a colour."""
        properties = next((child for child in run if local(child) == "rPr"), None)
        if properties is None:
            return False
        style = next((attribute(e, "val") for e in named(properties, "rStyle")), "")
        if _is_tiny(properties) or style in self._tiny:
            return True
        return (_is_pale(properties) or style in self._pale) and not coloured and not _is_shaded(run, "rPr")

    def is_quote(self, style: str) -> bool:
        """Whether paragraphs of the style are quotations, by its name or its indent; styles inherit."""
        for _ in range(20):
            if style in self._quotes:
                return True
            style = self._based.get(style, "")
        return False

    def kind(self, style: str) -> BlockKind:
        """Kind of a paragraph of the style; styles inherit."""
        for _ in range(20):
            if style in self._kinds:
                return self._kinds[style]
            style = self._based.get(style, "")
        return BlockKind.PARAGRAPH


def _indent(element: etree._Element) -> int:
    """Indent of all lines of a paragraph or style on the left, in twentieths of a point; 0 for a hanging one."""
    for indent in named(element, "ind"):
        left = attribute(indent, "left") or attribute(indent, "start")
        if left.isdecimal() and not attribute(indent, "hanging"):
            return int(left)
    return 0


def _has(element: etree._Element, name: str, below: str = "") -> bool:
    return any(not below or attribute(e, "val") < below for e in named(element, name))


@dataclass(slots=True)
class _Paragraph:
    """Text of a paragraph so far, the paragraphs of the text boxes anchored in it, and where runs begin and end that
    their style hides.
    """

    in_cell: bool = False
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    boxes: list[etree._Element] = field(default_factory=list)
    unseen: list[tuple[int, int]] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add text at its end."""
        self.pieces.append(text)
        self.length += len(text)


class _Reader:
    """Walks the elements; libxml2 refuses more than 256 levels, so recursion is bounded."""

    def __init__(self, styles: _Styles) -> None:
        self.paragraphs = Paragraphs()
        self._styles = styles
        self._number = 0
        self._prefix = ""
        self._in_box = False

    def read(self, root: etree._Element, prefix: str) -> None:
        """All paragraphs below ``root``, numbered from 1 as ``prefix[n]``."""
        self._number, self._prefix = 0, prefix
        self._walk(root, in_cell=False)

    def _walk(self, element: etree._Element, *, in_cell: bool) -> None:
        for child in element:
            tag = local(child)
            if tag == "p":
                self._paragraph(child, in_cell=in_cell)
            elif tag not in _LEFT_OUT:
                self._walk(child, in_cell=in_cell or tag == "tc")

    def _paragraph(self, element: etree._Element, *, in_cell: bool) -> None:
        self._number += 1
        path = f"{self._prefix}[{self._number}]"
        paragraph = _Paragraph(in_cell or self._in_box or _is_shaded(element, "pPr"))
        self._collect(element, paragraph)
        text, _ = clean("".join(paragraph.pieces))
        kind = self._kind(element)
        if kind is BlockKind.PARAGRAPH and not in_cell and self._is_quote(element):
            path = f"quote/{path}"
        kind = BlockKind.TABLE_CELL if in_cell and kind is BlockKind.PARAGRAPH else kind
        span = self.paragraphs.add(text, kind, path)
        if len(text) == paragraph.length:
            self.paragraphs.hide(span, text, paragraph.unseen)
        around = self._in_box
        self._in_box = True
        for box in paragraph.boxes:
            self._walk(box, in_cell=False)
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
                start = paragraph.length
                self._collect(child, paragraph)
                if tag == "r" and self._styles.hides(child, coloured=paragraph.in_cell):
                    paragraph.unseen.append((start, paragraph.length))

    def _is_quote(self, element: etree._Element) -> bool:
        """Whether a paragraph is set apart: by its style, or indented as a whole by itself."""
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
    """Whether letters have the size of a point and a half or less, or hardly any width."""
    sizes = [attribute(e, "val") for e in named(properties, "sz")]
    widths = [attribute(e, "val") for e in named(properties, "w")]
    return any(v.isdecimal() and int(v[:6]) <= _TINY for v in sizes) or any(
        v.isdecimal() and int(v[:6]) <= _NARROW for v in widths
    )


def _is_pale(properties: etree._Element) -> bool:
    return any(is_pale(attribute(e, "val")) for e in named(properties, "color"))


def _is_shaded(element: etree._Element, properties: str) -> bool:
    """Whether a run or paragraph has a background of its own that is not white."""
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
