"""Documents as sets of hashes (of shingles, of sentences), their inverted index, and the pairs whose sets share
enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.base.types import Document, PairScores, Results
from workbench.kernels.sketches.postings import CandidatePairs, Lists, candidate_pairs
from workbench.kernels.sketches.shingles import Rows, shared
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.sketches.resemblance import Sharing, resemblance

_ARRAYS = ("order", "sets", "bounds", "hashes", "first", "documents")


@dataclass(frozen=True, slots=True)
class SetIndex:
    """D documents; ``order`` int64 [D] are their places in the collection (see ``methods.core.collection``).

    ``sets``: the set of each. ``hashes`` uint64 [h] ascending: all distinct elements; element i occurs in
    ``documents[first[i]:first[i + 1]]`` (uint32, ascending). ``frequent`` bool [h]: in more documents than the limit;
    ``common`` int64 [D]: how many such elements each document has.
    """

    order: NDArray[np.int64]
    sets: Rows
    hashes: NDArray[np.uint64]
    first: NDArray[np.int64]
    documents: NDArray[np.uint32]
    frequent: NDArray[np.bool_]
    common: NDArray[np.int64]

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        arrays = (self.order, self.sets.values, self.sets.bounds, self.hashes, self.first, self.documents)
        save_arrays(folder, dict(zip(_ARRAYS, arrays, strict=True)))

    @classmethod
    def load(cls, folder: Path, max_documents: int) -> SetIndex:
        """Open a saved index, with a limit of documents. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        sets = Rows(a["sets"], a["bounds"])
        return cls._limited(a["order"], sets, a["hashes"], a["first"], a["documents"], max_documents)

    @classmethod
    def of(cls, order: NDArray[np.int64], sets: Rows, max_documents: int) -> SetIndex:
        """The index of documents in the collection's order."""
        holders = np.repeat(np.arange(len(order), dtype=np.uint32), sets.sizes)
        by_value = np.argsort(sets.values, kind="stable")
        ordered = sets.values[by_value]
        new = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]
        first = np.concatenate([np.flatnonzero(new), [len(ordered)]]).astype(np.int64)
        return cls._limited(order, sets, ordered[new], first, holders[by_value], max_documents)

    @classmethod
    def _limited(
        cls,
        order: NDArray[np.int64],
        sets: Rows,
        hashes: NDArray[np.uint64],
        first: NDArray[np.int64],
        documents: NDArray[np.uint32],
        max_documents: int,
    ) -> SetIndex:
        sizes = np.diff(first)
        frequent = sizes > max_documents
        common = np.zeros(len(order), np.int64)
        for i in np.flatnonzero(frequent):
            common[documents[first[i] : first[i + 1]]] += 1
        return cls(order, sets, hashes, first, documents, frequent, common)

    def slots(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Number of each element in ``hashes``, -1 for those that no indexed document has."""
        if not len(self.hashes):
            return np.full(len(values), -1, np.int64)
        at = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        return np.where(self.hashes[at] == values, at, -1).astype(np.int64)

    def frequent_among(self, values: NDArray[np.uint64]) -> int:
        """How many of ``values`` are in more documents than the limit."""
        slots = self.slots(values)
        return int(self.frequent[slots[slots >= 0]].sum())


@dataclass(frozen=True, slots=True)
class Limits:
    """The shares, at least one of which a pair must reach (above 1: never)."""

    min_resemblance: float
    min_containment: float


@dataclass(frozen=True, slots=True)
class PassedOver:
    """How a method says what it passed over: elements in too many documents, and documents with no others."""

    frequent: str
    only_frequent: str


SetsOf = Callable[[Sequence[Document]], Rows]
"""Distinct elements of each document, ascending."""
PairsOf = Callable[[Sharing], PairScores]
"""The pairs, from what their sets share."""


def build(groups: Iterable[Sequence[Document]], sets_of: SetsOf, max_documents: int, progress: Progress) -> SetIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, sets = [np.zeros(0, np.int64)], [Rows(np.zeros(0, np.uint64), np.zeros(1, np.int64))]
    for group in groups:
        order.append(places(group))
        sets.append(sets_of(group))
    progress.check()
    sizes = np.concatenate([s.sizes for s in sets])
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    everything = Rows(np.concatenate([s.values for s in sets]), bounds)
    return SetIndex.of(np.concatenate(order), everything, max_documents)


def find(
    index: SetIndex,
    documents: Sequence[Document],
    sets: Rows,
    before: Sequence[int] | NDArray[np.int64],
    limits: Limits,
    pairs_of: PairsOf,
    words: PassedOver,
    progress: Progress,
) -> Results:
    """Pairs of each document, whose ``sets`` are given, with the first ``before[i]`` indexed ones. Raises Cancelled."""
    slots = index.slots(sets.values)
    owner = np.repeat(np.arange(len(documents)), sets.sizes)
    frequent = (slots >= 0) & index.frequent[slots] if len(index.hashes) else np.zeros(len(slots), np.bool_)
    cut = np.bincount(owner[frequent], minlength=len(documents))
    usable = (slots >= 0) & ~frequent
    lists = Lists(owner[usable], index.first[slots[usable]], index.first[slots[usable] + 1])
    met_in_batches = candidate_pairs(lists, index.documents, np.asarray(before, np.int64), len(index.order), progress)
    pairs = [pairs_of(_pairs(index, documents, sets, met, cut, limits)) for met in met_in_batches]
    empty = sets.sizes == 0
    only_frequent = (cut == sets.sizes) & ~empty
    excluded = {EMPTY: empty.sum(), words.frequent: cut.sum(), words.only_frequent: only_frequent.sum()}
    return Results(
        pairs=PairScores.concatenate(pairs), excluded={reason: int(n) for reason, n in excluded.items() if n}
    )


def _pairs(
    index: SetIndex,
    documents: Sequence[Document],
    sets: Rows,
    met: CandidatePairs,
    cut: NDArray[np.int64],
    limits: Limits,
) -> Sharing:
    """Meetings that reach a threshold; each shares as many shingles as lists, plus frequent ones."""
    own, sizes = sets.sizes[met.mine], index.sets.sizes[met.other]
    most = met.lists + np.minimum(cut[met.mine], index.common[met.other])
    rows = np.flatnonzero(reaching(most, own, sizes, limits).any(axis=0))
    in_common = np.where(most == met.lists, met.lists, -1)[rows]
    unsure = np.flatnonzero(in_common < 0)
    in_common[unsure] = shared(sets, met.mine[rows[unsure]], index.sets, met.other[rows[unsure]])
    enough = reaching(in_common, own[rows], sizes[rows], limits).any(axis=0)
    rows, in_common = rows[enough], in_common[enough]
    shares = resemblance(in_common, own[rows], sizes[rows])
    mine = np.array([d.key for d in documents], np.int64)[met.mine[rows]]
    return Sharing(mine, keys(index.order)[met.other[rows]], in_common, own[rows], sizes[rows], shares)


def reaching(
    in_common: NDArray[np.int64], mine: NDArray[np.int64], sizes: NDArray[np.int64], limits: Limits
) -> NDArray[np.bool_]:
    """Which sets, of ``mine`` and ``sizes`` elements, reach the least resemblance and containment: bool [2, n]."""
    return np.stack(
        (
            resemblance(in_common, mine, sizes) >= limits.min_resemblance,
            in_common / np.minimum(mine, sizes) >= limits.min_containment,
        )
    )
