"""Word documents (DOCX): paragraphs with tracked insertions, text boxes, notes and the base text of ruby.

Left out: tracked deletions, hidden text, ruby readings, field codes, comments, headers and footers of pages, and marks
of notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.colours import PAPER, Theme, adjust_lightness, is_lost
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import (
    Package,
    Relation,
    attribute,
    ignored_macros,
    local,
    named,
    relations,
    title_and_date,
)
from workbench.reading.formats.paragraphs import NO_LOOK, Paragraphs, StyledText, deeper, letter_of, shown_by_code
from workbench.reading.note_marks import is_mark_after

name = "docx"
suffixes: tuple[str, ...] = (".docx", ".docm", ".dotx", ".dotm")
_LEFT_OUT = frozenset(["del", "moveFrom", "rt", "pPr", "rPr", "tblPr", "delText", "Fallback", "sdtPr", "annotation"])
_WORDS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_EARLIER = ("{*}pPrChange", "{*}rPrChange")
"""What a paragraph or run looked like before a tracked change."""
_QUOTES = frozenset(["quote", "intense quote", "block text", "quotations"])
"""Style names of quotations; Word stores these in English whatever its language. The last is LibreOffice's."""
_QUOTED = 400
"""Minimum indent of a quotation: 0.7 cm, in twentieths of a point."""
_NOTES = ("footnotes", "endnotes")
_REFERENCES = ("footnoteReference", "endnoteReference")
_DRAWINGS = frozenset(("drawing", "pict", "object"))
_PICTURES = frozenset(("blip", "chart", "imagedata"))
"""Elements of drawings that show more than text."""
_T = TypeVar("_T")
_THEME_NAMES = {
    **{"background1": "lt1", "light1": "lt1", "text1": "dk1", "dark1": "dk1", "background2": "lt2", "light2": "lt2"},
    **{"text2": "dk2", "dark2": "dk2", "hyperlink": "hlink", "followedHyperlink": "folHlink"},
}
_HIGHLIGHTS = {
    **{"black": "000000", "blue": "0000ff", "cyan": "00ffff", "green": "00ff00", "magenta": "ff00ff", "red": "ff0000"},
    **{"yellow": "ffff00", "white": PAPER, "darkBlue": "000080", "darkCyan": "008080", "darkGreen": "008000"},
    **{"darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000", "darkGray": "808080"},
    **{"lightGray": "c0c0c0"},
}
_TINY, _NARROW = 3, 5
"""Letters are hidden up to this font size in half-points, or this percentage of the usual width."""
_OVERLAPPING = 200
"""Letter spacing in twentieths of a point (condensed) from which letters overlap."""
_RAISED, _LOWEST, _FAR_LEFT = 600, 30, 12_000
"""Letters are hidden if raised or lowered by this many half-points, in lines or rows of at most this height, or
outdented by this much (both in twentieths of a point).
"""
_OFF = ("0", "false", "off")
_FLAT = frozenset(map(str, range(_LOWEST + 1)))
_CODE = re.compile("[0-9a-fA-F]{1,4}")
_BUTTON = re.compile(r"\s*MACROBUTTON\s+\S+\s+(.{1,5000})", re.DOTALL)
Properties = dict[str, str]
"""Of a run: whether it is hidden, its size and position as written, its colour and background, empty if unknown."""


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
    parts = relations(package, main).values()
    theme = next((package.xml_if_any(part.part) for part in parts if part.kind == "theme"), None)
    looks = _Styles(styles, Theme(theme, _THEME_NAMES))
    paper = _paper(body, package.xml_if_any(f"{folder}/settings.xml"))
    reader = _Reader(looks, Lists(lists), paper)
    reader.read(body, "")
    lost = []
    for notes in _NOTES:
        try:
            if (part := f"{folder}/{notes}.xml") in package.names:
                reader.read(package.xml(part), f"{notes}/")
        except UnreadableInput:
            lost.append(f"left out {notes} that cannot be read")
    reader.paragraphs.outside += _outside(package, parts, looks)
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


