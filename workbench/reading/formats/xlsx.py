"""Excel workbooks (XLSX): the cells of each sheet below its name, row by row, and text boxes.

Formulas are read as their stored results, numbers without the format of their cell, dates as ISO 8601. Omitted: hidden
sheets, rows and columns, comments, phonetic readings, charts, headers and footers of pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from math import isfinite

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import MEGABYTE, Item, ReadOptions, Record, Source
from workbench.reading.formats.colours import PAPER, Theme, adjust_lightness, is_lost
from workbench.reading.formats.drawings import shape_paragraphs
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import (
    Package,
    attribute,
    left_out,
    local,
    main_part,
    named,
    reference,
    relations,
    title_and_date,
)
from workbench.reading.formats.paragraphs import Paragraphs

name = "xlsx"
suffixes: tuple[str, ...] = (".xlsx", ".xlsm", ".xltx", ".xltm")
_PART = re.compile(rb"PK\x03\x04.{26}xl/", re.DOTALL)
_DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
"""Built-in formats for dates and times (ECMA-376, 18.8.30)."""
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')
_ELAPSED, _ELAPSED_FORMAT = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE), "46"
"""What only a format of durations contains, and the built-in one."""
_CELL = re.compile(r"[A-Z]{1,3}[0-9]{1,7}")
_EPOCHS = (datetime(1899, 12, 30), datetime(1904, 1, 1))
_TINY = 1.5
"""Letters are hidden up to this size, in points."""
_CODE = re.compile(r"&(?:[A-Z]|\"[^\"]*\"|\d+)")
"""Codes in headers: positions, fonts and sizes, fields."""
_TOGGLES = {"0": "FALSE", "1": "TRUE"}
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
"""A character by its number (ECMA-376-1, 22.9.2.19), such as the carriage return of ``_x000D_``."""


def sniff(head: bytes) -> bool:
    """Accepts a zip file with a part of Excel's among its first."""
    return head.startswith(b"PK\x03\x04") and _PART.search(head) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: a sheet's name is a heading, each cell a block, its path ``sheet[n]/B3``, in text boxes
    ``sheet[n]/p[m]``.

    Raises UnreadableInput if it is encrypted, damaged, has no text, or has more text than ``options.member_bytes``.
    """
    package = Package(whole(source, options), options)
    book = _Workbook(package, options)
    if not book.has_cells:
        raise book.error or UnreadableInput(Message("There is no text in this document."))
    title, created = title_and_date(package)
    yield Record(
        None,
        book.paragraphs.document(
            source.name,
            name,
            options,
            title=title or source.stem,
            created=created,
            repairs=(
                *left_out(package, "sheets", hidden=book.hidden, lost=book.lost),
                *([f"left out cells of hidden rows and columns ({book.hidden_cells:,})"] if book.hidden_cells else []),
            ),
        ),
    )


class _Workbook:
    """Reads the sheets of a workbook; each once, even if listed repeatedly."""

    def __init__(self, package: Package, options: ReadOptions) -> None:
        self.paragraphs = Paragraphs()
        self.has_cells = False
        self.error: UnreadableInput | None = None
        self._package = package
        self._limit = self._remaining = options.member_bytes
        self.hidden = self.lost = self.hidden_cells = 0
        main = main_part(package, "xl/workbook.xml")
        if main not in package.names:
            raise UnreadableInput(Message("This is not an Excel workbook: it has no sheets."))
        book = package.xml(main)
        parts = relations(package, main)
        by_kind = {part.kind: part.part for part in parts.values()}
        self._strings = list(_strings(package, by_kind.get("sharedStrings", "")))
        styles = package.xml_if_any(by_kind.get("styles", ""))
        theme = Theme(package.xml_if_any(by_kind.get("theme", "")))
        self._dates, self._durations = _date_styles(styles), _duration_styles(styles)
        self._unseen = _unseen_styles(styles, theme)
        self._epoch = _EPOCHS[any(attribute(e, "date1904") in ("1", "true") for e in named(book, "workbookPr"))]
        seen: set[str] = set()
        for number, sheet in enumerate(named(book, "sheet"), 1):
            part = parts.get(reference(sheet))
            if part is None or part.part in seen or part.kind != "worksheet":
                continue
            seen.add(part.part)
            if attribute(sheet, "state") in ("hidden", "veryHidden"):
                self.hidden += 1
                continue
            try:
                self._sheet(part.part, clean(attribute(sheet, "name"))[0], f"sheet[{number}]")
            except UnreadableInput as error:
                if self._remaining < 0:
                    raise
                self.error = self.error or error
                self.lost += 1

    def _sheet(self, part: str, title: str, path: str) -> None:
        root = self._package.xml(part)
        cells = [(text, cell) for cell in self._shown(root) if (text := self._text(cell))]
        boxes = [
            text
            for other in relations(self._package, part).values()
            if other.kind == "drawing" and (data := self._package.xml_if_any(other.part)) is not None
            for text in shape_paragraphs(data)
            if text.text
        ]
        if cells or boxes:
            self.has_cells = True
            self.paragraphs.add(title, BlockKind.HEADING, path)
        # A table or a conditional format may override the background of cells.
        on_paper = not any(local(e) in ("tableParts", "conditionalFormatting") for e in root)
        for text, cell in cells:
            span = self.paragraphs.add(text, BlockKind.TABLE_CELL, f"{path}/{_cell(cell)}")
            if on_paper and attribute(cell, "s") in self._unseen:
                self.paragraphs.hide(span, text, [(0, len(text))])
        for number, box in enumerate(boxes, 1):
            span = self.paragraphs.add(box.text, box.kind, f"{path}/p[{number}]")
            self.paragraphs.hide(span, box.text, box.unseen)
        heads = (e.text or "" for group in named(root, "headerFooter") for e in group)
        charts = (
            chart
            for drawing in relations(self._package, part).values()
            if drawing.kind == "drawing"
            for other in relations(self._package, drawing.part).values()
            if other.kind == "chart" and (chart := self._package.xml_if_any(other.part)) is not None
        )
        drawn = (paragraph for chart in charts for paragraph in named(chart, "p"))
        self.paragraphs.outside += (_CODE.sub("", head) for head in heads)
        self.paragraphs.outside += ("".join(e.text or "" for e in named(one, "t")) for one in drawn)

    def _shown(self, root: etree._Element) -> Iterator[etree._Element]:
        """The cells of a sheet outside hidden rows and columns; hidden cells are counted."""
        columns = [
            range(int(first), int(last) + 1)
            for column in named(root, "col")
            if _is_hidden(column, "width")
            and (first := attribute(column, "min")).isdecimal()
            and (last := attribute(column, "max")).isdecimal()
            and len(first + last) < 16
        ]
        for row in named(root, "row"):
            is_hidden = _is_hidden(row, "ht")
            for cell in named(row, "c"):
                if is_hidden or (columns and any(_column(cell) in hidden for hidden in columns)):
                    self.hidden_cells += any(local(e) in ("v", "is") for e in cell)
                else:
                    yield cell

    def _text(self, cell: etree._Element) -> str:
        kind = attribute(cell, "t")
        if kind == "inlineStr":
            text = next((_rich(e) for e in cell if local(e) == "is"), "")
        else:
            value = next((e.text or "" for e in cell if local(e) == "v"), "")
            text = self._value(value, kind, attribute(cell, "s"))
        # One string may be the text of a million cells.
        self._remaining -= len(text)
        if self._remaining < 0:
            raise UnreadableInput(
                Message("This is larger than the limit of {limit} MB.", limit=f"{self._limit / MEGABYTE:g}")
            )
        return text

    def _value(self, value: str, kind: str, style: str) -> str:
        if kind == "s":
            at = int(value) if value.isdecimal() and len(value) < 10 else len(self._strings)
            return self._strings[at] if at < len(self._strings) else ""
        if kind == "b":
            return _TOGGLES.get(value, "")
        if kind in ("str", "d"):
            return _plain(value)
        if kind == "e":
            return ""
        try:
            number = float(value)
        except ValueError:
            return ""
        if style in self._durations:
            return _duration(number)
        return _date(number, self._epoch) if style in self._dates else f"{number:.15g}"


def _is_hidden(element: etree._Element, size: str) -> bool:
    """Whether a row or column is hidden or has size zero."""
    return attribute(element, "hidden") in ("1", "true") or attribute(element, size) in ("0", "0.0")


def _column(cell: etree._Element) -> int:
    """The number of a cell's column, from 1; 0 if the file does not state it."""
    number = 0
    for letter in _cell(cell).rstrip("0123456789"):
        number = 26 * number + ord(letter) - ord("A") + 1 if letter.isupper() else 0
    return number


