"""Shared by JSONL and CSV: lines of bounded length, and documents from the named fields of a row."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import IO, Any

from workbench.base.errors import ParameterError, UnreadableInput
from workbench.base.messages import Message
from workbench.base.tags import SEPARATOR, checked
from workbench.base.types import DateSource, Document, Extraction, Role
from workbench.reading.decoding import MARK_UNDECODABLE, choose_encoding, clean, doubts
from workbench.reading.formats.api import ReadOptions, Record
from workbench.reading.formats.compressed import CountingStream
from workbench.reading.formats.html import page, site_of
from workbench.reading.html.metadata import iso_time, year_or_month
from workbench.text.languages import detect_language

FIELDS = ("id", "role", "title", "url", "site", "published", "lang", "text", "html", "links", "label", "kind", "tags")
_SAMPLE = 1 << 17


def text_lines(stream: IO[bytes], options: ReadOptions) -> tuple[Iterator[tuple[int, str | None]], Extraction]:
    """Numbered lines (from 1) of a row file with their line ends, and the encoding of the file.

    A line over the limit is yielded as None; undecodable sequences are marked for ``clean`` (with the row's text).
    Raises UnreadableInput for binary data.
    """
    buffered = io.BufferedReader(CountingStream(stream), _SAMPLE)
    sample = buffered.peek(_SAMPLE)
    if not sample:
        raise UnreadableInput(Message("The file is empty."))
    encoding, source = choose_encoding(_whole_lines(sample), override=options.encoding)
    # Programs for the Macintosh end rows with carriage returns alone.
    end = "\r" if b"\r" in sample and b"\n" not in sample else "\n"
    text = io.TextIOWrapper(buffered, encoding, MARK_UNDECODABLE, newline=end)
    extraction = Extraction(encoding=encoding, encoding_source=source, repairs=tuple(doubts(encoding, source)))
    return _bounded_lines(text, options.line_characters), extraction


def record(row: Mapping[str, Any], name: str, extraction: Extraction, options: ReadOptions) -> Record:
    """A record from a row's fields; unknown fields are ignored. Raises UnreadableInput if they are not valid."""
    if options.columns:
        row = _renamed(row, options.columns)
    repairs: list[str] = []

    def field(key: str) -> str:
        value = row.get(key)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise UnreadableInput(Message("The field {key} is not text.", key=key))
        text = str(value)
        if text.isprintable():
            return text
        cleaned, notes = clean(text)
        repairs.extend(f"{key}: {note}" for note in notes)
        return cleaned

    given_id, language, url = (
        field("id").strip(),
        options.language or field("lang").strip().lower().replace("_", "-").partition("-")[0],
        field("url").strip(),
    )
    text, markup = field("text"), field("html")
    if not text.strip() and not markup.strip():
        raise UnreadableInput(Message("The row has neither a text nor an html field with text in it."))
    if text.strip():
        document = Document(
            given_id or name, text, language=language or detect_language(text), url=url, site=site_of(url)
        )
    else:
        document = page(
            markup,
            given_id or name,
            url=url,
            site=field("site").strip(),
            language=language,
            selectors=options.selectors,
            rule=options.rule,
        )
    own, date = document.extraction, field("published")
    how = replace(extraction, hidden=own.hidden, looks=own.looks) if own.hidden or own.looks else extraction
    document = replace(
        document,
        title=field("title") or document.title,
        site=field("site") or document.site,
        published=iso_time(date) or year_or_month(date) or date or document.published,
        dated_by=DateSource.IMPORTER if date else document.dated_by,
        links=tuple(dict.fromkeys([*_links(row.get("links")), *document.links])),
        origin=name,
        tags=_tags(row.get("tags")),
        extraction=replace(how, repairs=tuple(dict.fromkeys([*how.repairs, *repairs]))) if repairs else how,
    )
    labels = tuple((key, value) for key in ("label", "kind") if (value := field(key).strip()))
    return Record(given_id or None, document, _role(field("role").strip()), labels)


def columns_of(text: str) -> dict[str, str]:
    """The fields of a list like ``Doc=id,Body=text``, by heading. Raises ParameterError."""
    fields = {}
    for part in text.split(",") if text.strip() else ():
        heading, equals, field = part.rpartition("=")
        if not equals or not heading.strip():
            raise ParameterError(Message("{part} is not of the form HEADING=FIELD.", part=repr(part.strip())))
        fields[heading.strip()] = field.strip()
    return fields


def by_heading(columns: Mapping[str, str]) -> dict[str, str]:
    """``columns`` with headings as tables are compared with them, in lower case. Raises ParameterError for an unknown
    field.
    """
    for name in columns.values():
        if name and name not in FIELDS:
            fields = ", ".join(FIELDS)
            raise ParameterError(Message("There is no field {name}; there are {fields}.", name=name, fields=fields))
    return {heading.strip().lower(): name for heading, name in columns.items()}


def _renamed(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """``row`` with the names of fields for the keys in ``columns``, which take precedence over keys of these names."""
    chosen = {key: columns[name] for key in row if (name := str(key).strip().lower()) in columns}
    rest = {key: value for key, value in row.items() if key not in chosen}
    return rest | {name: row[key] for key, name in chosen.items() if name}


def check_columns(names: Iterable[str], options: ReadOptions) -> None:
    """Raise UnreadableInput unless a table with the headings ``names`` has every column of ``options.columns``, one of
    them contains a text, and no field is in two of them.
    """
    headings = [name.strip().lower() for name in names]
    missing = [heading for heading in options.columns if heading not in headings]
    if missing:
        raise UnreadableInput(
            Message("There is no column {name}.", name=missing[0]),
            hint=Message("The columns are {names}.", names=", ".join(names)),
        )
    known = [heading for heading in headings if options.columns.get(heading, heading) in FIELDS]
    twice = next((heading for heading in known if known.count(heading) > 1), None)
    if twice is not None:
        raise UnreadableInput(
            Message("Two columns are named {name}.", name=twice), hint=Message("Give one of them another name.")
        )
    if not {"text", "html"} & {options.columns.get(heading, heading) for heading in headings}:
        raise UnreadableInput(
            Message("There is no text column."),
            hint=Message(
                "Columns can be named {fields}; assign other headings under Columns (--columns) as HEADING=FIELD.",
                fields=", ".join(FIELDS),
            ),
        )


def _role(value: str) -> Role | None:
    if not value:
        return None
    try:
        return Role(value.lower())
    except ValueError:
        raise UnreadableInput(
            Message("There is no role {value}; the roles are {role}.", value=repr(value), role=", ".join(Role))
        ) from None


def _links(value: Any) -> list[str]:
    if isinstance(value, str):
        return clean(value)[0].split()
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return [clean(v)[0] for v in value]
    raise UnreadableInput(Message("The field links is not a list of addresses."))


def _tags(value: Any) -> tuple[str, ...]:
    """Tags from a list, or from words between commas. Raises UnreadableInput for anything else."""
    names = value.split(SEPARATOR) if isinstance(value, str) else [] if value is None else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UnreadableInput(Message("The field tags is not a list of words."))
    try:
        return checked(names)
    except ParameterError as error:
        raise UnreadableInput(error.message) from None


def _bounded_lines(text: io.TextIOWrapper, limit: int) -> Iterator[tuple[int, str | None]]:
    number = 0
    while line := text.readline(limit + 1):
        number += 1
        if number == 1:
            line = line.removeprefix("\ufeff")
        if len(line) <= limit or line.endswith("\n"):
            yield number, line
            continue
        while (rest := text.readline(1 << 20)) and not rest.endswith("\n"):
            pass
        yield number, None


def _whole_lines(sample: bytes) -> bytes:
    """``sample`` without its last, possibly incomplete, line (unless it is the only one)."""
    cut = sample.rfind(b"\n")
    return sample[: cut + 1] if cut > 0 and b"\0" not in sample else sample