def _paper(body: etree._Element, settings: etree._Element | None) -> str:
    """The colour of the pages."""
    colours = [attribute(e, "color") for e in body if local(e) == "background"]
    is_shown = any(attribute(e, "val") not in _OFF for e in named(settings, "displayBackgroundShape"))
    return colours[0] if colours and is_shown else PAPER


def _outside(package: Package, parts: Iterable[Relation], styles: _Styles) -> Iterator[str]:
    """Descriptions of text in headers and footers of pages, charts and diagrams."""
    for part in dict.fromkeys(parts):
        if part.kind in ("header", "footer", "chart", "diagramData"):
            root = package.xml_if_any(part.part)
            if root is not None and part.kind in ("header", "footer"):
                reader = _Reader(styles, Lists(None))
                reader.read(root, "")
                yield from reader.paragraphs.text.split("\n")
            else:
                yield from ("".join(e.text or "" for e in named(paragraph, "t")) for paragraph in named(root, "p"))


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
    """Styles by id: which are headings or list items, and how they change text."""

    def __init__(self, root: etree._Element | None, theme: Theme) -> None:
        self._theme = theme
        self._runs: dict[str, Properties] = {}
        self._paragraphs: dict[str, Properties] = {}
        self._shading: set[str] = set()
        defaults = next(named(root, "rPrDefault"), None)
        self._default = self.own(defaults, "rPr")
        self._usual = ""
        self._kinds: dict[str, BlockKind] = {}
        self._based: dict[str, str] = {}
        self._levels: dict[str, int] = {}
        self._lists: dict[str, str] = {}
        self._looks: dict[str, dict[LookKind, bool]] = {}
        self._quotes: set[str] = set()
        for style in named(root, "style"):
            identity = attribute(style, "styleId")
            self._based[identity] = next((attribute(e, "val") for e in named(style, "basedOn")), "")
            self._runs[identity], self._paragraphs[identity] = self.own(style, "rPr"), self.own(style, "pPr")
            kind = attribute(style, "type")
            if kind == "table" and next(named(style, "shd"), None) is not None:
                self._shading.add(identity)
            if kind == "paragraph" and attribute(style, "default") not in ("", *_OFF):
                self._usual = identity
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

    def own(self, element: etree._Element | None, name: str) -> Properties:
        """An element's own properties, from its child ``name``."""
        properties = next((child for child in (() if element is None else element) if local(child) == name), None)
        own: Properties = {}
        for entry in () if properties is None else properties:
            kind, value = local(entry), attribute(entry, "val")
            if kind in ("vanish", "sz", "w", "position", "vertAlign"):
                own[kind] = value
            elif kind == "spacing":
                own["apart"] = value
                if attribute(entry, "lineRule") == "exact":
                    own["line"] = attribute(entry, "line")
            elif kind == "ind" and (left := attribute(entry, "left") or attribute(entry, "start")):
                own["left"] = left
            elif kind == "color":
                own["letters"] = self._theme_colour(entry, "theme", "themeColor") or value
            elif kind == "shd" and "highlight" not in own and value != "nil":
                if value not in ("", "clear"):
                    own["ground"] = ""
                elif attribute(entry, "fill") != "auto" or attribute(entry, "themeFill"):
                    own["ground"] = self._theme_colour(entry, "themeFill", "themeFill") or attribute(entry, "fill")
            elif kind == "highlight" and value != "none":
                own["highlight"] = own["ground"] = _HIGHLIGHTS.get(value, "")
            elif kind in ("textFill", "textOutline"):
                own[kind] = local(entry[0]) if len(entry) else ""
        return own

    def _theme_colour(self, entry: etree._Element, prefix: str, name: str) -> str:
        colour = self._theme.of_name(attribute(entry, name))
        for change in ("Tint", "Shade"):
            if colour and re.fullmatch("[0-9a-fA-F]{1,2}", amount := attribute(entry, f"{prefix}{change}")):
                share = int(amount, 16) / 255
                colour = adjust_lightness(colour, share, 1 - share if change == "Tint" else 0.0)
        return colour

    def around(self, paragraph: etree._Element, table: str) -> Properties:
        """The properties of the text of a ``paragraph`` in a table with the style ``table`` ("" outside tables)."""
        pair = next((child for child in paragraph if local(child) == "pPr"), None)
        style = next((attribute(e, "val") for e in named(pair, "pStyle")), "") or self._usual
        of_style = {**self._merged(self._runs, style), **self._merged(self._paragraphs, style)}
        return {**self._default, **self._merged(self._runs, table), **of_style, **self.own(paragraph, "pPr")}

    def of_run(self, run: etree._Element, around: Properties) -> Properties:
        """The properties of a ``run`` that inherits ``around``; its own take precedence over those of its style."""
        properties = next((child for child in run if local(child) == "rPr"), None)
        if properties is None:
            return around
        style = next((attribute(e, "val") for e in named(properties, "rStyle")), "")
        return {**around, **self._merged(self._runs, style), **self.own(run, "rPr")}

    def _merged(self, known: Mapping[str, Properties], style: str) -> Properties:
        """The properties of a style, including inherited ones."""
        merged: Properties = {}
        for _ in range(20):
            if not style:
                break
            merged = {**known.get(style, {}), **merged}
            style = self._based.get(style, "")
        return merged

    def fill(self, box: etree._Element) -> str | None:
        """The colour of the shape around the text of a ``box``; None if unknown."""
        shape = box.getparent()
        shape = None if shape is None else shape.getparent()
        for properties in () if shape is None else shape:
            fill = (
                next((e for e in properties if local(e) == "solidFill"), None) if local(properties) == "spPr" else None
            )
            if fill is not None:
                return self._theme.colour(fill) or None
        return (
            attribute(shape, "fillcolor") or None if shape is not None and attribute(shape, "filled") != "f" else None
        )

    def is_shading(self, style: str) -> bool:
        """Whether a table style may give cells a background."""
        return bool(style) and (
            style not in self._runs or self._inherited(dict.fromkeys(self._shading, True), style, False)
        )

    def look(self, run: etree._Element) -> LookKind:
        """The look of the run, its own or from its style; styles inherit."""
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
        """The number of the list of paragraphs with the style; "" for none."""
        return self._inherited(self._lists, style, "")

    def _inherited(self, known: Mapping[str, _T], style: str, otherwise: _T) -> _T:
        for _ in range(20):
            if style in known:
                return known[style]
            style = self._based.get(style, "")
        return otherwise

    def is_quote(self, style: str) -> bool:
        """Whether the style is for quotations, by its name or indent; styles inherit."""
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
class _Field:
    """A field of which the code or the result is being read; the result of an operand is not shown."""

    in_code: bool = True
    is_equation: bool = False
    is_operand: bool = False


