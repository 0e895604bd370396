"""Rich Text Format (RTF): paragraphs with tracked insertions, text boxes, notes and the results of fields.

Left out: tracked deletions, hidden text, comments, embedded objects, headers and footers of pages.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.colours import PAPER, is_lost
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import SYMBOL_CODES, Paragraphs, RelativeLook, letter_of, shown_by_code
from workbench.reading.note_marks import is_mark_after, without_typed_marks

name = "rtf"
suffixes: tuple[str, ...] = (".rtf",)
_BEGINNING = b"{\\rtf"
_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,32})(-?[0-9]{1,10})? ?|'([0-9A-Fa-f]{2})|([^A-Za-z']))|([{}])|([^\\{}\r\n\t\0]+)|(\t)",
    re.DOTALL,
)
_DEEPEST = 1000
"""Maximum depth of nested groups; Word writes about a dozen."""
_CHARSETS = {
    **{77: "mac_roman", 78: "cp932", 79: "cp950", 80: "cp949", 81: "mac_arabic", 82: "cp1255", 83: "mac_greek"},
    **{84: "mac_cyrillic", 85: "gb18030", 86: "mac_romanian", 87: "mac_cyrillic", 88: "cp874", 89: "mac_latin2"},
    **{128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253", 162: "cp1254"},
    **{163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250"},
    **{254: "cp437", 255: "cp850"},
}
"""Encodings by the number of a font's character set; fonts of other sets use the file's encoding."""
_OF_SYMBOLS = 2
"""The number of the character set of fonts of symbols."""
"""What Word adds to the codes of symbols."""
_SYSTEMS = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
"""Encodings of files that name the system on which they were written instead of a code page."""
_CODE_PAGES = {"10000": "mac_roman", "65001": "utf-8", "936": "gb18030", "10001": "cp932", "10008": "gb18030"}
_CHARACTERS = {
    **{
        "tab": "\t",
        "line": "\n",
        "page": "\n",
        "column": "\n",
        "emdash": "—",
        "endash": "–",
        "emspace": "\u2003",
        "enspace": "\u2002",
    },
    **{"qmspace": "\u2005", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"},
    **{"zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f"},
}
_SYMBOLS = {"~": "\xa0", "_": "-"}
_ESCAPED = (b"\\", b"{", b"}")
_ENDS = {"par": False, "sect": False, "cell": True, "nestcell": True}
"""Control words that end a paragraph, and whether it is a table cell."""
_ROWS = frozenset(("row", "nestrow"))
_CELLS = frozenset(("trowd", "clcbpat", "cellx"))
_HEADINGS = ("heading", "title", "subtitle")
_SHADES = ("red", "green", "blue")
_NARROW, _OVERLAPPING = 5, 200
"""Letters are hidden up to this percentage of the usual width, or from this condensed spacing in twentieths of a point.
"""
_TINY, _RAISED, _LOWEST, _FAR_LEFT = 3, 600, 30, 12_000
"""Letters are hidden up to this size in half-points, if raised or lowered by this many, in lines of at most this
height, or outdented by this much; both in twentieths of a point.
"""
_SYMBOL = re.compile(
    r"\s*SYMBOL\s+(\d{1,5})\b(?!.*\b(?:wingdings|webdings))(?:.*?(?P<font>\bsymbol\b))?", re.IGNORECASE | re.DOTALL
)
_ART = re.compile(r"\ngtextUNICODE\n(.+)")
_ADDRESS = re.compile(r'HYPERLINK\s+"?(https?://[^"\s]+)')
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class _Place(Enum):
    """The destination of the text of a group."""

    TEXT = auto()
    NOWHERE = auto()
    """Omitted, but a text box, result or note inside it is text."""
    NEVER = auto()
    FONTS = auto()
    COLOURS = auto()
    STYLES = auto()
    INFORMATION = auto()
    TITLE = auto()
    FIELD = auto()
    HEAD = auto()
    """A header or footer of pages."""
    SHAPE = auto()
    """The name or the value of a property of a shape."""


_PLACES = {
    **dict.fromkeys(["fldrslt", "result", "ud", "moMath"], _Place.TEXT),
    **dict.fromkeys(["shpinst", "object", "upr", "do", "dptxbx"], _Place.NOWHERE),
    **dict.fromkeys(["pict", "objdata", "shprslt", "nonesttables", "mmathPict", "template"], _Place.NEVER),
    **dict.fromkeys(["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr"], _Place.HEAD),
    **{"footerf": _Place.HEAD, "sn": _Place.SHAPE, "sv": _Place.SHAPE},
    **dict.fromkeys(["xe", "rxe", "txe", "tc", "tcn", "private", "ftnsep", "listtext"], _Place.NEVER),
    **dict.fromkeys(["pntext", "nonshppict", "author", "operator", "company", "doccomm", "keywords"], _Place.NEVER),
    **{
        "fonttbl": _Place.FONTS,
        "colortbl": _Place.COLOURS,
        "stylesheet": _Place.STYLES,
        "info": _Place.INFORMATION,
        "title": _Place.TITLE,
    },
    **{"fldinst": _Place.FIELD},
}
_BOXES = frozenset(["shptxt", "dptxbxtext"])
_NOTES = "footnote"


def sniff(head: bytes) -> bool:
    """Whether it begins with the group of an RTF file."""
    return head.startswith(_BEGINNING)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs with text, their path is ``p[n]`` from 1, in notes
    ``footnotes/p[n]`` or ``endnotes/p[n]``, of headings ``h1/p[n]``, of items of lists ``ul/li[1]/p[n]``, in cells of
    tables ``table[1]/tr[2]/td[3]/p[n]``.

    Raises UnreadableInput if it is not an RTF file, nested too deeply or without text.
    """
    data = whole(source, options)
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_BEGINNING):
        raise UnreadableInput(Message("This is not an RTF file."))
    reader = _Reader(options.encoding or "cp1252")
    reader.read(data)
    reader.paragraphs.outside += "".join(reader.heads).split("\n")
    reader.paragraphs.outside += _ART.findall("".join(reader.shapes))
    yield Record(
        None,
        reader.paragraphs.document(
            source.name,
            name,
            options,
            title=clean("".join(reader.title))[0].strip() or source.stem,
            created=reader.created,
            links=dict.fromkeys(_ADDRESS.findall("".join(reader.fields))),
            repairs=[f"left out tracked deletions ({reader.deleted:,})"] if reader.deleted else [],
        ),
    )


