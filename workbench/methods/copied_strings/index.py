"""Indexes of the method ``copied-strings``, and looking up a document's copied strings in them.

Their arrays are memory-mapped. D documents are concatenated, each followed by a separator: n positions in all. Among
the suspects, the examined documents are part of the index (:class:`AmongIndex`). Against other documents, they are not
(:class:`OutsideIndex`): new documents are looked up in it, and the scores of others do not change.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, DocumentScore, Matches, Results, Role, Tier
from workbench.kernels.character_suffixes import inverse, taken
from workbench.kernels.code_points import CODE_POINTS, code_points
from workbench.kernels.copied_strings.document_frequency import frequency_steps, interval_forest, shared_intervals
from workbench.kernels.copied_strings.outside import (
    block_minima,
    gram_filter,
    gram_starts,
    longest_matches,
    outside_strings,
)
from workbench.kernels.copied_strings.partition import copied_strings_of_each, counterparts
from workbench.methods.copied_strings.parameters import LONGEST, PAPER_LENGTH, CopiedStringsParameters
from workbench.methods.copied_strings.sorted_text import STAGE, STEPS, SortedText, first_ranks
from workbench.methods.core.api import Corpus
from workbench.methods.core.collection import load_arrays, save_arrays

_SLICE = 1 << 17
"""Offsets of a document looked up between two checks for cancellation: a few hundredths of a second."""
_PER_WORD = 8
"""Maximum number of positions of B per word of the filter: at least eight bits each."""

_AT_ONCE = 1 << 18
"""Characters partitioned between two checks for cancellation: some hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Strings:
    """Best partitions of d documents: ``copied_length`` is the ``bl*`` of each (float64 [d]); ``bounds`` int64 [d + 1].

    The copied strings of document i are the rows ``bounds[i]:bounds[i + 1]`` of ``parts`` (int64 [p, 4]): start in the
    text, length, df, corpus position of another occurrence.
    """

    copied_length: NDArray[np.float64]
    bounds: NDArray[np.int64]
    parts: NDArray[np.int64]

    @classmethod
    def joined(cls, groups: Sequence[Strings]) -> Strings:
        """The strings of several groups of documents in order."""
        counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(group.bounds) for group in groups)])
        return cls(
            np.concatenate([np.zeros(0), *(group.copied_length for group in groups)]),
            np.cumsum(counts),
            np.concatenate([np.zeros((0, 4), np.int64), *(group.parts for group in groups)]),
        )


