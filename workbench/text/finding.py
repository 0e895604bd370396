"""Occurrences of words that a reader looks for in a text, as they read on the screen."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np

from workbench.base.types import Ints
from workbench.text.tokens import joint

_LINE_END = r"(?:[^\S\n]*\n[^\S\n]*)?"
_UNSEEN = "\u00ad\u200b\u2060\ufeff"
"""Characters without width, such as soft hyphens."""
_WRAP = re.compile(r"(\S)[^\S\n]*\n[^\S\n]*(?=(\S))")


def find_all(text: str, needle: str) -> tuple[Ints, Ints]:
    """Starts and ends of all occurrences of ``needle`` in ``text``; code points, ascending, disjoint.

    Case, the width of characters, characters without any (soft hyphens), and whether accents are composed make no
    difference. White space stands for any white space, and between characters of scripts without spaces there may be a
    line end.
    """
    if not needle:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    pattern = re.compile(as_read(needle), re.IGNORECASE)
    limits = np.array([m.span() for m in pattern.finditer(text)], np.int64).reshape(-1, 2)
    return limits[:, 0], limits[:, 1]


def as_read(needle: str) -> str:
    """A pattern, without numbered groups, of all that reads like ``needle``; see :func:`find_all`."""
    parts: list[str] = []
    before = ""
    one_line = _WRAP.sub(lambda wrap: wrap[1] + joint(wrap[1], wrap[2]), _composed(needle))
    for character in one_line.translate(dict.fromkeys(map(ord, _UNSEEN))) or one_line:
        if character.isspace():
            if not before.isspace():
                # A run at the start would be read again from each of its characters.
                parts.append(r"\s+" if parts else r"\s")
        else:
            if before and not before.isspace():
                parts.append(f"[{_UNSEEN}]*")
                if not joint(before, character):
                    parts.append(_LINE_END)
            apart = unicodedata.normalize("NFD", character)
            wide = "".join(_other_widths().get(c, c) for c in apart)
            parts.append(f"(?:{'|'.join(map(re.escape, dict.fromkeys((character, apart, wide))))})")
        before = character
    return f"(?:{re.escape(needle)}|{''.join(parts)})"


def beginnings(needle: str) -> frozenset[str]:
    """The characters, in either case, with which text that reads like ``needle`` may begin; ``needle`` must not begin
    with a space.
    """
    composed = _composed(needle)[0]
    forms = {needle[0], composed, unicodedata.normalize("NFD", composed)[0]}
    return frozenset(forms | {_other_widths().get(form, form) for form in forms})


def _composed(needle: str) -> str:
    """``needle`` in the usual widths, its accents composed."""
    one_width = "".join(unicodedata.normalize("NFKC", c) if c in _other_widths() else c for c in needle)
    return unicodedata.normalize("NFC", one_width)


@cache
def _other_widths() -> dict[str, str]:
    """Each full-width or half-width form with the usual one, and vice versa."""
    forms = ((chr(code), unicodedata.normalize("NFKC", chr(code))) for code in range(0xFF01, 0xFFEF))
    pairs = [(form, usual) for form, usual in forms if len(usual) == 1 and usual != form and not usual.isspace()]
    return {usual: form for form, usual in pairs} | dict(pairs)
