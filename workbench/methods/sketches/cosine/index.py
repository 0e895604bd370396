"""Vectors of terms, their inverted index, and the pairs whose cosine is large enough.

All cosines are computed: nothing is sampled, and no list is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message, beside
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, PairScore, Results
from workbench.kernels.mixing import in_order
from workbench.kernels.sketches.postings import add_products
from workbench.kernels.sketches.shingles import Rows, distinct, occurrences
from workbench.methods.core.api import NEAR_DUPLICATE, Explanation, Reason
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.sketches.cosine.parameters import CosineParameters

_ARRAYS = ("order", "terms", "hashes", "first", "documents", "weights")
_ROUNDING = 1e-9
"""Tolerance, so that equal documents reach a cosine of 1 whatever the rounding of sums."""


@dataclass(frozen=True, slots=True)
class CosineIndex:
    """D documents; ``order`` int64 [D] are their positions in the collection, ``terms`` int64 [D] their numbers of
    distinct terms.

    ``hashes`` uint64 [h] ascending: all distinct terms; term i is in ``documents[first[i]:first[i + 1]]`` (uint32,
    ascending) with ``weights`` (float64) of vectors of length 1.
    """

    order: NDArray[np.int64]
    terms: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    first: NDArray[np.int64]
    documents: NDArray[np.uint32]
    weights: NDArray[np.float64]

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        save_arrays(folder, {name: getattr(self, name) for name in _ARRAYS})

    @classmethod
    def load(cls, folder: Path, parameters: CosineParameters) -> CosineIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        arrays, _ = load_arrays(folder, _ARRAYS)
        return cls(**arrays)

    def slots(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Number of each term in ``hashes``, -1 for terms in no indexed document."""
        if not len(self.hashes):
            return np.full(len(values), -1, np.int64)
        at = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        return np.where(self.hashes[at] == values, at, -1).astype(np.int64)

    def vectors(self, sets: Rows, counts: NDArray[np.int64], parameters: CosineParameters) -> NDArray[np.float64]:
        """Weights of the terms of documents, parallel to ``sets.values``; each document's vector has length 1."""
        slots = self.slots(sets.values)
        if not len(self.hashes):
            return _unit(sets, counts, np.ones(len(slots), np.int64), max(1, len(self.order)), parameters)
        holding = np.where(slots >= 0, self.first[slots + 1] - self.first[slots], 1)
        return _unit(sets, counts, holding, len(self.order), parameters)


load = CosineIndex.load


def term_sets(documents: Sequence[Document], parameters: CosineParameters) -> tuple[Rows, NDArray[np.int64]]:
    """Distinct terms of each document, and the number of occurrences of each."""
    rows = shingle_rows(documents, parameters, parameters.k)
    sets = distinct(rows)
    return sets, occurrences(rows)


def _unit(
    sets: Rows, counts: NDArray[np.int64], holding: NDArray[np.int64], total: int, parameters: CosineParameters
) -> NDArray[np.float64]:
    """Weights of vectors of length 1; ``holding`` of ``total`` documents have each term."""
    weights = np.ones(len(counts))
    if parameters.weights == "frequency":
        weights = counts.astype(np.float64)
    elif parameters.weights == "log":
        weights = 1 + np.log(counts)
    if parameters.idf:
        weights *= np.log1p(total / holding)
    owner = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    lengths = np.sqrt(np.bincount(owner, weights=weights**2, minlength=len(sets.sizes)))
    unit: NDArray[np.float64] = weights / lengths[owner]
    return unit


def build(groups: Iterable[Sequence[Document]], parameters: CosineParameters, progress: Progress) -> CosineIndex:
    """Index of documents, given in groups in the collection's order. Raises Cancelled."""
    order, sets, counts = [np.zeros(0, np.int64)], [Rows(np.zeros(0, np.uint64), np.zeros(1, np.int64))], []
    for group in groups:
        own, often = term_sets(group, parameters)
        order.append(places(group))
        sets.append(own)
        counts.append(often)
    progress.check()
    sizes = np.concatenate([s.sizes for s in sets])
    everything = Rows(np.concatenate([s.values for s in sets]), np.concatenate([[0], np.cumsum(sizes)]))
    often = np.concatenate([np.zeros(0, np.int64), *counts])
    ordered, by_value = in_order(everything.values)
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]
    first = np.concatenate([np.flatnonzero(new), [len(ordered)]]).astype(np.int64)
    holding = np.empty(len(ordered), np.int64)
    holding[by_value] = np.repeat(np.diff(first), np.diff(first))
    weights = _unit(everything, often, holding, len(sizes), parameters)
    holders = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    return CosineIndex(np.concatenate(order), sizes, ordered[new], first, holders[by_value], weights[by_value])


