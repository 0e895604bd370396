"""Letters of a PDF whose shapes are those of other letters: a character map that lies.

A font in the file draws the letters, a map beside it says which they are. Where both agree, ``p`` goes below the line
of writing, ``d`` rises above ``x``, and ``e`` does neither. In a row of letters few differ unless all are capitals (all
rise) or small capitals (none does). Where a map has one letter for another, many differ, and as many rise as in any
text. Only small Latin letters of horizontal text are compared; of several that one sign stands for, the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import byref, c_double
from math import inf
from typing import Any, NamedTuple

from workbench.reading.formats.running_heads import PdfLine

STEP = 2
"""Of how many letters one is measured."""
ROW = 60
"""Measured letters in a row that are judged together, at least half as many at the end of a page."""
OTHERWISE = 0.45
"""Share of the measured letters that have another shape."""
RISING = (0.1, 0.7)
"""Least and greatest share of letters that rise above others in text that is neither in capitals nor small capitals."""
_ASCENDING, _DESCENDING = frozenset("bdfhkl"), frozenset("gpqy")
_LETTERS = frozenset("abcdefghklmnopqrsuvwxyz")
_TALL, _DEEP = 0.6, 0.1
"""Of the size of the letters: above the line, and below it."""


class _Shape(NamedTuple):
    """PDFium's number of a letter, whether its shape is that of another one, and whether it rises above others."""

    at: int
    differs: bool
    rises: bool


FEW = 20
"""Letters that are looked at first, of as many as are judged in a row."""
SOME = 0.15
"""Share of these with another shape, from which on all are looked at."""


def shown_otherwise(textpage: Any, lines: Sequence[PdfLine]) -> list[int]:
    """PDFium's numbers of the letters of ``lines`` in rows whose shapes are those of other letters, ascending."""
    letters = [(at, c) for line in lines for at, c in zip(line.places, line.text, strict=True) if c in _LETTERS]
    some = list(_shapes(textpage, letters, STEP * ROW // FEW))
    if all(sum(shape.differs for shape in some[at : at + FEW]) < SOME * FEW for at in range(0, len(some), FEW // 2)):
        return []
    row: list[_Shape] = []
    concerned: list[int] = []
    for shape in _shapes(textpage, letters, STEP):
        row.append(shape)
        if len(row) == ROW:
            concerned += _judged(row)
            row = []
    return concerned + (_judged(row) if 2 * len(row) >= ROW else [])


def _judged(row: list[_Shape]) -> list[int]:
    differing = sum(shape.differs for shape in row)
    least, greatest = (share * len(row) for share in RISING)
    if differing < OTHERWISE * len(row) or not least <= sum(shape.rises for shape in row) <= greatest:
        return []
    return list(range(row[0].at, row[-1].at + 1))


def _shapes(textpage: Any, letters: Sequence[tuple[int, str]], step: int) -> Iterator[_Shape]:
    """The shape of one of ``step`` letters."""
    from pypdfium2 import raw

    page, matrix, x, line = textpage.raw, raw.FS_MATRIX(), c_double(), c_double()
    left, right, bottom, top = (c_double() for _ in range(4))
    before = (inf, inf)
    for at, letter in letters[step - 1 :: step]:
        if not raw.FPDFText_GetMatrix(page, at, byref(matrix)) or matrix.b or matrix.c:
            continue
        size = raw.FPDFText_GetFontSize(page, at) * matrix.d
        is_placed = raw.FPDFText_GetCharOrigin(page, at, byref(x), byref(line))
        place = (x.value, line.value)
        if size <= 0 or not is_placed or place == before:
            continue
        before = place
        if raw.FPDFText_GetCharBox(page, at, byref(left), byref(right), byref(bottom), byref(top)):
            tall, deep = top.value - line.value > _TALL * size, line.value - bottom.value > _DEEP * size
            differs = tall != (letter in _ASCENDING) or deep != (letter in _DESCENDING)
            yield _Shape(at, differs, tall)
