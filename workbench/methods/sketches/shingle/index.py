"""Sets of shingles, their inverted index, and finding pairs with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.base.types import Document, PairScore, Results
from workbench.kernels.sketches.postings import Lists, Meetings, meetings
from workbench.kernels.sketches.shingles import Rows, distinct, shared
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.sketches.resemblance import pair_score, resemblance
from workbench.methods.sketches.shingle.method import ShingleParameters

FREQUENT = Message("shingles in more documents than the limit")
ONLY_FREQUENT = Message("documents all of whose shingles are in more documents than the limit")
_ARRAYS = ("order", "sets", "bounds", "hashes", "first", "documents")


@dataclass(frozen=True, slots=True)
class ShingleIndex:
    """D documents; ``order`` int64 [D] are their places in the collection (see ``methods.core.collection``).

    ``sets``: distinct shingles of each. ``hashes`` uint64 [h] ascending: all distinct shingles; shingle i occurs in
    ``documents[first[i]:first[i + 1]]`` (uint32, ascending). ``frequent`` bool [h]: in more documents than the limit;
    ``common`` int64 [D]: how many such shingles each document has.
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
    def load(cls, folder: Path, parameters: ShingleParameters) -> ShingleIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        sets = Rows(a["sets"], a["bounds"])
        return cls._limited(a["order"], sets, a["hashes"], a["first"], a["documents"], parameters.max_documents)

    @classmethod
    def of(cls, order: NDArray[np.int64], sets: Rows, max_documents: int) -> ShingleIndex:
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
    ) -> ShingleIndex:
        sizes = np.diff(first)
        frequent = sizes > max_documents
        common = np.zeros(len(order), np.int64)
        for i in np.flatnonzero(frequent):
            common[documents[first[i] : first[i + 1]]] += 1
        return cls(order, sets, hashes, first, documents, frequent, common)

    def slots(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Number of each shingle in ``hashes``, -1 for those that no indexed document has."""
        if not len(self.hashes):
            return np.full(len(values), -1, np.int64)
        at = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        return np.where(self.hashes[at] == values, at, -1).astype(np.int64)


def shingle_sets(documents: Sequence[Document], parameters: ShingleParameters) -> Rows:
    """Distinct shingles of each document."""
    return distinct(shingle_rows(documents, parameters, parameters.k))


load = ShingleIndex.load


def build(groups: Iterable[Sequence[Document]], parameters: ShingleParameters, watch: Watcher) -> ShingleIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, sets = [np.zeros(0, np.int64)], [Rows(np.zeros(0, np.uint64), np.zeros(1, np.int64))]
    for group in groups:
        order.append(places(group))
        sets.append(shingle_sets(group, parameters))
    watch.check()
    sizes = np.concatenate([s.sizes for s in sets])
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    everything = Rows(np.concatenate([s.values for s in sets]), bounds)
    return ShingleIndex.of(np.concatenate(order), everything, parameters.max_documents)


def find(
    index: ShingleIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: ShingleParameters,
    watch: Watcher,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    sets = shingle_sets(documents, parameters)
    slots = index.slots(sets.values)
    owner = np.repeat(np.arange(len(documents)), sets.sizes)
    frequent = (slots >= 0) & index.frequent[slots] if len(index.hashes) else np.zeros(len(slots), np.bool_)
    cut = np.bincount(owner[frequent], minlength=len(documents))
    usable = (slots >= 0) & ~frequent
    lists = Lists(owner[usable], index.first[slots[usable]], index.first[slots[usable] + 1])
    pairs: list[PairScore] = []
    for met in meetings(lists, index.documents, np.asarray(before, np.int64), len(index.order), watch):
        pairs += _pairs(index, documents, sets, met, cut, parameters)
    empty = sets.sizes == 0
    excluded = {EMPTY: empty.sum(), FREQUENT: cut.sum(), ONLY_FREQUENT: ((cut == sets.sizes) & ~empty).sum()}
    return Results(pairs=tuple(pairs), excluded={reason: int(n) for reason, n in excluded.items() if n})


def _pairs(
    index: ShingleIndex,
    documents: Sequence[Document],
    sets: Rows,
    met: Meetings,
    cut: NDArray[np.int64],
    parameters: ShingleParameters,
) -> list[PairScore]:
    """Meetings that reach a threshold; each shares as many shingles as lists, plus frequent ones."""
    own, sizes = sets.sizes[met.mine], index.sets.sizes[met.other]
    most = met.lists + np.minimum(cut[met.mine], index.common[met.other])
    rows = np.flatnonzero(_reaching(most, own, sizes, parameters))
    in_common = np.where(most == met.lists, met.lists, -1)[rows]
    unsure = np.flatnonzero(in_common < 0)
    in_common[unsure] = shared(sets, met.mine[rows[unsure]], index.sets, met.other[rows[unsure]])
    reaching = _reaching(in_common, own[rows], sizes[rows], parameters)
    rows, in_common = rows[reaching], in_common[reaching]
    shares = resemblance(in_common, own[rows], sizes[rows])
    names = keys(index.order)[met.other[rows]]
    columns = (met.mine[rows], names, in_common, own[rows], sizes[rows], shares)
    return [
        pair_score(documents[i].key, b, n, (mine, theirs), share >= parameters.min_resemblance, share)
        for i, b, n, mine, theirs, share in zip(*(c.tolist() for c in columns), strict=True)
    ]


def _reaching(
    in_common: NDArray[np.int64], mine: NDArray[np.int64], sizes: NDArray[np.int64], parameters: ShingleParameters
) -> NDArray[np.bool_]:
    contained = in_common >= parameters.min_containment * np.minimum(mine, sizes)
    return contained | (resemblance(in_common, mine, sizes) >= parameters.min_resemblance)
