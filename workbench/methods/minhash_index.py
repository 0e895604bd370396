"""Signatures of a collection, their bands, and the pairs they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Watcher
from workbench.base.types import Document, PairScore, Results
from workbench.kernels.minhash import agreement, band_keys, signatures
from workbench.kernels.postings import Counter as PostingCounter
from workbench.kernels.shingles import Rows, distinct, shared
from workbench.methods.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.minhash import MinHashParameters
from workbench.methods.resemblance import pair_score
from workbench.methods.tokenising import tokenise

FREQUENT = "bands in buckets of more documents than the limit"
_ARRAYS = ("order", "sizes", "signatures", "keys", "holders", "sets", "bounds")


@dataclass(frozen=True, slots=True)
class MinHashIndex:
    """D documents that have shingles; ``order`` int64 [D] are their places in the collection.

    ``sizes`` int64 [D]: distinct shingles; ``signatures`` uint32 [D, permutations]. ``keys`` uint64 [bands, D]: each
    band's keys, ascending, and ``holders`` uint32 [bands, D] whose they are. ``sets``: the shingles, where they are
    needed to verify, else nothing.
    """

    order: NDArray[np.int64]
    sizes: NDArray[np.int64]
    signatures: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    holders: NDArray[np.uint32]
    sets: Rows

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        arrays = (self.order, self.sizes, self.signatures, self.keys, self.holders, self.sets.values, self.sets.bounds)
        save_arrays(folder, dict(zip(_ARRAYS, arrays, strict=True)))

    @classmethod
    def load(cls, folder: Path) -> MinHashIndex:
        """Open a saved index. Raises UserError when it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        return cls(a["order"], a["sizes"], a["signatures"], a["keys"], a["holders"], Rows(a["sets"], a["bounds"]))

    def buckets(self, wanted: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where in ``holders``, read end to end, the buckets of ``wanted`` keys [bands, d] lie: int64 [d, bands]."""
        size = len(self.order)
        edges = [
            np.stack([np.searchsorted(own, asked, side) + band * size for side in ("left", "right")])
            for band, (own, asked) in enumerate(zip(self.keys, wanted, strict=True))
        ]
        both = np.stack(edges, axis=-1).astype(np.int64)
        return np.ascontiguousarray(both[0]), np.ascontiguousarray(both[1])


@dataclass(frozen=True, slots=True)
class Sketches:
    """Sets of shingles of d documents and their signatures, uint32 [d, permutations]."""

    sets: Rows
    signatures: NDArray[np.uint32]


def sketch(documents: Sequence[Document], parameters: MinHashParameters) -> Sketches:
    """Sets and signatures of ``documents``."""
    sets = distinct(tokenise(documents, parameters).shingles(parameters.k, short=True))
    return Sketches(sets, signatures(sets, parameters.permutations))


def build(groups: Iterable[Sequence[Document]], parameters: MinHashParameters, watch: Watcher) -> MinHashIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    signed = [np.zeros((0, parameters.permutations), np.uint32)]
    values = [np.zeros(0, np.uint64)]
    for group in groups:
        found = sketch(group, parameters)
        held = found.sets.sizes > 0
        order.append(places(group)[held])
        sizes.append(found.sets.sizes[held])
        signed.append(found.signatures[held])
        if parameters.verify == "exact":
            values.append(found.sets.values)
    watch.check()
    together = np.concatenate(signed)
    own = band_keys(together, parameters.bands, parameters.rows)
    holders = np.empty(own.shape, np.uint32)
    for band in range(parameters.bands):
        watch.check()
        holders[band] = np.argsort(own[band], kind="stable")
        own[band] = own[band][holders[band]]
    all_sizes = np.concatenate(sizes)
    bounds = np.concatenate([[0], np.cumsum(all_sizes)]).astype(np.int64)
    return MinHashIndex(np.concatenate(order), all_sizes, together, own, holders, Rows(np.concatenate(values), bounds))


def find(
    index: MinHashIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: MinHashParameters,
    watch: Watcher,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    found = sketch(documents, parameters)
    first, last = index.buckets(band_keys(found.signatures, parameters.bands, parameters.rows))
    counter = PostingCounter(index.holders.reshape(-1), len(index.order), watch)
    excluded: Counter[str] = Counter()
    pairs: list[PairScore] = []
    for i, document in enumerate(documents):
        watch.check()
        if not found.sets.sizes[i]:
            excluded[EMPTY] += 1
            continue
        kept = last[i] - first[i] <= parameters.max_documents
        excluded[FREQUENT] += int((~kept).sum())
        others, bands = counter.count(first[i][kept], last[i][kept], min(int(before[i]), len(index.order)))
        pairs += _pairs(index, document, found, i, others, bands, parameters)
    return Results(pairs=tuple(pairs), excluded=dict(+excluded))


def _pairs(
    index: MinHashIndex,
    document: Document,
    found: Sketches,
    i: int,
    others: NDArray[np.int32],
    bands: NDArray[np.int64],
    parameters: MinHashParameters,
) -> list[PairScore]:
    """Candidates that reach the threshold."""
    mine = found.sets.of(i)
    estimates = agreement(index.signatures, found.signatures[i], others)
    sizes = index.sizes[others]
    if parameters.verify == "exact":
        both = np.array([shared(mine, index.sets.of(int(o))) for o in others], np.float64)
        shares = both / (len(mine) + sizes - both)
    else:
        shares = estimates
        both = shares * (len(mine) + sizes) / (1 + shares)
    names = keys(index.order)[others]
    return [
        pair_score(
            document.key,
            int(names[row]),
            float(both[row]),
            (len(mine), int(sizes[row])),
            True,
            float(shares[row]),
            estimate=float(estimates[row]),
            bands=int(bands[row]),
        )
        for row in np.flatnonzero(shares >= parameters.min_resemblance).tolist()
    ]
