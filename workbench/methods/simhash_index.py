"""Fingerprints of a collection, their permuted tables, and the pairs within a distance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Watcher
from workbench.base.types import Document, PairScore, Results
from workbench.kernels.postings import Counter as PostingCounter
from workbench.kernels.shingles import Rows, distinct, occurrences
from workbench.kernels.simhash import distances, near, simhashes, table_keys
from workbench.methods.buckets import Buckets
from workbench.methods.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.resemblance import NEAR_DUPLICATE
from workbench.methods.simhash import SimHashParameters
from workbench.methods.simhash_tables import Plan, plan
from workbench.methods.tokenising import tokenise

BEYOND = "pairs beyond the most for one document"
_ARRAYS = ("order", "fingerprints", "edges", "tables", "keys", "holders")
_STEP = 1 << 23
"""Fingerprints measured between two looks for a cancel: some hundredths of a second."""
_LOG_UNIT = 16
"""Weights are whole numbers, so that sums are exact: a logarithmic weight of 1 is this."""


@dataclass(frozen=True, slots=True)
class SimHashIndex:
    """D documents that have features; ``order`` int64 [D] are their places in the collection.

    ``fingerprints`` uint64 [D, bits / 64]; ``plan`` and ``buckets``: permuted tables, none where all are measured.
    """

    order: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    plan: Plan
    buckets: Buckets

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        tables = (self.plan.edges, self.plan.tables, self.buckets.keys, self.buckets.holders)
        save_arrays(folder, dict(zip(_ARRAYS, (self.order, self.fingerprints, *tables), strict=True)))

    @classmethod
    def load(cls, folder: Path) -> SimHashIndex:
        """Open a saved index. Raises UserError when it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        return cls(a["order"], a["fingerprints"], Plan(a["edges"], a["tables"]), Buckets(a["keys"], a["holders"]))


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """``values`` uint64 [d, bits / 64] of d documents, and how many distinct features each has (int64 [d])."""

    values: NDArray[np.uint64]
    features: NDArray[np.int64]


def fingerprints(documents: Sequence[Document], parameters: SimHashParameters) -> Fingerprints:
    """Fingerprints of ``documents``."""
    rows = tokenise(documents, parameters).shingles(parameters.k, short=True)
    sets = distinct(rows)
    values = simhashes(sets, _weights(rows, sets, parameters.weights), parameters.bits // 64)
    return Fingerprints(values, sets.sizes)


def _weights(rows: Rows, sets: Rows, kind: str) -> NDArray[np.int32]:
    """Weight of each feature of ``sets``."""
    if kind == "once":
        return np.ones(len(sets.values), np.int32)
    counts = occurrences(rows, sets)
    return (counts if kind == "frequency" else np.rint(_LOG_UNIT * (1 + np.log(counts)))).astype(np.int32)


def build(groups: Iterable[Sequence[Document]], parameters: SimHashParameters, watch: Watcher) -> SimHashIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, values = [np.zeros(0, np.int64)], [np.zeros((0, parameters.bits // 64), np.uint64)]
    for group in groups:
        found = fingerprints(group, parameters)
        held = found.features > 0
        order.append(places(group)[held])
        values.append(found.values[held])
    watch.check()
    together = np.concatenate(values)
    tables = plan(parameters.bits, parameters.max_distance, len(together), parameters.search)
    buckets = Buckets.of(table_keys(together, tables.edges, tables.tables), watch)
    return SimHashIndex(np.concatenate(order), together, tables, buckets)


def find(
    index: SimHashIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: SimHashParameters,
    watch: Watcher,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    found = fingerprints(documents, parameters)
    search = _Search(index, found.values, parameters.max_distance, watch)
    names = keys(index.order)
    excluded: Counter[str] = Counter()
    pairs: list[PairScore] = []
    for i, document in enumerate(documents):
        watch.check()
        if not found.features[i]:
            excluded[EMPTY] += 1
            continue
        others = search.near(i, min(int(before[i]), len(index.order)))
        apart = distances(index.fingerprints, found.values[i], others)
        if len(others) > parameters.max_pairs:
            excluded[BEYOND] += len(others) - parameters.max_pairs
            nearest = np.sort(np.argsort(apart, kind="stable")[: parameters.max_pairs])
            others, apart = others[nearest], apart[nearest]
        pairs += [
            pair_of(document.key, b, distance, parameters.bits)
            for b, distance in zip(names[others].tolist(), apart.tolist(), strict=True)
        ]
    return Results(pairs=tuple(pairs), excluded=dict(excluded))


def pair_of(a: int, b: int, distance: int, bits: int) -> PairScore:
    """The pair of documents (keys) whose fingerprints differ in ``distance`` bits."""
    cosine = math.cos(math.pi * distance / bits)
    evidence = {"distance": distance, "bits": bits, "cosine": round(cosine, 6)}
    return PairScore(a, b, score=1 - distance / bits, relation=NEAR_DUPLICATE, evidence=evidence)


class _Search:
    """Indexed fingerprints near those of a batch, by tables or by measuring all."""

    def __init__(self, index: SimHashIndex, values: NDArray[np.uint64], distance: int, watch: Watcher) -> None:
        self._index = index
        self._values = values
        self._distance = distance
        self._watch = watch
        self._tables = len(index.plan.tables) > 0
        size = len(index.order)
        if self._tables:
            self._first, self._last = index.buckets.find(table_keys(values, index.plan.edges, index.plan.tables))
            self._counter = PostingCounter(index.buckets.holders.reshape(-1), size, watch)
        else:
            self._rows = np.empty(min(_STEP, size), np.int64)

    def near(self, i: int, limit: int) -> NDArray[np.int64]:
        """The first ``limit`` indexed documents within the distance of document i of the batch, ascending."""
        held, own = self._index.fingerprints, self._values[i]
        if self._tables:
            others = self._counter.count(self._first[i], self._last[i], limit)[0].astype(np.int64)
            close: NDArray[np.bool_] = distances(held, own, others) <= self._distance
            return others[close]
        parts = [np.zeros(0, np.int64)]
        for start in range(0, limit, _STEP):
            n = near(held, own, start, min(start + _STEP, limit), np.uint64(self._distance), self._rows)
            parts.append(self._rows[:n].copy())
            self._watch.check()
        return np.concatenate(parts)
