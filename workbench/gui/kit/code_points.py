"""Conversion between code points and Qt's UTF-16, and characters that must not take effect on screen.

Offsets everywhere in the product are code points; ``QTextLayout`` counts UTF-16 units, two for a character above
U+FFFF. Every replacement made here is one code point for one, so that offsets never change.
"""

from __future__ import annotations

import re
from unicodedata import category, name

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFont, QFontMetrics

from workbench.text.tokens import joint

_CONTROL = {c: 0x2400 + c for c in range(0x20) if c not in (0x09, 0x0A)} | {0x7F: 0x2421}
_UNPRINTABLE = (
    *range(0x80, 0xA0),
    *range(0xD800, 0xE000),
    0x061C,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    0xFFF9,
    0xFFFA,
    0xFFFB,
    0xFFFE,
)
# At the start of a string, Qt takes U+FEFF and U+FFFE for byte order marks.
_OTHERS = {0x0A: 0x20, 0x2028: 0x21B5, 0x2029: 0xB6, 0xFEFF: 0x2060}
_TABLE = _CONTROL | dict.fromkeys(_UNPRINTABLE, 0xFFFD) | _OTHERS
_SPECIAL = re.compile("[" + "".join(re.escape(chr(c)) for c in _TABLE) + "]")


def visible(text: str) -> str:
    """``text`` in a form safe to draw, with the same number of code points.

    Controls become their pictures (U+2400 ff.), bidirectional overrides and isolates, C1 controls and lone surrogates
    become U+FFFD, line and paragraph separators a symbol, so that none can reorder or hide the surrounding text; a byte
    order mark becomes a word joiner, which is as invisible.
    """
    return text.translate(_TABLE) if _SPECIAL.search(text) else text


def unwrapped(text: str) -> str:
    """``text`` with line ends as spaces, or as zero-width spaces beside scripts without spaces; same length."""
    return _LINE_END.sub(_joint, text)


_LINE_END = re.compile(r"[^\S\n]*\n[^\S\n]*")
_NOTHING = "\u200b"


def _joint(run: re.Match[str]) -> str:
    first = joint(run.string[max(0, run.start() - 1) : run.start()], run.string[run.end() : run.end() + 1]) or _NOTHING
    return first + _NOTHING * (len(run.group()) - 1)


def replaced_positions(text: str) -> list[int]:
    """Code-point offsets in ``text`` where :func:`visible` shows a symbol instead of the character."""
    return [m.start() for m in _SPECIAL.finditer(text) if m.group() != "\n"]


class Utf16Map:
    """Offsets of one piece of text in code points (0..n) and UTF-16 units (0..m), both ways."""

    __slots__ = ("_to16",)

    def __init__(self, text: str) -> None:
        self._to16: NDArray[np.int32] | None = None
        if text and max(text) > "\uffff":
            points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            self._to16 = np.zeros(len(points) + 1, np.int32)
            np.cumsum(1 + (points > 0xFFFF), out=self._to16[1:])

    def to_utf16(self, offset: int) -> int:
        """UTF-16 position of the code point at ``offset`` (0..n)."""
        return offset if self._to16 is None else int(self._to16[offset])

    def from_utf16(self, position: int) -> int:
        """Code-point offset at UTF-16 ``position``; inside a surrogate pair, that of the pair."""
        return position if self._to16 is None else int(np.searchsorted(self._to16, position, "right")) - 1


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of ``text``, uint32[n]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def unseen(text: str, face: QFont) -> list[str]:
    """Code points and Unicode names of characters in ``text`` that ``face`` lacks, or that are shown as a symbol."""
    metrics = QFontMetrics(face)
    letters = dict.fromkeys(text.replace("\n", ""))
    hidden = [c for c in letters if visible(c) != c or not metrics.inFontUcs4(ord(c))]
    return [f"U+{ord(c):04X} {name(c, '')}".rstrip() for c in hidden]


def is_inside_character(text: str, offset: int) -> bool:
    """Whether ``offset`` is inside what reads as one character of ``text``: a letter with its marks or variation
    selector, a joined emoji, a flag.
    """
    if not 0 < offset < len(text) or text[offset - 1] == "\n":
        return False
    character = text[offset]
    if category(character).startswith("M") or _EXTENDS.match(character) or text[offset - 1] == "\u200d":
        return True
    before = text[:offset] if character in _FLAG_LETTERS else ""
    return (len(before) - len(before.rstrip(_FLAG_LETTERS))) % 2 == 1


_EXTENDS = re.compile("[\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
"""Joiner, skin tones, tags."""
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of them are a flag."""