def _cell(cell: etree._Element) -> str:
    """The name of a cell (``B3``); ``c`` if the file does not state it."""
    place = attribute(cell, "r")
    return place if _CELL.fullmatch(place) else "c"


def _strings(package: Package, part: str) -> Iterator[str]:
    """The texts that cells refer to by number. Raises UnreadableInput if they cannot be read."""
    if part in package.names:
        yield from (_rich(entry) for entry in package.xml(part) if local(entry) == "si")


def _rich(element: etree._Element) -> str:
    """Text of the runs of a string, without phonetic readings."""
    runs = (run for run in element if local(run) in ("t", "r"))
    pieces = (part.text or "" for run in runs for part in run.iter() if local(part) == "t")
    return _plain("".join(pieces))


def _plain(text: str) -> str:
    """A string as it is shown: escaped characters without their escapes, and without those that are not shown."""
    return clean(_ESCAPED.sub(_shown_character, text))[0].strip()


def _shown_character(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character.isprintable() or character in "\t\n\r" else ""


def _date_styles(root: etree._Element | None) -> set[str]:
    """The numbers of the cell styles that show a date or time."""
    own = {attribute(e, "numFmtId"): attribute(e, "formatCode") for e in named(root, "numFmt")}
    dates = {str(number) for number in _DATES}
    dates |= {number for number, code in own.items() if set(_QUOTED.sub("", code).lower()) & set("ymdhs")}
    return _styles_with(root, dates)


def _duration_styles(root: etree._Element | None) -> set[str]:
    """The numbers of the cell styles that show a duration, as in ``[h]:mm``."""
    own = {attribute(e, "numFmtId"): attribute(e, "formatCode") for e in named(root, "numFmt")}
    return _styles_with(root, {number for number, code in own.items() if _ELAPSED.search(code)} | {_ELAPSED_FORMAT})


def _styles_with(root: etree._Element | None, wanted: set[str]) -> set[str]:
    """The numbers of the cell styles with one of the ``wanted`` formats."""
    formats = (xf for styles in named(root, "cellXfs") for xf in styles)
    return {str(number) for number, xf in enumerate(formats) if attribute(xf, "numFmtId") in wanted}


def _unseen_styles(root: etree._Element | None, theme: Theme) -> set[str]:
    """The numbers of the cell styles with invisible text: tiny, in the colour of the cell, or with a format that shows
    nothing.
    """
    fonts = [{local(part): part for part in font} for group in named(root, "fonts") for font in group]
    fills = [_behind(fill, theme) for group in named(root, "fills") for fill in group]
    blank = {attribute(e, "numFmtId") for e in named(root, "numFmt") if set(attribute(e, "formatCode")) == {";"}}
    sizes = [attribute(parts["sz"], "val") if "sz" in parts else "" for parts in fonts]
    tiny = [size.replace(".", "", 1).isdecimal() and float(size[:8]) <= _TINY for size in sizes]
    letters = [_colour(parts.get("color"), theme) for parts in fonts]
    unseen = set()
    for number, xf in enumerate(xf for group in named(root, "cellXfs") for xf in group):
        font, fill = (attribute(xf, key) or "0" for key in ("fontId", "fillId"))
        own = int(font) if font.isdecimal() and int(font[:9]) < len(fonts) else -1
        behind = fills[int(fill)] if fill.isdecimal() and int(fill[:9]) < len(fills) else ""
        is_lost_there = own >= 0 and (tiny[own] or is_lost(letters[own], behind))
        if is_lost_there or attribute(xf, "numFmtId") in blank:
            unseen.add(str(number))
    return unseen


def _behind(fill: etree._Element, theme: Theme) -> str:
    """The colour of a fill, by default that of paper; empty if it has more than one colour."""
    pattern = next(named(fill, "patternFill"), None)
    if next(named(fill, "gradientFill"), None) is not None:
        return ""
    kind = "" if pattern is None else attribute(pattern, "patternType")
    if kind in ("", "none"):
        return PAPER
    return _colour(next(named(pattern, "fgColor"), None), theme) if kind == "solid" else ""


def _colour(element: etree._Element | None, theme: Theme) -> str:
    """The colour of a font or fill; empty if it is the default or unknown."""
    if element is None:
        return ""
    colour = theme.of_number(attribute(element, "theme")) or attribute(element, "rgb")[-6:]
    try:
        tint = max(-1.0, min(1.0, float(attribute(element, "tint") or 0)))
    except ValueError:
        return ""
    return adjust_lightness(colour, 1 + tint) if tint < 0 else adjust_lightness(colour, 1 - tint, tint)


def _duration(number: float) -> str:
    """A number of days as hours and minutes."""
    if not isfinite(number):
        return f"{number:.15g}"
    hours, minutes = divmod(round(abs(number) * 24 * 60), 60)
    return f"{'-' if number < 0 else ''}{hours}:{minutes:02}"


def _date(number: float, epoch: datetime) -> str:
    """A serial number of days as a date, a time of the day, or both."""
    try:
        moment = epoch + timedelta(minutes=round(number * 24 * 60))
    except (OverflowError, ValueError):
        return f"{number:.15g}"
    if number < 1:
        return f"{moment:%H:%M}"
    return moment.date().isoformat() if number == int(number) else f"{moment:%Y-%m-%d %H:%M}"
