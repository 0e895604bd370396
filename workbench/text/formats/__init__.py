"""Formats of texts. A format is one module and one line in :data:`FORMATS`."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.base.errors import ParameterError, UnreadableInput, UserError
from workbench.text.formats import csv, html, jsonl, txt
from workbench.text.formats.api import Failure, Format, Item, ReadOptions, Record, Source, sentence
from workbench.text.formats.folder import display_name, expand
from workbench.text.formats.opening import head

__all__ = [
    "FORMATS",
    "Failure",
    "Format",
    "Item",
    "ReadOptions",
    "Record",
    "Source",
    "check_format",
    "display_name",
    "expand",
    "format_names",
    "read",
    "sentence",
]

FORMATS: tuple[Format, ...] = (
    txt,
    html,
    jsonl,
    csv,
)
"""The last one whose ``sniff`` says yes reads a file without a telling suffix; plain text always says yes."""

_UNSUPPORTED = {
    ".pdf": "PDF",
    ".doc": "Word",
    ".docx": "Word",
    ".odt": "OpenDocument",
    ".rtf": "RTF",
    ".epub": "EPUB",
    ".warc": "WARC",
    ".xls": "Excel",
    ".xlsx": "Excel",
    ".pptx": "PowerPoint",
    ".xml": "XML",
    ".gz": "gzip",
    ".bz2": "bzip2",
    ".xz": "xz",
    ".tar": "tar",
    ".7z": "7z",
    ".rar": "RAR",
}


def format_names() -> tuple[str, ...]:
    """What ``format`` may be: ``auto``, each format, and ``zip``."""
    return ("auto", *(f.name for f in FORMATS), "zip")


def check_format(format: str) -> None:  # noqa: A002 - the name of the command line's option
    """Raise ParameterError, listing what there is, unless ``format`` is known."""
    if format not in format_names():
        raise ParameterError(f"There is no format {format!r}; there are {', '.join(format_names())}.")


def read(source: Source, *, format: str = "auto", options: ReadOptions | None = None) -> Iterator[Item]:  # noqa: A002
    """Records and failures of one source, in order and with bounded memory; one bad input never ends the others.

    ``auto`` and ``zip`` choose by the name's suffix, else by the content. Raises ParameterError for an unknown
    ``format``, at once.
    """
    check_format(format)
    return _read(source, format, options or ReadOptions())


def _read(source: Source, format: str, options: ReadOptions) -> Iterator[Item]:  # noqa: A002
    try:
        chosen = _choose(source, options) if format in ("auto", "zip") else _named(format)
        yield from chosen.read(source, options)
    except (UserError, OSError, MemoryError, RecursionError) as error:
        yield Failure.of(source.name, error)


def _named(format: str) -> Format:  # noqa: A002
    return next(f for f in FORMATS if f.name == format)


def _choose(source: Source, options: ReadOptions) -> Format:
    """The format by suffix, else by content. Raises UnreadableInput for formats that cannot be read."""
    for candidate in FORMATS:
        if source.suffix in candidate.suffixes:
            return candidate
    if source.suffix in _UNSUPPORTED:
        kind = _UNSUPPORTED[source.suffix]
        raise UnreadableInput(f"{kind} files are not supported yet; there are {', '.join(format_names())}.")
    beginning = head(source, options)
    return next(f for f in reversed(FORMATS) if f.sniff(beginning))
