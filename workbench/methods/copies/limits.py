"""Where a passage may begin and end: at words, and at the sentence end that is only a word or two away."""

from __future__ import annotations

from workbench.base.types import Span
from workbench.text.segmenting.characters import stops
from workbench.text.tokens import UNSPACED

SHORT = 16
"""Characters of a fragment of a sentence, at the limits of a passage, that are left out of it."""
_STOPS = frozenset(stops())


def at_words(text: str, span: Span) -> Span:
    """``span`` without fragments of words and of sentences at its limits; ``span`` itself where little would remain."""
    start, end = span
    while start < end and start > 0 and _letter(text[start - 1]) and _letter(text[start]):
        start += 1
    while end > start and end < len(text) and _letter(text[end - 1]) and _letter(text[end]):
        end -= 1
    if start != span.start:
        start = _after_fragment(text, start, end)
    if 2 * (end - start) < span.end - span.start:
        return span
    while start < end and start != span.start and text[start].isspace():
        start += 1
    while end > start and end != span.end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _after_fragment(text: str, start: int, end: int) -> int:
    """Behind the last stop near ``start``, else ``start``."""
    for i in range(min(start + SHORT, end) - 1, start - 1, -1):
        if text[i] in _STOPS:
            return i + 1
    return start


def _letter(character: str) -> bool:
    """Whether it is a letter or digit of a script written with spaces."""
    return character.isalnum() and not any(low <= ord(character) <= high for low, high, _ in UNSPACED)
