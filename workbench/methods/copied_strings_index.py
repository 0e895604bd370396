"""Indexes of the method ``copied-strings``: what they share, and that of documents compared with each other.

Their arrays are memory-mapped. D documents are laid end to end, each closed by a separator: n positions in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.progress import Watcher
from workbench.base.types import Document
from workbench.methods.collection import load_arrays, save_arrays

PAPER_LENGTH = 15
"""l where documents are compared with each other and none is given."""

Strings = tuple[float, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""``bl*`` and, of each copied string (int64): start in the text, length, df, corpus position of another occurrence."""


@dataclass(frozen=True)
class CopiedStringsIndex:
    """``keys`` (D int64, ascending) and ``starts`` (D + 1 int64) of the documents; ``given``: l, 0 to choose one."""

    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    given: int
    by_rate: ClassVar[bool]
    """Whether the score is the copy rate where none is asked for."""
    facts: ClassVar[tuple[str, ...]] = ("given",)
    """The fields that are no arrays."""

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        facts = {name: values.pop(name) for name in self.facts}
        save_arrays(folder, values, facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open a saved index. Raises UserError when it is damaged."""
        arrays, facts = load_arrays(folder, [f.name for f in fields(cls) if f.name not in cls.facts])
        values: dict[str, Any] = {**arrays, **{name: facts[name] for name in cls.facts}}
        return cls(**values)

    @property
    def size(self) -> int:
        """N: documents of B and the examined one."""
        raise NotImplementedError

    def min_length(self, characters: int) -> int:
        """l for a text of so many characters: the shortest string that counts as copied."""
        raise NotImplementedError

    def strings(self, document: Document, watch: Watcher) -> Strings:
        """The best partition of a document."""
        raise NotImplementedError

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """``ln(N / df)`` by df from 0 to N, 0 for df 0 (float64)."""
        weight: NDArray[np.float64] = np.log(self.size / np.maximum(np.arange(self.size + 1), 1))
        weight[0] = 0
        return weight

    @cached_property
    def queue_of(self) -> NDArray[np.int32]:
        """Room by df from 0 to N for the kernel: -1 everywhere."""
        return np.full(self.size + 1, -1, np.int32)


@dataclass(frozen=True)
class AmongIndex(CopiedStringsIndex):
    """Documents that are compared with each other: they are B, and those examined are among them.

    n int32 each: inverse suffix array, LCP capped at separators, deepest interval with df >= 2 and counterpart in
    another document per rank, document frequency and step to the next frequency per interval head.
    """

    rank: NDArray[np.int32]
    lcp: NDArray[np.int32]
    owner: NDArray[np.int32]
    elsewhere: NDArray[np.int32]
    frequency: NDArray[np.int32]
    step: NDArray[np.int32]
    by_rate = False

    @classmethod
    def build(cls, keys: NDArray[np.int64], texts: Sequence[NDArray[np.uint32]], given: int, watch: Watcher) -> Self:
        """Index of texts (code points). Raises UserError from 2^31 characters on, Cancelled."""
        from workbench.kernels.characters import dense_characters
        from workbench.kernels.copied_strings import counterparts

        starts = bounds(texts)
        ids = dense_characters(texts)
        suffixes, lcp = suffixes_of(ids, watch)
        del ids
        rank, document = ranks(suffixes, starts)
        frequency, owner, step = repeats(lcp, document, len(texts), given or PAPER_LENGTH)
        inner = owner >= 0
        inner[inner] = frequency[owner[inner]] < 2
        owner[inner] = step[owner[inner]]
        watch.advance("Suffix array", 3, 4)
        elsewhere = counterparts(lcp, document, suffixes)
        watch.advance("Suffix array", 4, 4)
        return cls(keys, starts, given, rank, lcp, owner, elsewhere, frequency, step)

    @property
    def size(self) -> int:
        """N: documents of B, which holds the examined one."""
        return len(self.keys)

    def min_length(self, characters: int) -> int:
        """The l given, else the published one."""
        return self.given or PAPER_LENGTH

    def strings(self, document: Document, watch: Watcher) -> Strings:
        """The best partition of a document of the index. Raises UserError for another one, also of the same key."""
        from workbench.kernels.copied_strings import copied_strings

        i = int(np.searchsorted(self.keys, document.key))
        if i == len(self.keys) or self.keys[i] != document.key:
            raise UserError("A document to examine is missing from the index.", hint="Start the detection again.")
        if len(document.text) != self.starts[i + 1] - self.starts[i] - 1:
            # Which blocks count may be decided while a detection runs.
            raise UserError(
                "A document to examine has changed since it was indexed.", hint="Start the detection again."
            )
        found: Strings = copied_strings(
            int(self.starts[i]), len(document.text), self.rank, self.owner, self.lcp, self.step, self.frequency,
            self.weight, self.elsewhere, self.queue_of, self.min_length(len(document.text)),
        )  # fmt: skip
        return found


def codes_of(text: str) -> NDArray[np.uint32]:
    """The code points of a text."""
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def bounds(texts: Sequence[NDArray[np.uint32]]) -> NDArray[np.int64]:
    """Where the texts begin when laid end to end, each closed by a separator: D + 1 int64. Raises UserError."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(codes) + 1 for codes in texts], dtype=np.int64)])
    if starts[-1] >= 2**31:
        raise UserError(f"The corpus has {starts[-1]:,} characters; this method takes fewer than {2**31:,}.")
    return starts


def suffixes_of(ids: NDArray[Any], watch: Watcher) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Suffix array and LCP array of dense characters. Raises Cancelled."""
    from workbench.kernels.characters import character_lcp, character_suffix_array

    watch.advance("Suffix array", 0, 4)
    suffixes = character_suffix_array(ids)
    watch.advance("Suffix array", 1, 4)
    lcp = character_lcp(ids, suffixes)
    watch.advance("Suffix array", 2, 4)
    return suffixes, lcp


def ranks(suffixes: NDArray[np.int32], starts: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Inverse suffix array, and the document of the suffix at each rank (n int32 each)."""
    rank = np.empty_like(suffixes)
    rank[suffixes] = np.arange(len(suffixes), dtype=np.int32)
    return rank, np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))[suffixes]


def repeats(
    lcp: NDArray[np.int32], document: NDArray[np.int32], documents: int, shortest: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Document frequency per interval head, owner per rank and step per head: see ``kernels.document_frequency``."""
    from workbench.kernels.document_frequency import frequency_steps, interval_forest

    frequency, parent, owner = interval_forest(lcp, document, documents, shortest)
    return frequency, owner, frequency_steps(frequency, parent)
