"""Files of labels, read row by row: JSON Lines or CSV, one label per row or one column per annotator."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.base.errors import UnreadableInput, UserError
from workbench.base.messages import Message, reason
from workbench.base.resources import open_regular
from workbench.base.sound import is_text
from workbench.base.spreadsheet import plain
from workbench.base.types import Span
from workbench.reading.decoding import decode
from workbench.reading.formats import Failure
from workbench.reading.formats.csv import UNCLOSED
from workbench.services.labels.targets import document_target, pair_target, passage_target

_ID = ("id", "document")
_VALUE = ("label", "value")
_WHO = ("annotator", "who")
_WHEN = ("time", "when")
_SET = ("set", "label_set")
_FIELDS = frozenset((*_ID, *_VALUE, *_WHO, *_WHEN, *_SET, "a", "b", "target", "note"))
_WIDE = "label:"
UNRESOLVED = "unresolved"
"""How an exported row without a label was settled: not at all."""
_UNREADABLE = "\ufffd"
_ILLEGIBLE = Message("The row contains characters that cannot be read in the encoding of the file.")
_DELIMITERS = ",\t;|"
_DIGEST = re.compile("[0-9a-f]{64}(:[0-9a-f]{64})?")
_NUMBER = re.compile(r"\d{1,15}")
_LINE_END = re.compile(r"\s*[\n\r\v\f\x85\u2028\u2029]\s*")
"""A line end in a name, which has one line wherever it is shown."""
_LIMIT = 1_000_000
_LARGEST = 256_000_000

Fields = Mapping[str, list[Any]]
"""Values by field name in lower case (``label:NAME``: but for the name); several if the row repeats the field."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label of a file. ``who``, ``when`` and ``label_set`` are empty if the row does not give them.

    ``withdrawn`` marks an event of an exported history that withdrew a label, or is a note without one: its ``value``
    is empty. ``digest`` identifies the text of a passage or document when it was labelled, if given.
    """

    where: str
    target: str
    name: str
    value: str
    who: str = ""
    when: str = ""
    note: str = ""
    label_set: str = ""
    adjudicated: bool = False
    withdrawn: bool = False
    digest: str = ""


class _BadRowError(Exception):
    """Why a row is refused."""


def read_rows(
    file: Path, encoding: str | None = None, columns: Mapping[str, str] | None = None
) -> Iterator[LabelRow | Failure]:
    """Labels of ``file`` (.jsonl, .csv, .tsv) in order; an invalid row is a Failure (``file:line``).

    ``columns`` defines the columns of a file with other headings: a heading to the name of a field (``id``, ``label``,
    ``note``, ``label:NAME`` ...), or to "" to ignore it; one that is not listed keeps its name. The case of headings
    and fields does not matter. Raises UserError if the file cannot be read at all or has no column that identifies the
    labelled items.
    """
    text, is_csv = read_text(file, encoding)
    named = _field_names(columns or {})
    for line, record in _csv_rows(text, file, named) if is_csv else _json_rows(text, named):
        where = f"{file}:{line}"
        if isinstance(record, str):
            yield Failure(where, record)
            continue
        if any(_UNREADABLE in str(value) for values in record.values() for value in values):
            yield Failure(where, _ILLEGIBLE)
            continue
        try:
            for row in _labels(record, where):
                if not all(map(is_text, (row.target, row.value, row.who, row.note, row.label_set))):
                    raise _BadRowError(_ILLEGIBLE)
                value, who, label_set = (_LINE_END.sub(" ", name) for name in (row.value, row.who, row.label_set))
                yield replace(row, value=value, who=who, label_set=label_set, digest=_digest(record))
        except _BadRowError as error:
            yield Failure(where, reason(error))


def read_text(file: Path, encoding: str | None = None) -> tuple[str, bool]:
    """The text of a file of labels, and whether it is CSV. Raises UserError if it cannot be read."""
    try:
        with open_regular(file) as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UserError(Message("This file cannot be read ({reason}).", reason=error), path=file) from error
    if len(data) > _LARGEST:
        raise UserError(Message("The file is larger than {limit} MB.", limit=_LARGEST // 1_000_000), path=file)
    try:
        text = decode(data, override=encoding).text
    except UnreadableInput as error:
        raise UserError(error.message, path=file, hint=error.hint) from error
    if not text.strip():
        raise UserError(Message("The file is empty."), path=file)
    is_csv = file.suffix.lower() in (".csv", ".tsv") or (file.suffix.lower() == ".txt" and text[:1] not in "{[")
    return text, is_csv


def first_cells(file: Path, count: int, encoding: str | None = None) -> tuple[list[str], list[list[str]]]:
    """The headings of ``file``, and the cells of its first ``count`` rows below them, "" if a row has none.

    Raises UserError if it cannot be read.
    """
    text, is_csv = read_text(file, encoding)
    if is_csv:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, _field_names({})))
        try:
            names = [name.strip() for name in next(reader, [])]
            rows = [row for row, _ in zip((r for r in reader if any(r)), range(count), strict=False)]
        except csv.Error as error:
            raise UserError(Message("The file is not valid CSV: {error}.", error=error), path=file) from error
        return names, [[plain(cell).strip() for cell in [*row, *[""] * len(names)][: len(names)]] for row in rows]
    objects = list(islice((fields for _, fields in _json_rows(text, str) if not isinstance(fields, str)), count))
    names = list(dict.fromkeys(name for fields in objects for name in fields))
    return names, [[_shown(fields.get(name, [""])[0]) for name in names] for fields in objects]


def _shown(value: Any) -> str:
    return "" if value is None else "…" if isinstance(value, _Object | list) else str(value)


def _field_names(columns: Mapping[str, str]) -> Callable[[str], str]:
    """A function that gives the name of the field that a column with a heading contains, "" if it is ignored."""
    folded = {heading.strip().lower(): field for heading, field in columns.items()}

    def name(heading: str) -> str:
        heading = heading.strip()
        field = columns.get(heading, folded.get(heading.lower(), heading))
        return _WIDE + field[len(_WIDE) :] if field.lower().startswith(_WIDE) else field.lower()

    return name


def _delimiter(text: str, named: Callable[[str], str]) -> str:
    """The delimiter that makes most fields of the header, else most columns: names of annotators may contain others."""
    header = text.lstrip("\r\n").splitlines()[0]

    def score(delimiter: str) -> tuple[int, int]:
        try:
            names = [named(cell) for cell in next(csv.reader([header], delimiter=delimiter), [])]
        except csv.Error:
            return 0, 0
        return sum(name in _FIELDS or name.startswith(_WIDE) for name in names), len(names)

    return max(_DELIMITERS, key=score)


def _json_rows(text: str, named: Callable[[str], str]) -> Iterator[tuple[int, Fields | str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_collected)
        except (ValueError, RecursionError):
            yield number, Message("The line is not valid JSON.")
            continue
        if isinstance(row, _Object):
            yield number, _renamed(row.fields, named)
        else:
            yield number, Message("The line is not a JSON object.")


def _renamed(row: Fields, named: Callable[[str], str]) -> Fields:
    """``row`` with the names that ``named`` gives its fields."""
    fields: dict[str, list[Any]] = {}
    for heading, values in row.items():
        if name := named(heading):
            fields.setdefault(name, []).extend(values)
    return fields


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object whose repeated names are kept."""

    fields: dict[str, list[Any]]