def find(
    index: CosineIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: CosineParameters,
    progress: Progress,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed documents. Raises Cancelled."""
    sets, counts = term_sets(documents, parameters)
    own = index.vectors(sets, counts, parameters)
    slots = index.slots(sets.values)
    known = keys(index.order)
    sums = np.zeros(len(index.order))
    pairs: list[PairScore] = []
    for number, (document, limit) in enumerate(zip(documents, np.asarray(before).tolist(), strict=True)):
        progress.check()
        rows = np.arange(sets.bounds[number], sets.bounds[number + 1])
        rows = rows[slots[rows] >= 0]
        add_cosines(index, slots[rows], own[rows], limit, sums)
        for other in np.flatnonzero(reaching(sums[:limit], parameters)).tolist():
            sizes = (int(sets.sizes[number]), int(index.terms[other]))
            pairs.append(pair_of(document.key, int(known[other]), float(sums[other]), sizes))
    empty = int((sets.sizes == 0).sum())
    return Results(pairs=tuple(pairs), excluded={EMPTY: empty} if empty else {})


def add_cosines(
    index: CosineIndex, slots: NDArray[np.int64], weights: NDArray[np.float64], limit: int, sums: NDArray[np.float64]
) -> None:
    """Cosines of the first ``limit`` indexed documents with one with terms of these ``slots`` and ``weights``."""
    sums[:] = 0
    add_products(index.first[slots], index.first[slots + 1], weights, index.documents, index.weights, limit, sums)


def reaching(cosines: NDArray[np.float64], parameters: CosineParameters) -> NDArray[np.bool_]:
    """Which cosines are large enough."""
    return cosines >= parameters.min_cosine - _ROUNDING


def pair_of(a: int, b: int, cosine: float, terms: tuple[int, int]) -> PairScore:
    """The pair of documents (keys) whose vectors, with the given numbers of ``terms``, have this ``cosine``."""
    evidence = {"terms_a": terms[0], "terms_b": terms[1]}
    return PairScore(a, b, score=min(1.0, cosine), relation=NEAR_DUPLICATE, evidence=evidence)


def explain(
    a: Document, b: Document, parameters: CosineParameters, index: CosineIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    index = build([[b]], parameters, NullProgress()) if index is None else index
    sets, counts = term_sets([a, b], parameters)
    mine, theirs = sets.sizes.tolist()
    reasons = [
        Reason(Message("terms of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in ((Message("suspect"), mine), (Message("source"), theirs))
    ]
    if not (mine and theirs):
        return Explanation(False, Message("No pair: one of the documents has no text to compare."), tuple(reasons))
    vectors = index.vectors(sets, counts, parameters)
    _, left, right = np.intersect1d(sets.of(0), sets.of(1), return_indices=True)
    pairs = results.pairs
    cosines = np.array([pairs[0].score if len(pairs) else vectors[:mine][left] @ vectors[mine:][right]])
    cosine, reached = float(cosines[0]), bool(reaching(cosines, parameters)[0])
    needed = f"{parameters.min_cosine:g}"
    exact, short = (beside(cosine, parameters.min_cosine, digits) for digits in (3, 2))
    reasons += [
        Reason(Message("shared terms"), len(left) > 0, Message("{number} occur in both", number=len(left))),
        Reason(Message("cosine"), reached, Message("{share}, {needed} needed", share=exact, needed=needed)),
    ]
    if len(pairs):
        return Explanation(True, Message("A pair: cosine {cosine}.", cosine=short), tuple(reasons))
    sentence = Message("No pair: cosine {cosine}, {needed} needed.", cosine=short, needed=needed)
    return Explanation(False, sentence, tuple(reasons))
