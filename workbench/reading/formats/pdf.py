"""PDF: the text of the pages, with wrapped lines joined into paragraphs again.

PDFium keeps lines, not paragraphs; which line ends are just wraps is decided as for plain text (``text.layout``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import Paragraphs, joined
from workbench.reading.html.metadata import iso_date
from workbench.text.segmenting.layout import line_breaks

name = "pdf"
suffixes: tuple[str, ...] = (".pdf",)
_HYPHEN = "\ufffe"
"""What PDFium writes for a hyphen at the end of a line, together with that line end."""
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
        return _document(pdf, identity, options, title)
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


def _document(pdf: Any, identity: str, options: ReadOptions, title: str) -> Document:
    paragraphs = Paragraphs()
    empty: list[int] = []
    broken: list[int] = []
    for number in range(1, len(pdf) + 1):
        text = _page_text(pdf, number - 1)
        if text is None:
            broken.append(number)
        elif not text.strip():
            empty.append(number)
        else:
            for paragraph in paragraphs_of(text):
                paragraphs.add(paragraph, path=f"page[{number}]")
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
    return paragraphs.document(
        identity,
        name,
        options,
        title=" ".join(clean(facts.get("Title") or "")[0].split()) or title,
        created=iso_date(stated[1]) if stated else "",
        repairs=repairs,
    )


def _page_text(pdf: Any, index: int) -> str | None:
    """Text of a page in lines; None if the page is damaged."""
    import pypdfium2

    try:
        page = pdf[index]
        textpage = page.get_textpage()
        text = str(textpage.get_text_range())
        textpage.close()
        page.close()
    except pypdfium2.PdfiumError:
        return None
    return _CONTROLS.sub("", clean(text.replace(_HYPHEN, "-\n"))[0])


def paragraphs_of(text: str) -> Iterator[str]:
    """Paragraphs of wrapped lines; a hyphen between lower-case letters at a line end is taken to come from the wrap."""
    edges = [0, *line_breaks(text), len(text)]
    for start, end in pairwise(edges):
        paragraph = joined(line.strip() for line in text[start:end].split("\n"))
        if paragraph:
            yield paragraph


def _repair(pages: list[int], what: str) -> Iterator[str]:
    if pages:
        some = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
        yield f"{len(pages):,} page{'s' if len(pages) > 1 else ''} with {what} ({some})"