def _collected(pairs: Iterable[tuple[str, Any]]) -> _Object:
    fields: dict[str, list[Any]] = {}
    for name, value in pairs:
        fields.setdefault(name.strip(), []).append(value)
    return _Object(fields)


def _csv_rows(text: str, file: Path, named: Callable[[str], str]) -> Iterator[tuple[int, Fields | str]]:
    rows = _cells(text, named)
    _, headings = next(rows, (1, []))
    if isinstance(headings, str):
        raise UserError(headings, path=file)
    names = list(map(named, headings))
    if not {*names} & {*_ID, "a", "target"}:
        raise UserError(
            Message("No column identifies the labelled items."),
            path=file,
            hint=Message("Name it id (a document), or a and b (a pair)."),
        )
    for begun, cells in rows:
        if isinstance(cells, str):
            yield begun, cells
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(names):
            yield begun, Message("The row has {cells} columns, the header {names}.", cells=len(cells), names=len(names))
            continue
        fields: dict[str, list[Any]] = {}
        for name, cell in zip(names, cells, strict=False):
            if name and (cell.strip() or name == "old"):
                fields.setdefault(name, []).append(plain(cell))
        yield begun, fields


def _cells(text: str, named: Callable[[str], str]) -> Iterator[tuple[int, list[str] | str]]:
    """The cells of each row, or why it is refused, with the number of its first line."""
    csv.field_size_limit(_LIMIT)
    is_over = False

    def lines() -> Iterator[str]:
        nonlocal is_over
        yield from io.StringIO(text, newline="")
        is_over = True

    reader = csv.reader(lines(), delimiter=_delimiter(text, named))
    while True:
        begun = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield begun, Message("The row is not valid CSV: {error}.", error=error)
        else:
            # A row that is complete ends before more lines are asked for.
            yield begun, UNCLOSED if is_over else cells


