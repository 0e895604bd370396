"""CSV and TSV with a header line: one document per row, with the column names of JSONL's fields."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Extraction
from workbench.reading.formats.api import Failure, Item, ReadOptions, Source
from workbench.reading.formats.opening import opened
from workbench.reading.formats.rows import FIELDS, check_columns, record, text_lines

name = "csv"
suffixes: tuple[str, ...] = (".csv", ".tsv")
UNCLOSED = Message("A quotation mark in this row is not closed, so the rows below it cannot be told apart.")
_DELIMITERS = ",\t;|"
_FIELD = r'(?:"[^"]*(?:""[^"]*)*"|[^"\t\r\n][^\t\r\n]*)?'
_ROW = re.compile(rf'(?:{_FIELD}\t)*(?:(?P<open>"[^"]*(?:""[^"]*)*\Z)|{_FIELD}[\r\n]*\Z)')
"""A line whose quotation marks enclose fields; ``open``: the last one does not end in it."""
_SEPARATOR = re.compile(r"\"?sep=[,\t;|]?\"?", re.IGNORECASE)


def sniff(head: bytes) -> bool:
    """Whether the first line has several columns, one of them text."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("ascii", "replace")
    names = _names(first, _delimiter(first))
    return len(names) > 1 and set(names) <= set(FIELDS) and ("text" in names or "html" in names)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """A record or a failure (``name:line``, the line where the row ends) for each row.

    Raises UnreadableInput for binary data or if there is no text or html column.
    """
    with opened(source, options) as stream:
        lines, extraction = text_lines(stream, options)
        first = header(lines, options)
        yield from read_lines(lines, source.name, extraction, options, first)


def header(lines: Iterator[tuple[int, str | None]], options: ReadOptions) -> str:
    """Consume the header of a file's numbered lines, and a line ``sep=;`` before it, which spreadsheets take as theirs.

    Raises UnreadableInput if it has no text or html column, or lacks one of ``options.columns``.
    """
    first = next(lines, (1, None))[1] or ""
    if _SEPARATOR.fullmatch(first.strip()):
        first = next(lines, (2, None))[1] or ""
    check_columns(_names(first, _delimiter(first)), options)
    return first


def rows(
    lines: Iterable[tuple[int, str | None]], first: str, options: ReadOptions
) -> Iterator[tuple[tuple[int, str | None], ...]]:
    """Numbered lines of a file, grouped into rows as :func:`read_lines` does; ``first`` is the header."""
    csv.field_size_limit(options.line_characters)
    taken: list[tuple[int, str | None]] = []

    def noted() -> Iterator[tuple[int, str | None]]:
        for line, text in _literal(lines, first):
            taken.append(line)
            yield line[0], text

    reader = csv.reader(_usable_lines(noted(), [], _Place()), delimiter=_delimiter(first))
    while True:
        with suppress(csv.Error):
            next(reader, None)
        if not taken:
            return
        yield tuple(taken)
        taken.clear()


def read_lines(
    lines: Iterable[tuple[int, str | None]], source_name: str, extraction: Extraction, options: ReadOptions, first: str
) -> Iterator[Item]:
    """A record or a failure for each row of some numbered lines of a file; ``first`` is the file's header.

    The lines must start at the beginning of a row.
    """
    csv.field_size_limit(options.line_characters)
    delimiter = _delimiter(first)
    names = _names(first, delimiter)
    extraction = replace(extraction, format=name)
    skipped: list[int] = []
    at = _Place()
    literal = ((number, text) for (number, _), text in _literal(lines, first))
    reader = csv.reader(_usable_lines(literal, skipped, at), delimiter=delimiter)
    while True:
        at.first = 0
        try:
            values = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            yield Failure(f"{source_name}:{at.last}", Message("The row is not valid CSV: {error}.", error=error))
            continue
        finally:
            for number in skipped:
                limit = Message(
                    "The line is longer than the limit of {limit} characters.",
                    limit=f"{options.line_characters:,}",
                )
                yield Failure(f"{source_name}:{number}", limit)
            skipped.clear()
        if at.is_over:
            # A row that is complete ends before more lines are asked for.
            yield Failure(f"{source_name}:{at.first}", UNCLOSED)
        elif values and any(v.strip() for v in values):
            yield _row(names, values, f"{source_name}:{at.last}", extraction, options)


def _row(names: list[str], values: list[str], where: str, extraction: Extraction, options: ReadOptions) -> Item:
    if len(values) > len(names):
        return Failure(
            where, Message("The row has {values} columns, the header {names}.", values=len(values), names=len(names))
        )
    try:
        return record(dict(zip(names, values, strict=False)), where, extraction, options)
    except UnreadableInput as error:
        return Failure.of(where, error)


@dataclass(slots=True)
class _Place:
    """The numbers of the ``first`` (0: none yet) and ``last`` line of a row, and whether lines were asked for beyond
    the last one of the file.
    """

    first: int = 0
    last: int = 1
    is_over: bool = False


def _usable_lines(lines: Iterable[tuple[int, str | None]], skipped: list[int], at: _Place) -> Iterator[str]:
    """Lines within the length limit; the numbers of others are added to ``skipped``."""
    for number, line in lines:
        at.first, at.last = at.first or number, number
        if line is None:
            skipped.append(number)
            yield "\n"
        else:
            yield line
    at.is_over = True


def _literal(
    lines: Iterable[tuple[int, str | None]], first: str
) -> Iterator[tuple[tuple[int, str | None], str | None]]:
    """Each numbered line, and its text with quotation marks that enclose no field written so that they are kept.

    Many tables with tabs do not enclose fields, and their texts may begin with quotation marks. A mark without a
    counterpart encloses several lines only if the next line has too few tabs to be a row. Other tables are unchanged.
    """
    rest = iter(lines)
    if _delimiter(first) != "\t":
        yield from ((line, line[1]) for line in rest)
        return
    tabs, is_open, after = first.count("\t"), False, next(rest, None)
    while (line := after) is not None:
        after, text = next(rest, None), line[1]
        if text and is_open:
            is_open = text.count('"') % 2 == 0
        elif text and '"' in text:
            row = _ROW.match(text)
            is_open = row is not None and row["open"] is not None
            is_row_after = after is None or (after[1] or "").count("\t") >= tabs
            if row is None or (is_open and is_row_after):
                is_open, text = False, "\t".join(map(_enclosed, text.split("\t")))
        yield line, text


def _enclosed(field: str) -> str:
    """A field with its quotation marks, as CSV writes it; a line end stays outside."""
    text = field.rstrip("\r\n")
    return '"' + text.replace('"', '""') + '"' + field[len(text) :] if '"' in text else field


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=header.count)


def _names(header: str, delimiter: str) -> list[str]:
    try:
        values = next(csv.reader([header.strip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return []
    return [v.strip().lower() for v in values]
