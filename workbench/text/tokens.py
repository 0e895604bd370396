"""Tokens of a folded text: characters or words, the units of shingles and sketches.

:mod:`workbench.kernels.token_pass` cuts them.

- ``characters``: every character of the folded text is a token.
- ``auto``: in scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese, Tibetan) every character is a
  token; other characters form words, separated by white space, punctuation and symbols. Apostrophes do not divide.
- ``letters``: in scripts written without spaces every character is a token; in others every letter begins a token of
  five letters, across any separators. A quarter of the shingles that begin with a letter, chosen by hash, count:
  otherwise the letters of code or names would outweigh the Chinese or Japanese text of a page.
- ``words``: as ``auto``, but in scripts without spaces a word is a run of one script (漢字, ひらがな, カタカナ),
  the simplest possible tokenizer.
- ``segmented``: as ``auto``, but runs of Han are cut into Chinese words by a dictionary
  (:mod:`workbench.text.segmenting.chinese`, an optional part).
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from workbench.text.normalisation import is_symbol


class Tokens(StrEnum):
    """How a text is cut into tokens."""

    AUTO = "auto"
    CHARACTERS = "characters"
    LETTERS = "letters"
    WORDS = "words"
    SEGMENTED = "segmented"


LETTERS_OF_A_TOKEN = 5
"""Letters of a token of ``Tokens.LETTERS``, in scripts with spaces."""
DIVIDES = 0x10
"""Flag: if folding drops this code point, it separates words."""
OPENS = 0x20
"""Flag: an opening bracket or quotation mark."""
MARK = 0x40
"""Flag: a symbol or punctuation mark that is not an opening one; it belongs to the preceding token."""
SCRIPT = 0x0F
"""Mask of the script number: 0 for scripts with spaces, otherwise the number of a script without."""
HAN = 1
"""The script number of Chinese characters."""

UNSPACED: tuple[tuple[int, int, int], ...] = (
    (0x0E00, 0x0EFF, 4),
    (0x0F00, 0x0FFF, 5),
    (0x1000, 0x109F, 6),
    (0x1780, 0x17FF, 7),
    (0x2E80, 0x2FDF, 1),
    (0x3005, 0x3007, 1),
    (0x3041, 0x309F, 2),
    (0x30A0, 0x30FF, 3),
    (0x3100, 0x312F, 8),
    (0x31A0, 0x31BF, 8),
    (0x31F0, 0x31FF, 3),
    (0x3400, 0x4DBF, 1),
    (0x4E00, 0x9FFF, 1),
    (0xAA60, 0xAA7F, 6),
    (0xF900, 0xFAFF, 1),
    (0x1AFF0, 0x1B16F, 3),
    (0x20000, 0x3FFFD, 1),
)
"""First and last code point of the blocks of scripts without spaces, and the script's number."""

UNSPACED_CLASS = "".join(f"{chr(first)}-{chr(last)}" for first, last, _ in UNSPACED)
"""The same, for use inside a regular expression's character class."""
SPACELESS_CLASS = UNSPACED_CLASS + "\u3000-\u303f\ufe30-\ufe4f\uff01-\uff65"
"""With the marks and full-width forms used in these scripts; white space next to any of these does not divide."""
_SPACELESS = re.compile(f"[{SPACELESS_CLASS}]")

_APOSTROPHES = frozenset("'\u2019\u02bc\uff07")


def joint(before: str, after: str) -> str:
    """The replacement of a line end that only wraps prose between ``before`` and ``after``: a space, or nothing next to
    scripts without spaces.
    """
    return "" if _SPACELESS.search(before + after) else " "


def token_class(character: str) -> int:
    """Script number of one code point, with the flags DIVIDES, OPENS and MARK."""
    code = ord(character)
    for first, last, script in UNSPACED:
        if first <= code <= last:
            return script | _flags(character)
    return _flags(character)


def _flags(character: str) -> int:
    if character.isspace():
        return DIVIDES
    if not is_symbol(character):
        return 0
    category = unicodedata.category(character)
    flags = OPENS if category in ("Ps", "Pi") else MARK
    joins = character in _APOSTROPHES or category[0] not in "PS"
    return flags if joins else flags | DIVIDES