@dataclass(slots=True)
class _Paragraph(StyledText):
    """A paragraph, and the text boxes anchored in it."""

    ground: str | None = PAPER
    """The colour behind it; None if unknown."""
    around: Properties = field(default_factory=dict)
    boxes: list[etree._Element] = field(default_factory=list)
    code: str = ""
    """The code of the field being read."""
    fields: list[_Field] = field(default_factory=list)
    """The fields around the run being read, the innermost last."""

    def change_field(self, mark: str) -> None:
        """Handle the ``mark`` that begins a field, begins its result, or ends it: add the visible part of the code so
        far.
        """
        for _, shown in shown_by_code(self.code):
            self.add(shown)
        around = self.fields[-1] if self.fields else _Field(in_code=False)
        around.is_equation = around.is_equation or self.code.lstrip().upper().startswith("EQ ")
        if mark == "begin":
            # A field in the code of another is an operand of it, in an equation a part.
            is_operand = around.in_code and not around.is_equation
            self.fields.append(_Field(is_operand=is_operand or around.is_operand))
        elif mark == "separate":
            around.in_code = False
        elif self.fields:
            self.fields.pop()
        self.code = ""


class _Reader:
    """Walks the elements; libxml2 refuses more than 256 levels, so recursion is bounded."""

    def __init__(self, styles: _Styles, lists: Lists, paper: str = PAPER) -> None:
        self.paragraphs = Paragraphs()
        self._styles, self._lists = styles, lists
        self._ground: str | None = paper
        self._table, self._is_flat = "", False
        self._tables = self._rows = self._column = 0
        self._number = 0
        self._prefix = ""
        self._begun: _Paragraph | None = None
        """What goes on in the next paragraph: a drop cap, or words before a deleted paragraph mark."""

    def read(self, root: etree._Element, prefix: str) -> None:
        """All paragraphs below ``root``, numbered from 1, their paths beginning with ``prefix``."""
        self._number, self._prefix = 0, prefix
        etree.strip_elements(root, *_EARLIER)
        self._walk(root, "")
        self._end_begun()

    def _end_begun(self) -> None:
        """Add what should have gone on in another paragraph, where there is none."""
        if self._begun:
            text = clean("".join(self._begun.pieces))[0]
            self._begun = None
            self.paragraphs.add(text, path=f"{self._prefix}p[{self._number}]")

    def _walk(self, element: etree._Element, cell: str) -> None:
        """All paragraphs below ``element``; ``cell`` is the path of the enclosing table cell."""
        for child in element:
            tag = local(child)
            if tag == "p":
                self._paragraph(child, cell)
            elif tag == "textpath":
                self.paragraphs.add(clean(attribute(child, "string"))[0], path=f"{self._prefix}{cell}p[{self._number}]")
            elif tag == "tbl":
                self._end_begun()
                self._tables += 1
                outer = self._table, self._ground
                self._table = next((attribute(e, "val") for e in child.iterfind("{*}tblPr/{*}tblStyle")), "")
                self._ground = None if self._styles.is_shading(self._table) else self._ground
                self._walk(child, deeper(cell, f"table[{self._tables}]/"))
                self._table, self._ground = outer
            elif tag == "tr":
                self._rows += 1
                before, self._column = self._column, 0
                heights = [e for e in child.iterfind("{*}trPr/{*}trHeight") if attribute(e, "hRule") == "exact"]
                flat, self._is_flat = self._is_flat, any(attribute(e, "val") in _FLAT for e in heights)
                self._walk(child, deeper(cell, f"tr[{self._rows}]/"))
                self._column, self._is_flat = before, flat
            elif tag == "tc":
                self._column += 1
                ground, self._ground = self._ground, self._styles.own(child, "tcPr").get("ground", self._ground)
                self._walk(child, deeper(cell, f"td[{self._column}]/"))
                self._end_begun()
                self._ground = ground
                spans = [attribute(e, "val")[:2] for e in child.iterfind("{*}tcPr/{*}gridSpan")]
                self._column += int(spans[0]) - 1 if spans and spans[0].isdecimal() and int(spans[0]) else 0
            elif tag not in _LEFT_OUT:
                self._walk(child, cell)

    def _paragraph(self, element: etree._Element, cell: str) -> None:
        self._number += 1
        in_cell = "/td[" in cell
        number = f"p[{self._number}]"
        around = self._styles.around(element, self._table)
        paragraph = self._begun or _Paragraph(ground=self._ground, is_unseen=self._is_flat)
        paragraph.around, self._begun = around, None
        self._collect(element, paragraph)
        if _goes_on(element):
            self._begun = paragraph
            return
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
        outer = self._table, self._ground
        for box in paragraph.boxes:
            # The background of a text box without a fill is unknown.
            self._table, self._ground = "", self._styles.fill(box)
            self._walk(box, "")
        self._table, self._ground = outer

    def _collect(self, element: etree._Element, paragraph: _Paragraph) -> None:
        for child in element:
            tag = local(child)
            if (tag in ("t", "sym") or tag in _WORDS) and paragraph.fields and paragraph.fields[-1].is_operand:
                continue
            if tag in ("t", "sym"):
                paragraph.add(_symbol(child) if tag == "sym" else child.text or "")
            elif tag == "txbxContent" or (tag == "textpath" and attribute(child, "string")):
                paragraph.boxes.append(child if tag == "txbxContent" else element)
            elif tag in _WORDS:
                paragraph.add(_WORDS[tag])
            elif tag == "r":
                own = self._styles.of_run(child, paragraph.around)
                if own.get("vanish", "0") not in _OFF or _is_note_mark(child, own, paragraph):
                    continue
                before, is_unseen = paragraph.look, paragraph.is_unseen
                paragraph.look = self._styles.look(child)
                paragraph.is_unseen = is_unseen or _is_unseen(own, paragraph.ground)
                self._collect(child, paragraph)
                paragraph.look, paragraph.is_unseen = before, is_unseen
            elif tag == "instrText":
                self.paragraphs.outside += _BUTTON.findall(child.text or "")
                paragraph.code += child.text or ""
            elif tag == "fldChar":
                paragraph.change_field(attribute(child, "fldCharType"))
            elif tag not in _LEFT_OUT:
                if tag in _DRAWINGS and any(local(e) in _PICTURES for e in child.iter()):
                    paragraph.looks.append((paragraph.length, paragraph.length, LookKind.PICTURE))
                self._collect(child, paragraph)

    def _around(self, element: etree._Element, kind: BlockKind) -> str:
        """The path of a paragraph that is a heading or list item; otherwise empty."""
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


