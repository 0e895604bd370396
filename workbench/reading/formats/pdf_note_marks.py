"""Marks of notes in PDFs: small raised numbers behind words, which are no part of the text."""

from __future__ import annotations

import re
from ctypes import byref, c_double
from typing import Any

from workbench.reading.formats.running_heads import PdfLine

_MARK = re.compile(
    r"(?:(?<=[^\W\d_]{4})|(?<=[.,;:!?\"\u201d\u2019\u00bb\u3002\u300d]))\[?[0-9]{1,3}(?:[,\u2013-][0-9]{1,3}){0,5}\]?(?!\w)"
)
"""Behind short words, a number may be an exponent."""
_SMALL, _RAISED = 0.85, 0.2
"""Maximum height of a mark, and how far it is raised at least, relative to the height of the letter before it."""


def without_note_marks(textpage: Any, line: PdfLine) -> PdfLine:
    """``line`` without marks of notes; the line itself if it has none, or is not horizontal."""
    if line.measure is None or line.measure.turn:
        return line
    text, places = line.text, line.places
    for mark in reversed([*_MARK.finditer(text)]):
        before, first = (_height_and_base(textpage, places[at]) for at in (mark.start() - 1, mark.start()))
        if first[0] <= _SMALL * before[0] and first[1] - before[1] >= _RAISED * before[0]:
            text = text[: mark.start()] + text[mark.end() :]
            places = places[: mark.start()] + places[mark.end() :]
    return line if text == line.text else line._replace(text=text, places=places)


def _height_and_base(textpage: Any, place: int) -> tuple[float, float]:
    """The height of a character and its baseline from the bottom of the page, in points; zero if unknown."""
    from pypdfium2 import raw

    box, x, y = raw.FS_RECTF(), c_double(), c_double()
    raw.FPDFText_GetLooseCharBox(textpage.raw, place, byref(box))
    raw.FPDFText_GetCharOrigin(textpage.raw, place, byref(x), byref(y))
    return abs(box.top - box.bottom), y.value
