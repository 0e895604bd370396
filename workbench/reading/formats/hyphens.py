"""Distinguishes hyphens that divide words at line ends from hyphens that are part of the word.

A hyphen divides a word

- if the file marks it by its replacement text: a soft hyphen or nothing (ISO 32000-1, 14.8.2.2.3 and 14.9.4), or a
  hyphen for others and none for this one;
- if it is a special character, U+2010 or U+00AD, that occurs at line ends only, as style sheets produce it.

Any other hyphen is part of the word if the hyphenated word occurs elsewhere in the document, or both halves but not the
whole do. If neither is known, it divides the word if the document divides other words by such hyphens: one of these
occurs whole elsewhere; or at least one line in RARE ends in a word of which neither half occurs elsewhere, and no line
in a hyphen of the first two kinds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from workbench.reading.formats.paragraphs import WORD
from workbench.reading.formats.running_heads import PdfLine

RARE = 100
"""Number of lines per line that ends in half an unknown word, above which these may all be hyphenated words."""
LONGEST_WORD = 60
"""Characters at the end or beginning of a line that are searched for half of a divided word."""
_SIGNS = "-\u00ad\u2010"
_DIVIDED = re.compile(rf"[^\W\d_][{_SIGNS}]$")
_WITHIN = {sign: re.compile(rf"[^\W\d_]{sign}[^\W\d_]") for sign in _SIGNS}


class Hyphens:
    """The hyphens at the ends of ``lines``, the consecutive lines of a document."""

    def __init__(self, lines: Sequence[PdfLine]) -> None:
        texts = [line.text for line in lines]
        self._words = _whole_words(texts)
        within = {sign for sign, pattern in _WITHIN.items() if any(map(pattern.search, texts))}
        self._own = tuple(sign for sign in _SIGNS if "-" in within and sign not in within)
        divided = [
            (line, some)
            for line, after in pairwise(lines)
            if _is_divided(line.text, after.text) and (some := _halves(line.text, after.text))
        ]
        marked = any(line.divides or self._is_own(line) for line, _ in divided)
        self._rest_divides = not marked and any(line.divides is False for line, _ in divided)
        rest = [some for line, some in divided if line.divides is None and not self._is_own(line)]
        rest = [some for some in rest if not self._is_known(*some)]
        wholes = any("".join(some) in self._words for some in rest)
        halves = sum(not any(self._parts(*some)) for some in rest)
        self._is_sure = self._rest_divides or (marked and not wholes)
        self._divides = wholes or (not marked and halves * RARE >= len(texts))

    def text(self, line: PdfLine) -> str:
        """The text of a line, with a soft hyphen for a hyphen that is known to divide a word."""
        is_left = self._rest_divides and line.divides is None and _DIVIDED.search(line.text)
        return f"{line.text[:-1]}\u00ad" if line.divides or self._is_own(line) or is_left else line.text

    def is_written(self, before: str, after: str) -> bool:
        """Whether the hyphen at the end of ``before`` is part of a word that continues in ``after``."""
        halves = _halves(before, after)
        if halves is None:
            return False
        if self._is_sure or self._is_known(*halves):
            return True
        return not self._divides and "".join(halves) not in self._words

    def _is_own(self, line: PdfLine) -> bool:
        """Whether a line ends in a character that only divides words."""
        return line.text.endswith(self._own)

    def _is_known(self, left: str, right: str) -> bool:
        """Whether the document's words show that a hyphen belongs between the two."""
        if f"{left}-{right}" in self._words:
            return True
        return f"{left}{right}" not in self._words and all(self._parts(left, right))

    def _parts(self, left: str, right: str) -> tuple[bool, bool]:
        """Whether the text to the left, and to the right, of the hyphen is a word elsewhere."""
        first, second = left.rpartition("-")[2], right.partition("-")[0]
        return len(first) > 1 and first in self._words, len(second) > 1 and second in self._words


def _is_divided(before: str, after: str) -> bool:
    """Whether a hyphen between lower-case letters ends the line ``before``."""
    return before.endswith(tuple(_SIGNS)) and before[-2:-1].islower() and after[:1].islower()


def _whole_words(texts: Sequence[str]) -> set[str]:
    """The words of lines, without those that may be half a word: the last one, and the first after a hyphen."""
    words: set[str] = set()
    for before, text in pairwise(["", *texts]):
        words.update(WORD.findall(text.casefold())[before.endswith(tuple(_SIGNS)) : -1])
    return words


def _halves(before: str, after: str) -> tuple[str, str] | None:
    first, then = WORD.findall(before[-LONGEST_WORD:-1].casefold()), WORD.match(after[:LONGEST_WORD].casefold())
    return (first[-1], then[0]) if first and then else None
