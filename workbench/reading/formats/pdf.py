"""PDF: the text of the pages, with wrapped lines joined into paragraphs again.

PDFium keeps lines, not paragraphs; which line ends are just wraps is decided as for plain text (``text.layout``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, BlockKind, Document, PrintedPage, Span
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import Paragraphs, joined
from workbench.reading.formats.pdf_hidden import with_unseen
from workbench.reading.formats.pdf_places import page_path
from workbench.reading.formats.running_heads import PdfLine, running_heads
from workbench.reading.html.metadata import iso_date
from workbench.text.segmenting.layout import line_breaks

name = "pdf"
suffixes: tuple[str, ...] = (".pdf",)
_HYPHEN = 2
"""What PDFium gives for a hyphen at the end of a line, together with that line end."""
_LINE_ENDS = frozenset((_HYPHEN, 10, 13))
_LONGEST_LABEL = 40
"""Characters of a page's label that are kept."""
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]")
_DATE = re.compile(r"D:(\d{8})")


def sniff(head: bytes) -> bool:
    """Begins with the signature, possibly after a little junk."""
    return b"%PDF-" in head[:1024] and head.lstrip()[:1] != b"<"


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document. Raises UnreadableInput if it is encrypted, broken or has no text."""
    yield Record(None, document(whole(source, options), source.name, options, title=source.stem))


def document(data: bytes, identity: str, options: ReadOptions, *, title: str = "") -> Document:
    """The document in ``data``: blocks are paragraphs, their path is ``page[n]`` from 1.

    Raises UnreadableInput if it is encrypted, broken or has no text.
    """
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise UnreadableInput(_refusal(str(error), data)) from error
    try:
        return replace(_document(pdf, identity, options, title), original=data)
    finally:
        pdf.close()


def _refusal(error: str, data: bytes) -> str:
    # PDFium's last error may be that of an earlier file.
    if b"/Encrypt" not in data:
        return Message("This is not a PDF file, or it is damaged.")
    if "password" in error.lower():
        return Message("This PDF is encrypted and needs a password.")
    if "security" in error.lower():
        return Message("This PDF is encrypted in a way that cannot be read.")
    return Message("This is not a PDF file, or it is damaged.")


class _Line(NamedTuple):
    """A line of the body of a page, which counts from 1."""

    text: str
    page: int


def _document(pdf: Any, identity: str, options: ReadOptions, title: str) -> Document:
    pages = [page_lines(pdf, index) for index in range(len(pdf))]
    empty = [number for number, lines in enumerate(pages, 1) if lines is not None and not lines]
    broken = [number for number, lines in enumerate(pages, 1) if lines is None]
    paragraphs, starts = _assembled([lines or [] for lines in pages])
    if not paragraphs.text:
        hint = (
            Message("its pages are images; text recognition (OCR) would be needed")
            if empty
            else Message("its pages are damaged")
        )
        raise UnreadableInput(
            Message("There is no text in this PDF: {hint}.", hint=hint)
            if len(pdf)
            else Message("This PDF has no pages.")
        )
    facts = pdf.get_metadata_dict()
    stated = _DATE.match(facts.get("CreationDate") or "")
    repairs = [*_repair(empty, "no text"), *_repair(broken, "damage and could not be read")]
    document = paragraphs.document(
        identity,
        name,
        options,
        title=" ".join(clean(facts.get("Title") or "")[0].split()) or title,
        created=iso_date(stated[1]) if stated else "",
        repairs=repairs,
        pages=[PrintedPage(_label(pdf, index), tuple(lines)) for index, lines in enumerate(starts)],
    )
    return with_unseen(pdf, document, pages)


def _label(pdf: Any, index: int) -> str:
    """The printed label of a page, empty where it is the page's number."""
    label = " ".join(clean(pdf.get_page_label(index) or "")[0].split())[:_LONGEST_LABEL]
    return "" if label == str(index + 1) else label


def page_lines(pdf: Any, index: int) -> list[PdfLine] | None:
    """The lines of a page in the order of the file; None if the page is damaged."""
    import pypdfium2

    try:
        page = pdf[index]
        textpage = page.get_textpage()
        lines = list(_lines(textpage, page.get_height()))
        textpage.close()
        page.close()
    except pypdfium2.PdfiumError:
        return None
    return lines


