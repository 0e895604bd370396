"""Pictures of pages (PNG, JPEG, TIFF): the text that tesseract reads from them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.base.errors import NeedsRecognition, UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import PrintedPage
from workbench.reading import recognition
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import Paragraphs, joined
from workbench.reading.formats.pdf_places import page_path
from workbench.text.segmenting.layout import line_breaks

if TYPE_CHECKING:
    from PIL.Image import Image

name = "picture"
suffixes: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*")
_KINDS = ("PNG", "JPEG", "TIFF")
_MOST_PAGES = 2_000


def sniff(head: bytes) -> bool:
    """Begins with the signature of one of these formats."""
    return head.startswith(_SIGNATURES)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``page[n]`` from 1.

    Raises NeedsRecognition unless text is to be recognised, UnreadableInput if it is damaged, too large or empty.
    """
    if not options.ocr:
        raise NeedsRecognition(Message("This is a picture; its text can be read by text recognition (OCR)."))
    data = whole(source, options)
    paragraphs = Paragraphs()
    pages: list[PrintedPage] = []
    sure: list[int] = []
    for page in recognition.read_pictures(_pictures(data), options.ocr, count=_count(data), language=options.language):
        starts: list[int] = []
        for lines in _paragraphs([line.text for line in page.lines]):
            text, begins = joined(lines)
            span = paragraphs.add(text, path=page_path(len(pages)))
            starts += [span.start + begin for begin in begins]
        pages.append(PrintedPage("", tuple(starts)))
        sure.append(page.confidence)
    if not paragraphs.text:
        raise UnreadableInput(Message("No text was recognised in this picture."))
    document = paragraphs.document(source.name, name, options, title=source.stem, pages=pages)
    yield Record(None, replace(document, extraction=replace(document.extraction, ocr=tuple(sure))))


def _paragraphs(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """The paragraphs of wrapped lines, as in plain text."""
    breaks, at, first = frozenset(line_breaks("\n".join(lines))), 0, 0
    for number, line in enumerate(lines, 1):
        at += len(line) + 1
        if number == len(lines) or at in breaks:
            yield lines[first:number]
            first = number


def _count(data: bytes) -> int:
    """The number of pages; 1 where the file does not say."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_KINDS) as file:
            return min(_MOST_PAGES, int(getattr(file, "n_frames", 1)))
    except Exception:  # noqa: BLE001 - whatever Pillow raises for a damaged file is said when it is read
        return 1


def _pictures(data: bytes) -> Iterator[Image]:
    """The pages of the file, in grey."""
    from PIL import Image, ImageSequence

    try:
        with Image.open(io.BytesIO(data), formats=_KINDS) as file:
            for number, frame in enumerate(ImageSequence.Iterator(file)):
                if frame.width * frame.height > recognition.MOST_PIXELS:
                    raise UnreadableInput(Message("This picture is too large."))
                if number < _MOST_PAGES:
                    yield frame.convert("L")
    except UnreadableInput:
        raise
    except Exception as error:  # Pillow raises errors of many kinds for damaged files
        raise UnreadableInput(Message("This picture is damaged, or of a kind that cannot be read.")) from error
