"""Sets of shingles, their inverted index, and the pairs it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Watcher
from workbench.base.types import Document, PairScore, Results
from workbench.kernels.postings import Counter as PostingCounter
from workbench.kernels.shingles import Rows, distinct, shared
from workbench.methods.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.resemblance import pair_score, resemblance
from workbench.methods.shingle import ShingleParameters
from workbench.methods.tokenising import tokenise

FREQUENT = "shingles in more documents than the limit"
ONLY_FREQUENT = "documents all of whose shingles are in more documents than the limit"
_ARRAYS = ("order", "sets", "bounds", "hashes", "first", "documents")


@dataclass(frozen=True, slots=True)
class ShingleIndex:
    """D documents; ``order`` int64 [D] are their places in the collection (see ``methods.collection``).

    ``sets``: distinct shingles of each. ``hashes`` uint64 [h] ascending: all distinct shingles; shingle i stands in
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
    def load(cls, folder: Path, max_documents: int) -> ShingleIndex:
        """Open a saved index. Raises UserError when it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        sets = Rows(a["sets"], a["bounds"])
        return cls._limited(a["order"], sets, a["hashes"], a["first"], a["documents"], max_documents)

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
    return distinct(tokenise(documents, parameters).shingles(parameters.k, short=True))


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
    counter = PostingCounter(index.documents, len(index.order), watch)
    excluded: Counter[str] = Counter()
    pairs: list[PairScore] = []
    for i, document in enumerate(documents):
        watch.check()
        mine = sets.of(i)
        if not len(mine):
            excluded[EMPTY] += 1
            continue
        known = slots[sets.bounds[i] : sets.bounds[i + 1]]
        known = known[known >= 0]
        frequent = index.frequent[known]
        cut = int(frequent.sum())
        excluded[FREQUENT] += cut
        excluded[ONLY_FREQUENT] += cut == len(mine)
        rare = known[~frequent]
        others, found = counter.count(index.first[rare], index.first[rare + 1], int(before[i]))
        pairs += _pairs(index, document, mine, others, found, cut, parameters)
    return Results(pairs=tuple(pairs), excluded=dict(+excluded))


def _pairs(
    index: ShingleIndex,
    document: Document,
    mine: NDArray[np.uint64],
    others: NDArray[np.int32],
    found: NDArray[np.int64],
    cut: int,
    parameters: ShingleParameters,
) -> list[PairScore]:
    """Pairs that reach a threshold; ``found`` shingles are shared, besides at most ``cut`` frequent ones."""
    sizes = index.sets.sizes[others]
    most = found + np.minimum(cut, index.common[others])
    rows = np.flatnonzero(_reaching(most, len(mine), sizes, parameters))
    others, found, sizes = others[rows], found[rows], sizes[rows]
    if cut and len(rows):
        found = np.array([shared(mine, index.sets.of(int(o))) for o in others], np.int64)
        rows = np.flatnonzero(_reaching(found, len(mine), sizes, parameters))
        others, found, sizes = others[rows], found[rows], sizes[rows]
    share = resemblance(found, len(mine), sizes)
    names = keys(index.order)[others]
    return [
        pair_score(document.key, b, n, (len(mine), size), r >= parameters.min_resemblance, r)
        for b, n, size, r in zip(names.tolist(), found.tolist(), sizes.tolist(), share.tolist(), strict=True)
    ]


def _reaching(
    found: NDArray[np.int64], mine: int, sizes: NDArray[np.int64], parameters: ShingleParameters
) -> NDArray[np.bool_]:
    contained = found >= parameters.min_containment * np.minimum(mine, sizes)
    return contained | (resemblance(found, mine, sizes) >= parameters.min_resemblance)
