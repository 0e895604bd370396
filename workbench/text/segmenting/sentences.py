"""Sentences of a text as they are read, for comparing whole sentences.

:mod:`workbench.text.segmenting.segmentation` divides at every full stop; here quotations and exclamations stay in their
sentence. The rule, exact enough to be written again (the compiled pass in ``kernels`` is checked against this module):

1. Hard breaks (:func:`~workbench.text.segmenting.segmentation.hard_breaks`) cut the text into pieces: at both ends of
   every block and at line ends that end a segment.
2. A *run* is a longest sequence of stops, closers and closing quotation marks 」』 that begins with a stop or a closing
   quotation mark. What stands behind it is the next code point of the piece that is no white space.
3. A run ends a sentence unless something stands behind it in the piece and one of these holds:

   a. the run has no strong stop, a ``GRAPHIC`` code point stands directly before it in the piece and another directly
      behind it (``3.14``, ``a.txt``);
   b. its last code point is no strong stop, and behind it stands と, っ, です or だ (「行こう！」と言った), a comma,
      or, if it has no strong stop, a lower-case letter (``"Really?" he said``, ``e.g. this``);
   c. it has no stop at all, and hiragana stands directly behind it (「明日」を見た).
4. What remains at the end of a piece is a sentence too. White space is trimmed from both ends.

Source of the stops and of the repair in b: Kang (2009), section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag
from functools import lru_cache
from itertools import pairwise

from workbench.base.types import Block, Span
from workbench.text.segmenting.characters import CharClass, char_class
from workbench.text.segmenting.segmentation import Layout, hard_breaks


class Sign(IntFlag):
    """What a code point does at the end of a sentence, beyond :class:`CharClass`, whose bits come first."""

    QUOTE = 32
    """A closing quotation mark that bounds a sentence."""
    HIRAGANA = 64
    LOWER = 128
    COMMA = 256
    TO = 512
    """と or っ."""
    DE = 1024
    """で, which continues if す follows, or だ, which does alone."""


QUOTES = "」』｣﹂﹄"
COMMAS = "、，,､；;：:"
STOP = CharClass.STRONG_STOP | CharClass.WEAK_STOP


@lru_cache(maxsize=65536)
def sign(character: str) -> int:
    """``CharClass`` and ``Sign`` of one code point together."""
    found = int(char_class(character))
    if character in QUOTES:
        found |= Sign.QUOTE
    if "\u3041" <= character <= "\u309f":
        found |= Sign.HIRAGANA
    if character.islower():
        found |= Sign.LOWER
    if character in COMMAS:
        found |= Sign.COMMA
    if character in "とっ":
        found |= Sign.TO
    if character in "でだ":
        found |= Sign.DE
    return found


def sentences(text: str, *, blocks: Sequence[Block] = (), layout: Layout | str = Layout.LAYOUT) -> list[Span]:
    """Sentences of ``text`` in order, disjoint, trimmed, never empty."""
    found = []
    for start, end in pairwise([0, *hard_breaks(text, blocks, layout).tolist(), len(text)]):
        first = start
        while first < end:
            stop = _sentence_end(text, first, start, end)
            a, b = first, stop
            while a < b and text[a].isspace():
                a += 1
            while a < b and text[b - 1].isspace():
                b -= 1
            if a < b:
                found.append(Span(a, b))
            first = stop
    return found


def _sentence_end(text: str, first: int, piece: int, edge: int) -> int:
    """End of the sentence that begins at ``first`` in the piece ``[piece, edge)``."""
    at = first
    while at < edge:
        if not sign(text[at]) & (STOP | Sign.QUOTE):
            at += 1
            continue
        run = at
        while at < edge and sign(text[at]) & (STOP | Sign.QUOTE | CharClass.CLOSER):
            at += 1
        behind = at
        while behind < edge and text[behind].isspace():
            behind += 1
        if behind == edge or not _goes_on(text, run, at, behind, piece, edge):
            return at
    return edge


def _goes_on(text: str, run: int, at: int, behind: int, piece: int, edge: int) -> bool:
    """Whether the sentence goes on behind the run ``[run, at)`` (rules 3a to 3c)."""
    signs = [sign(c) for c in text[run:at]]
    strong = any(s & CharClass.STRONG_STOP for s in signs)
    if not strong and run > piece and behind == at and sign(text[run - 1]) & sign(text[at]) & CharClass.GRAPHIC:
        return True
    following = sign(text[behind])
    if not signs[-1] & CharClass.STRONG_STOP:
        if following & (Sign.TO | Sign.COMMA) or text[behind] == "だ" or text[behind : min(behind + 2, edge)] == "です":
            return True
        if following & Sign.LOWER and not strong:
            return True
    return not any(s & STOP for s in signs) and behind == at and bool(following & Sign.HIRAGANA)
