"""The roles of single code points in the method ``altered``, as tables over all code points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS
from workbench.text.disguises import LOOKALIKES
from workbench.text.scripts import katakana_to_hiragana, one_of_all_forms

DIGITS = "〇一二三四五六七八九"
UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
COUNTERS = "年月日時时分秒人個个回件度歳岁円元名本枚冊册点條条章項项款号号番階阶倍位部週周世紀纪"
"""Characters after a single numeral that make it a number rather than a part of a word (三日, but not 一般)."""

ORDINAL = "第"
PAIR = "两"
"""Two before a unit (两千), a word or a unit itself elsewhere (两国, 千両)."""
DIGIT, UNIT, BIG_UNIT, BEFORE_UNIT = np.uint8(1), np.uint8(2), np.uint8(3), np.uint8(4)


@lru_cache(maxsize=1)
def canonical() -> NDArray[np.uint32]:
    """The smallest spelling variant of every code point: uint32 [0x110000].

    Old Japanese and traditional Chinese characters become new ones; katakana become hiragana.
    """
    code_of = np.arange(CODE_POINTS, dtype=np.uint32)
    for character, first in one_of_all_forms().items():
        code_of[ord(character)] = ord(first)
    for code in range(0x30A1, 0x30FF):
        code_of[code] = ord(katakana_to_hiragana(chr(code)))
    return code_of


@lru_cache(maxsize=1)
def numerals() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Class (0, DIGIT, UNIT below 10,000, BIG_UNIT, BEFORE_UNIT: a digit there alone) uint8 and value int64 of every
    canonical code point.
    """
    classes, values = np.zeros(CODE_POINTS, np.uint8), np.zeros(CODE_POINTS, np.int64)
    for value, digit in enumerate(DIGITS):
        classes[ord(digit)], values[ord(digit)] = DIGIT, value
    classes[ord("零")] = DIGIT
    pair = canonical()[ord(PAIR)]
    classes[pair], values[pair] = BEFORE_UNIT, 2
    for unit, value in UNITS.items():
        code = canonical()[ord(unit)]
        classes[code], values[code] = (UNIT if value < 10**4 else BIG_UNIT), value
    return classes, values


@lru_cache(maxsize=1)
def counters() -> NDArray[np.bool_]:
    """Which canonical code points are COUNTERS: bool [0x110000]."""
    table = np.zeros(CODE_POINTS, np.bool_)
    table[[canonical()[ord(c)] for c in COUNTERS]] = True
    return table


@lru_cache(maxsize=1)
def lookalikes() -> NDArray[np.uint32]:
    """Every code point, or the Latin letter that it looks like: uint32 [0x110000].

    Used only in words that also have Latin letters.
    """
    table = np.arange(CODE_POINTS, dtype=np.uint32)
    for letter, latin in LOOKALIKES.items():
        table[ord(letter)] = ord(latin)
    return table
