"""Text of a PDF that is invisible on its pages: in its background's colour, without ink, behind a picture, tiny or off
the page.

The objects of a page are a cheap test for possible hidden text. Only pages that fail it are rendered, with their text
and without: a character whose place looks the same both times is invisible. Text without ink over a scanned page was
recognised from the scan, and is not a sign.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_double, c_float, c_uint, c_ulong, c_ushort, sizeof
from dataclasses import replace
from math import hypot, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document, IntegrityFlag
from workbench.reading.formats.pdf_places import lines_in_text
from workbench.reading.formats.pdf_shapes import Shapes
from workbench.reading.formats.running_heads import PdfLine
from workbench.reading.formats.text_lines import looks_like_text
from workbench.reading.integrity import LEAST_UNSEEN, flag_of
from workbench.text.disguises import Trick

TINY = 1.6
"""Height in points, on an A4 page, below which a character is illegible."""
CONTRAST = 24
"""Minimum difference (of 255) between a character and its background."""
MOST_PAGES = 200
"""Maximum number of pages of a file that are rendered."""
LONG = 8
"""Minimum run of invisible characters inside a form, since PDFium's positions there may be slightly off."""
_A4_HEIGHT = 842.0
_GAP = 3
_SCALE = 1.5
_MOST_PIXELS = 4_000_000
_PALE = 225
_DEEPEST = 6
_MOST_OBJECTS = 20_000
_WITHOUT_INK = frozenset((3, 7))
"""Render modes that draw no text (PDF 32000-1, 9.3.6): nothing, and clipping only."""


_LAYER = (c_ushort * 3)(ord("O"), ord("C"), 0)
"""The name of the mark of layer content (PDF 32000-1, 8.11.3), in UTF-16."""
_MOST_CORNERS = 100
LEAST_PATHS = 150
"""Number of filled shapes on a page from which they may be outlines of letters."""
_LARGE_PICTURE = 0.25
"""Share of the width of a page from which a picture on it may show lines of text."""
LEAST_NOTED = 100
"""Number of characters in notes and form fields from which these are flagged: they are shown, but not part of the text.
"""
_LONGEST_NOTE = 20_000


class Signs:
    """Signs on the pages of a PDF that text is invisible, or drawn as other text."""

    def __init__(self) -> None:
        self._places: dict[int, dict[Trick, frozenset[int]]] = {}
        self._shapes = Shapes()
        self._layers = self._drawn = self._passed_over = self._pictures = self._noted = 0

    def look(self, index: int, page: Any, textpage: Any, lines: Sequence[PdfLine]) -> None:
        """Look for signs on the page ``index`` (from 0) with these ``lines``; a damaged page has none."""
        import pypdfium2

        try:
            otherwise = self._shapes.shown_otherwise(page, textpage, lines)
            blank = self._shapes.are_some_blank
            hidden = unseen(page, textpage, draw=self._drawn < MOST_PAGES, are_some_blank=blank)
            noted = _noted_on(page)
        except (pypdfium2.PdfiumError, ValueError):
            return
        self._layers += hidden.is_layer
        self._drawn += hidden.is_drawn
        self._passed_over += hidden.is_suspicious and not hidden.is_drawn
        self._pictures += hidden.has_text_in_pictures
        self._noted += noted
        if hidden.characters or otherwise:
            of_page = {Trick.UNSEEN: hidden.characters, Trick.SHOWN_OTHERWISE: otherwise}
            self._places[index] = {trick: frozenset(places) for trick, places in of_page.items() if places}

    def on(self, document: Document, pages: Sequence[Sequence[PdfLine] | None]) -> Document:
        """``document``, made from the lines of ``pages``, with flags and remarks for the signs."""
        concerned: dict[Trick, list[int]] = {Trick.UNSEEN: [], Trick.SHOWN_OTHERWISE: []}
        for index, of_page in self._places.items():
            for trick, places in of_page.items():
                for start, line in lines_in_text(document, index, pages[index] or ()):
                    concerned[trick] += [start + at for at, place in enumerate(line.places) if place in places]
        remarks = [*document.extraction.repairs]
        if self._layers:
            remarks.append(f"{self._layers:,} page{'s' if self._layers > 1 else ''} of pictures with a layer of text")
        if self._passed_over:
            remarks.append(f"hidden text was not looked for on {self._passed_over:,} pages")
        flags = [*document.extraction.integrity]
        flags += [flag_of(trick, sorted(at)) for trick, at in concerned.items() if len(at) >= LEAST_UNSEEN]
        if self._pictures:
            flags.append(IntegrityFlag(Trick.PICTURES.value, self._pictures, ()))
        if self._noted >= LEAST_NOTED:
            flags.append(IntegrityFlag(Trick.ELSEWHERE.value, self._noted, ()))
        return replace(
            document, extraction=replace(document.extraction, repairs=tuple(remarks), integrity=tuple(flags))
        )


