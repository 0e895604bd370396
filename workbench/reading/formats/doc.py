"""Word documents of the binary format (DOC, Word 97 to 2003): paragraphs with tracked insertions, text boxes and notes.

Left out: tracked deletions, hidden text, field codes, comments, headers and footers of pages. Structures follow
[MS-DOC]; section numbers in this module refer to it.
"""

from __future__ import annotations

import io
import re
import struct
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import groupby
from typing import Any, NamedTuple

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats import docx, html, rtf
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import OLE, refuse_encrypted
from workbench.reading.formats.paragraphs import Paragraphs, RelativeLook, shown_by_code

name = "doc"
suffixes: tuple[str, ...] = (".doc", ".dot")
_DISGUISED = (docx, rtf, html)
"""Other formats of files that may be named .doc."""
_DAMAGED = Message("This is not a document of this format, or it is damaged.")
_FIRST_VERSION = 193
"""The version of the format (nFib, 2.5.1) written by Word 97."""
_ENCRYPTED, _TABLE_1 = 0x0100, 0x0200
_LENGTHS = 64 + 3 * 4
"""Position of the lengths of the subdocuments (2.5.4)."""
_SUBDOCUMENTS = ("p", "footnotes/p", "", "", "", "endnotes/p", "p")
"""Paths of the subdocuments in their order; headers, macros and comments are left out."""
_STYLES, _CHARACTERS, _PARAGRAPHS, _PIECES = (154 + 8 * number for number in (1, 12, 13, 33))
"""Positions of the offsets of tables (2.5.6)."""
_PAGE = 512
_COMPRESSED = 0x40000000
_MARK_DELETED, _VANISH, _SYMBOL = 0x0800, 0x083C, 0x6A09
_SIZE, _COLOUR, _PALETTE = 0x4A43, 0x6870, 0x2A42
_LOOKS = {0x0835: LookKind.BOLD, 0x0836: LookKind.ITALIC}
_BACKGROUNDS = frozenset([0xCA71, 0x4866, 0x2A0C])
_SHADES = frozenset([0xC64D, 0x442D])
_TINY, _PALEST, _WHITE = 3, 0xEF, 8
"""Largest font size of hidden letters in half-points, the darkest shade that looks like white paper, and the
number of white.
"""
_IN_TABLE, _LIST, _OUTLINE, _STYLE = 0x2416, 0x460B, 0x2640, 0x4600
_TABLE_DEFINITION, _TABS = 0xD608, 0xC615
_OPERANDS = (1, 1, 2, 4, 2, 2, 0, 3)
"""Bytes of a property's operand by its kind (2.6.2); 0 if the operand begins with its length."""
_KINDS = {
    **dict.fromkeys([*range(1, 10), 62, 74], BlockKind.HEADING),
    **dict.fromkeys(range(47, 62), BlockKind.LIST_ITEM),
}
"""The built-in styles (2.9.271) of headings, titles and subtitles, and of lists."""
_END = re.compile(r"[\r\x07\x0c]|\Z")
_FIELD = re.compile(r"([\x13-\x15])")
_CONTROLS = re.compile(r"[\0-\x08\x0e-\x1d\x1f]")
_ADDRESS = re.compile(r'HYPERLINK\s+"(https?://[^"\s]+)')


