"""Documents as folded characters, with their initials and readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import code_points
from workbench.kernels.fold_table import fold_table
from workbench.kernels.token_pass import fold_codes
from workbench.text.initials import NONE, letter_table, reading_table
from workbench.text.normalisation import FoldOptions, fold, ruby_spans


@dataclass(frozen=True)
class Lettered:
    """A text with n characters after folding, of which m have an initial.

    ``raw`` uint32: its code points; ``codes`` uint32 [n]: folded; ``start``, ``end`` int32 [n]: offsets of each in the
    text.
    """

    raw: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    @cached_property
    def _initials(self) -> NDArray[np.uint8]:
        """The initial of each folded character, or NONE: uint8 [n]."""
        return letter_table()[self.codes]

    @cached_property
    def at(self) -> NDArray[np.int64]:
        """The folded characters with an initial: int64 [m], ascending."""
        return np.flatnonzero(self._initials != NONE)

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """The initials, 0..25: uint8 [m]."""
        initials = self._initials
        own: NDArray[np.uint8] = initials[initials != NONE]
        return own

    def plain(self, i: int) -> bool:
        """Whether folded character ``i`` has no initial."""
        return bool(self._initials[i] == NONE)

    @cached_property
    def readings(self) -> NDArray[np.uint32]:
        """A common code point for all characters with the same reading: uint32 [n]."""
        return reading_table()[self.codes]


def lettered(texts: Sequence[str], *, ruby: bool) -> list[Lettered]:
    """``texts`` folded; with ``ruby``, without Aozora Bunko readings and notes."""
    raw = code_points("".join(texts))
    ends = np.cumsum([len(t) for t in texts], dtype=np.int64)
    folded = fold_codes(raw, ends, fold_table(FoldOptions()))
    letterings = []
    for i, text in enumerate(texts):
        first = int(ends[i]) - len(text)
        own = raw[first : ends[i]]
        if folded.context[i] or (ruby and ruby_spans(text)):
            folding = fold(text, FoldOptions(ruby=ruby))
            letterings.append(Lettered(own, code_points(folding.text), folding.start, folding.end))
        else:
            rows = slice(folded.bounds[i], folded.bounds[i + 1])
            letterings.append(Lettered(own, folded.codes[rows], folded.start[rows] - first, folded.end[rows] - first))
    return letterings