def _goes_on(paragraph: etree._Element) -> bool:
    """Whether a paragraph is the drop cap of the next one, or its mark was deleted."""
    if any(attribute(e, "dropCap") in ("drop", "margin") for e in paragraph.iterfind("{*}pPr/{*}framePr")):
        return True
    return any(local(e) in ("del", "moveFrom") for e in paragraph.iterfind("{*}pPr/{*}rPr/*"))


def _is_note_mark(run: etree._Element, properties: Properties, paragraph: _Paragraph) -> bool:
    """Whether a ``run`` is the mark of a note that was typed, after the ``paragraph`` so far or instead of Word's."""
    if any(local(e) in _REFERENCES and attribute(e, "customMarkFollows") not in ("", *_OFF) for e in run):
        return True
    written, after = (
        "".join(e.text or "" for e in (() if some is None else some) if local(e) == "t")
        for some in (run, run.getnext())
    )
    return properties.get("vertAlign") == "superscript" and is_mark_after(
        "".join(paragraph.pieces[-4:]), written, after
    )


def _symbol(element: etree._Element) -> str:
    """The letter of a font's symbol, which Word stores in the private use area; otherwise empty."""
    code = attribute(element, "char")
    character = letter_of(int(code, 16), attribute(element, "font")) if _CODE.fullmatch(code) else ""
    return character if character.isprintable() else ""


def _is_unseen(properties: Properties, ground: str | None) -> bool:
    """Whether text is invisible: tiny, almost without width, overlapping, far away, without ink, or in the colour of
    its background; ``ground`` is the background of its paragraph, None if unknown.
    """
    number = {key: int(v) for key, v in properties.items() if re.fullmatch("-?[0-9]{1,6}", v)}
    if (
        number.get("sz", _TINY + 1) <= _TINY
        or number.get("w", _NARROW + 1) <= _NARROW
        or number.get("apart", 0) <= -_OVERLAPPING
        or abs(number.get("position", 0)) >= _RAISED
        or number.get("line", _LOWEST + 1) <= _LOWEST
        or number.get("left", 0) <= -_FAR_LEFT
    ):
        return True
    if properties.get("textFill") == "noFill":
        return properties.get("textOutline", "noFill") == "noFill"
    return is_lost(properties.get("letters"), properties.get("ground", ground))


_DEEPEST = 8
"""The last list level, from 0; there are nine."""
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