def _lines(textpage: Any, height: float) -> Iterator[PdfLine]:
    """The lines of a page, each with its distance from the top."""
    from pypdfium2 import raw

    units: list[int] = []
    places: list[int] = []
    for at in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(textpage.raw, at)
        if code in _LINE_ENDS:
            yield from _line(textpage, units, places, height, hyphen=at if code == _HYPHEN else -1)
            units, places = [], []
        elif code:
            units.append(code)
            places.append(at)
    yield from _line(textpage, units, places, height)


def _line(
    textpage: Any, units: Sequence[int], places: Sequence[int], height: float, *, hyphen: int = -1
) -> Iterator[PdfLine]:
    """The line of the UTF-16 ``units`` at ``places`` among PDFium's characters, unless it is only white space."""
    characters: list[str] = []
    at: list[int] = []
    for unit, place in zip(units, places, strict=True):
        # A character beyond U+FFFF comes as two halves.
        if 0xDC00 <= unit < 0xE000 and characters and "\ud800" <= characters[-1] < "\udc00":
            characters[-1] = (characters[-1] + chr(unit)).encode("utf-16", "surrogatepass").decode("utf-16")
        else:
            characters.append(chr(unit))
            at.append(place)
    text = clean("".join(characters))[0]
    if _CONTROLS.search(text):
        at = [place for place, character in zip(at, text, strict=True) if not _CONTROLS.match(character)]
        text = _CONTROLS.sub("", text)
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    if first < last:
        text, at = text[first:last], at[first:last]
        if hyphen >= 0:
            text, at = text + "-", [*at, hyphen]
        yield PdfLine(text, _top(textpage, at[0], height), tuple(at))


def _top(textpage: Any, at: int, height: float) -> float:
    """How far from the top a character is; the middle of the page where the file does not say."""
    import pypdfium2

    try:
        top = 1 - textpage.get_charbox(at)[3] / height
    except (pypdfium2.PdfiumError, ZeroDivisionError):
        return 1 / 2
    return min(1.0, max(0.0, top)) if isfinite(top) else 1 / 2


def _assembled(pages: Sequence[Sequence[PdfLine]]) -> tuple[Paragraphs, list[list[int]]]:
    """The text of the pages, and where the lines of each page's body begin in it.

    A paragraph that a page break divides is one again; the running heads between its halves come after it.
    """
    heads = running_heads(pages)
    paragraphs, starts = Paragraphs(), [list[int]() for _ in pages]
    waiting: list[_Line] = []
    later: list[tuple[str, Block]] = []

    def close() -> None:
        text, begins = joined(line.text for line in waiting)
        span = paragraphs.add(text, path=page_path(waiting[0].page - 1)) if waiting else Span(0, 0)
        for line, begin in zip(waiting, begins, strict=True):
            starts[line.page - 1].append(span.start + begin)
        for head, like in later:
            paragraphs.add_block(head, like)
        waiting.clear()
        later.clear()

    before: list[_Line] = []
    for page, lines in enumerate(pages, 1):
        body = [
            _Line(line.text, page) for number, line in enumerate(lines) if line.text and (page - 1, number) not in heads
        ]
        above: list[tuple[str, Block]] = []
        below: list[tuple[str, Block]] = []
        for number, line in enumerate(lines):
            if rule := heads.get((page - 1, number)):
                block = Block(Span(0, 0), BlockKind.PARAGRAPH, BlockClass.NON_CONTENT, rule, page_path(page - 1))
                (above if line.top < 1 / 2 else below).append((line.text, block))
        if not (waiting and body and _goes_on(before, body)):
            close()
        later += above
        if not waiting:
            close()
        for number, part in enumerate(_parts(body)):
            if number:
                close()
            waiting += part
        later += below
        before = body or before
    close()
    return paragraphs, starts


def _parts(lines: Sequence[_Line]) -> Iterator[Sequence[_Line]]:
    """The paragraphs of wrapped lines."""
    text = "\n".join(line.text for line in lines)
    breaks, at, first = frozenset(line_breaks(text)), 0, 0
    for number, line in enumerate(lines, 1):
        at += len(line.text) + 1
        if number == len(lines) or at in breaks:
            yield lines[first:number]
            first = number


def _goes_on(before: Sequence[_Line], after: Sequence[_Line]) -> bool:
    """Whether the last line of a page's body is continued by the first one of the next."""
    text = "\n".join(line.text for line in before)
    return len(text) + 1 not in line_breaks("\n".join((text, *(line.text for line in after))))


def _repair(pages: list[int], what: str) -> Iterator[str]:
    if pages:
        some = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
        yield f"{len(pages):,} page{'s' if len(pages) > 1 else ''} with {what} ({some})"