@dataclass(slots=True)
class _Group:
    """The properties of a group: inherited, and changed until it ends."""

    place: _Place = _Place.TEXT
    font: int = -1
    usual_font: int = -1
    skipped: int = 1
    is_hidden: bool = False
    is_deleted: bool = False
    is_bold: bool = False
    is_italic: bool = False
    is_super: bool = False
    size: int = 24
    width: int = 100
    """Percent of the usual width of letters."""
    apart: int = 0
    """Extra letter spacing in twentieths of a point."""
    raised: int = 0
    """Raised by this many half-points; negative if lowered."""
    height: int = 0
    """Line spacing in twentieths of a point, negative if exact."""
    indent: int = 0
    colour: int = 0
    behind: int = 0
    """The background colour of the letters, like ``ground`` a number in the file's table; 0 for none."""
    ground: int = 0
    """The background colour of the paragraph."""
    in_table: bool = False
    is_drop_cap: bool = False
    is_item: bool = False
    depth: int = 0
    """Number of lists that enclose the item's list."""
    level: int = 9
    style: int = 0
    starred: bool = False
    opens: bool = False
    """Whether a text box or a note began with this group."""


class _Paragraph(NamedTuple):
    """A paragraph, its place, the path of its parent, the invisible parts of its text, and the looks of its other
    parts.
    """

    text: str
    kind: BlockKind
    prefix: str
    inside: str
    unseen: list[tuple[int, int]]
    looks: list[RelativeLook]


@dataclass(slots=True)
class _Flow:
    """A sequence of paragraphs: the body, a text box or a note; ``later`` are the sequences that follow its current
    paragraph.
    """

    prefix: str = "p"
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    unseen: list[tuple[int, int]] = field(default_factory=list)
    looks: list[RelativeLook] = field(default_factory=list)
    later: list[_Paragraph] = field(default_factory=list)
    done: list[_Paragraph] = field(default_factory=list)