class Unseen(NamedTuple):
    """PDFium's numbers of the invisible characters of a page, ascending; whether the page is a picture with a layer of
    text, whether its objects suggest hidden text, whether it was rendered to check, and whether its pictures or
    outlines may show text.
    """

    characters: tuple[int, ...]
    is_layer: bool
    is_suspicious: bool
    is_drawn: bool
    has_text_in_pictures: bool


def unseen(page: Any, textpage: Any, *, draw: bool = True, are_some_blank: bool = False) -> Unseen:
    """The invisible characters of ``page``. Without ``draw``, only tiny ones and those off the page;
    ``are_some_blank``: letters without ink were noticed.
    """

    objects = _Objects(page)
    count = textpage.count_chars()
    concerned = set(_tiny_or_outside(page, textpage, count) if objects.is_odd else ())
    invisible = _characters_of(textpage, count, objects.without_ink)
    is_layer = bool(invisible) and objects.has_picture and 2 * len(invisible) > count
    is_suspicious = (objects.is_suspicious or are_some_blank) and not is_layer
    is_drawn = draw and is_suspicious
    if is_drawn:
        seen_nowhere = set(_without_contrast(page, textpage, objects.texts, range(count)))
        in_forms = _characters_of(textpage, count, objects.in_forms)
        concerned |= (seen_nowhere - in_forms) | _long_runs(textpage, count, seen_nowhere & in_forms)
    elif not is_layer:
        concerned |= invisible
    in_pictures = draw and not is_layer and objects.may_show_text and _shows_text(page, objects.texts)
    words = tuple(at for at in sorted(concerned) if _is_word(textpage, at))
    return Unseen(words, is_layer, is_suspicious, is_drawn, in_pictures)


def _shows_text(page: Any, texts: Sequence[Any]) -> bool:
    """Whether a page looks like lines of text even when its ``texts`` are not drawn."""
    scale = min(_SCALE, (_MOST_PIXELS / max(1.0, page.get_width() * page.get_height())) ** 0.5)
    with _not_drawn(texts):
        grey = _drawn(page, scale).mean(2)
    return looks_like_text(grey)


