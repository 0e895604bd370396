"""Images of pages (PNG, JPEG, TIFF): the text that Tesseract recognises in them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import NeedsRecognition, UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import PrintedPage
from workbench.reading import recognition
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.pdf import assembled
from workbench.reading.formats.pdf_places import words_in_text

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

name = "picture"
suffixes: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg", b"II*\x00": ".tif", b"MM\x00*": ".tif"}
_KINDS = ("PNG", "JPEG", "TIFF")
_MOST_PAGES = 2_000
_DEEP = ("I", "F")
"""Pillow's names of greyscale with more than 8 bits, besides those that begin with ``I;16``."""
_LIGHT = 127
_ORIENTATION, _FIRST_TURNED = 0x112, 5
"""The EXIF tag of the camera's orientation, and the first of its values for images rotated by 90°."""


def suffix_of(head: bytes) -> str:
    """The suffix of a file of one of these formats; empty for any other."""
    return next((suffix for signature, suffix in _SIGNATURES.items() if head.startswith(signature)), "")


def sniff(head: bytes) -> bool:
    """Whether it begins with the signature of one of these formats."""
    return bool(suffix_of(head))


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``page[n]`` from 1.

    Raises NeedsRecognition unless text recognition is on, UnreadableInput if it is damaged, too large or empty.
    """
    if not options.ocr:
        raise NeedsRecognition(Message("This is a picture; its text can be read by text recognition (OCR)."))
    data = whole(source, options)
    file = opened(data)
    count = _count(file)
    pictures = (page(file, number).convert("L") for number in range(count))
    seen = list(recognition.read_pictures(pictures, options.ocr, count=count, language=options.language))
    paragraphs, starts = assembled([one.lines for one in seen])
    if not paragraphs.text:
        raise UnreadableInput(Message("No text was recognised in this picture."))
    pages = [PrintedPage("", tuple(lines)) for lines in starts]
    document = paragraphs.document(source.name, name, options, title=source.stem, pages=pages)
    words = tuple(words_in_text(document, {number: one.lines for number, one in enumerate(seen)}))
    how = replace(document.extraction, ocr=tuple(one.confidence for one in seen))
    yield Record(None, replace(document, extraction=how, original=data, words=words))


def opened(data: bytes) -> ImageFile:
    """The opened file. Raises UnreadableInput if it is damaged."""
    from PIL import Image

    with _report_damage():
        return Image.open(io.BytesIO(data), formats=_KINDS)


def sizes(file: ImageFile) -> list[tuple[int, int]]:
    """Width and height of each page as read, in pixels. Raises UnreadableInput if the file is damaged."""
    pixels = []
    with _report_damage():
        for number in range(_count(file)):
            file.seek(number)
            turned = file.getexif().get(_ORIENTATION, 1) >= _FIRST_TURNED
            pixels.append((file.height, file.width) if turned else (file.width, file.height))
    return pixels


def page(file: ImageFile, number: int) -> Image:
    """A page (from 0) as :func:`on_paper`, rotated by its EXIF orientation. Raises UnreadableInput if it is damaged or
    too large.
    """
    from PIL import ImageOps

    with _report_damage():
        file.seek(number)
        if file.width * file.height > recognition.MOST_PIXELS:
            raise UnreadableInput(Message("This picture is too large."))
        return on_paper(ImageOps.exif_transpose(file))


def on_paper(image: Image) -> Image:
    """``image`` in 8 bits, to which Pillow would cut values off instead of scaling them, and on white if it has
    transparent parts, whose own colour is mostly black; on black if what it shows is light.
    """
    from PIL import Image, ImageStat

    if image.mode in _DEEP or image.mode.startswith("I;16"):
        values = np.asarray(image, np.float32)
        return Image.fromarray((values.clip(0) * (255 / max(1e-9, float(values.max(initial=0))))).astype(np.uint8))
    if not image.has_transparency_data:
        return image
    image = image.convert("RGBA")
    shown = image.getchannel("A").point(lambda alpha: 255 if alpha else 0)
    is_light = shown.getbbox() is not None and ImageStat.Stat(image.convert("L"), shown).mean[0] > _LIGHT
    paper = Image.new("RGBA", image.size, "black" if is_light else "white")
    paper.alpha_composite(image)
    return paper.convert("RGB")


def _count(file: ImageFile) -> int:
    """The number of pages; 1 if the file does not state it."""
    try:
        return min(_MOST_PAGES, int(getattr(file, "n_frames", 1)))
    except Exception:  # noqa: BLE001 - whatever Pillow raises for a damaged file is reported when it is read
        return 1


@contextmanager
def _report_damage() -> Iterator[None]:
    try:
        yield
    except UnreadableInput:
        raise
    except Exception as error:  # Pillow raises errors of many kinds for damaged files
        raise UnreadableInput(Message("This picture is damaged, or of a kind that cannot be read.")) from error
