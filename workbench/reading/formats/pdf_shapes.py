"""Letters that the pages of a PDF draw as other letters, because of a false character map.

A font in the file draws the letters; a map beside it gives their code points. The drawn letter is compared with
sketches (:mod:`workbench.reading.formats.glyphs`) of the mapped letter and of other letters of its script. In any
typeface most correctly mapped letters are far more similar to their own sketch; with a false map, few are.

A font is sampled in one line of each page, and, after several pages without a finding, only on some pages. If the
sampled line is suspicious, all lines are judged. Scripts without a bundled font are omitted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from ctypes import addressof, byref, c_double, c_int
from math import atan2, degrees, hypot
from typing import Any, NamedTuple

import numpy as np

from workbench.reading.formats.glyphs import (
    ABOVE,
    BELOW,
    SCRIPTS,
    Ink,
    Script,
    Sketch,
    framed,
    other_sketches,
    own_sketches,
    sketch,
)
from workbench.reading.formats.running_heads import PdfLine

ROW = 40
"""Number of measured letters that are judged together; at the end of a page, at least half as many."""
OWN = 0.8
"""Standard deviations by which a drawn letter's similarity to its own sketch must exceed its similarity to others."""
OTHERWISE = 0.45
"""Share of unlike letters in a row from which it is drawn as other letters: 0.05 to 0.35 with correct maps, 0.6 to
0.9 with false ones.
"""
SURE = 0.2
"""Share of unlike letters up to which a sampled line counts as honest."""
LOOK = 10
"""Maximum number of letters of a line that are measured."""
FEW = 6
"""Minimum number of letters of a line that is judged."""
HONEST, AGAIN = 3, 16
"""Pages without a finding after which a font is sampled only on every AGAIN-th page."""
_MOST_LINES = 40
_ALIKE, _MANY = 0.95, 0.2
"""Similarity from which two drawn letters are the same glyph, and the share of such letters from which the glyph is the
box for missing letters.
"""
_PIXELS = 28
"""Pixels per font size in renderings of letters."""
_LARGEST = 400_000
_FINE = 64
_TURNED = 15
_FAINT = 0.25


class _Letters(NamedTuple):
    """Letters of a script: their positions in a line."""

    line: PdfLine
    within: Sequence[int]


class _Compared(NamedTuple):
    """PDFium's number of a letter, and the standard deviations by which the drawn letter's similarity to its own sketch
    exceeds its similarity to others.
    """

    at: int
    nearness: float


class _Place(NamedTuple):
    """The position of a letter on the page as displayed, in points from the top left; ``line`` is the baseline."""

    left: float
    top: float
    right: float
    bottom: float
    line: float
    size: float


