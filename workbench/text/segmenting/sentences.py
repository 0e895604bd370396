"""Sentences of a text as a reader sees them, for comparing whole sentences.

:mod:`workbench.text.segmenting.segmentation` divides at every full stop; here quotations and exclamations stay in their
sentence. The rule in full (the compiled pass in ``kernels`` is checked against this module):

1. Hard breaks (:func:`~workbench.text.segmenting.segmentation.hard_breaks`) cut the text into pieces: at both ends of
   every block and at line ends that end a segment.
2. A *run* is a longest sequence of stops, closers and closing quotation marks 」』 that begins with a stop or a closing
   quotation mark. What follows it is the next code point of the piece that is not white space.
3. A run ends a sentence unless something follows it in the piece and one of these holds:

   a. the run has no strong stop, a ``GRAPHIC`` code point comes directly before it in the piece and another directly
      after it (``3.14``, ``a.txt``);
   b. its last code point is not a strong stop, and it is followed by と, っ, です or だ (「行こう！」と言った),
      a comma, or, if it has no strong stop, a lower-case letter (``"Really?" he said``, ``e.g. this``);
   c. it has no stop at all, and hiragana directly follows it (「明日」を見た).
4. The rest of a piece is also a sentence. White space is trimmed from both ends.

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
    """The role of a code point at the end of a sentence, in addition to :class:`CharClass`, whose bits come first."""

    QUOTE = 32
    """A closing quotation mark that bounds a sentence."""
    HIRAGANA = 64
    LOWER = 128
    COMMA = 256
    TO = 512
    """と or っ."""
    DE = 1024
    """で, which continues the sentence if す follows, or だ, which always does."""


QUOTES = "」』｣﹂﹄"
COMMAS = "、，,､；;：:"
STOP = CharClass.STRONG_STOP | CharClass.WEAK_STOP


@lru_cache(maxsize=65536)
def sign(character: str) -> int:
    """``CharClass`` and ``Sign`` of one code point together."""
    signs = int(char_class(character))
    if character in QUOTES:
        signs |= Sign.QUOTE
    if "\u3041" <= character <= "\u309f":
        signs |= Sign.HIRAGANA
    if character.islower():
        signs |= Sign.LOWER
    if character in COMMAS:
        signs |= Sign.COMMA
    if character in "とっ":
        signs |= Sign.TO
    if character in "でだ":
        signs |= Sign.DE
    return signs


def sentences(text: str, *, blocks: Sequence[Block] = (), layout: Layout | str = Layout.LAYOUT) -> list[Span]:
    """Sentences of ``text`` in order, disjoint, trimmed, never empty."""
    spans = []
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
                spans.append(Span(a, b))
            first = stop
    return spans


def _sentence_end(text: str, first: int, piece: int, edge: int) -> int:
    """End of the sentence that starts at ``first`` in the piece ``[piece, edge)``."""
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
    """Whether the sentence continues after the run ``[run, at)`` (rules 3a to 3c)."""
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
