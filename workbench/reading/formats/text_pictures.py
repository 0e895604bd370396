"""Pictures within a document that may contain text, such as a pasted scan of a page."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from workbench.base.errors import NeedsRecognition, UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Block, Document, Extraction, IntegrityFlag, Span
from workbench.reading import recognition
from workbench.reading.formats.api import MEGABYTE, ReadOptions
from workbench.reading.formats.pdf import assembled
from workbench.reading.formats.picture import on_paper
from workbench.reading.formats.text_lines import looks_like_text
from workbench.text.disguises import Trick
from workbench.text.languages import detect_language

OF_PICTURE = "picture["
"""The start of a block's path if its text was recognised from a picture."""
_MOST_PICTURES, _MOST_BYTES, _MOST_TOGETHER = 200, 40 * MEGABYTE, 200 * MEGABYTE
"""Maximum number of pictures examined per document, and the maximum size in bytes of one and of all."""
_KINDS = ("PNG", "JPEG", "TIFF", "GIF", "BMP")
_NAME = re.compile(r"(?!(?:Thumbnails|docProps)/).*\.(?:png|jpe?g|tiff?|gif|bmp)", re.IGNORECASE)
"""Names of pictures; thumbnails of the first page are not part of the document."""
_NUMBER = re.compile(r"(\d+)")
_WIDTH = 800
_SMALLEST = (300, 80)
"""Minimum width and height, in pixels, of an examined picture."""


def pictures_with_text(data: bytes) -> list[bytes]:
    """The pictures of the zip file ``data`` (Office, OpenDocument, EPUB) that may contain text, ordered by name."""
    return with_text(_packed(data))


def with_text(pictures: Iterator[bytes]) -> list[bytes]:
    """The ``pictures`` that may contain text."""
    kept, left = [], _MOST_TOGETHER
    for content in islice(pictures, _MOST_PICTURES):
        left -= len(content)
        if left < 0:
            break
        if len(content) <= _MOST_BYTES and may_hold_text(content):
            kept.append(content)
    return kept


def _packed(data: bytes) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            named = [info for info in archive.infolist() if _NAME.fullmatch(info.filename)]
            for info in sorted(named, key=lambda info: _ordered(info.filename)):
                if info.file_size <= _MOST_BYTES:
                    yield archive.read(info)
    except Exception:  # noqa: BLE001 - a damaged file is reported by the reader of its format
        return


def _ordered(name: str) -> list[tuple[int, str]]:
    """A key that sorts image10 after image9."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in _NUMBER.split(name)]


def may_hold_text(data: bytes) -> bool:
    """Whether the picture file ``data`` may contain text; False if it is damaged or too large."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_KINDS) as file:
            width, height = file.size
            if width < _SMALLEST[0] or height < _SMALLEST[1] or width * height > recognition.MOST_PIXELS:
                return False
            file.draft("L", (_WIDTH, _WIDTH))
            flat = on_paper(file).convert("L")
            scale = min(1.0, _WIDTH / width)
            grey = np.asarray(flat.resize((round(width * scale), max(1, round(height * scale)))), np.int16)
    except Exception:  # noqa: BLE001 - Pillow raises errors of many kinds for damaged files
        return False
    return looks_like_text(grey)


def with_pictures(document: Document, pictures: Sequence[bytes], options: ReadOptions) -> Document:
    """``document`` with a flag for its ``pictures`` that may contain text, or with their text if recognition is on."""
    if not pictures:
        return document
    if not options.ocr:
        flag = IntegrityFlag(Trick.PICTURES.value, len(pictures), ())
        how = document.extraction
        return replace(document, extraction=replace(how, integrity=(*how.integrity, flag)))
    text, blocks, sure = document.text, list(document.blocks), []
    if text and not blocks:
        blocks.append(Block(Span(0, len(text))))
    for number, (words, own, confidence) in enumerate(_read(pictures, options), 1):
        start = len(text) + 1 if text else 0
        text = f"{text}\n{words}" if text else words
        for block in own:
            span = Span(start + block.span.start, start + block.span.end)
            blocks.append(Block(span, block.kind, block.verdict, block.rule, f"{OF_PICTURE}{number}]"))
        sure.append(confidence)
    how = replace(document.extraction, ocr=tuple(sure))
    return replace(document, text=text, blocks=tuple(blocks), extraction=how)


def document_of_pictures(
    identity: str, title: str, kind: str, pictures: Sequence[bytes], options: ReadOptions
) -> Document:
    """The document of the format ``kind`` whose only text is in its ``pictures``.

    Raises NeedsRecognition unless recognition is on, UnreadableInput if there is no text.
    """
    if not options.ocr:
        raise NeedsRecognition(Message("Its text is in pictures; it can be read by text recognition (OCR)."))
    empty = Document(identity, "", title=title, origin=identity, extraction=Extraction(kind))
    document = with_pictures(empty, pictures, options)
    if not document.text:
        raise UnreadableInput(Message("No text was recognised in its pictures."))
    return replace(document, language=options.language or detect_language(document.text))


def _read(pictures: Sequence[bytes], options: ReadOptions) -> Iterator[tuple[str, tuple[Block, ...], int]]:
    """The text, blocks and confidence of each of ``pictures`` in which text is recognised."""
    from PIL import Image

    drawn = (on_paper(Image.open(io.BytesIO(data), formats=_KINDS)).convert("L") for data in pictures)
    for page in recognition.read_pictures(drawn, options.ocr, count=len(pictures), language=options.language):
        paragraphs, _ = assembled([page.lines])
        if paragraphs.text:
            yield paragraphs.text, paragraphs.blocks, page.confidence
