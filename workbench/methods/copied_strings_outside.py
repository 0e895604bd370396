"""Index of the corpus B of ``copied-strings`` alone, for documents that B does not hold.

What is examined does not shape it: documents that are added are looked up in it, and the scores of those that were
there stay as they are. Where no l is given it is the length of the longest run that two random texts share by chance,
one as long as B and the other as the examined document, both with B's characters
(:mod:`workbench.kernels.copied_chance`); so a score depends on B and its document only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Watcher
from workbench.base.types import Document
from workbench.methods.copied_strings_index import (
    CopiedStringsIndex,
    Strings,
    bounds,
    codes_of,
    ranks,
    repeats,
    suffixes_of,
)

LONGEST = 10_000
"""The largest l."""
_SLICE = 1 << 17
"""Offsets of a document looked up between two looks at the watcher: some hundredths of a second."""
_PER_WORD = 8
"""Positions of B for a word of the filter, at most: eight bits each or more."""


@dataclass(frozen=True)
class OutsideIndex(CopiedStringsIndex):
    """The documents of B; those examined are others.

    ``letters`` (uint32): the code points in B, ascending; ``ids`` (n uint16 or uint32): B in their numbers from 1;
    ``firsts`` (int64): the rank where the suffixes with each number begin. n int32 each: suffix array and its inverse,
    LCP capped at separators, deepest interval per rank, document frequency in B and the examined document, and step to
    the next frequency per interval head. ``lowest`` and ``filter`` as :mod:`workbench.kernels.copied_outside` has them.
    ``equal``: the chance in [0, 1] that two characters drawn from B are equal.
    """

    letters: NDArray[np.uint32]
    ids: NDArray[Any]
    firsts: NDArray[np.int64]
    suffixes: NDArray[np.int32]
    rank: NDArray[np.int32]
    lcp: NDArray[np.int32]
    lowest: NDArray[np.int32]
    owner: NDArray[np.int32]
    frequency: NDArray[np.int32]
    step: NDArray[np.int32]
    filter: NDArray[np.uint64]
    equal: float
    by_rate = True
    facts = ("given", "equal")

    @classmethod
    def build(cls, keys: NDArray[np.int64], texts: Sequence[NDArray[np.uint32]], given: int, watch: Watcher) -> Self:
        """Index of texts (code points). Raises UserError from 2^31 characters on, Cancelled."""
        from workbench.kernels.characters import code_points, dense_characters
        from workbench.kernels.copied_chance import meeting_chance
        from workbench.kernels.copied_outside import block_minima, gram_filter

        starts = bounds(texts)
        letters = code_points(texts)
        ids = dense_characters(texts)
        suffixes, lcp = suffixes_of(ids, watch)
        firsts = np.searchsorted(ids[suffixes], np.arange(len(letters) + 2, dtype=ids.dtype))
        equal = meeting_chance(np.diff(firsts)[1:])
        gram = _min_length(given, 1, len(ids) - len(texts), equal)
        rank, document = ranks(suffixes, starts)
        frequency, owner, step = repeats(lcp, document, len(texts), gram)
        del document
        frequency += 1
        watch.advance("Suffix array", 3, 4)
        lowest = block_minima(lcp)
        words = gram_filter(ids, gram, (len(ids) // _PER_WORD).bit_length())
        watch.advance("Suffix array", 4, 4)
        return cls(
            keys, starts, given, letters, ids, firsts, suffixes, rank, lcp, lowest, owner, frequency, step, words, equal
        )

    @property
    def size(self) -> int:
        """N: documents of B and the examined one."""
        return len(self.keys) + 1

    def min_length(self, characters: int) -> int:
        """The l given, else what chance reaches in a text of so many characters."""
        return _min_length(self.given, characters, len(self.ids) - len(self.keys), self.equal)

    @cached_property
    def number(self) -> NDArray[Any]:
        """The number of each code point in B, 0 for those that are not there."""
        number = np.zeros(0x110000, self.ids.dtype)
        number[self.letters] = np.arange(1, len(self.letters) + 1)
        return number

    def matching_statistics(self, document: Document, watch: Watcher) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For each offset the length of the longest string there that B holds, and an offset of B where it stands.

        Strings that are shorter than any l count as 0; their place means nothing. Raises Cancelled.
        """
        from workbench.kernels.copied_outside import gram_starts, longest_matches

        query = self.number[codes_of(document.text)]
        length, place = np.zeros(len(query), np.int32), np.empty(len(query), np.int32)
        gram = self.min_length(1)
        possible = gram_starts(query, gram, self.filter)
        for begin in range(0, len(query), _SLICE):
            watch.check()
            longest_matches(
                query, begin, min(begin + _SLICE, len(query)), gram, possible, self.firsts, self.ids, self.suffixes,
                self.rank, self.lcp, self.lowest, length, place,
            )  # fmt: skip
        return length, place

    def strings(self, document: Document, watch: Watcher) -> Strings:
        """The best partition of a document. Raises Cancelled."""
        from workbench.kernels.copied_outside import outside_strings

        length, place = self.matching_statistics(document, watch)
        found: Strings = outside_strings(
            length, place, self.rank, self.owner, self.lcp, self.step, self.frequency, self.weight, self.queue_of,
            self.min_length(len(length)),
        )  # fmt: skip
        return found


def _min_length(given: int, characters: int, corpus: int, equal: float) -> int:
    from workbench.kernels.copied_chance import chance_length

    return given or chance_length(characters, corpus, equal, most=LONGEST)