def sniff(head: bytes) -> bool:
    """Whether it begins like files of old Office programs."""
    return head.startswith(OLE)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs with text, their path is ``p[n]`` from 1, in notes
    ``footnotes/p[n]`` or ``endnotes/p[n]``. A file of another format is read as that format.

    Raises UnreadableInput if it is encrypted, damaged, older than Word 97 or has no text.
    """
    data = whole(source, options)
    if not data.startswith(OLE):
        for other in _DISGUISED:
            if other.sniff(data[:4096]):
                yield from other.read(source, options)
                return
        raise UnreadableInput(_DAMAGED)
    refuse_encrypted(data)
    try:
        file = _streams(data)
        reader = _Reader(file)
        reader.read()
    except (OSError, struct.error, ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise UnreadableInput(_DAMAGED) from error
    yield Record(
        None,
        reader.paragraphs.document(
            source.name,
            name,
            options,
            title=file.title or source.stem,
            created=file.created,
            links=dict.fromkeys(_ADDRESS.findall("".join(reader.fields))),
            repairs=reader.remarks(has_macros=file.has_macros),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Streams:
    """The required streams of the file."""

    main: bytes
    table: bytes
    title: str
    created: str
    has_macros: bool


def _streams(data: bytes) -> _Streams:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as file:
        if not file.exists("WordDocument"):
            raise UnreadableInput(Message("This is an old Office file, not this format."))
        main = file.openstream("WordDocument").read()
        version, flags = struct.unpack_from("<H6xH", main, 2)
        if version < _FIRST_VERSION:
            raise UnreadableInput(
                Message("This file is older than Word 97. Open it in a newer program and save it as .docx.")
            )
        if flags & _ENCRYPTED:
            raise UnreadableInput(Message("This document is protected by a password."))
        table = file.openstream("1Table" if flags & _TABLE_1 else "0Table").read()
        title, created = _metadata(file)
        return _Streams(main, table, title, created, file.exists("Macros"))


def _metadata(file: Any) -> tuple[str, str]:
    """Title and date of the file, each empty if there is none or it cannot be read."""
    try:
        about = file.get_metadata()
        page = (about.codepage or 1252) & 0xFFFF
        title = (about.title or b"").decode("utf-8" if page == 65001 else f"cp{page}", "replace")
        created = f"{about.create_time:%Y-%m-%d}" if about.create_time and about.create_time.year > 1980 else ""
        return clean(title)[0].strip(), created
    except Exception:  # noqa: BLE001 - whatever is wrong with what only describes the file
        return "", ""


class _Piece(NamedTuple):
    """A stretch of text: its first character, its offset in the main stream, and bytes for each character."""

    start: int
    offset: int
    width: int


class _Sight(Enum):
    """Why characters are not text or not visible."""

    DELETED = auto()
    LEFT_OUT = auto()
    TINY = auto()
    PALE = auto()


class _Character(NamedTuple):
    """Properties of a run of characters: why it is not text or not visible, and its own look."""

    sight: _Sight | None = None
    look: LookKind = LookKind(0)


class _Paragraph(NamedTuple):
    """Properties of a paragraph: its style, and its own properties, which override it."""

    style: int = 0
    in_table: bool = False
    is_shaded: bool = False
    numbered: int = -1
    level: int = 9


@dataclass(slots=True)
class _Runs:
    """Consecutive stretches of the main stream: the start of each, the end of the last, and the value of each."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def at(self, offset: int) -> Any:
        """The value at the position; None if there is none."""
        number = bisect_right(self.starts, offset) - 1
        return self.values[number] if number >= 0 and offset < self.ends[number] else None

    def within(self, start: int, end: int) -> Iterator[tuple[int, int, Any]]:
        """The stretches in ``[start, end)``, cut to it."""
        for number in range(max(0, bisect_right(self.starts, start) - 1), bisect_right(self.starts, end - 1)):
            first, last = max(start, self.starts[number]), min(end, self.ends[number])
            if first < last:
                yield first, last, self.values[number]


