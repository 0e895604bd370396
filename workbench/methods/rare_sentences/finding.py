"""Documents that share rare sentences: their passages, and how they are related."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Ints, Matches, PairScores, Results, Tier
from workbench.kernels.code_points import equal_slices
from workbench.methods.core.collection import keys, limits
from workbench.methods.rare_sentences.deciding import Related, scored
from workbench.methods.rare_sentences.index import RareSentencesIndex
from workbench.methods.rare_sentences.pages import Pages
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.sentences import Sentences, compounds, read

FREQUENT = Message("sentences in more documents than the limit")
OUTSIDE = Message("sentences outside content blocks")
SHORT = Message("sentences shorter than the limit")
NONE_LONG = Message("documents without a sentence of the length needed")
FOREIGN = Message("documents with too few Japanese particles")
_SIDE = ("start", "end", "ordinal", "spelling", "lead", "gap", "quoted")


@dataclass(frozen=True, slots=True)
class Shared:
    """Shared rare sentences: columns of n rows, by ``mine``, ``other`` and place in ``mine``.

    ``hashes`` uint64; ``mine`` int64: number of the examined document, ``other``: that of the indexed one; ``length``
    int32 folded characters, ``frequency`` int64 documents that contain it; ``a`` and ``b``: columns of both (see
    ``Sentences``).
    """

    hashes: NDArray[np.uint64]
    mine: NDArray[np.int64]
    other: NDArray[np.int64]
    length: NDArray[np.int32]
    frequency: NDArray[np.int64]
    a: dict[str, NDArray[Any]]
    b: dict[str, NDArray[Any]]

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Shared:
        """Some rows, by number or mask."""
        sides = ({name: column[rows] for name, column in side.items()} for side in (self.a, self.b))
        columns = (self.hashes, self.mine, self.other, self.length, self.frequency)
        return Shared(*(column[rows] for column in columns), *sides)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.mine)


def find(
    index: RareSentencesIndex, documents: Sequence[Document], parameters: RareSentencesParameters, progress: Progress
) -> Results:
    """Pairs and passages of each document with the indexed ones before it. Raises Cancelled."""
    mine = read(documents, parameters, index.compounds)
    before = limits(index.order, documents)
    if parameters.compare == "sources":
        before = np.minimum(before, index.sources)
    progress.check()
    shared = _met(index, mine, before)
    here = Pages.of(documents, mine.characters())
    excluded = {
        FREQUENT: int((index.too_frequent(mine.hashes) > 0).sum()),
        OUTSIDE: mine.outside,
        SHORT: mine.short,
        NONE_LONG: int((here.characters == 0).sum()),
        FOREIGN: mine.foreign,
    }
    progress.check()
    own = np.array([d.key for d in documents], np.int64)
    pairs_and_passages = _results(own, here, keys(index.order), index.pages, shared, parameters)
    return Results(*pairs_and_passages, excluded={reason: n for reason, n in excluded.items() if n})


def pair_alone(a: Document, b: Document, parameters: RareSentencesParameters) -> Results:
    """Pair and passages of two documents, all of whose sentences count as rare."""
    both = read([a, b], parameters, compounds(lambda: [[a, b]], parameters, NullProgress()))
    sides = ((np.array([d.key]), Pages.of([d], both.characters()[i : i + 1])) for i, d in enumerate((a, b)))
    return Results(*_results(*next(sides), *next(sides), common(both), parameters))


def common(both: Sentences) -> Shared:
    """The sentences that the first two documents of a batch share."""
    left, right = both.of(0), both.of(1)
    _, i, j = np.intersect1d(left.hashes, right.hashes, assume_unique=True, return_indices=True)
    same = equal_slices(both.codes, left.first[i], left.length[i], both.codes, right.first[j], right.length[j])
    order = np.argsort(left.start[i[same]])
    left, right = left.take(i[same][order]), right.take(j[same][order])
    none = np.zeros(len(left), np.int64)
    sides = ({name: getattr(side, name) for name in _SIDE} for side in (left, right))
    return Shared(left.hashes, none, none, left.length, none + 2, *sides)


def _met(index: RareSentencesIndex, mine: Sentences, before: NDArray[np.int64]) -> Shared:
    """Rare sentences that examined documents share with the first ``before`` indexed ones."""
    slot = index.slots(mine)
    rows = np.flatnonzero(slot >= 0)
    first, last = index.first[slot[rows]], index.first[slot[rows] + 1]
    sizes = last - first
    row = np.repeat(rows, sizes)
    # The k-th document with a row's sentence is k places after the first one.
    at = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
    other = index.place["document"][at].astype(np.int64)
    earlier = other < before[mine.document[row]]
    row, at, other = row[earlier], at[earlier], other[earlier]
    frequency = np.repeat(sizes, sizes)[earlier]
    order = np.lexsort((mine.start[row], other, mine.document[row]))
    row, at, other, frequency = row[order], at[order], other[order], frequency[order]
    a = {name: getattr(mine, name)[row] for name in _SIDE}
    b = {name: np.asarray(index.place[name])[at] for name in _SIDE}
    return Shared(mine.hashes[row], mine.document[row].astype(np.int64), other, mine.length[row], frequency, a, b)


def _results(
    own: Ints, here: Pages, names: Ints, there: Pages, shared: Shared, parameters: RareSentencesParameters
) -> tuple[Matches, PairScores]:
    """Matches and pairs of examined documents (keys ``own``, pages ``here``) with indexed ones (keys ``names``, pages
    ``there``).
    """
    shared, mine, other, counts = sums(shared, parameters)
    related = Related.of(here, mine, there, other, counts["characters"], parameters)
    return passages(shared, own, names), scored((own[mine], names[other]), related, counts, parameters.thresholds)


def sums(shared: Shared, parameters: RareSentencesParameters) -> tuple[Shared, Ints, Ints, dict[str, Ints]]:
    """``shared`` without pairs of too few sentences; of each pair left, its ``mine`` and ``other``, and columns of its
    counts: shared ``sentences``, their ``characters``, and how many are ``quoted_a`` and ``quoted_b``.
    """
    sizes = np.diff(_edges(shared))
    shared = shared.take(np.repeat(sizes >= parameters.min_sentences, sizes))
    edges = _edges(shared)
    first = edges[:-1]
    added = {"characters": shared.length, "quoted_a": shared.a["quoted"], "quoted_b": shared.b["quoted"]}
    counts = {
        name: np.add.reduceat(column.astype(np.int64), first) if len(first) else first for name, column in added.items()
    }
    return shared, shared.mine[first], shared.other[first], {"sentences": np.diff(edges), **counts}


def _edges(shared: Shared) -> NDArray[np.int64]:
    """First row of each pair, and the number of rows."""
    if not len(shared):
        return np.zeros(1, np.int64)
    new = (shared.mine[1:] != shared.mine[:-1]) | (shared.other[1:] != shared.other[:-1])
    return np.concatenate([[0], np.flatnonzero(new) + 1, [len(shared)]]).astype(np.int64)


def passages(shared: Shared, own: NDArray[np.int64], names: NDArray[np.int64]) -> Matches:
    """Sentences that follow each other in both documents, with equal text between, as one match."""
    if not len(shared):
        return Matches.empty()
    a, b = shared.a, shared.b
    follows = np.ones(len(shared) - 1, np.bool_)
    follows &= (shared.mine[1:] == shared.mine[:-1]) & (shared.other[1:] == shared.other[:-1])
    for side in (a, b):
        follows &= side["ordinal"][1:] == side["ordinal"][:-1] + 1
    follows &= a["gap"][1:] == b["gap"][1:]
    first = np.concatenate([[0], np.flatnonzero(~follows) + 1])
    last = np.concatenate([first[1:], [len(shared)]]) - 1
    written_alike = a["spelling"] == b["spelling"]
    written_alike[1:] &= ~follows | (a["lead"] == b["lead"])[1:]
    characters = np.add.reduceat(shared.length, first).astype(np.int64)
    return Matches(
        a=own[shared.mine[first]],
        b=names[shared.other[first]],
        a_start=a["start"][first].astype(np.int64),
        a_end=a["end"][last].astype(np.int64),
        b_start=b["start"][first].astype(np.int64),
        b_end=b["end"][last].astype(np.int64),
        score=characters.astype(np.float64),
        tier=np.where(np.logical_and.reduceat(written_alike, first), Tier.EXACT, Tier.FOLDED).astype(np.int8),
        evidence={
            "sentences": last - first + 1,
            "characters": characters,
            "frequency": np.maximum.reduceat(shared.frequency, first),
        },
    )
