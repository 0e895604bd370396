"""The pages of a PDF or a scan as shown: pictures of them, and the position of each character of the text."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.resources import resource
from workbench.base.types import BOX_STEPS, Document, WordBox
from workbench.reading.formats import picture
from workbench.reading.formats.paragraphs import CJK
from workbench.reading.formats.pdf import page_lines
from workbench.reading.formats.pdf_places import lines_in_text

MOST_PIXELS = 24_000_000
"""Maximum number of pixels of the picture of a page; larger ones are scaled down."""
_TINT = np.array((1.0, 0.92, 0.66))
_LINE = (178, 106, 0)
_GROUNDS = {True: np.array((0.87, 0.94, 1.0)), False: np.array((0.82, 0.82, 0.82))}
_FONT_FOLDERS = (
    "/usr/share/fonts",
    "/usr/share/X11/fonts/Type1",
    "/usr/share/X11/fonts/TTF",
    "/usr/local/share/fonts",
)
"""PDFium's own font folders on Linux."""
_kept: list[object] = []
"""Objects to which PDFium has pointers."""
_COLOURS = 32
_SAMPLE = 12
"""Number of pages sampled for the edges of the text."""
_LONGER = 842.0
"""Length of the longer side of a scan, in points."""
_FINE = 100
"""Steps per point in positions requested from PDFium."""


class Size(NamedTuple):
    """Width and height of a page in points (1/72 inch)."""

    width: float
    height: float


class TextColumn(NamedTuple):
    """The left and right edge of the text of pages, in points."""

    left: float
    right: float


class PagePlaces(NamedTuple):
    """The positions of a page's characters: ``offsets`` int32[n], ascending, in the document's text; ``boxes``
    float32[n, 4], left, top, right and bottom in points from the page's top left corner; ``line`` int32[n], the number
    of each character's line, in reading order.
    """

    offsets: NDArray[np.int32]
    boxes: NDArray[np.float32]
    line: NDArray[np.int32]


class Picture(NamedTuple):
    """``pixels``: rows of blue, green, red and one unused byte."""

    width: int
    height: int
    pixels: bytes


class Box(NamedTuple):
    """A rectangle, in points from the page's top left corner."""

    left: float
    top: float
    right: float
    bottom: float


class Ground(NamedTuple):
    """A stretch of text tinted as content or non-content."""

    start: int
    end: int
    is_content: bool


NOWHERE = PagePlaces(np.zeros(0, np.int32), np.zeros((0, 4), np.float32), np.zeros(0, np.int32))


def boxes_of(places: PagePlaces, start: int, end: int) -> list[Box]:
    """A box for each line with characters of ``[start, end)``, as high as the line (as wide, if it is vertical)."""
    first, last = np.searchsorted(places.offsets, (start, end)).tolist()
    boxes = []
    for number in np.unique(places.line[first:last]).tolist():
        own = places.boxes[first:last][places.line[first:last] == number]
        whole = places.boxes[places.line == number]
        left, top = own[:, :2].min(0).tolist()
        right, bottom = own[:, 2:].max(0).tolist()
        (x0, y0), (x1, y1) = whole[:, :2].min(0).tolist(), whole[:, 2:].max(0).tolist()
        along = x1 - x0 >= y1 - y0
        boxes.append(Box(left, y0, right, y1) if along else Box(x0, top, x1, bottom))
    return boxes