@dataclass(frozen=True)
class CopiedStringsIndex:
    """``keys`` (D int64, ascending) of the documents; ``set_length``: the l that was set, 0 to let the method choose
    it. The other fields are those of :class:`~workbench.methods.copied_strings.sorted_text.SortedText`.
    """

    keys: NDArray[np.int64]
    set_length: int
    starts: NDArray[np.int64]
    letters: NDArray[np.uint32]
    ids: NDArray[Any]
    suffixes: NDArray[np.int32]
    lcp: NDArray[np.int32]
    by_rate: ClassVar[bool]
    """Whether the score defaults to the copy rate."""
    open: ClassVar[bool]
    """Whether documents not in the index can be looked up."""
    facts: ClassVar[Mapping[str, str]] = MappingProxyType({"set_length": "given"})
    """The fields that are not arrays, and their names in the file."""

    @classmethod
    @abstractmethod
    def of(cls, keys: NDArray[np.int64], text: SortedText, set_length: int, progress: Progress) -> Self:
        """Index of the documents of ``text``. Raises Cancelled."""

    @classmethod
    def build(
        cls, keys: NDArray[np.int64], texts: Sequence[NDArray[np.uint32]], set_length: int, progress: Progress
    ) -> Self:
        """Index of texts (code points). Raises UserError from 2^31 characters on, Cancelled."""
        return cls.of(keys, SortedText.of(texts, progress), set_length, progress)

    def extended(
        self, keys: NDArray[np.int64], texts: Sequence[NDArray[np.uint32]], progress: Progress
    ) -> CopiedStringsIndex:
        """The index with further texts, whose keys are greater: equal to :meth:`build` of all. Raises UserError from
        2^31 characters on, Cancelled.
        """
        text = SortedText(self.starts, self.letters, self.ids, self.suffixes, self.lcp).extended(texts, progress)
        return self.of(np.concatenate([self.keys, keys]), text, self.set_length, progress)

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        facts = {stored: values.pop(name) for name, stored in self.facts.items()}
        save_arrays(folder, values, facts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open a saved index. Raises UserError if it is damaged."""
        arrays, facts = load_arrays(folder, [f.name for f in fields(cls) if f.name not in cls.facts])
        values: dict[str, Any] = {**arrays, **{name: facts[stored] for name, stored in cls.facts.items()}}
        return cls(**values)

    @property
    @abstractmethod
    def size(self) -> int:
        """N: the number of documents of B plus the examined one."""

    @abstractmethod
    def min_length(self, characters: int) -> int:
        """l for a text of ``characters`` characters: the length of the shortest string that counts as copied."""

    def accepts(self, document: Document) -> bool:
        """Whether :meth:`strings` takes this document: any, or, if the index is not ``open``, only one it contains."""
        at = int(np.searchsorted(self.keys, document.key))
        has = at < len(self.keys) and int(self.keys[at]) == document.key
        return self.open or (has and self._is_text(at, document))

    def _is_text(self, at: int, document: Document) -> bool:
        """Whether ``document`` has the text that was indexed as number ``at``."""
        own = self.ids[int(self.starts[at]) : int(self.starts[at + 1]) - 1]
        return len(own) == len(document.text) and np.array_equal(self.letters[own - 1], code_points(document.text))

    @abstractmethod
    def strings(self, documents: Sequence[Document], progress: Progress) -> Strings:
        """The best partitions of documents. Raises Cancelled."""

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """``ln(N / df)`` by df from 0 to N, 0 for df 0 (float64)."""
        weight: NDArray[np.float64] = np.log(max(self.size, 1) / np.maximum(np.arange(self.size + 1), 1))
        weight[0] = 0
        return weight

    @cached_property
    def queue_of(self) -> NDArray[np.int32]:
        """Scratch space for the kernel, by df from 0 to N: -1 everywhere."""
        return np.full(self.size + 1, -1, np.int32)


@dataclass(frozen=True)
class AmongIndex(CopiedStringsIndex):
    """Documents compared with each other: they are B, and include the examined ones.

    n int32 each, by position: ``owner``, the deepest interval with df >= 2 (-1 for none), and ``elsewhere``, the
    position of the counterpart in another document. Of these intervals, numbered from 0 (int32 each): ``depth``,
    document ``frequency`` and ``step`` to the next frequency, -1 for none.
    """

    owner: NDArray[np.int32]
    elsewhere: NDArray[np.int32]
    depth: NDArray[np.int32]
    frequency: NDArray[np.int32]
    step: NDArray[np.int32]
    by_rate = False
    open = False

    @classmethod
    def of(cls, keys: NDArray[np.int64], text: SortedText, set_length: int, progress: Progress) -> Self:
        """Index of the documents of ``text``. Raises Cancelled."""
        progress.advance(STAGE, 2, STEPS)
        document = documents_at(text.suffixes, text.starts)
        with ThreadPoolExecutor(1) as beside:
            elsewhere = beside.submit(counterparts, text.lcp, document, text.suffixes)
            frequency, owner, step = repeats(text.lcp, document, len(keys), set_length or PAPER_LENGTH)
            progress.advance(STAGE, 3, STEPS)
            owner, *intervals = shared_intervals(text.lcp, frequency, step, text.suffixes, owner)
        progress.advance(STAGE, 4, STEPS)
        columns = (text.starts, text.letters, text.ids, text.suffixes, text.lcp)
        return cls(keys, set_length, *columns, owner, elsewhere.result(), *intervals)

    @property
    def size(self) -> int:
        """N: documents of B, which include the examined one."""
        return len(self.keys)

    def min_length(self, characters: int) -> int:
        """The l that was set, otherwise the paper's."""
        return self.set_length or PAPER_LENGTH

    def strings(self, documents: Sequence[Document], progress: Progress) -> Strings:
        """The best partitions of documents of the index. Raises Cancelled, and UserError for any other document, even
        with the same key.
        """
        keys, sizes = (np.array(column, np.int64) for column in ([d.key for d in documents], [*map(_size, documents)]))
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        if len(keys) and (not len(self.keys) or (self.keys[at] != keys).any()):
            raise UserError(
                Message("A document to examine is missing from the index."), hint=Message("Start the detection again.")
            )
        begins = self.starts[at]
        if not all(map(self._is_text, at.tolist(), documents)):
            # The user may change which blocks count while a detection runs.
            raise UserError(
                Message("A document to examine has changed since it was indexed."),
                hint=Message("Start the detection again."),
            )
        groups = []
        for some in np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(np.cumsum(sizes) // _AT_ONCE)) + 1):
            progress.check()
            partitions = copied_strings_of_each(
                begins[some], sizes[some], self.owner, self.depth, self.step, self.frequency, self.weight,
                self.elsewhere, self.queue_of, self.min_length(0),
            )  # fmt: skip
            groups.append(Strings(*partitions))
        return Strings.joined(groups)


def _size(document: Document) -> int:
    return len(document.text)


@dataclass(frozen=True)
class OutsideIndex(CopiedStringsIndex):
    """The documents of B; the examined ones are not among them.

    If no l is set, it is the length of the longest run shared by chance by two random texts, one as long as B and the
    other as the examined document, both with B's characters (:func:`chance_length`); so a score depends only on B and
    its document.

    ``firsts`` (int64): the first rank of the suffixes with each first character. n int32 each: the inverse suffix
    array, deepest interval per rank, document frequency in B and the examined document, and step to the next frequency
    per interval head. ``lowest`` and ``filter``: see :mod:`workbench.kernels.copied_strings.outside`. ``equal``: the
    chance in [0, 1] that two characters drawn from B are equal.
    """

    firsts: NDArray[np.int64]
    rank: NDArray[np.int32]
    lowest: NDArray[np.int32]
    owner: NDArray[np.int32]
    frequency: NDArray[np.int32]
    step: NDArray[np.int32]
    filter: NDArray[np.uint64]
    equal: float
    by_rate = True
    open = True
    facts = MappingProxyType({"set_length": "given", "equal": "equal"})

    @classmethod
    def of(cls, keys: NDArray[np.int64], text: SortedText, set_length: int, progress: Progress) -> Self:
        """Index of the documents of ``text``. Raises Cancelled."""
        progress.advance(STAGE, 2, STEPS)
        firsts = first_ranks(text.ids, len(text.letters))
        equal = meeting_chance(np.diff(firsts)[1:])
        gram = _min_length(set_length, 1, len(text.ids) - len(keys), equal)
        rank = inverse(text.suffixes)
        frequency, owner, step = repeats(text.lcp, documents_at(text.suffixes, text.starts), len(keys), gram)
        frequency += 1
        progress.advance(STAGE, 3, STEPS)
        lowest = block_minima(text.lcp)
        words = gram_filter(text.ids, gram, (len(text.ids) // _PER_WORD).bit_length())
        progress.advance(STAGE, 4, STEPS)
        columns = (text.starts, text.letters, text.ids, text.suffixes, text.lcp)
        return cls(
            keys, set_length, *columns, firsts, rank, lowest, owner, frequency, step, words, equal
        )  # fmt: skip

    @property
    def size(self) -> int:
        """N: the number of documents of B plus the examined one."""
        return len(self.keys) + 1

    def min_length(self, characters: int) -> int:
        """The l that was set, otherwise the length of a chance match in a text of that many characters."""
        return _min_length(self.set_length, characters, len(self.ids) - len(self.keys), self.equal)

    @cached_property
    def number(self) -> NDArray[Any]:
        """The number of each code point in B, 0 for code points not in B."""
        number = np.zeros(CODE_POINTS, self.ids.dtype)
        number[self.letters] = np.arange(1, len(self.letters) + 1)
        return number

    def matching_statistics(
        self, document: Document, progress: Progress
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For each offset, the length of the longest string there that occurs in B, and an offset of an occurrence in
        B.

        Strings shorter than any l count as 0; their offset is meaningless. Raises Cancelled.
        """
        query = self.number[code_points(document.text)]
        length, place = np.zeros(len(query), np.int32), np.empty(len(query), np.int32)
        gram = self.min_length(1)
        possible = gram_starts(query, gram, self.filter)
        for begin in range(0, len(query), _SLICE):
            progress.check()
            longest_matches(
                query, begin, min(begin + _SLICE, len(query)), gram, possible, self.firsts, self.ids, self.suffixes,
                self.rank, self.lcp, self.lowest, length, place,
            )  # fmt: skip
        return length, place

    def strings(self, documents: Sequence[Document], progress: Progress) -> Strings:
        """The best partitions of documents. Raises Cancelled."""
        return Strings.joined([self._strings(document, progress) for document in documents])

    def _strings(self, document: Document, progress: Progress) -> Strings:
        length, place = self.matching_statistics(document, progress)
        score, *parts = outside_strings(
            length, place, self.rank, self.owner, self.lcp, self.step, self.frequency, self.weight, self.queue_of,
            self.min_length(len(length)),
        )  # fmt: skip
        return Strings(np.array([score]), np.array([0, len(parts[0])]), np.stack(parts, 1))


def build(corpus: Corpus, roles: Sequence[Role], min_length: int, progress: Progress) -> CopiedStringsIndex:
    """Index of the documents in ``roles``. Raises UserError from 2^31 characters on, Cancelled."""
    kind = AmongIndex if Role.SUSPECT in roles else OutsideIndex
    return kind.build(*_read(corpus, roles, progress), min_length, progress)


def extend(index: CopiedStringsIndex, added: Corpus, roles: Sequence[Role], progress: Progress) -> CopiedStringsIndex:
    """``index`` with the documents of ``added`` in ``roles``, whose keys are greater. Raises UserError from 2^31
    characters on, Cancelled.
    """
    return index.extended(*_read(added, roles, progress), progress)


def _read(
    corpus: Corpus, roles: Sequence[Role], progress: Progress
) -> tuple[NDArray[np.int64], list[NDArray[np.uint32]]]:
    """Keys, ascending, and texts of the documents in ``roles``. Raises Cancelled."""
    total = corpus.count(*roles)
    documents: list[tuple[int, NDArray[np.uint32]]] = []
    for document in corpus.documents(*roles):
        progress.advance(Message("Reading texts"), len(documents), total)
        documents.append((document.key, code_points(document.text)))
    documents.sort(key=lambda d: d[0])
    return np.array([key for key, _ in documents], np.int64), [codes for _, codes in documents]


def load(folder: Path) -> CopiedStringsIndex:
    """Open a saved index, memory-mapped. Raises UserError if it is damaged."""
    kind = OutsideIndex if (folder / "filter.npy").exists() else AmongIndex
    return kind.load(folder)


def documents_at(suffixes: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The document of the suffix at each rank: n int32."""
    document: NDArray[np.int32] = taken(
        np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts)), suffixes
    )
    return document


def repeats(
    lcp: NDArray[np.int32], document: NDArray[np.int32], documents: int, shortest: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Document frequency per interval head, owner per rank and step per head: see
    :mod:`workbench.kernels.copied_strings.document_frequency`.
    """
    frequency, parent, owner = interval_forest(lcp, document, documents, shortest)
    return frequency, owner, frequency_steps(frequency, parent)


def _min_length(set_length: int, characters: int, corpus: int, equal: float) -> int:
    return set_length or chance_length(characters, corpus, equal, most=LONGEST)


def pair_alone(a: Document, b: Document, min_length: int) -> tuple[Results, int]:
    """The strings of ``a`` that occur in ``b``, each weighted by its length, and the l used."""
    index = OutsideIndex.build(np.array([b.key]), [code_points(b.text)], min_length, NullProgress())
    index.weight[:] = 1.0
    return score(index, [a], CopiedStringsParameters(), NullProgress()), index.min_length(len(a.text))


def score(
    index: CopiedStringsIndex, documents: Sequence[Document], parameters: CopiedStringsParameters, progress: Progress
) -> Results:
    """Scores and copied strings of documents. Raises Cancelled."""
    strings = index.strings(documents, progress)
    counts = np.diff(strings.bounds)
    start, length, df, other = strings.parts.T.copy()
    there = np.searchsorted(index.starts, other, side="right") - 1
    b_start = other - index.starts[there]
    matches = Matches(
        a=np.repeat(np.array([d.key for d in documents], np.int64), counts),
        b=index.keys[there],
        a_start=start,
        a_end=start + length,
        b_start=b_start,
        b_end=b_start + length,
        score=length * index.weight[df],
        tier=np.full(len(start), Tier.EXACT, np.int8),
        evidence={"df": df, "characters": length},
    )
    return Results(matches=matches, scores=tuple(_scores(index, documents, strings, parameters)))


def _scores(
    index: CopiedStringsIndex, documents: Sequence[Document], strings: Strings, parameters: CopiedStringsParameters
) -> Iterator[DocumentScore]:
    by_rate = index.by_rate if parameters.score == "auto" else parameters.score == "rate"
    lengths, bounds = strings.parts[:, 1].tolist(), strings.bounds.tolist()
    for i, (document, copied_length) in enumerate(zip(documents, strings.copied_length.tolist(), strict=True)):
        own = lengths[bounds[i] : bounds[i + 1]]
        size = len(document.text)
        rate = copied_length / max(1, size)
        evidence = {
            "copied_length": copied_length,
            "copy_rate": rate,
            "covered": sum(own) / max(1, size),
            "longest": max(own, default=0),
            "strings": len(own),
            "min_length": index.min_length(size),
        }
        yield DocumentScore(document.key, rate if by_rate else copied_length, evidence)


def meeting_chance(counts: NDArray[np.int64]) -> float:
    """The chance in [0, 1] that two characters drawn from a text are equal, from their ``counts``; 0 if there are
    none.
    """
    shares = counts / max(1, int(counts.sum()))
    return float(np.dot(shares, shares))


def chance_length(entry: int, corpus: int, equal: float, *, most: int) -> int:
    """Length of the longest run shared by random texts of ``entry`` and ``corpus`` characters, in 1..``most``.

    It grows as ``log(m * n) / log(1 / p)`` for m and n characters, where p is the chance that one of the first equals
    one of the second (``equal``). Source: Arratia and Waterman, An Erdős-Rényi law with shifts (Advances in Mathematics
    55, 1985). A longer shared string is unlikely to have been written twice independently.
    """
    if equal <= 0.0 or entry < 1 or corpus < 1:
        return 1
    if equal >= 1.0:
        return most
    return min(most, max(1, math.ceil(math.log(entry * corpus) / -math.log(equal))))