class _Reader:
    """Reads tokens one after another, with a stack of open groups."""

    def __init__(self, encoding: str) -> None:
        self.paragraphs = Paragraphs()
        self.title: list[str] = []
        self.fields: list[str] = []
        self.heads: list[str] = []
        self.shapes: list[str] = []
        self.deleted = 0
        self._fields_before = 0
        self._has_symbol = False
        """Whether the field has been read as the letter that it stands for."""
        self._cells: list[int] = []
        self._cell = 0
        """The colours behind the cells of the row, and of the cell that is described next."""
        self._date: dict[str, int] = {}
        self._encoding = encoding
        self._fonts: dict[int, str] = {}
        self._signs: dict[int, str] = {}
        """The names of fonts of symbols, by number."""
        self._headings: dict[int, int] = {}
        """Levels of the heading styles, from 1; 0 if unknown."""
        self._tables, self._rows, self._column, self._items = 0, 1, 1, 0
        self._in_table = False
        self._style_name = ""
        self._colours: list[tuple[int, ...]] = []
        self._shade = dict.fromkeys(_SHADES, 0)
        self._group = _Group()
        self._stack: list[_Group] = []
        self._flows = [_Flow()]
        self._numbers: Counter[str] = Counter()
        self._bytes = bytearray()
        self._to_skip = 0

    @property
    def created(self) -> str:
        """The date in the file's information (ISO 8601), or empty."""
        year, month, day = (self._date.get(part, 0) for part in ("yr", "mo", "dy"))
        return f"{year:04}-{month:02}-{day:02}" if 1980 < year < 2200 and 0 < month < 13 and 0 < day < 32 else ""

    def read(self, data: bytes) -> None:
        """Read the whole file. Raises UnreadableInput if its groups are nested too deeply."""
        at, end = 0, len(data)
        while at < end:
            match = _TOKEN.search(data, at)
            if match is None:
                break
            at = match.end()
            word, number, code, symbol, brace, text, tab = match.groups()
            # An escaped sign may be the second byte of a character.
            written = text if symbol not in _ESCAPED else symbol
            if written is not None or code is not None:
                self._add_bytes(written if code is None else bytes.fromhex(code.decode()))
                continue
            self._decode()
            if brace == b"{":
                self._open()
            elif brace:
                if len(self._stack) <= 1:
                    break
                self._close()
            elif word == b"bin":
                at += max(0, int(number or 0))
            elif self._to_skip and not tab:
                self._to_skip -= 1
            elif word is not None:
                self._word(word.decode(), None if number is None else int(number))
            elif symbol in (b"\n", b"\r"):
                self._end()
            else:
                self._symbol("\t" if tab else symbol.decode("latin-1"))
        self._decode()
        while len(self._flows) > 1:
            self._leave()
        self._end()

    def _open(self) -> None:
        if len(self._stack) >= _DEEPEST:
            raise UnreadableInput(Message("This input is nested too deeply."))
        self._to_skip = 0
        self._stack.append(self._group)
        self._group = copy(self._group)
        self._group.opens = self._group.starred = False

    def _close(self) -> None:
        self._to_skip = 0
        if self._group.opens:
            self._leave()
        inner, self._group = self._group, self._stack.pop()
        if inner.place is _Place.FIELD and self._group.place is not _Place.FIELD:
            code = "".join(self.fields[self._fields_before :])
            symbol = _SYMBOL.match(code)
            self._fields_before = len(self.fields)
            self._has_symbol = symbol is not None
            if symbol and (character := letter_of(int(symbol[1]), symbol["font"] or "")).isprintable():
                self._put(character)
            for _, shown in shown_by_code(code):
                self._put(shown)

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._group.starred = True
        elif symbol in _SYMBOLS or symbol == "\t":
            self._put(_SYMBOLS.get(symbol, symbol))

    def _word(self, word: str, number: int | None) -> None:
        group = self._group
        starred, group.starred = group.starred, False
        if word in _BOXES or word == _NOTES:
            self._enter(word)
        elif word == "ftnalt":
            self._flows[-1].prefix = "endnotes/p"
        elif word in _PLACES:
            self._go(_PLACES[word], word)
        elif starred or (word.startswith("m") and word.endswith("Pr")):
            self._go(_Place.NEVER, word)
        elif word == "u":
            code = (number or 0) & 0xFFFF
            self._put(self._in_font(chr(code)) if code in SYMBOL_CODES else chr(code))
            self._to_skip = group.skipped
        elif word in _CHARACTERS:
            self._put(_CHARACTERS[word])
        elif group.place in (_Place.TEXT, _Place.HEAD) and (word in _ENDS or word in _ROWS or word in _CELLS):
            self._divide(word, number or 0)
        elif (change := _CHANGES.get(word)) is not None:
            change(group, 1 if number is None else number)
            self.deleted += word == "deleted" and group.is_deleted and group.place is _Place.TEXT
        elif word in _SYSTEMS:
            self._encoding = _SYSTEMS[word]
        elif number is not None:
            self._describe(word, number)

    def _divide(self, word: str, number: int) -> None:
        """Handle words that end paragraphs, cells and rows, or describe the cells of a row."""
        if self._group.place is _Place.HEAD:
            self.heads.append("\n")
        elif word == "par" and (self._group.is_deleted or self._group.is_drop_cap):
            # It goes on in the next paragraph.
            return
        elif word in _ENDS:
            self._end(in_cell=_ENDS[word])
            self._column += _ENDS[word]
        elif word in _ROWS:
            self._rows, self._column = self._rows + 1, 1
        elif word == "trowd":
            self._cells, self._cell = [], 0
        elif word == "clcbpat":
            self._cell = number
        else:
            self._cells, self._cell = [*self._cells, self._cell], 0

    def _describe(self, word: str, number: int) -> None:
        """Handle words that describe the file, its fonts and its styles."""
        group = self._group
        if word == "ansicpg":
            self._encoding = _known(_CODE_PAGES.get(str(number), f"cp{number}"), self._encoding)
        elif group.place is _Place.FONTS and word == "fcharset":
            self._fonts[group.font] = _CHARSETS.get(number, "")
            if number == _OF_SYMBOLS:
                self._signs[group.font] = ""
        elif group.place is _Place.FONTS and word == "cpg":
            self._fonts[group.font] = _known(_CODE_PAGES.get(str(number), f"cp{number}"), "")
        elif group.place is _Place.COLOURS and word in _SHADES:
            self._shade[word] = number
        elif group.place is _Place.INFORMATION and word in ("yr", "mo", "dy"):
            self._date.setdefault(word, number)

    def _go(self, place: _Place, word: str) -> None:
        group = self._group
        if word in ("listtext", "pntext") and self._stack:
            self._stack[-1].is_item = True
        if place is _Place.TITLE or (word == "ud" and group.place is _Place.TITLE):
            # This repeats the text in Unicode.
            self.title.clear()
        if place is _Place.SHAPE:
            self.shapes.append("\n")
        if word == "fldrslt" and self._has_symbol:
            place = _Place.NEVER
        within = (_Place.INFORMATION,) if place is _Place.TITLE else (_Place.TEXT, _Place.NOWHERE)
        if place is _Place.NEVER or group.place in within:
            group.place = place

    def _enter(self, word: str) -> None:
        """Begin a text box or a note: its paragraphs follow the one in which it is anchored."""
        group = self._group
        if group.place in (_Place.TEXT, _Place.NOWHERE) and self._stack and not group.opens:
            self._flows.append(_Flow("footnotes/p" if word == _NOTES else "p"))
            self._group = _Group(font=group.font, usual_font=group.usual_font, skipped=group.skipped, opens=True)

    def _leave(self) -> None:
        """End a text box or a note."""
        self._end()
        inner = self._flows.pop()
        self._flows[-1].later += inner.done

    def _add_bytes(self, data: bytes) -> None:
        if self._to_skip:
            used = min(self._to_skip, len(data))
            self._to_skip -= used
            data = data[used:]
        if self._group.place is not _Place.NEVER:
            self._bytes += data

    def _decode(self) -> None:
        """Add the bytes so far as text in the encoding of the current font."""
        if self._bytes:
            encoding = "latin-1" if self._group.font in self._signs else ""
            encoding = encoding or self._fonts.get(self._group.font) or self._encoding
            self._put(self._in_font(bytes(self._bytes).decode(encoding, "replace")))
            self._bytes.clear()

    def _in_font(self, text: str) -> str:
        """``text`` as fonts of symbols show it; it may be the name of such a font."""
        group = self._group
        if group.font not in self._signs:
            return text
        if group.place is _Place.FONTS:
            self._signs[group.font] += text
        elif group.place is _Place.TEXT:
            return "".join(letter_of(ord(character), self._signs[group.font]) for character in text)
        return text

    def _put(self, text: str) -> None:
        group = self._group
        match group.place:
            case _Place.TEXT if not (group.is_hidden or group.is_deleted or self._is_note_mark(text)):
                flow = self._flows[-1]
                text = without_typed_marks(text, "".join(flow.pieces[-4:]))
                if self._is_unseen():
                    flow.unseen.append((flow.length, flow.length + len(text)))
                if look := LookKind.BOLD * group.is_bold | LookKind.ITALIC * group.is_italic:
                    flow.looks.append((flow.length, flow.length + len(text), LookKind(look)))
                flow.pieces.append(text)
                flow.length += len(text)
            case _Place.TITLE:
                self.title.append(text)
            case _Place.FIELD:
                self.fields.append(text)
            case _Place.HEAD if not group.is_hidden:
                self.heads.append(text)
            case _Place.SHAPE:
                self.shapes.append(text)
            case _Place.COLOURS:
                self._colours += [tuple(self._shade.values())] * text.count(";")
                self._shade = dict.fromkeys(_SHADES, 0)
            case _Place.STYLES:
                self._style_name += text
                if ";" in text:
                    title = self._style_name.strip().lower()
                    if title.startswith(_HEADINGS) or group.level < 9:
                        self._headings[group.style] = _level(title) or (group.level + 1) % 10
                    self._style_name = ""

    def _is_note_mark(self, text: str) -> bool:
        is_raised = self._group.is_super or self._group.raised > 0
        return is_raised and is_mark_after("".join(self._flows[-1].pieces[-4:]), text)

    def _is_unseen(self) -> bool:
        """Whether letters are tiny, overlap, are far away, or have the colour of their background."""
        group = self._group
        if (
            group.size <= _TINY
            or 0 < group.width <= _NARROW
            or group.apart <= -_OVERLAPPING
            or abs(group.raised) >= _RAISED
            or -_LOWEST <= group.height < 0
            or group.indent <= -_FAR_LEFT
        ):
            return True
        is_described = 0 < self._column <= len(self._cells)
        of_cell = self._cells[self._column - 1] if group.in_table and is_described else 0
        behind = group.behind or group.ground or of_cell
        # The background of a text box, or of a cell of an undescribed row, is unknown.
        ground = PAPER if len(self._flows) == 1 and (is_described or not group.in_table) else ""
        return is_lost(self._colour(group.colour), self._colour(behind) if behind else ground)

    def _colour(self, number: int) -> str:
        """Six hexadecimal digits; empty for a number that is not in the table, and for the system colour."""
        colour = self._colours[number] if 0 < number < len(self._colours) else ()
        return "".join(f"{min(255, max(0, shade)):02x}" for shade in colour)

    def _end(self, *, in_cell: bool = False) -> None:
        """End a paragraph."""
        flow, group = self._flows[-1], self._group
        text = "".join(flow.pieces)
        unseen, looks, flow.unseen, flow.looks, flow.length = flow.unseen, flow.looks, [], [], 0
        flow.pieces.clear()
        if text.strip():
            joined = _HALVES.sub(_whole, text)
            in_table = in_cell or group.in_table
            kind = self._kind(in_cell=in_table)
            if len(joined) != len(text):
                unseen, looks = [], []
            inside = self._around(kind, in_table=in_table)
            flow.done.append(_Paragraph(clean(joined)[0], kind, flow.prefix, inside, unseen, looks))
        flow.done += flow.later
        flow.later = []
        if len(self._flows) == 1:
            for paragraph in flow.done:
                self._numbers[paragraph.prefix] += 1
                path = f"{paragraph.prefix[:-1]}{paragraph.inside}p[{self._numbers[paragraph.prefix]}]"
                span = self.paragraphs.add(paragraph.text, paragraph.kind, path)
                self.paragraphs.hide(span, paragraph.text, paragraph.unseen)
                self.paragraphs.look(span, paragraph.text, paragraph.looks)
            flow.done = []

    def _around(self, kind: BlockKind, *, in_table: bool) -> str:
        """The path of the element that contains a paragraph."""
        if len(self._flows) == 1:
            self._tables += in_table and not self._in_table
            self._in_table = in_table
            if in_table:
                return f"table[{self._tables}]/tr[{self._rows}]/td[{self._column}]/"
        if kind is BlockKind.HEADING:
            level = self._headings.get(self._group.style, 0) if self._group.level >= 9 else self._group.level + 1
            return f"h{min(6, level)}/" if level > 0 else ""
        if kind is not BlockKind.LIST_ITEM:
            return ""
        self._items += 1
        return f"{'ul/' * (1 + self._group.depth)}li[{self._items}]/"

    def _kind(self, *, in_cell: bool) -> BlockKind:
        group = self._group
        if group.level < 9 or group.style in self._headings:
            return BlockKind.HEADING
        if in_cell:
            return BlockKind.TABLE_CELL
        return BlockKind.LIST_ITEM if group.is_item else BlockKind.PARAGRAPH