class Pages(ABC):
    """The pages from which the text of ``document`` was read, or its ``words`` recognised. Not thread-safe; must be
    closed.
    """

    def __init__(self, document: Document, words: Sequence[WordBox]) -> None:
        self._document = document
        self._words: dict[int, list[WordBox]] = {}
        for word in words:
            self._words.setdefault(word.page, []).append(word)

    @abstractmethod
    def close(self) -> None:
        """Release its memory."""

    @abstractmethod
    def sizes(self) -> list[Size]:
        """The size of each page as shown; A4 for a damaged page."""

    @abstractmethod
    def picture(self, index: int, scale: float) -> Picture:
        """The page ``index`` (from 0) at ``scale`` pixels per point. Raises UnreadableInput if it is damaged."""

    @abstractmethod
    def places(self, index: int) -> PagePlaces:
        """The positions of the characters of page ``index`` (from 0); empty if it is damaged or has no text."""

    def column(self) -> TextColumn:
        """The horizontal extent of the text: the maximum over the lines of a few pages."""
        sizes = self.sizes()
        some = [self.places(index).boxes for index in sorted({len(sizes) * part // _SAMPLE for part in range(_SAMPLE)})]
        boxes = [box for box in some if len(box)]
        if not boxes:
            return TextColumn(0, max((size.width for size in sizes), default=595.0))
        return TextColumn(min(float(box[:, 0].min()) for box in boxes), max(float(box[:, 2].max()) for box in boxes))

    def marked(
        self,
        index: int,
        scale: float,
        spans: Sequence[tuple[int, int]],
        grounds: Sequence[Ground] = (),
        numbers: Sequence[int] = (),
    ) -> bytes:
        """A PNG file of the page ``index`` (from 0) with the ``spans`` of the text marked: tinted, underlined, and with
        the ``numbers`` beside them, above the ``grounds``.

        Raises UnreadableInput if it is damaged.
        """
        from PIL import Image, ImageDraw

        picture, places = self.picture(index, scale), self.places(index)
        pixels = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width, 4)[:, :, 2::-1].copy()
        bare = pixels.copy()
        drawn = picture.width / max(1.0, self.sizes()[index].width)
        tints = [(ground.start, ground.end, _GROUNDS[ground.is_content], False) for ground in grounds]
        first: list[tuple[int, int] | None] = []
        for start, end, tint, is_marked in (*tints, *((*span, _TINT, True) for span in spans)):
            boxes = boxes_of(places, start, end)
            for box in boxes:
                left, top, right, bottom = (round(max(0.0, edge) * drawn) for edge in box)
                area = bare[top : bottom + 1, left:right]
                pixels[top : bottom + 1, left:right] = (area * tint).astype(np.uint8)
                if is_marked:
                    pixels[bottom : bottom + 2, left:right] = _LINE
            if is_marked:
                first.append((round(boxes[0].left * drawn), round(boxes[0].top * drawn)) if boxes else None)
        page = Image.fromarray(pixels)
        draw, size = ImageDraw.Draw(page), max(8, round(9 * drawn))
        for number, place in zip(numbers, first, strict=False):
            if place is not None:
                width = round(draw.textlength(str(number), font_size=size)) + size // 2
                left, top = max(0, place[0] - width - 2), place[1]
                draw.rectangle((left, top, left + width, top + round(1.2 * size)), fill=_LINE)
                draw.text((left + width / 2, top + 0.6 * size), str(number), "white", anchor="mm", font_size=size)
        file = BytesIO()
        # Using few colours reduces the file of a page of text to a third.
        few = page.quantize(_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(file, "PNG")
        return file.getvalue()

    def _recognised(self, index: int) -> PagePlaces:
        """The positions of the words recognised in a page's picture; the letters of a word share its box evenly."""
        words = self._words.get(index)
        if not words:
            return NOWHERE
        size = self.sizes()[index]
        columns = np.array(words)
        ends = columns[:, 4:] / BOX_STEPS * (size.width, size.height, size.width, size.height)
        counts = columns[:, 3] - columns[:, 2]
        of_word = np.repeat(np.arange(len(words)), counts)
        at = np.arange(len(of_word)) - np.repeat(np.cumsum(counts) - counts, counts)
        left, top, right, bottom = ends[of_word].T
        first, then = at / counts[of_word], (at + 1) / counts[of_word]
        runs_down = [w.end > w.start + 1 and CJK.match(self._document.text, w.start) is not None for w in words]
        down = np.array(runs_down)[of_word] & (bottom - top > right - left)
        wide, high = np.where(down, 0, right - left), np.where(down, bottom - top, 0)
        boxes = np.stack(
            (
                left + first * wide,
                top + first * high,
                np.where(down, right, left + then * wide),
                np.where(down, top + then * high, bottom),
            ),
            axis=1,
        )
        offsets = columns[of_word, 2] + at
        order = np.argsort(offsets, kind="stable")
        line = columns[of_word, 1]
        return PagePlaces(*(a[order].astype(t) for a, t in ((offsets, "i4"), (boxes, "f4"), (line, "i4"))))


class PrintedPages(Pages):
    """The pages of the PDF ``data``.

    Raises UnreadableInput if it cannot be opened.
    """

    def __init__(self, data: bytes, document: Document, words: Sequence[WordBox] = ()) -> None:
        import pypdfium2

        super().__init__(document, words)
        try:
            self._pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise UnreadableInput(Message("The pages of this PDF cannot be shown.")) from error

    def close(self) -> None:
        """See :meth:`Pages.close`."""
        self._pdf.close()

    def sizes(self) -> list[Size]:
        """See :meth:`Pages.sizes`."""
        import pypdfium2

        sizes = []
        for index in range(len(self._pdf)):
            try:
                size = Size(*self._pdf.get_page_size(index))
            except pypdfium2.PdfiumError:
                size = Size(0, 0)
            sizes.append(size if 1 <= size.width <= 20_000 and 1 <= size.height <= 20_000 else Size(595, 842))
        return sizes

    def picture(self, index: int, scale: float) -> Picture:
        """See :meth:`Pages.picture`."""
        import pypdfium2

        try:
            page = self._pdf[index]
            width, height = page.get_size()
            scale = min(scale, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
            bitmap = page.render(scale=scale, force_bitmap_format=pypdfium2.raw.FPDFBitmap_BGRx, no_smoothpath=False)
            rows = np.frombuffer(bitmap.buffer, np.uint8).reshape(bitmap.height, bitmap.stride)
            picture = Picture(bitmap.width, bitmap.height, rows[:, : 4 * bitmap.width].tobytes())
            bitmap.close()
            page.close()
        except (pypdfium2.PdfiumError, ValueError) as error:
            raise UnreadableInput(Message("This page is damaged and cannot be shown.")) from error
        return picture

    def places(self, index: int) -> PagePlaces:
        """See :meth:`Pages.places`."""
        if index in self._words:
            return self._recognised(index)
        lines = page_lines(self._pdf, index)
        known = [] if not lines else list(lines_in_text(self._document, index, lines))
        offsets = np.array([start + at for start, line in known for at in range(len(line.places))], np.int32)
        if not len(offsets):
            return NOWHERE
        places = [place for _, line in known for place in line.places]
        characters = "".join(line.text for _, line in known)
        numbers = np.repeat(np.arange(len(known), dtype=np.int32), [len(line.places) for _, line in known])
        boxes = self._boxes(index, places)
        text = self._document.text
        same = np.array(
            [offset < len(text) and text[offset] == c for offset, c in zip(offsets.tolist(), characters, strict=True)]
        )
        # PDFium may have added a space between words, which has no position.
        keep = np.flatnonzero(same & (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1]))
        keep = keep[np.argsort(offsets[keep], kind="stable")]
        return PagePlaces(offsets[keep], boxes[keep], numbers[keep])

    def letters(self, index: int) -> Iterator[tuple[int, str, tuple[float, ...]]]:
        """The characters on page ``index``, in file order, without spaces: line number, character and box (see
        :class:`PagePlaces`).
        """
        for number, line in enumerate(page_lines(self._pdf, index) or ()):
            for character, box in zip(line.text, self._boxes(index, line.places).tolist(), strict=True):
                if not character.isspace() and box[2] > box[0] and box[3] > box[1]:
                    yield number, character, tuple(box)

    def _boxes(self, index: int, places: Sequence[int]) -> NDArray[np.float32]:
        """The boxes of PDFium's characters ``places``, float32[n, 4]; empty where PDFium has none."""
        from ctypes import byref, c_int

        from pypdfium2 import raw

        page = self._pdf[index]
        width, height = page.get_size()
        textpage = page.get_textpage()
        rect, box_at, text = raw.FS_RECTF(), raw.FPDFText_GetLooseCharBox, textpage.raw
        into, nowhere = byref(rect), (0.0, 0.0, 0.0, 0.0)
        boxes = np.array(
            [
                (rect.left, rect.top, rect.right, rect.bottom) if box_at(text, place, into) else nowhere
                for place in places
            ]
        ).reshape(-1, 4)
        x, y = c_int(), c_int()
        corners = []
        for corner in ((0, 0), (1_000, 0), (0, 1_000)):
            size = (round(width * _FINE), round(height * _FINE))
            raw.FPDF_PageToDevice(page.raw, 0, 0, *size, 0, *corner, byref(x), byref(y))
            corners.append(np.array((x.value, y.value)) / _FINE)
        textpage.close()
        page.close()
        origin = corners[0]
        across, up = (corners[1] - origin) / 1_000, (corners[2] - origin) / 1_000
        ends = [origin + boxes[:, [i]] * across + boxes[:, [j]] * up for i, j in ((0, 1), (2, 3))]
        boxes = np.hstack((np.minimum(*ends), np.maximum(*ends)))
        outside = ~np.isfinite(boxes).all(1) | (boxes[:, 2] < 0) | (boxes[:, 0] > width)
        boxes[outside | (boxes[:, 3] < 0) | (boxes[:, 1] > height)] = 0
        return boxes.astype(np.float32)


class ScannedPages(Pages):
    """The pages of the picture file ``data``, each scaled so that its longer side equals that of A4."""

    def __init__(self, data: bytes, document: Document, words: Sequence[WordBox] = ()) -> None:
        super().__init__(document, words)
        self._file = picture.opened(data)
        self._sizes: list[Size] = []

    def close(self) -> None:
        """See :meth:`Pages.close`."""
        self._file.close()

    def sizes(self) -> list[Size]:
        """See :meth:`Pages.sizes`."""
        if not self._sizes:
            pixels = picture.sizes(self._file)
            longer = [_LONGER / max(size) for size in pixels]
            self._sizes = [Size(w * scale, h * scale) for (w, h), scale in zip(pixels, longer, strict=True)]
        return self._sizes

    def picture(self, index: int, scale: float) -> Picture:
        """See :meth:`Pages.picture`."""
        size = self.sizes()[index]
        scale = min(scale, (MOST_PIXELS / (size.width * size.height)) ** 0.5)
        width, height = max(1, round(size.width * scale)), max(1, round(size.height * scale))
        page = picture.page(self._file, index).resize((width, height), reducing_gap=2.0).convert("RGBX")
        return Picture(width, height, page.tobytes("raw", "BGRX"))

    def places(self, index: int) -> PagePlaces:
        """See :meth:`Pages.places`."""
        return self._recognised(index)


def use_bundled_fonts() -> None:
    """Use the bundled fonts for Chinese and Japanese fonts that a PDF names without embedding, if the system has
    none. Call it before the process opens a PDF; systems other than Linux have such fonts.
    """
    if sys.platform != "linux":
        return
    from ctypes import POINTER, byref, c_char, c_char_p, cast

    from pypdfium2 import raw

    folders = (*_FONT_FOLDERS, str(resource("fonts")))
    paths = (c_char_p * (len(folders) + 1))(*(folder.encode() for folder in folders), None)
    settings = raw.FPDF_LIBRARY_CONFIG(version=2, m_pUserFontPaths=cast(paths, POINTER(POINTER(c_char))))
    _kept.append(paths)
    raw.FPDF_DestroyLibrary()
    raw.FPDF_InitLibraryWithConfig(byref(settings))


def pages_of(data: bytes, document: Document, words: Sequence[WordBox] = ()) -> Pages:
    """The pages of the file ``data``. Raises UnreadableInput if it cannot be opened."""
    kind = ScannedPages if picture.sniff(data) else PrintedPages
    return kind(data, document, words)