def _labels(fields: Fields, where: str) -> Iterator[LabelRow]:
    """The labels of one row. Raises _BadRowError."""
    target, name = _target(fields)
    when, note = _time(_one(fields, _WHEN)), _one(fields, ("note",))
    label_set = _one(fields, _SET)
    adjudicated = _one(fields, ("adjudicated",)).lower() in ("true", "yes", "1")
    wide = list(_wide(fields))
    for who, values in wide:
        value = _single(values, Message("The annotator {who} is named twice.", who=who))
        yield LabelRow(where, target, name, value, who, when, note, label_set, adjudicated)
    value, kind = _value(fields), _one(fields, ("kind",))
    who = _one(fields, _WHO)
    if value:
        yield LabelRow(where, target, name, value, who, when, note, label_set, adjudicated)
    if kind and not label_set:
        yield LabelRow(where, target, name, kind, who, when, note, "kind", adjudicated)
    elif not value and not wide and (_one(fields, ("old",)) or ("old" in fields and note)):
        yield LabelRow(where, target, name, "", who, when, note, label_set, adjudicated, withdrawn=True)
    elif not value and not wide and _one(fields, ("how",)) != UNRESOLVED:
        raise _BadRowError(Message("The row has no label."))


def _wide(row: Fields) -> Iterator[tuple[str, list[Any]]]:
    """Annotators with their values, from columns ``label:NAME`` or a field ``labels`` {name: value}."""
    for name, values in row.items():
        if name.startswith(_WIDE):
            if filled := [value for value in values if value is not None and value != ""]:
                yield name[len(_WIDE) :].strip(), filled
        elif name == "labels":
            for value in values:
                if not isinstance(value, _Object):
                    raise _BadRowError(Message("The field labels is not an object of annotators and values."))
                for who, labels in value.fields.items():
                    if filled := [label for label in labels if label is not None and label != ""]:
                        yield who, filled


def _digest(fields: Fields) -> str:
    """The digest of the judged text; anything that is not one is ignored."""
    digest = str(next(iter(fields.get("digest", [])), ""))
    return digest if _DIGEST.fullmatch(digest) else ""


def _value(fields: Fields) -> str:
    values = [v for key in _VALUE for v in fields.get(key, []) if v is not None and v != ""]
    flat = [w for v in values for w in (v if isinstance(v, list) else [v])]
    return _single(flat, Message("The row has two labels.")) if flat else ""


def _single(values: list[Any], problem: str) -> str:
    """The one value of ``values``, which may repeat it."""
    words = {_word(v) for v in values}
    if len(words) > 1 or (len(values) > 1 and "twice" in problem):
        raise _BadRowError(problem)
    return words.pop()


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise _BadRowError(Message("A label must be a word or a number."))
    return str(value).strip()


def _one(fields: Fields, names: tuple[str, ...]) -> str:
    values = [v for name in names for v in fields.get(name, []) if v is not None]
    return _single(values, Message("The row has two values for {names}.", names=names[0])) if values else ""


def _target(fields: Fields) -> tuple[str, str]:
    """The row's target as named in the log, and as displayed."""
    whole = _one(fields, ("target",))
    identity = _one(fields, _ID)
    if "a" in fields and "b" in fields:
        (a, a_span), (b, b_span) = _side(fields, "a"), _side(fields, "b")
        if a_span and b_span:
            return passage_target(a, a_span, b, b_span), f"{a} / {b}"
        if a_span or b_span:
            raise _BadRowError(Message("A passage needs a start and an end in both documents."))
        if a == b:
            raise _BadRowError(Message("A pair needs two documents."))
        return pair_target(a, b), f"{a} / {b}"
    if identity:
        return document_target(identity), identity
    if whole:
        return whole, whole
    raise _BadRowError(Message("The row does not identify the labelled item."))


def _side(fields: Fields, side: str) -> tuple[str, Span | None]:
    """Id and span of one side, from ``a``, ``a_start``, ``a_end`` or from an object {id, start, end}."""
    value = fields[side]
    if len(value) == 1 and isinstance(value[0], _Object):
        inner = _renamed(value[0].fields, _field_names({}))
        identity, start, end = (_one(inner, (key,)) for key in ("id", "start", "end"))
    else:
        identity = _one(fields, (side,))
        start, end = (_one(fields, (f"{side}_{key}",)) for key in ("start", "end"))
    if not identity:
        raise _BadRowError(Message("A pair needs two documents."))
    if not start and not end:
        return identity, None
    if not (_NUMBER.fullmatch(start) and _NUMBER.fullmatch(end) and int(start) < int(end)):
        raise _BadRowError(
            Message(
                "{start} to {end} is not a span: start and end are whole numbers, start first.",
                start=start or "?",
                end=end or "?",
            )
        )
    return identity, Span(int(start), int(end))


def _time(text: str) -> str:
    """``text`` as ISO 8601 in UTC; a time without a zone counts as UTC. Raises _BadRowError."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _BadRowError(Message("{text} is not a time of the form 2024-01-31T12:00:00Z.", text=text)) from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
