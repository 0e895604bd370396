"""Signatures of a collection, their bands, and the pairs they find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.base.types import Document, PairScore, Results
from workbench.kernels.sketches.minhash import agreement, band_keys, signatures, text_signatures
from workbench.kernels.sketches.postings import Lists, Meetings, meetings
from workbench.kernels.sketches.shingles import Rows, distinct, shared, without_repeats
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import as_texts, compiled, rows_apart, shingle_rows
from workbench.methods.sketches.buckets import Buckets
from workbench.methods.sketches.minhash.method import MinHashParameters
from workbench.methods.sketches.resemblance import pair_score

FREQUENT = Message("bands in buckets of more documents than the limit")
_ARRAYS = ("order", "sizes", "signatures", "keys", "holders", "sets", "bounds")


@dataclass(frozen=True, slots=True)
class MinHashIndex:
    """D documents that have shingles; ``order`` int64 [D] are their places in the collection.

    ``sizes`` int64 [D]: distinct shingles; ``signatures`` uint32 [D, permutations]. ``buckets``: a table for each band.
    ``sets``: the shingles if they are needed for verification, otherwise nothing.
    """

    order: NDArray[np.int64]
    sizes: NDArray[np.int64]
    signatures: NDArray[np.uint32]
    buckets: Buckets
    sets: Rows

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        tables, sets = self.buckets, self.sets
        arrays = (self.order, self.sizes, self.signatures, tables.keys, tables.holders, sets.values, sets.bounds)
        save_arrays(folder, dict(zip(_ARRAYS, arrays, strict=True)))

    @classmethod
    def load(cls, folder: Path, parameters: MinHashParameters) -> MinHashIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        buckets, sets = Buckets(a["keys"], a["holders"]), Rows(a["sets"], a["bounds"])
        return cls(a["order"], a["sizes"], a["signatures"], buckets, sets)


@dataclass(frozen=True, slots=True)
class Sketches:
    """Of d documents: the sets of shingles if they are compared, otherwise nothing; ``sizes`` int64 [d], their distinct
    shingles; signatures, uint32 [d, permutations].
    """

    sets: Rows
    sizes: NDArray[np.int64]
    signatures: NDArray[np.uint32]


def sketch(documents: Sequence[Document], parameters: MinHashParameters) -> Sketches:
    """Sets and signatures of ``documents``."""
    nothing = Rows(np.zeros(0, np.uint64), np.zeros(len(documents) + 1, np.int64))
    exact = parameters.verify == "exact"
    if exact or not compiled(parameters):
        sets = distinct(shingle_rows(documents, parameters, parameters.k))
        return Sketches(sets if exact else nothing, sets.sizes, signatures(sets, parameters.permutations))
    signed = text_signatures(as_texts(documents, parameters, parameters.k), parameters.permutations)
    apart, rows = rows_apart(documents, parameters, parameters.k, signed.context)
    signed.values[apart] = signatures(rows, parameters.permutations)
    signed.sizes[apart] = without_repeats(rows).sizes
    return Sketches(nothing, signed.sizes, signed.values)


load = MinHashIndex.load


def build(groups: Iterable[Sequence[Document]], parameters: MinHashParameters, watch: Watcher) -> MinHashIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    signed = [np.zeros((0, parameters.permutations), np.uint32)]
    values = [np.zeros(0, np.uint64)]
    for group in groups:
        sketches = sketch(group, parameters)
        has_shingles = sketches.sizes > 0
        order.append(places(group)[has_shingles])
        sizes.append(sketches.sizes[has_shingles])
        signed.append(sketches.signatures[has_shingles])
        if parameters.verify == "exact":
            values.append(sketches.sets.values)
    watch.check()
    together = np.concatenate(signed)
    own = band_keys(together, parameters.bands, parameters.rows)
    buckets = Buckets.of(own, watch)
    all_sizes = np.concatenate(sizes)
    bounds = np.concatenate([[0], np.cumsum(all_sizes)]).astype(np.int64)
    return MinHashIndex(np.concatenate(order), all_sizes, together, buckets, Rows(np.concatenate(values), bounds))


def find(
    index: MinHashIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: MinHashParameters,
    watch: Watcher,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    sketches = sketch(documents, parameters)
    first, last = index.buckets.find(band_keys(sketches.signatures, parameters.bands, parameters.rows))
    empty = sketches.sizes == 0
    full = (last - first > parameters.max_documents) & ~empty[:, None]
    own, band = np.nonzero(~full & ~empty[:, None] & (last > first))
    lists = Lists(own, first[own, band], last[own, band])
    limits = np.minimum(before, len(index.order)).astype(np.int64)
    pairs: list[PairScore] = []
    for met in meetings(lists, index.buckets.holders.reshape(-1), limits, len(index.order), watch):
        pairs += _pairs(index, documents, sketches, met, parameters)
    excluded = {EMPTY: int(empty.sum()), FREQUENT: int(full.sum())}
    return Results(pairs=tuple(pairs), excluded={reason: n for reason, n in excluded.items() if n})


def _pairs(
    index: MinHashIndex, documents: Sequence[Document], sketches: Sketches, met: Meetings, parameters: MinHashParameters
) -> list[PairScore]:
    """Candidates that reach the threshold."""
    own, sizes = sketches.sizes[met.mine], index.sizes[met.other]
    estimates = agreement(sketches.signatures, met.mine, index.signatures, met.other)
    if parameters.verify == "exact":
        both = shared(sketches.sets, met.mine, index.sets, met.other)
        shares = both / (own + sizes - both)
    else:
        shares = estimates
        both = shares * (own + sizes) / (1 + shares)
    rows = np.flatnonzero(shares >= parameters.min_resemblance)
    names = keys(index.order)[met.other]
    columns = (met.mine, names, both, own, sizes, shares, estimates, met.lists)
    return [
        pair_score(documents[i].key, b, n, (mine, theirs), True, share, estimate=estimate, bands=bands)
        for i, b, n, mine, theirs, share, estimate, bands in zip(*(c[rows].tolist() for c in columns), strict=True)
    ]
