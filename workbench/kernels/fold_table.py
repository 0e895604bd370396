"""One word per code point: its folded form and its role at segment boundaries, for the compiled pass.

Built from the plain reference: :func:`workbench.text.normalisation.fold_char`, ``needs_context``, ``tie`` and
:func:`workbench.text.segmenting.characters.char_class`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS
from workbench.text.normalisation import VARIANTS, FoldOptions, fold_char, needs_context, tie
from workbench.text.segmenting.characters import char_class

VALUE = (1 << 21) - 1
"""Bits of the folded code point (0: dropped), or of the index into ``expansions`` if EXPANDS is set."""
EXPANDS = 1 << 21
CONTEXT = 1 << 22
CLASS_SHIFT = 24
"""Bits 24..28 hold the ``CharClass``."""

_PLAIN = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xD800, 0xF900), (0x20000, 0x2F800))
"""Ideographs, Hangul syllables, surrogates, private use: they fold to themselves unless a variant table names them."""
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
    """The table of ``options``, whose ``ruby`` is ignored here (it is not a property of a single code point).

    Takes about half a second the first time for each set of options.
    """
    words, ties = np.arange(CODE_POINTS, dtype=np.uint32), np.zeros(CODE_POINTS, np.uint16)
    ties[_SYLLABLES] = 1
    expansions = [0]
    for code in _candidates(options):
        character = chr(code)
        folded = fold_char(character, options)
        if len(folded) == 1:
            word = ord(folded)
        elif not folded:
            word = 0
        else:
            word = EXPANDS | len(expansions)
            expansions += [len(folded), *map(ord, folded)]
        if options.nfkc:
            word |= CONTEXT * needs_context(character)
            ties[code] = tie(character) | unicodedata.combining(character) << 2
        words[code] = word | int(char_class(character)) << CLASS_SHIFT
    return FoldTable(words, np.array(expansions, np.uint32), ties)


def _candidates(options: FoldOptions) -> Iterator[int]:
    """Code points that may fold to something other than themselves."""
    start = 0
    for first, last in _PLAIN:
        yield from (c for c in range(start, first) if unicodedata.category(chr(c)) != "Cn")
        start = last
    yield from range(start, _LAST_ASSIGNED)
    yield from _TAGS
    variants = map(ord, VARIANTS[options.variants]())
    yield from (c for c in variants if any(a <= c < b for a, b in _PLAIN) or c >= _LAST_ASSIGNED)
