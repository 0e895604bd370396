"""Fingerprints of a collection, their permuted tables, and the pairs within a distance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import packed_rows
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, PairScores, Results
from workbench.kernels.sketches.postings import candidate_pairs
from workbench.kernels.sketches.shingles import Rows, distinct, occurrences
from workbench.kernels.sketches.simhash import distances, near, simhashes, table_keys, text_simhashes, words_of
from workbench.methods.core.api import NEAR_DUPLICATE
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import as_texts, compiled, rows_apart, shingle_rows
from workbench.methods.sketches.columns import Postings
from workbench.methods.sketches.simhash.parameters import SimHashParameters
from workbench.methods.sketches.simhash.tables import TablePlan, plan
from workbench.methods.sketches.simhash.weights import Rarity, weights

BEYOND = Message("pairs beyond the most for one document")
_ARRAYS = ("order", "fingerprints", "edges", "blocks", "keys", "holders", "tables", "features", "frequency")
_STEP = 1 << 23
"""Fingerprints measured between two checks for cancellation: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class SimHashIndex:
    """D documents that have features; ``order`` int64 [D] are their places in the collection.

    ``fingerprints`` uint64 [D, words]; ``plan`` and ``postings``: permuted tables, none if all fingerprints are
    measured. ``rarity``: of features among the documents, where weights depend on it.
    """

    order: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    plan: TablePlan
    postings: Postings
    rarity: Rarity

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        tables = (self.plan.edges, self.plan.tables, self.postings.keys, self.postings.holders, self.postings.tables)
        arrays = (self.order, self.fingerprints, *tables, self.rarity.hashes, self.rarity.holders)
        save_arrays(folder, dict(zip(_ARRAYS, arrays, strict=True)))

    @classmethod
    def load(cls, folder: Path, parameters: SimHashParameters) -> SimHashIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        rarity = Rarity(len(a["order"]), a["features"], a["frequency"])
        tables = TablePlan(a["edges"], a["blocks"]), Postings(a["keys"], a["holders"], a["tables"])
        return cls(a["order"], a["fingerprints"], *tables, rarity)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """``values`` uint64 [d, words] of d documents, and how many distinct features each has (int64 [d])."""

    values: NDArray[np.uint64]
    features: NDArray[np.int64]


def fingerprints(
    documents: Sequence[Document], parameters: SimHashParameters, rarity: Rarity | None = None
) -> Fingerprints:
    """Fingerprints of ``documents``; without ``rarity`` all features count as equally rare."""
    if parameters.weights != "once" or not compiled(parameters):
        return _fingerprints(*_features(documents, parameters), parameters, rarity or Rarity.unknown())
    prints = text_simhashes(as_texts(documents, parameters, parameters.k), parameters.bits)
    apart, rows = rows_apart(documents, parameters, parameters.k, prints.context)
    sets = distinct(rows)
    prints.values[apart] = simhashes(sets, np.ones(len(sets.values), np.int32), parameters.bits)
    prints.sizes[apart] = sets.sizes
    return Fingerprints(prints.values, prints.sizes)


def _features(documents: Sequence[Document], parameters: SimHashParameters) -> tuple[Rows, NDArray[np.int64]]:
    """Distinct features of each document, and how often each occurs in it (0 where that does not count)."""
    rows = shingle_rows(documents, parameters, parameters.k)
    sets = distinct(rows)
    counted = parameters.weights != "once"
    return sets, occurrences(rows, sets) if counted else np.zeros(len(sets.values), np.int64)


def _fingerprints(sets: Rows, counts: NDArray[np.int64], parameters: SimHashParameters, rarity: Rarity) -> Fingerprints:
    return Fingerprints(simhashes(sets, weights(sets, counts, parameters, rarity), parameters.bits), sets.sizes)


load = SimHashIndex.load


