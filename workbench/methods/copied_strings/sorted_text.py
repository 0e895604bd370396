"""The text of a corpus with its suffixes in order, extensible without sorting again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.kernels.character_suffixes import (
    character_lcp,
    character_suffix_array,
    dense_characters,
    distinct_characters,
    inverse,
)
from workbench.kernels.copied_strings.insertion import insertion_ranks, merged_suffixes, suffixes_below
from workbench.kernels.copied_strings.outside import block_minima

STAGE = Message("Suffix array")
STEPS = 4


@dataclass(frozen=True, slots=True)
class SortedText:
    """D concatenated documents, each followed by a separator: n positions in all.

    ``starts`` (D + 1 int64) of the documents; ``letters`` (uint32): their code points, ascending; ``ids`` (n uint16 or
    uint32): the text as numbers of these, from 1, and 0 for separators; ``suffixes`` and ``lcp`` (n int32): the suffix
    array, and the LCP array, capped at separators.
    """

    starts: NDArray[np.int64]
    letters: NDArray[np.uint32]
    ids: NDArray[Any]
    suffixes: NDArray[np.int32]
    lcp: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[NDArray[np.uint32]], progress: Progress) -> SortedText:
        """The sorted text of ``texts`` (code points). Raises UserError from 2^31 characters on, Cancelled."""
        starts = _bounds([len(text) for text in texts])
        letters = distinct_characters(texts)
        ids = dense_characters(texts, letters)
        progress.advance(STAGE, 0, STEPS)
        suffixes = character_suffix_array(ids)
        progress.advance(STAGE, 1, STEPS)
        return cls(starts, letters, ids, suffixes, character_lcp(ids, suffixes))

    def extended(self, texts: Sequence[NDArray[np.uint32]], progress: Progress) -> SortedText:
        """The sorted text with further texts (code points) at the end: equal to :meth:`of` all of them. Raises
        UserError from 2^31 characters on, Cancelled.
        """
        starts = _bounds([*(np.diff(self.starts) - 1).tolist(), *map(len, texts)])
        letters = np.union1d(self.letters, distinct_characters(texts))
        added = dense_characters(texts, letters)
        ids = np.concatenate([self._numbered(letters, added.dtype), added])
        progress.advance(STAGE, 0, STEPS)
        first = int(self.starts[self._settled()])
        suffixes, lcp = suffixes_below(self.suffixes, self.lcp, first)
        suffixes_new = character_suffix_array(ids[first:])
        lcp_new = character_lcp(ids[first:], suffixes_new)
        progress.advance(STAGE, 1, STEPS)
        places, shared = insertion_ranks(
            first, ids, inverse(suffixes_new), suffixes, inverse(suffixes), lcp, block_minima(lcp),
            first_ranks(ids[:first], len(letters)),
        )  # fmt: skip
        progress.check()
        both = merged_suffixes(first, ids, suffixes_new, lcp_new, places, shared, suffixes, lcp)
        return SortedText(starts, letters, ids, *both)

    def _numbered(self, letters: NDArray[np.uint32], kind: np.dtype[Any]) -> NDArray[Any]:
        """The text as numbers of ``letters``, which include all of its own."""
        if len(letters) == len(self.letters):
            return self.ids
        number: NDArray[Any] = np.concatenate([[0], np.searchsorted(letters, self.letters) + 1]).astype(kind)
        numbered: NDArray[Any] = number[self.ids]
        return numbered

    def _settled(self) -> int:
        """Number of documents, from the first, whose suffixes are in an order that further texts cannot change.

        The order of two suffixes is settled unless one is a prefix of the other, so that the end of the text
        decides. If the text from a document on occurs nowhere else, all suffixes before it are settled.
        """
        n, count = len(self.ids), len(self.starts) - 1

        def occurs_again(document: int) -> bool:
            begin = int(self.starts[document])
            after = int(np.flatnonzero(self.suffixes == begin)[0]) + 1
            other = int(self.suffixes[after]) if after < n else n
            return np.array_equal(self.ids[begin:], self.ids[other : other + n - begin])

        # If the text from a document on occurs again, so does the text from any later one; usually none does.
        back = 1
        while back <= count and occurs_again(count - back):
            back *= 2
        low, high = max(0, count - back), max(0, count - back // 2)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if occurs_again(middle) else (middle, high)
        return low


def first_ranks(ids: NDArray[Any], letters: int) -> NDArray[np.int64]:
    """The first rank of the suffixes that begin with each character from 0 to ``letters``, then the number of suffixes:
    int64 [``letters`` + 2].
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(ids, minlength=letters + 1))])


def _bounds(lengths: Sequence[int]) -> NDArray[np.int64]:
    """Starts of concatenated texts of these lengths, each followed by a separator: D + 1 int64. Raises
    UserError.
    """
    starts = np.cumsum([0, *(length + 1 for length in lengths)], dtype=np.int64)
    if starts[-1] >= 2**31:
        raise UserError(
            Message(
                "The corpus has {starts} characters; this method can only process fewer than {number}.",
                starts=f"{starts[-1]:,}",
                number=f"{2**31:,}",
            )
        )
    return starts
