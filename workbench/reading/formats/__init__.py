"""Formats of texts. Each format is a module with a line in :data:`FORMATS`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from workbench.base.errors import ParameterError, UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.reading.decoding import decode
from workbench.reading.formats import (
    archive,
    code,
    csv,
    doc,
    docx,
    eml,
    epub,
    html,
    ipynb,
    jsonl,
    latex,
    markdown,
    mbox,
    mediawiki,
    mhtml,
    odt,
    pan,
    parquet,
    pdf,
    picture,
    pptx,
    rtf,
    standard,
    subtitles,
    tar,
    txt,
    warc,
    xlsx,
)
from workbench.reading.formats.api import (
    COMPRESSIONS,
    MEGABYTE,
    SHORT_SUFFIXES,
    Divisible,
    Failure,
    FileSlice,
    Format,
    Item,
    Notice,
    ReadOptions,
    Record,
    Reference,
    Source,
    sentence,
)
from workbench.reading.formats.folder import display_name, expand
from workbench.reading.formats.opening import head, whole
from workbench.reading.formats.page_pictures import pictures_of_page, pictures_of_saved
from workbench.reading.formats.text_pictures import (
    document_of_pictures,
    pictures_with_text,
    with_pictures,
    with_text,
)
from workbench.reading.integrity import with_flags

__all__ = [
    "FORMATS",
    "Failure",
    "FileSlice",
    "Format",
    "Item",
    "Notice",
    "ReadOptions",
    "Record",
    "Reference",
    "Source",
    "check_format",
    "cut",
    "display_name",
    "expand",
    "format_names",
    "read",
    "sentence",
    "suffixes",
]

FORMATS: tuple[Format, ...] = (
    txt,
    html,
    jsonl,
    csv,
    parquet,
    tar,
    warc,
    pdf,
    doc,
    docx,
    pptx,
    xlsx,
    rtf,
    odt,
    epub,
    markdown,
    latex,
    ipynb,
    subtitles,
    code,
    mediawiki,
    eml,
    mhtml,
    mbox,
    standard,
    pan,
    picture,
)
"""A file with an unknown suffix is read by the last format whose ``sniff`` accepts it; plain text always does."""

OFFICE: tuple[Format, ...] = (doc, docx, pptx, rtf, odt)
"""Formats whose files are stored, because pages can be made from them."""
PACKAGES: tuple[Format, ...] = (docx, pptx, odt, epub)
"""Formats that are zip files and may contain pictures with text."""
MOST_KEPT = 64 * MEGABYTE
"""Largest file of these formats that is stored, in bytes."""

_UNSUPPORTED = {
    ".xml": "XML",
    ".7z": "7z",
    ".rar": "RAR",
}
_MANY_KINDS = ".xml"
_SAVED_AS = {
    **dict.fromkeys((".xls", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".pps", ".odp"), ".pptx"),
    **dict.fromkeys((".pages", ".wpd", ".wps", ".jtd", ".hwp", ".fodt"), ".docx"),
}
"""Suffixes of office files of other kinds, and a format in which their programs can save them."""


_OBJECTS = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")
"""The beginning of an array of objects in JSON: as text, many documents would become one, with their marks."""


def format_names() -> tuple[str, ...]:
    """The values of ``format``: ``auto``, each format, and ``zip``."""
    return ("auto", *(f.name for f in FORMATS), archive.name)


def suffixes() -> tuple[str, ...]:
    """Every suffix of a format, archive or compression, with its dot."""
    return (*(suffix for f in FORMATS for suffix in f.suffixes), *archive.suffixes, *SHORT_SUFFIXES, *COMPRESSIONS)


def check_format(format: str) -> None:  # noqa: A002 - the name of the command line's option
    """Raise ParameterError, listing the known formats, unless ``format`` is one of them."""
    if format not in format_names():
        raise ParameterError(
            Message(
                "There is no format {format}; the formats are {formats}.",
                format=repr(format),
                formats=", ".join(format_names()),
            )
        )


def read(source: Source, *, format: str = "auto", options: ReadOptions | None = None) -> Iterator[Item]:  # noqa: A002
    """Records and failures of one source, in order and with bounded memory; one bad input never stops the rest.

    ``auto``, ``zip`` and ``tar`` choose by the name's suffix, otherwise by content. Raises ParameterError for an
    unknown ``format``, at once.
    """
    check_format(format)
    return _read(source, format, options or ReadOptions())


def cut(
    source: Source,
    *,
    format: str = "auto",  # noqa: A002
    options: ReadOptions | None = None,
) -> Iterator[Source | Failure | Notice] | None:
    """The parts of ``source``, each to be passed to :func:`read` with the same format; None if it is read whole."""
    options = options or ReadOptions()
    try:
        divided = _divisible(source, format, options)
    except Exception:  # noqa: BLE001 - reading it reports what is wrong
        return None
    return None if divided is None else _cut(divided, source, options)


def _read(source: Source, format: str, options: ReadOptions) -> Iterator[Item]:  # noqa: A002
    try:
        divided = _divisible(source, format, options)
        if divided is None:
            chosen = _format(source, format, options)
            for item in _items(chosen, source, options):
                yield (
                    replace(item, document=_completed(item.document, chosen, source, options))
                    if isinstance(item, Record)
                    else item
                )
            return
        for part in divided.cut(source, options):
            if isinstance(part, Source):
                yield from _read(part, format, options)
            else:
                yield part
    except Exception as error:  # noqa: BLE001 - whatever a parser raises on one input must not end the others
        yield Failure.of(source.name, error)


def _items(chosen: Format, source: Source, options: ReadOptions) -> Iterator[Item]:
    """The items read by ``chosen``; if there are none, the text in the file's pictures."""
    try:
        yield from chosen.read(source, options)
    except UnreadableInput as error:
        may_be_drawn = chosen in PACKAGES or isinstance(error, html.EmptyPage)
        pictures = _pictures(chosen, source, options) if may_be_drawn else []
        if not pictures:
            raise
        yield Record(None, document_of_pictures(source.name, source.stem, chosen.name, pictures, options))