def build(groups: Iterable[Sequence[Document]], parameters: SimHashParameters, progress: Progress) -> SimHashIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order, values = [np.zeros(0, np.int64)], [np.zeros((0, words_of(parameters.bits)), np.uint64)]
    waiting: list[tuple[Rows, NDArray[np.int64]]] = []
    rarity = Rarity.unknown()
    for group in groups:
        if parameters.weighs_rarity:
            waiting.append(_features(group, parameters))
            order.append(places(group)[waiting[-1][0].sizes > 0])
        else:
            prints = fingerprints(group, parameters)
            order.append(places(group)[prints.features > 0])
            values.append(prints.values[prints.features > 0])
    if parameters.weighs_rarity:
        rarity = Rarity.of(sum(map(len, order)), [sets for sets, _ in waiting])
        for sets, counts in waiting:
            progress.check()
            values.append(_fingerprints(sets, counts, parameters, rarity).values[sets.sizes > 0])
    progress.check()
    together = np.concatenate(values)
    tables = plan(parameters.bits, parameters.max_distance, len(together), parameters.search)
    postings = Postings.of(table_keys(together, tables.edges, tables.tables), None, progress)
    return SimHashIndex(np.concatenate(order), together, tables, postings, rarity)


def find(
    index: SimHashIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: SimHashParameters,
    progress: Progress,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    own = fingerprints(documents, parameters, index.rarity)
    limits = np.minimum(before, len(index.order)).astype(np.int64)
    limits[own.features == 0] = 0
    search = _in_tables if len(index.plan.tables) else _in_all
    left_out = 0
    rows: list[tuple[NDArray[np.int64], ...]] = [(np.zeros(0, np.int64),) * 3]
    for mine, others in search(index, own.values, limits, parameters.max_distance, progress):
        apart = distances(own.values, mine, index.fingerprints, others)
        nearest = _nearest(mine, apart, parameters.max_pairs)
        left_out += len(mine) - len(nearest)
        rows.append((mine[nearest], others[nearest], apart[nearest]))
    mine, others, apart = (np.concatenate(column) for column in zip(*rows, strict=True))
    a = np.array([d.key for d in documents], np.int64)[mine]
    pairs = _scored(a, keys(index.order)[others], apart, parameters.bits)
    excluded = {EMPTY: int((own.features == 0).sum()), BEYOND: left_out}
    return Results(pairs=pairs, excluded={reason: n for reason, n in excluded.items() if n})


def _nearest(mine: NDArray[np.int64], apart: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Rows, ascending, of the ``most`` nearest pairs of each document; among equally near ones, the first."""
    order = np.lexsort((apart, mine))
    rank = np.arange(len(mine)) - np.searchsorted(mine, mine)
    return np.sort(order[rank < most])


def _scored(a: NDArray[np.int64], b: NDArray[np.int64], distance: NDArray[np.int64], bits: int) -> PairScores:
    """The pairs of documents (keys) whose fingerprints of ``bits`` bits differ in ``distance``."""
    none = [None] * len(a)
    cosines = np.round(np.cos(np.pi * distance / bits), 6)
    evidence = {"distance": distance.tolist(), "bits": [bits] * len(a), "cosine": cosines.tolist()}
    scores = (1 - distance / bits).tolist()
    return PairScores(a, b, scores, none, none, [NEAR_DUPLICATE] * len(a), packed_rows(evidence))


_Found = Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]
"""Numbers of documents (ascending) and of indexed ones within the distance, in batches."""


def _in_tables(
    index: SimHashIndex, values: NDArray[np.uint64], limits: NDArray[np.int64], distance: int, progress: Progress
) -> _Found:
    """Using the tables: measures fingerprints that agree in the blocks of any table."""
    lists = index.postings.find(table_keys(values, index.plan.edges, index.plan.tables))
    lists = lists.take(lists.last > lists.first)
    for met in candidate_pairs(lists, index.postings.holders, limits, len(index.order), progress):
        close = distances(values, met.mine, index.fingerprints, met.other) <= distance
        yield met.mine[close], met.other[close]


def _in_all(
    index: SimHashIndex, values: NDArray[np.uint64], limits: NDArray[np.int64], distance: int, progress: Progress
) -> _Found:
    """By measuring all fingerprints."""
    rows = np.empty(min(_STEP, len(index.order)), np.int64)
    for i, limit in enumerate(limits.tolist()):
        parts = [np.zeros(0, np.int64)]
        for start in range(0, limit, _STEP):
            progress.check()
            n = near(index.fingerprints, values[i], start, min(start + _STEP, limit), np.uint64(distance), rows)
            parts.append(rows[:n].copy())
        others = np.concatenate(parts)
        if len(others):
            yield np.full(len(others), i, np.int64), others