def _level(title: str) -> int:
    """Heading level by the name of the style; 0 for other styles."""
    if title.startswith(("title", "subtitle")):
        return 1 + title.startswith("sub")
    number = title.removeprefix("heading").strip(" ;")
    return int(number) if len(number) == 1 and "1" <= number <= "9" else 0


def _reset_paragraph(group: _Group, number: int) -> None:
    group.in_table = group.is_item = group.is_drop_cap = False
    group.ground = group.height = group.indent = 0
    group.level, group.style, group.depth = 9, 0, 0


def _reset_characters(group: _Group, number: int) -> None:
    group.is_hidden = group.is_deleted = group.is_bold = group.is_italic = group.is_super = False
    group.font, group.size, group.colour, group.behind = group.usual_font, 24, 0, 0
    group.width, group.apart, group.raised = 100, 0, 0


def _set_usual_font(group: _Group, number: int) -> None:
    group.font = group.usual_font = number


def _setter(attribute: str, kind: Callable[[int], int] = int) -> Callable[[_Group, int], None]:
    return lambda group, number: setattr(group, attribute, kind(number))


_CHANGES: dict[str, Callable[[_Group, int], None]] = {
    "pard": _reset_paragraph,
    "plain": _reset_characters,
    "deff": _set_usual_font,
    "f": _setter("font"),
    "uc": _setter("skipped", lambda number: min(9, max(0, number))),
    "v": _setter("is_hidden", bool),
    "deleted": _setter("is_deleted", bool),
    "b": _setter("is_bold", bool),
    "i": _setter("is_italic", bool),
    "super": _setter("is_super", bool),
    **dict.fromkeys(["sub", "nosupersub"], _setter("is_super", lambda number: False)),
    "ilvl": _setter("depth", lambda number: min(8, max(0, number))),
    "fs": _setter("size"),
    "charscalex": _setter("width"),
    "expndtw": _setter("apart"),
    "cf": _setter("colour"),
    **dict.fromkeys(["highlight", "cb", "chcbpat"], _setter("behind")),
    "cbpat": _setter("ground"),
    "up": _setter("raised"),
    "dn": _setter("raised", lambda number: -number),
    "sl": _setter("height"),
    "li": _setter("indent"),
    "dropcapt": _setter("is_drop_cap", bool),
    "intbl": _setter("in_table", bool),
    "ls": _setter("is_item", bool),
    "outlinelevel": _setter("level"),
    "s": _setter("style"),
}
"""Control words that change the state of the current group."""


def _known(encoding: str, other: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return other


def _whole(halves: re.Match[str]) -> str:
    return halves[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