def _completed(document: Document, chosen: Format, source: Source, options: ReadOptions) -> Document:
    """``document`` with signs of unusual characters, and with its file if pages can be made from it."""
    if not document.extraction.ocr and (pictures := _pictures(chosen, source, options, document.markup)):
        document = with_pictures(document, pictures, options)
    if chosen in OFFICE and len(data := whole(source, options)) <= MOST_KEPT:
        document = replace(document, original=data)
    return with_flags(document)


def _pictures(chosen: Format, source: Source, options: ReadOptions, markup: str = "") -> list[bytes]:
    """The pictures in a file that may contain text; its ``markup`` is read unless given."""
    if chosen in PACKAGES:
        return pictures_with_text(whole(source, options))
    if chosen is mhtml:
        return with_text(pictures_of_saved(whole(source, options)))
    if chosen is html and not markup:
        markup = decode(whole(source, options), html=True, override=options.encoding).text
    at_hand = pictures_of_page(markup, source if chosen is html else None, options) if markup else iter(())
    return with_text(at_hand)


def _cut(divided: Divisible, source: Source, options: ReadOptions) -> Iterator[Source | Failure | Notice]:
    try:
        yield from divided.cut(source, options)
    except Exception as error:  # noqa: BLE001 - whatever a parser raises on one input must not end the others
        yield Failure.of(source.name, error)


def _divisible(source: Source, format: str, options: ReadOptions) -> Divisible | None:  # noqa: A002
    """The format that cuts ``source``; None if it is read whole or is already a part."""
    if source.part is not None and source.part.format:
        return None
    for container in (tar, archive):
        if source.suffix in container.suffixes:
            return container
    chosen = _format(source, format, options)
    return chosen if isinstance(chosen, Divisible) else None


def _format(source: Source, format: str, options: ReadOptions) -> Format:  # noqa: A002
    if source.part is not None and source.part.format:
        return _named(source.part.format)
    return _choose(source, options) if format in ("auto", archive.name, tar.name) else _named(format)


def _named(format: str) -> Format:  # noqa: A002
    return next(f for f in FORMATS if f.name == format)


def _choose(source: Source, options: ReadOptions) -> Format:
    """The format by suffix, otherwise by content. Raises UnreadableInput for formats that cannot be read."""
    for candidate in FORMATS:
        if source.suffix in candidate.suffixes:
            return candidate
    if other := _SAVED_AS.get(source.suffix):
        raise UnreadableInput(
            Message(
                "{kind} files cannot be read. Open this one in the program that wrote it, and save it as {suffix}.",
                kind=source.suffix,
                suffix=other,
            )
        )
    kind = _UNSUPPORTED.get(source.suffix, "")
    if kind and source.suffix != _MANY_KINDS:
        raise UnreadableInput(
            Message(
                "{kind} files are not supported yet; the formats are {formats}.",
                kind=kind,
                formats=", ".join(format_names()),
            )
        )
    beginning = head(source, options)
    chosen = next(f for f in reversed(FORMATS) if f.sniff(beginning))
    if kind and chosen is FORMATS[0]:
        raise UnreadableInput(Message("This XML is neither a page (XHTML) nor a MediaWiki dump."))
    if source.suffix == ".json" and _OBJECTS.match(beginning):
        raise UnreadableInput(
            Message(
                "This is a JSON array. Write each of its objects on a line of its own (jq -c '.[]' FILE), or read it as"
                " it is with the format txt."
            )
        )
    return chosen
