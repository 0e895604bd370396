"""The role of single characters at a segment boundary: ending a sentence, closing it, or keeping it together."""

from __future__ import annotations

import unicodedata
from enum import IntFlag
from functools import lru_cache


class CharClass(IntFlag):
    """Boundary classes of a code point; a code point may have several."""

    NONE = 0
    STRONG_STOP = 1
    """Always ends a segment (。 and the like)."""
    WEAK_STOP = 2
    """Ends a segment unless between two ASCII-like characters (. ! ? and … in any width)."""
    CLOSER = 4
    """Belongs to the segment if it follows a stop (closing brackets and quotes)."""
    SPACE = 8
    """Trimmed from both ends of a segment (``str.isspace``)."""
    GRAPHIC = 16
    """A printable ASCII character, or its full-width form."""


_STRONG = frozenset("。۔؟।॥።։")
_WEAK = frozenset(".!?")
_STOPS = _STRONG | _WEAK
_QUOTES = frozenset("\"'＂＇")


@lru_cache(maxsize=65536)
def char_class(character: str) -> CharClass:
    """Classes of one code point.

    A stop is a code point whose NFKC form consists of stops only, so every width counts alike: 。｡︒ are strong,
    . ． … ‥ ! ！ ? ？ ‼ ⁉ weak. Closers are general categories Pe and Pf, and straight quotes of either width.
    """
    classes = CharClass.NONE
    narrow = frozenset(unicodedata.normalize("NFKC", character))
    if narrow & _STRONG and narrow <= _STOPS:
        classes |= CharClass.STRONG_STOP
    elif narrow <= _WEAK:
        classes |= CharClass.WEAK_STOP
    if character in _QUOTES or unicodedata.category(character) in ("Pe", "Pf"):
        classes |= CharClass.CLOSER
    if character.isspace():
        classes |= CharClass.SPACE
    code = ord(character)
    if 0x21 <= code <= 0x7E or 0xFF01 <= code <= 0xFF5E:
        classes |= CharClass.GRAPHIC
    return classes


@lru_cache(maxsize=1)
def stops() -> str:
    """Every stop character in code point order, for building scanners (the supplementary planes have none)."""
    stop, normal = CharClass.STRONG_STOP | CharClass.WEAK_STOP, unicodedata.normalize
    # A quick test: almost all are rejected by their first character.
    likely = (c for c in map(chr, range(0x20000)) if normal("NFKC", c)[0] in _STOPS)
    return "".join(c for c in likely if char_class(c) & stop)