class Shapes:
    """Findings about the fonts of a file from the pages examined."""

    def __init__(self) -> None:
        self._honest: dict[tuple[int, str], int] = defaultdict(int)
        self._passed: dict[tuple[int, str], int] = defaultdict(int)
        self.are_some_blank = False
        """Whether letters on the page that was looked at last have no ink though the file has their font."""

    def shown_otherwise(self, page: Any, textpage: Any, lines: Sequence[PdfLine]) -> list[int]:
        """PDFium's numbers of the letters of ``lines``, ascending, in rows that the page draws as other letters."""
        concerned: set[int] = set()
        self.are_some_blank = False
        for (font, script), of_font in _by_font(textpage, lines).items():
            key = font, script.name
            self._passed[key] += 1
            if self._honest[key] >= HONEST and self._passed[key] % AGAIN:
                continue
            view = _View(page, textpage, script)
            some = (view.compared(of_font[at]) for at in (len(of_font) // 2, 0, -1))
            first = next((line for line in some if len(line) >= FEW), [])
            otherwise = _judged(view, of_font) if _strange(first) > SURE * len(first) else []
            self._honest[key] += not otherwise
            # Letters of a font that is not embedded are blank if the system does not have the font.
            self.are_some_blank |= view.blank > 0 and _is_embedded(textpage, of_font[0])
            concerned.update(otherwise)
        return sorted(concerned)


def _strange(row: Sequence[_Compared]) -> int:
    return sum(one.nearness < OWN for one in row)


def _by_font(textpage: Any, lines: Sequence[PdfLine]) -> dict[tuple[int, Script], list[_Letters]]:
    """The letters of each line by font (PDFium's address of it) and script."""
    from pypdfium2 import raw

    grouped: dict[tuple[int, Script], list[_Letters]] = defaultdict(list)
    for line in lines:
        for script in SCRIPTS:
            letters = [match.start() for match in script.letters.finditer(line.text)]
            if len(letters) < FEW:
                continue
            text = raw.FPDFText_GetTextObject(textpage.raw, line.places[letters[len(letters) // 2]])
            font = raw.FPDFTextObj_GetFont(text) if text else None
            if font:
                grouped[addressof(font.contents), script].append(_Letters(line, letters))
    return grouped


def _is_embedded(textpage: Any, letters: _Letters) -> bool:
    from pypdfium2 import raw

    text = raw.FPDFText_GetTextObject(textpage.raw, letters.line.places[letters.within[len(letters.within) // 2]])
    return bool(raw.FPDFFont_GetIsEmbedded(raw.FPDFTextObj_GetFont(text)) == 1)


def _judged(view: _View, lines: Sequence[_Letters]) -> list[int]:
    """The letters of ``lines`` in rows that are drawn as other letters."""
    # If there are few lines, more letters are measured, so that a single sentence can be judged.
    count = max(LOOK, ROW // len(lines))
    measured = [one for line in lines[:: 1 + len(lines) // _MOST_LINES] for one in view.compared(line, count)]
    if view.shows_boxes():
        return []
    concerned: list[int] = []
    for start in range(0, len(measured), ROW):
        row = measured[start : start + ROW]
        if 2 * len(row) >= ROW and _strange(row) >= OTHERWISE * len(row):
            every = (line.places[at] for line, within in lines for at in within)
            concerned += [at for at in every if row[0].at <= at <= row[-1].at]
    return concerned


class _View:
    """The rendering of a page's letters of one script."""

    def __init__(self, page: Any, textpage: Any, script: Script) -> None:
        self._page, self._textpage, self._script = page, textpage, script
        self._size = page.get_size()
        self._rotation = page.get_rotation()
        self._sketches: dict[str, Sketch] = {}
        self.blank = 0
        """Letters that were to be measured and have no ink."""

    def compared(self, letters: _Letters, count: int = LOOK) -> list[_Compared]:
        """Up to ``count`` of ``letters``, compared as drawn."""
        line, within = letters
        places = ((at, self._place(line.places[at])) for at in within[:: max(1, len(within) // count)])
        some = [(at, place) for at, place in places if place]
        measured = []
        for at, drawn in self._drawn(some[:count]):
            letter = line.text[at]
            self._sketches[letter] = drawn
            own = own_sketches(letter, self._script)
            others, begins = other_sketches(self._script)
            if not len(own):
                continue
            likeness = np.maximum.reduceat(others @ drawn, begins)
            among = self._script.some.find(letter)
            likeness = np.delete(likeness, among) if among >= 0 else likeness
            if (spread := float(likeness.std())) > 0:
                nearness = (float((own @ drawn).max()) - float(likeness.mean())) / spread
                measured.append(_Compared(line.places[at], nearness))
        return measured

    def shows_boxes(self) -> bool:
        """Whether many drawn letters are the same glyph, because the font lacks them."""
        every = np.array([*self._sketches.values()])
        alike = (every @ every.T > _ALIKE).sum(1) - 1 if len(every) > 1 else np.zeros(1)
        return float(alike.max()) >= max(1.0, _MANY * len(every))

    def _place(self, at: int) -> _Place | None:
        """The position of an upright letter; None for others."""
        from pypdfium2 import raw

        text, matrix, x, y = self._textpage.raw, raw.FS_MATRIX(), c_double(), c_double()
        sides = [c_double() for _ in range(4)]
        if not (
            raw.FPDFText_GetMatrix(text, at, byref(matrix))
            and raw.FPDFText_GetCharOrigin(text, at, byref(x), byref(y))
            and raw.FPDFText_GetCharBox(text, at, *map(byref, sides))
        ):
            return None
        turned = (degrees(atan2(matrix.b, matrix.a)) - self._rotation + 180) % 360 - 180
        size = raw.FPDFText_GetFontSize(text, at) * hypot(matrix.c, matrix.d)
        left, right, bottom, top = (side.value for side in sides)
        if abs(turned) > _TURNED or matrix.a * matrix.d <= matrix.b * matrix.c or size <= 0 or right <= left:
            return None
        corners = [self._shown(*corner) for corner in ((left, bottom), (right, top))]
        (xa, xb), (ya, yb) = (sorted(c) for c in zip(*corners, strict=True))
        width, height = self._size
        place = _Place(xa, ya, xb, yb, self._shown(x.value, y.value)[1], size)
        return place if 0 <= xa < xb <= width and 0 <= ya < yb <= height else None

    def _shown(self, x: float, y: float) -> tuple[float, float]:
        """A point of the page as displayed, from the top left."""
        from pypdfium2 import raw

        across, down = c_int(), c_int()
        size = (round(side * _FINE) for side in self._size)
        raw.FPDF_PageToDevice(self._page.raw, 0, 0, *size, 0, x, y, byref(across), byref(down))
        return across.value / _FINE, down.value / _FINE

    def _drawn(self, letters: Sequence[tuple[int, _Place]]) -> Iterator[tuple[int, Sketch]]:
        """The sketches of the rendered page at the positions of ``letters``, each with the letter's number."""
        if not letters:
            return
        places = [place for _, place in letters]
        scale = _PIXELS / max(place.size for place in places)
        left, top = min(p.left for p in places) - 1, min(p.top for p in places) - 1
        right, bottom = max(p.right for p in places) + 1, max(p.bottom for p in places) + 1
        if (right - left) * (bottom - top) * scale**2 > _LARGEST:
            return
        x0, y0, ink = self._ink(left, top, right, bottom, scale)
        heights = sorted(place.line - place.top for place in places)
        high = heights[len(heights) // 3] * scale
        for number, place in letters:
            columns = slice(max(0, int(place.left * scale) - x0), int(place.right * scale) - x0 + 1)
            rows = slice(max(0, int(place.top * scale) - y0), int(place.bottom * scale) - y0 + 1)
            own = ink[rows, columns]
            if not own.size or own.max() < _FAINT:
                self.blank += 1
                continue
            own = own / own.max()
            line = place.line * scale - y0 - rows.start
            frame = (line - ABOVE * high, line + BELOW * high) if self._script.x else framed(own)
            if (drawn := sketch(own, *frame)) is not None:
                yield number, drawn

    def _ink(self, left: float, top: float, right: float, bottom: float, scale: float) -> tuple[int, int, Ink]:
        """A part of the page: the pixels to its left and above it, and its contrast with the paper."""
        width, height = self._size
        cut = (max(0.0, left), max(0.0, height - bottom), max(0.0, width - right), max(0.0, top))
        bitmap = self._page.render(scale=scale, grayscale=True, crop=cut, may_draw_forms=False)
        grey = np.frombuffer(bitmap.buffer, np.uint8).reshape(bitmap.height, bitmap.stride)[:, : bitmap.width] / 255
        bitmap.close()
        return int(np.ceil(cut[0] * scale)), int(np.ceil(cut[3] * scale)), np.abs(grey - np.median(grey))