def _noted_on(page: Any) -> int:
    """Number of characters in the notes on a page and in the fields of its form."""
    from pypdfium2 import raw

    count = 0
    for number in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        note = raw.FPDFPage_GetAnnot(page.raw, number)
        key = {raw.FPDF_ANNOT_FREETEXT: b"Contents", raw.FPDF_ANNOT_WIDGET: b"V"}.get(raw.FPDFAnnot_GetSubtype(note))
        if key:
            # In bytes of UTF-16 with a terminating zero.
            count += min(_LONGEST_NOTE, raw.FPDFAnnot_GetStringValue(note, key, None, 0) // 2 - 1)
        raw.FPDFPage_CloseAnnot(note)
    return count


def _characters_of(textpage: Any, count: int, texts: Collection[int]) -> set[int]:
    """The characters of the text objects at the addresses ``texts``."""
    from pypdfium2 import raw

    if not texts:
        return set()
    of = (raw.FPDFText_GetTextObject(textpage.raw, at) for at in range(count))
    return {at for at, text in enumerate(of) if text and _address(text) in texts}


def _long_runs(textpage: Any, count: int, concerned: Collection[int]) -> set[int]:
    """The members of ``concerned`` that are in runs of at least LONG word characters in a line."""
    from pypdfium2 import raw

    kept: set[int] = set()
    run: list[int] = []
    for at in range(count + 1) if concerned else ():
        is_end = at == count or raw.FPDFText_GetUnicode(textpage.raw, at) in (10, 13)
        if is_end or (at not in concerned and _is_word(textpage, at)):
            kept.update(run if len(run) >= LONG else ())
            run = []
        elif at in concerned and _is_word(textpage, at):
            run.append(at)
    return kept


def _is_word(textpage: Any, at: int) -> bool:
    from pypdfium2 import raw

    return not raw.FPDFText_IsGenerated(textpage.raw, at) and chr(raw.FPDFText_GetUnicode(textpage.raw, at)).isalnum()


def _address(pointer: Any) -> int:
    from ctypes import addressof

    return addressof(pointer.contents)


class _Objects:
    """The objects of a page: its ``texts``, the addresses of those ``without_ink`` and of those ``in_forms``. Whether
    anything suggests that some are hidden, whether some may be tiny or off the page (``is_odd``), and whether pictures
    or outlines on it may show text.
    """

    def __init__(self, page: Any) -> None:
        from pypdfium2 import raw

        self.texts: list[Any] = []
        self.without_ink: set[int] = set()
        self.in_forms: set[int] = set()
        self.has_picture = False
        self.may_show_text = False
        self._paths = 0
        self.is_suspicious = False
        self.is_odd = False
        self._left = _MOST_OBJECTS
        self._raw = raw
        self._box = page.get_bbox()
        self._walk(page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, 0)

    def _walk(self, parent: Any, count: Any, get: Any, level: int) -> None:
        """Objects in drawing order; those of a form are consecutive."""
        raw = self._raw
        areas: list[tuple[float, ...]] = []
        colours: list[tuple[int, int, int]] = []
        texts: list[tuple[float, ...]] = []
        before: list[int] = []
        self.is_odd |= count(parent) > self._left
        for number in range(min(count(parent), self._left)):
            self._left -= 1
            item = get(parent, number)
            kind = raw.FPDFPageObj_GetType(item)
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                self._text(item, areas, colours)
                if level:
                    self.in_forms.add(_address(item))
                texts.append(self._bounds(item))
                self.is_odd = self.is_odd or level > 0 or self._is_odd(item, texts[-1])
                before.append(len(areas))
            elif kind == raw.FPDF_PAGEOBJ_FORM and level < _DEEPEST:
                self._walk(item, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, level + 1)
                areas.append(self._bounds(item))
                colours.append((-1, -1, -1))
            elif kind == raw.FPDF_PAGEOBJ_IMAGE or self._is_filled(item, kind):
                areas.append(self._bounds(item))
                if kind == raw.FPDF_PAGEOBJ_IMAGE:
                    self.has_picture = True
                    wide = _LARGE_PICTURE * (self._box[2] - self._box[0])
                    self.may_show_text |= areas[-1][2] - areas[-1][0] > wide
                else:
                    self._paths += 1
                    self.may_show_text |= self._paths >= LEAST_PATHS
                colours.append(self._colour(item)[:3])
        if not self.is_suspicious and texts and areas:
            over = np.array(areas)
            for box, first in zip(texts, before, strict=True):
                if first < len(over) and _covers(over[first:], box).any():
                    self.is_suspicious = True
                    return

    def _text(self, item: Any, areas: Sequence[tuple[float, ...]], colours: Sequence[tuple[int, int, int]]) -> None:
        raw = self._raw
        self.texts.append(item)
        if raw.FPDFTextObj_GetTextRenderMode(item) in _WITHOUT_INK:
            self.without_ink.add(_address(item))
            self.is_suspicious = True
        self.is_suspicious = self.is_suspicious or self._is_optional(item) or self._is_cut(item)
        if self.is_suspicious:
            return
        red, green, blue, opacity = self._colour(item)
        if opacity < CONTRAST or min(red, green, blue) > _PALE:
            self.is_suspicious = True
        elif areas:
            like = [
                i for i, c in enumerate(colours) if max(abs(c[0] - red), abs(c[1] - green), abs(c[2] - blue)) < CONTRAST
            ]
            self.is_suspicious = bool(like) and bool(
                _covers(np.array([areas[i] for i in like]), self._bounds(item)).any()
            )

    def _is_optional(self, item: Any) -> bool:
        """Whether a text belongs to a layer, which may be switched off."""
        name, length = (c_ushort * len(_LAYER))(), c_ulong()
        for number in range(self._raw.FPDFPageObj_CountMarks(item)):
            mark = self._raw.FPDFPageObj_GetMark(item, number)
            is_read = self._raw.FPDFPageObjMark_GetName(mark, name, sizeof(name), byref(length))
            if is_read and length.value == sizeof(name) and bytes(name) == bytes(_LAYER):
                return True
        return False

    def _is_cut(self, item: Any) -> bool:
        """Whether a clipping path excludes the middle of a text."""
        raw, clip, x, y = self._raw, self._raw.FPDFPageObj_GetClipPath(item), c_float(), c_float()
        for path in range(max(0, raw.FPDFClipPath_CountPaths(clip)) if clip else 0):
            count = min(_MOST_CORNERS, raw.FPDFClipPath_CountPathSegments(clip, path))
            corners = (raw.FPDFClipPath_GetPathSegment(clip, path, number) for number in range(count))
            points = [(x.value, y.value) for corner in corners if raw.FPDFPathSegment_GetPoint(corner, x, y)]
            if points:
                left, bottom, right, top = self._bounds(item)
                (x0, x1), (y0, y1) = ((min(c), max(c)) for c in zip(*points, strict=True))
                if not (x0 <= (left + right) / 2 <= x1 and y0 <= (bottom + top) / 2 <= y1):
                    return True
        return False

    def _is_odd(self, item: Any, box: Sequence[float]) -> bool:
        """Whether a text of the page has small letters or is partly off the page; its ``box`` is empty if unknown."""
        size, matrix = c_float(), self._raw.FS_MATRIX()
        if not (self._raw.FPDFTextObj_GetFontSize(item, byref(size)) and self._raw.FPDFPageObj_GetMatrix(item, matrix)):
            return True
        least = 4 * TINY
        height, width = (abs(size.value) * hypot(*way) for way in ((matrix.c, matrix.d), (matrix.a, matrix.b)))
        left, bottom, right, top = self._box
        inside = left <= box[0] and bottom <= box[1] and box[2] <= right and box[3] <= top
        return min(height, width) < least or not inside

    def _is_filled(self, item: Any, kind: int) -> bool:
        from ctypes import c_int

        raw = self._raw
        if kind == raw.FPDF_PAGEOBJ_SHADING:
            return True
        fill, stroke = c_int(), c_int()
        is_path = kind == raw.FPDF_PAGEOBJ_PATH
        return is_path and bool(raw.FPDFPath_GetDrawMode(item, byref(fill), byref(stroke))) and fill.value != 0

    def _bounds(self, item: Any) -> tuple[float, ...]:
        sides = [c_float() for _ in range(4)]
        if not self._raw.FPDFPageObj_GetBounds(item, *map(byref, sides)):
            return (0.0, 0.0, 0.0, 0.0)
        return tuple(side.value for side in sides)

    def _colour(self, item: Any) -> tuple[int, int, int, int]:
        """Red, green, blue and opacity of the fill of ``item``; black if it is not a plain colour."""
        parts = [c_uint() for _ in range(4)]
        if not self._raw.FPDFPageObj_GetFillColor(item, *map(byref, parts)):
            return (0, 0, 0, 255)
        red, green, blue, opacity = (part.value for part in parts)
        return red, green, blue, opacity


def _covers(areas: NDArray[np.float64], box: Sequence[float]) -> NDArray[np.bool_]:
    """Which of ``areas`` (left, bottom, right, top) contain the centre of ``box``."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    covers: NDArray[np.bool_] = (areas[:, 0] <= x) & (x <= areas[:, 2]) & (areas[:, 1] <= y) & (y <= areas[:, 3])
    return covers


def _tiny_or_outside(page: Any, textpage: Any, count: int) -> Iterator[int]:
    """Tiny characters, and those off the page, unless they continue a line that is on it (an overlong line)."""
    from pypdfium2 import raw

    left, bottom, right, top = page.get_bbox()
    least = TINY * min(1.0, abs(top - bottom) / _A4_HEIGHT)
    box, before = raw.FS_RECTF(), (-inf, -inf)
    for at in range(count):
        if not raw.FPDFText_GetLooseCharBox(textpage.raw, at, byref(box)):
            continue
        size = max(box.top - box.bottom, box.right - box.left)
        low, high = box.bottom, box.top
        if low < bottom or high > top:
            low, high = _ink(textpage, at) or (low, high)
        is_outside = box.right <= left or box.left >= right or high <= bottom or low >= top
        goes_on = abs(box.left - before[0]) < _GAP * size and abs(box.bottom - before[1]) < size
        if (0 < size < least) or (is_outside and not goes_on):
            yield at
        else:
            before = (box.right, box.bottom)


def _ink(textpage: Any, at: int) -> tuple[float, float] | None:
    """Bottom and top of the letter itself, without the room that its font leaves around it; None for spaces."""
    from pypdfium2 import raw

    sides = [c_double() for _ in range(4)]
    if not raw.FPDFText_GetCharBox(textpage.raw, at, *map(byref, sides)):
        return None
    _, _, bottom, top = (side.value for side in sides)
    return (bottom, top) if bottom < top else None


def _without_contrast(page: Any, textpage: Any, texts: Sequence[Any], characters: Iterable[int]) -> Iterator[int]:
    """The ``characters`` whose places look the same with and without the ``texts`` of the page."""
    width, height = page.get_size()
    scale = min(_SCALE, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    shown = _drawn(page, scale)
    with _not_drawn(texts):
        bare = _drawn(page, scale)
    seen = (np.abs(shown - bare).max(2) >= CONTRAST).astype(np.int64)
    ink = np.pad(seen.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    for at in characters:
        box = _pixels(page, textpage, at, (shown.shape[1], shown.shape[0]))
        if box is None:
            continue
        x0, y0, x1, y1 = box
        if x0 < x1 and y0 < y1 and not ink[y1, x1] - ink[y0, x1] - ink[y1, x0] + ink[y0, x0]:
            yield at


@contextmanager
def _not_drawn(texts: Sequence[Any]) -> Iterator[None]:
    """Within the context, the ``texts`` of a page have no ink."""
    from pypdfium2 import raw

    modes = [raw.FPDFTextObj_GetTextRenderMode(text) for text in texts]
    for text in texts:
        raw.FPDFTextObj_SetTextRenderMode(text, 3)
    yield
    for text, mode in zip(texts, modes, strict=True):
        raw.FPDFTextObj_SetTextRenderMode(text, mode)


def _drawn(page: Any, scale: float) -> NDArray[np.int16]:
    bitmap = page.render(scale=scale, may_draw_forms=False)
    pixels = np.frombuffer(bitmap.buffer, np.uint8).reshape(bitmap.height, bitmap.stride)
    rows = pixels[:, : bitmap.width * bitmap.n_channels].reshape(bitmap.height, bitmap.width, bitmap.n_channels)
    copied = rows[:, :, :3].astype(np.int16)
    bitmap.close()
    return copied


def _pixels(page: Any, textpage: Any, at: int, size: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """The pixels around a character in a picture of ``size``; None if its position is unknown or off the page."""
    from ctypes import c_int

    from pypdfium2 import raw

    sides = [c_double() for _ in range(4)]
    if not raw.FPDFText_GetCharBox(textpage.raw, at, *map(byref, sides)):
        return None
    left, right, bottom, top = (side.value for side in sides)
    if not (right > left and top > bottom):
        return None
    corners = []
    x, y = c_int(), c_int()
    for corner in ((left, bottom), (right, top)):
        raw.FPDF_PageToDevice(page.raw, 0, 0, *size, 0, *corner, byref(x), byref(y))
        corners.append((x.value, y.value))
    (xa, ya), (xb, yb) = corners
    x0, x1, y0, y1 = min(xa, xb), max(xa, xb) + 1, min(ya, yb), max(ya, yb) + 1
    if x1 <= 0 or y1 <= 0 or x0 >= size[0] or y0 >= size[1]:
        return None
    return max(0, x0), max(0, y0), min(size[0], x1), min(size[1], y1)
