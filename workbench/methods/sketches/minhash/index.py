"""Signatures of a collection, their bands, and the pairs they find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, PairScores, Results
from workbench.kernels.code_points import text_hashes
from workbench.kernels.sketches.minhash import agreement, band_keys, signatures, text_signatures
from workbench.kernels.sketches.postings import CandidatePairs, Lists, candidate_pairs
from workbench.kernels.sketches.shingles import Rows, distinct, shared, without_repeats
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import as_texts, compiled, end_to_end, rows_apart, shingle_rows
from workbench.methods.sketches.buckets import Buckets
from workbench.methods.sketches.minhash.parameters import MinHashParameters
from workbench.methods.sketches.resemblance import Sharing, resemblance, scored

FREQUENT = Message("bands in buckets of more documents than the limit")
_ARRAYS = ("order", "texts", "sizes", "signatures", "keys", "holders", "sets", "bounds")


@dataclass(frozen=True, slots=True)
class MinHashIndex:
    """D documents that have shingles; ``order`` int64 [D] are their places in the collection, ``texts`` uint64 [D]
    hashes of their texts.

    ``sizes`` int64 [D]: distinct shingles; ``signatures`` uint32 [D, permutations]. ``buckets``: a table for each band.
    ``sets``: the shingles if they are needed for verification, otherwise nothing.
    """

    order: NDArray[np.int64]
    texts: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    signatures: NDArray[np.uint32]
    buckets: Buckets
    sets: Rows

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        tables, sets = self.buckets, self.sets
        own = (self.order, self.texts, self.sizes, self.signatures)
        arrays = (*own, tables.keys, tables.holders, sets.values, sets.bounds)
        save_arrays(folder, dict(zip(_ARRAYS, arrays, strict=True)))

    @classmethod
    def load(cls, folder: Path, parameters: MinHashParameters) -> MinHashIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        buckets, sets = Buckets(a["keys"], a["holders"]), Rows(a["sets"], a["bounds"])
        return cls(a["order"], a["texts"], a["sizes"], a["signatures"], buckets, sets)


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


def build(groups: Iterable[Sequence[Document]], parameters: MinHashParameters, progress: Progress) -> MinHashIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, texts, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    signed = [np.zeros((0, parameters.permutations), np.uint32)]
    values = [np.zeros(0, np.uint64)]
    for group in groups:
        sketches = sketch(group, parameters)
        has_shingles = sketches.sizes > 0
        order.append(places(group)[has_shingles])
        texts.append(text_hashes(*end_to_end(group))[has_shingles])
        sizes.append(sketches.sizes[has_shingles])
        signed.append(sketches.signatures[has_shingles])
        if parameters.verify == "exact":
            values.append(sketches.sets.values)
    progress.check()
    together = np.concatenate(signed)
    own = band_keys(together, parameters.bands, parameters.rows)
    buckets = Buckets.of(own, progress)
    all_sizes = np.concatenate(sizes)
    bounds = np.concatenate([[0], np.cumsum(all_sizes)]).astype(np.int64)
    sets = Rows(np.concatenate(values), bounds)
    return MinHashIndex(np.concatenate(order), np.concatenate(texts), all_sizes, together, buckets, sets)


def _sketches(index: MinHashIndex, documents: Sequence[Document], parameters: MinHashParameters) -> Sketches:
    """Sets and signatures of ``documents``; those of a document that is indexed with this text come from ``index``."""
    own = places(documents)
    at = np.searchsorted(index.order, own)
    known = at < len(index.order)
    known[known] = index.order[at[known]] == own[known]
    some = np.flatnonzero(known)
    known[some] = index.texts[at[some]] == text_hashes(*end_to_end([documents[i] for i in some.tolist()]))
    at = at[known]
    rest = sketch([d for d, indexed in zip(documents, known.tolist(), strict=True) if not indexed], parameters)
    sizes, signed = np.empty(len(own), np.int64), np.empty((len(own), parameters.permutations), np.uint32)
    sizes[known], sizes[~known] = index.sizes[at], rest.sizes
    signed[known], signed[~known] = index.signatures[at], rest.signatures
    if parameters.verify == "estimate":
        return Sketches(Rows(rest.sets.values, np.zeros(len(own) + 1, np.int64)), sizes, signed)
    from_index, others = map(index.sets.of, at.tolist()), map(rest.sets.of, range(len(rest.sizes)))
    values = np.concatenate([rest.sets.values[:0], *(next(from_index if k else others) for k in known.tolist())])
    return Sketches(Rows(values, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)), sizes, signed)


def find(
    index: MinHashIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: MinHashParameters,
    progress: Progress,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    sketches = _sketches(index, documents, parameters)
    first, last = index.buckets.find(band_keys(sketches.signatures, parameters.bands, parameters.rows))
    empty = sketches.sizes == 0
    full = (last - first > parameters.max_documents) & ~empty[:, None]
    own, band = np.nonzero(~full & ~empty[:, None] & (last > first))
    lists = Lists(own, first[own, band], last[own, band])
    limits = np.minimum(before, len(index.order)).astype(np.int64)
    met_in_batches = candidate_pairs(lists, index.buckets.holders.reshape(-1), limits, len(index.order), progress)
    pairs = [_pairs(index, documents, sketches, met, parameters) for met in met_in_batches]
    excluded = {EMPTY: int(empty.sum()), FREQUENT: int(full.sum())}
    return Results(pairs=PairScores.concatenate(pairs), excluded={reason: n for reason, n in excluded.items() if n})


def _pairs(
    index: MinHashIndex,
    documents: Sequence[Document],
    sketches: Sketches,
    met: CandidatePairs,
    parameters: MinHashParameters,
) -> PairScores:
    """Candidates that reach the threshold."""
    own, sizes = sketches.sizes[met.mine], index.sizes[met.other]
    estimates = agreement(sketches.signatures, met.mine, index.signatures, met.other)
    if parameters.verify == "exact":
        both = shared(sketches.sets, met.mine, index.sets, met.other)
        shares = resemblance(both, own, sizes)
    else:
        shares = estimates
        both = shares * (own + sizes) / (1 + shares)
    rows = np.flatnonzero(reaching(shares, parameters))
    mine = np.array([d.key for d in documents], np.int64)[met.mine]
    pairs = Sharing(mine, keys(index.order)[met.other], both, own, sizes, shares).take(rows)
    return scored(pairs, np.ones(len(rows), np.bool_), estimate=estimates[rows], bands=met.lists[rows])


def reaching(shares: NDArray[np.float64], parameters: MinHashParameters) -> NDArray[np.bool_]:
    """Which resemblances are enough."""
    return shares >= parameters.min_resemblance
