"""A 32-bit word per code point: its folded form and its role at segment boundaries, for the compiled pass.

Built from the plain reference: :func:`workbench.text.normalisation.fold_char`, ``needs_context``, ``tie`` and
:func:`workbench.text.segmenting.characters.char_class`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS
from workbench.text.disguises import LOOKALIKES, SMALL_CAPITALS
from workbench.text.normalisation import VARIANTS, FoldOptions, fold_char, is_symbol, needs_context, tie
from workbench.text.scripts import katakana_to_hiragana
from workbench.text.segmenting.characters import char_class

VALUE = (1 << 21) - 1
"""Bits of the folded code point (0: dropped), or of the index into ``expansions`` if EXPANDS is set."""
EXPANDS = 1 << 21
CONTEXT = 1 << 22
CLASS_SHIFT = 24
"""Bits 24..28 contain the ``CharClass``."""

_PLAIN = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xD800, 0xF900), (0x20000, 0x2F800))
"""Ideographs, Hangul syllables, surrogates, private use: they fold to themselves unless they are in a variant table."""
_SYLLABLES = slice(0xAC00, 0xD7A4)
_LAST_ASSIGNED = 0x30000
_TAGS = range(0xE0000, 0xE0200)


@dataclass(frozen=True, slots=True)
class FoldTable:
    """``words``: uint32 [0x110000]; ``expansions``: uint32, each entry a length followed by that many code points;
    ``ties``: uint16 [0x110000], the ``tie`` and, from bit 2 on, the combining class.
    """

    words: NDArray[np.uint32]
    expansions: NDArray[np.uint32]
    ties: NDArray[np.uint16]


@lru_cache(maxsize=16)
def fold_table(options: FoldOptions) -> FoldTable:
    """The table of ``options``, ignoring ``ruby``, which is not a property of single code points.

    Takes about a tenth of a second the first time for each set of options.
    """
    words, ties = np.arange(CODE_POINTS, dtype=np.uint32), np.zeros(CODE_POINTS, np.uint16)
    ties[_SYLLABLES] = 1
    expansions = [0]
    always = _properties()
    variants = (character for character in VARIANTS[options.variants]() if character not in always)
    for character, (bits, place) in chain(always.items(), ((c, _of(c)) for c in variants)):
        folded = fold_char(character, options)
        if len(folded) == 1:
            word = ord(folded)
        elif not folded:
            word = 0
        else:
            word = EXPANDS | len(expansions)
            expansions += [len(folded), *map(ord, folded)]
        code = ord(character)
        if options.nfkc:
            ties[code] = place
        else:
            bits &= ~CONTEXT
        words[code] = word | bits
    return FoldTable(words, np.array(expansions, np.uint32), ties)


def _of(character: str) -> tuple[int, int]:
    """CONTEXT and class of ``character`` as bits of its word, and its entry in ``ties``."""
    bits = CONTEXT * needs_context(character) | int(char_class(character)) << CLASS_SHIFT
    return bits, tie(character) | unicodedata.combining(character) << 2


@lru_cache(maxsize=1)
def _properties() -> dict[str, tuple[int, int]]:
    """:func:`_of` for the characters with a value other than 0, or that some options fold to something else, except
    those only in a table of variants.
    """
    return {character: _of(character) for character in map(chr, _candidates()) if not _is_letter_alone(character)}


def _candidates() -> Iterator[int]:
    start = 0
    for first, last in _PLAIN:
        yield from (c for c in range(start, first) if unicodedata.category(chr(c)) != "Cn")
        start = last
    yield from range(start, _LAST_ASSIGNED)
    yield from _TAGS


def _is_letter_alone(character: str) -> bool:
    """Whether it is certainly a letter or digit that neither changes nor joins others, like most: those of scripts
    without case and marks. Faster than folding each.
    """
    return (
        character.isalnum()
        and not character.isascii()
        and not unicodedata.decomposition(character)
        and character.casefold() == character
        and character == katakana_to_hiragana(character)
        and character not in LOOKALIKES
        and character not in SMALL_CAPITALS
        and not is_symbol(character)
        and not unicodedata.combining(character)
        and not tie(character)
    )
