"""Classes of code points distinguished by the readers of pages, as bits of one byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS

SPACE, CJK, DECIMAL, DIGIT, WORD, UPPER, LOWER, WIDE = (1 << bit for bit in range(8))

_CJK = ((0x2E80, 0xA4CF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF01, 0xFF9F), (0x20000, 0x3FFFD))
_WIDE = ((0x2E80, 0xA4CF), (0xF900, 0xFAFF), (0xAC00, 0xD7A3))
_LETTERS = ((0, 0x3400), (0xA000, 0xAC00), (0xF900, 0x20000))
"""Ranges of digits and cased letters; the rest is ideographs, Hangul, and private use."""


@lru_cache(maxsize=1)
def classes() -> NDArray[np.uint8]:
    """The classes of every code point: uint8 [0x110000].

    SPACE, DECIMAL and WORD are ``\\s``, ``\\d`` and ``\\w`` of Python's regular expressions; DIGIT is ``str.isdigit``,
    UPPER ``str.isupper``, LOWER lower and title case; CJK are characters between which a line end of the source is
    not a space, WIDE characters that count as more than one.
    """
    table = np.zeros(CODE_POINTS, np.uint8)
    every = np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for pattern, bit in ((r"\s+", SPACE), (r"\d+", DECIMAL), (r"\w+", WORD)):
        for match in re.finditer(pattern, every):
            table[match.start() : match.end()] |= bit
    _mark(table, _CJK, CJK)
    _mark(table, _WIDE, WIDE)
    for letter in (every[code] for first, end in _LETTERS for code in range(first, end)):
        code = ord(letter)
        if letter.isdigit():
            table[code] |= DIGIT
        if letter.isupper():
            table[code] |= UPPER
        elif letter.islower() or letter.istitle():
            table[code] |= LOWER
    return table


def _mark(table: NDArray[np.uint8], ranges: Sequence[tuple[int, int]], bit: int) -> None:
    for first, last in ranges:
        table[first : last + 1] |= bit