class _Reader:
    """Assembles the text from its pieces, drops omitted parts, and cuts it into paragraphs."""

    def __init__(self, file: _Streams) -> None:
        self.paragraphs = Paragraphs()
        self.fields: list[str] = []
        self.deleted = 0
        self._main, self._table = file.main, file.table
        self._numbers: Counter[str] = Counter()
        self._pieces: list[_Piece] = []
        self._unseen: dict[_Sight, list[range]] = {_Sight.TINY: [], _Sight.PALE: []}
        self._looks: dict[LookKind, list[range]] = {LookKind.BOLD: [], LookKind.ITALIC: []}

    def read(self) -> None:
        """The whole text. Raises an error of ``struct`` or a LookupError if the file is damaged."""
        lengths = struct.unpack_from("<7I", self._main, _LENGTHS)
        text = self._text(sum(lengths))
        kinds = _runs(self._main, self._part(_PARAGRAPHS), _paragraph)
        styles = list(_styles(self._part(_STYLES)))
        start = 0
        for prefix, length in zip(_SUBDOCUMENTS, lengths, strict=True):
            if prefix:
                self._subdocument(text, start, start + length, prefix, kinds, styles)
            start += length

    def remarks(self, *, has_macros: bool) -> Iterator[str]:
        """Remarks on ignored and omitted parts."""
        if has_macros:
            yield "macros in the file were ignored"
        if self.deleted:
            yield f"left out tracked deletions ({self.deleted:,})"

    def _part(self, place: int) -> bytes:
        """The part of the table stream whose offset and length are at ``place``."""
        offset, length = struct.unpack_from("<2I", self._main, place)
        return self._table[offset : offset + length]

    def _text(self, most: int) -> str:
        """The first ``most`` characters, with NUL for each omitted one (2.4.1)."""
        characters = _runs(self._main, self._part(_CHARACTERS), _character)
        texts, length = [], 0
        for start, end, offset, width in _pieces(self._part(_PIECES)):
            if start != length or start >= most:
                break
            end = min(end, most)
            data = self._main[offset : offset + (end - start) * width]
            if len(data) < (end - start) * width or end > len(self._main):
                raise ValueError
            piece = list(data.decode("cp1252", "replace") if width == 1 else _units(data))
            for first, last, run in characters.within(offset, offset + len(data)):
                span = slice((first - offset) // width, (last - offset) // width)
                stretch = range(start + span.start, start + span.stop)
                for look, stretches in self._looks.items():
                    if look & run.look:
                        stretches.append(stretch)
                if run.sight in self._unseen:
                    self._unseen[run.sight].append(stretch)
                elif run.sight is not None:
                    self.deleted += run.sight is _Sight.DELETED
                    piece[span] = "\0" * len(piece[span])
            self._pieces.append(_Piece(start, offset, width))
            texts += piece
            length = end
        return "".join(texts)

    def _subdocument(
        self, text: str, start: int, end: int, prefix: str, kinds: _Runs, styles: Sequence[BlockKind]
    ) -> None:
        levels: list[bool] = []
        in_box = prefix == "p" and start > 0
        while start < min(end, len(text)):
            match = _END.search(text, start, end)
            stop = match.start() if match is not None else end
            parts = list(self._without_codes(text[start:stop], levels))
            words = _CONTROLS.sub("", "".join(part for _, part in parts)).replace("\x0b", "\n").replace("\x1e", "-")
            joined = words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            if joined.strip():
                self._numbers[prefix] += 1
                kind, paragraph = self._kind(stop, kinds, styles)
                span = self.paragraphs.add(clean(joined)[0], kind, f"{prefix}[{self._numbers[prefix]}]")
                if len(joined) == len(words):
                    is_white = not (in_box or paragraph.in_table or paragraph.is_shaded)
                    sights = (_Sight.TINY, _Sight.PALE) if is_white else (_Sight.TINY,)
                    unseen = set[int]().union(*(_within(self._unseen[s], range(start, stop)) for s in sights))
                    looks = {look: _within(ranges, range(start, stop)) for look, ranges in self._looks.items()}
                    places = [*_places(parts, start)] if unseen or any(looks.values()) else []
                    self.paragraphs.hide(span, joined, ((at, at + 1) for at, n in enumerate(places) if n in unseen))
                    self.paragraphs.look(span, joined, _looks_at(places, looks))
            start = stop + 1

    def _without_codes(self, text: str, levels: list[bool]) -> Iterator[tuple[int, str]]:
        """The parts of ``text`` except field codes that are not shown, each with its offset; ``levels`` are the open
        fields, each true while in its code.
        """
        end = 0
        for part in _FIELD.split(text):
            at, end = end, end + len(part)
            if part == "\x13":
                levels.append(True)
            elif part == "\x14" and levels:
                levels[-1] = False
            elif part == "\x15" and levels:
                levels.pop()
            elif any(levels):
                self.fields.append(part)
                if not any(levels[:-1]):
                    yield from ((at + offset, shown) for offset, shown in shown_by_code(part))
            else:
                yield at, part

    def _kind(self, end: int, kinds: _Runs, styles: Sequence[BlockKind]) -> tuple[BlockKind, _Paragraph]:
        """Kind and properties of the paragraph ended by the character ``end``."""
        piece = self._pieces[bisect_right(self._pieces, end, key=lambda piece: piece.start) - 1]
        paragraph = kinds.at(piece.offset + (end - piece.start) * piece.width) or _Paragraph()
        kind = styles[paragraph.style] if paragraph.style < len(styles) else BlockKind.PARAGRAPH
        if paragraph.level < 9 or kind is BlockKind.HEADING:
            kind = BlockKind.HEADING
        elif paragraph.in_table:
            kind = BlockKind.TABLE_CELL
        elif paragraph.numbered >= 0:
            kind = BlockKind.LIST_ITEM if paragraph.numbered else BlockKind.PARAGRAPH
        return kind, paragraph


def _within(ranges: Sequence[range], stretch: range) -> set[int]:
    """The numbers of ``stretch`` in the ordered ``ranges``."""
    within: set[int] = set()
    first = max(0, bisect_right(ranges, stretch.start, key=lambda part: part.start) - 1)
    for number in range(first, bisect_right(ranges, stretch.stop, key=lambda part: part.start)):
        within.update(range(max(stretch.start, ranges[number].start), min(stretch.stop, ranges[number].stop)))
    return within


def _places(parts: Sequence[tuple[int, str]], start: int) -> Iterator[int]:
    """The position in the file of each character of the text of ``parts``, without control characters."""
    for at, part in parts:
        yield from (n for n, character in enumerate(part, start + at) if not _CONTROLS.match(character))


def _looks_at(places: Sequence[int], looks: Mapping[LookKind, set[int]]) -> Iterator[RelativeLook]:
    """The looks of the characters at ``places``, in order."""
    each = (LookKind(sum(look for look, within in looks.items() if place in within)) for place in places)
    at = 0
    for look, run in groupby(each):
        start, at = at, at + sum(1 for _ in run)
        if look:
            yield start, at, look


def _units(data: bytes) -> Iterator[str]:
    """The UTF-16 code units as characters, since offsets count code units."""
    return map(chr, struct.unpack(f"<{len(data) // 2}H", data))


def _pieces(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """For each piece: its first character, the one after its last, its offset, and bytes per character (2.9.38)."""
    at = 0
    while data[at] == 1:
        at += 3 + struct.unpack_from("<h", data, at + 1)[0]
        if at <= 0:
            raise ValueError
    (length,) = struct.unpack_from("<I", data, at + 1)
    count = (min(length, len(data)) - 4) // 12
    bounds = struct.unpack_from(f"<{count + 1}I", data, at + 5)
    for number in range(count):
        (offset,) = struct.unpack_from("<I", data, at + 5 + 4 * (count + 1) + 8 * number + 2)
        if offset & _COMPRESSED:
            yield bounds[number], bounds[number + 1], (offset & ~_COMPRESSED) // 2, 1
        else:
            yield bounds[number], bounds[number + 1], offset, 2


def _runs(main: bytes, table: bytes, value: Any) -> _Runs:
    """The stretches that pages of properties describe (2.8.5, 2.8.6), with the ``value`` of each."""
    runs = _Runs()
    count = (len(table) - 4) // 8
    for (number,) in struct.iter_unpack("<I", table[4 * (count + 1) : 4 * (count + 1) + 4 * count]):
        at = (number & 0x3FFFFF) * _PAGE
        page = main[at : at + _PAGE]
        if len(page) < _PAGE:
            continue
        entries = page[-1]
        bounds = struct.unpack_from(f"<{entries + 1}I", page)
        for entry in range(entries):
            # They ascend, except in hostile files.
            if bounds[entry] >= (runs.ends[-1] if runs.ends else 0) and bounds[entry + 1] > bounds[entry]:
                runs.starts.append(bounds[entry])
                runs.ends.append(bounds[entry + 1])
                runs.values.append(value(page, entries, entry))
    return runs


def _character(page: bytes, entries: int, entry: int) -> _Character:
    """The properties of a run of characters."""
    at = 2 * page[4 * (entries + 1) + entry]
    if not at:
        return _Character()
    own = dict(_properties(page[at + 1 : at + 1 + page[at]]))
    look = LookKind(sum(kind for code, kind in _LOOKS.items() if own.get(code, b"\0")[0] & 1))
    return _Character(_sight(own), look)


def _sight(own: Mapping[int, bytes]) -> _Sight | None:
    """Why characters with these properties are not text or not visible; None if they are visible text."""
    if own.get(_MARK_DELETED, b"\0")[0]:
        return _Sight.DELETED
    if own.get(_VANISH, b"\0")[0] & 1 or _SYMBOL in own:
        return _Sight.LEFT_OUT
    if int.from_bytes(own.get(_SIZE, b"\x18\0"), "little") <= _TINY:
        return _Sight.TINY
    colour = own.get(_COLOUR, b"")
    is_pale = len(colour) == 4 and not colour[3] and min(colour[:3]) >= _PALEST
    is_pale = is_pale or (not colour and own.get(_PALETTE, b"\0")[0] == _WHITE)
    return _Sight.PALE if is_pale and _BACKGROUNDS.isdisjoint(own) else None


def _paragraph(page: bytes, entries: int, entry: int) -> _Paragraph:
    at = 2 * page[4 * (entries + 1) + 13 * entry]
    if not at:
        return _Paragraph()
    size = 2 * page[at] - 1
    if size < 0:
        at, size = at + 1, 2 * page[at + 1]
    data = page[at + 1 : at + 1 + size]
    if len(data) < 2:
        return _Paragraph()
    own = dict(_properties(data[2:]))
    style = int.from_bytes(own.get(_STYLE, data[:2]), "little")
    numbered = int.from_bytes(own[_LIST], "little") if _LIST in own else -1
    is_shaded = not _SHADES.isdisjoint(own)
    return _Paragraph(style, any(own.get(_IN_TABLE, b"")), is_shaded, numbered, own.get(_OUTLINE, b"\x09")[0])


def _properties(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The properties in a list of them, with their operands (2.2.5.1)."""
    at = 0
    while at + 3 <= len(data):
        (code,) = struct.unpack_from("<H", data, at)
        size = _OPERANDS[code >> 13]
        at += 2
        if code == _TABLE_DEFINITION:
            size = max(1, int.from_bytes(data[at : at + 2], "little") + 1)
        elif not size:
            if code == _TABS and data[at] == 255:
                return
            size = 1 + data[at]
        yield code, data[at : at + size] or b"\0"
        at += size


def _styles(data: bytes) -> Iterator[BlockKind]:
    """The kind of paragraphs of each style; styles inherit (2.9.271)."""
    styles: list[tuple[int, int]] = []
    at = 2 + int.from_bytes(data[:2], "little")
    while at + 2 <= len(data):
        size = int.from_bytes(data[at : at + 2], "little")
        identity, parent = struct.unpack_from("<2H", data, at + 2) if size >= 4 else (0, 0xFFFF)
        styles.append((identity & 0xFFF, parent >> 4))
        at += 2 + size + size % 2
    for style, parent in styles:
        for _ in range(12):
            if style in _KINDS or parent >= len(styles):
                break
            style, parent = styles[parent]
        yield _KINDS.get(style, BlockKind.PARAGRAPH)
