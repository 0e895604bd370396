"""The body selectors of a project: importing, setting and exporting them. They apply to pages read from then on."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.resources import open_regular
from workbench.base.spreadsheet import plain, write_csv
from workbench.base.types import Document
from workbench.project.pages import load_selectors, remove_selector, set_selectors
from workbench.reading.blocks.selectors import ANY_HOST, check_selector, is_fallback, normal_host, selector_of
from workbench.reading.decoding import decode
from workbench.reading.formats import Failure
from workbench.services.session import Session
from workbench.services.writing import atomic_write

_HOST = ("host", "site")
_SELECTOR = ("selector", "selectors", "css", "content_selectors")
_LARGEST = 50_000_000

_Row = tuple[str, Any, Any]
"""Position (``file:line``), host, and the selector or a list of them."""


@dataclass(frozen=True, slots=True)
class SelectorResult:
    """The outcome of an import: new or changed selectors, unchanged ones, and rejected rows."""

    imported: int
    unchanged: int
    failed: tuple[Failure, ...]


class Unselected:
    """Counts the pages on which their host's selector selects nothing."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        self._pages: Counter[str] = Counter()

    def count(self, documents: Iterable[Document]) -> None:
        """Count the pages of ``documents``, as classified."""
        for document in documents:
            if document.blocks and is_fallback(document.blocks[0]):
                self._pages[selector_of(document.site, self._known)[0]] += 1

    def sentences(self) -> list[str]:
        """One sentence per selector, in the order of the hosts."""
        return [
            Message(
                "The selector for {host} matched nothing on {number} of the pages; there the rule for content blocks "
                "decided.",
                host=Message("all hosts") if host == ANY_HOST else host,
                number=f"{number:,}",
            )
            for host, number in sorted(self._pages.items())
        ]


def selectors(session: Session) -> dict[str, str]:
    """The selectors of a project by host."""
    with session.read() as connection:
        return load_selectors(connection)


def choose(session: Session, host: str, selector: str) -> str:
    """Set the ``selector`` of ``host``. Returns the normal host.

    Raises UserError if either is invalid.
    """
    name, css = checked(host, selector)
    with session.write() as connection:
        set_selectors(connection, {name: css})
    return name


def forget(session: Session, host: str) -> str:
    """Remove the selector of ``host``. Returns the normal host. Raises UserError if there is none."""
    name = normal_host(host)
    with session.write() as connection:
        if not remove_selector(connection, name):
            raise UserError(Message("There is no selector for {name}.", name=name or host))
    return name


def import_selectors(session: Session, file: Path) -> SelectorResult:
    """Import the selectors in ``file``: JSON Lines or CSV with host and selector, or JSON (``{host: selector}``, rows).

    Several selectors (a list) are combined. An invalid row is listed and the rest imported; if two rows for one host
    differ, the second is rejected. Raises UserError if the file cannot be read at all.
    """
    fresh: dict[str, str] = {}
    failed: list[Failure] = []
    for row in _rows(file):
        if isinstance(row, Failure):
            failed.append(row)
            continue
        where, host, value = row
        try:
            name, css = checked(_text(host, "host"), _joined(value))
        except UserError as error:
            failed.append(Failure(where, error.message))
            continue
        if fresh.setdefault(name, css) != css:
            failed.append(Failure(where, Message("The file has an earlier selector for {name}.", name=name)))
    with session.write() as connection:
        stored = load_selectors(connection)
        changed = {host: css for host, css in fresh.items() if stored.get(host) != css}
        set_selectors(connection, changed)
    return SelectorResult(len(changed), len(fresh) - len(changed), tuple(failed))


def export_selectors(session: Session, file: Path) -> int:
    """Write the selectors to ``file`` (.jsonl, .csv or .json), complete or not at all. Returns their number. Raises
    UserError.
    """
    rows = [{"host": host, "selector": css} for host, css in selectors(session).items()]
    kind = file.suffix.lower()
    if kind not in (".jsonl", ".csv", ".json"):
        raise UserError(Message("Selectors can be written as .jsonl, .csv or .json."), path=file)
    with atomic_write(file, Message("The selectors")) as part, part.open("w", encoding="utf-8", newline="") as out:
        if kind == ".csv":
            write_csv(out, ["host", "selector"], rows)
        elif kind == ".jsonl":
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            json.dump({row["host"]: row["selector"] for row in rows}, out, ensure_ascii=False, indent=1)
            out.write("\n")
    return len(rows)


def checked(host: str, selector: str) -> tuple[str, str]:
    """Host and selector in stored form. Raises UserError if either is invalid."""
    name, css = normal_host(host), selector.strip()
    if not name or (host.strip() != ANY_HOST and any(not c.isprintable() or c in " /\\*,;\"'" for c in host.strip())):
        raise UserError(
            Message("{host} is not a host name.", host=repr(host)),
            hint=Message("Write example.org, or * for all hosts."),
        )
    check_selector(name, css)
    return name, css


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise UserError(Message("The {what} is not text.", what=what))
    return value


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_text(one, "selector") for one in value)
    return _text(value, "selector")


def _rows(file: Path) -> Iterator[_Row | Failure]:
    try:
        with open_regular(file) as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UserError(Message("The selectors cannot be read ({reason}).", reason=error), path=file) from error
    if len(data) > _LARGEST:
        raise UserError(Message("The file is larger than {limit} MB.", limit=_LARGEST // 1_000_000), path=file)
    text = decode(data).text
    if file.suffix.lower() in (".csv", ".tsv") or (text.strip() and text.lstrip()[0] not in "[{"):
        return _csv_rows(text, file)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _json_lines(text, file)
    return _json_rows(whole, file)


def _json_lines(text: str, file: Path) -> Iterator[_Row | Failure]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield Failure(f"{file}:{number}", Message("The line is not valid JSON."))
            continue
        yield _named(row, f"{file}:{number}")


def _json_rows(whole: Any, file: Path) -> Iterator[_Row | Failure]:
    """Rows of a JSON value: a list of rows, one row, or an object of selectors by host; numbered from 1."""
    if isinstance(whole, dict) and not (_first(whole, _HOST) and _first(whole, _SELECTOR)):
        for number, (host, value) in enumerate(whole.items(), 1):
            yield f"{file}:{number}", host, value
        return
    for number, row in enumerate(whole if isinstance(whole, list) else [whole], 1):
        yield _named(row, f"{file}:{number}")


def _csv_rows(text: str, file: Path) -> Iterator[_Row | Failure]:
    header = text.partition("\n")[0]
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",\t;", key=header.count))
        names = [name.strip().lower() for name in next(reader, [])]
        if not set(names) & set(_HOST) or not set(names) & set(_SELECTOR):
            raise UserError(Message("The file needs a column host and a column selector."), path=file)
        for cells in reader:
            if cells:
                yield _named(dict(zip(names, map(plain, cells), strict=False)), f"{file}:{reader.line_num}")
    except csv.Error as error:
        yield Failure(
            f"{file}:{reader.line_num}",
            Message("This row and the rest of the file are not valid CSV: {error}.", error=error),
        )


def _named(row: Any, where: str) -> _Row | Failure:
    if not isinstance(row, dict):
        return Failure(where, Message("The row is not a JSON object."))
    host, selector = _first(row, _HOST), _first(row, _SELECTOR)
    if host is None or selector is None:
        return Failure(where, Message("The row has no {field}.", field="host" if host is None else "selector"))
    return where, row[host], row[selector]


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if row.get(name) is not None), None)
