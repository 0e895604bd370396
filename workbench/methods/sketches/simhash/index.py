"""Fingerprints of a collection, their permuted tables, and the pairs within a distance.

Source of the tables: Manku, Jain and Das Sarma, Detecting near-duplicates for web crawling (WWW 2007), section 3.1. A
fingerprint is cut into n blocks. If at most k bits differ, at least n - k blocks are equal; there is one table for each
choice of n - k blocks, sorted by those blocks, so that distances are computed only for fingerprints with equal blocks.

Source of the weights ``idf`` and ``keywords``: the features of a text are its terms weighted as in information
retrieval, term frequency times inverse document frequency (Datagrand's survey of text fingerprints, section 2.2, step
1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import PackedRows
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, PairScores, Results
from workbench.kernels.sketches.postings import candidate_pairs
from workbench.kernels.sketches.shingles import Rows, distinct, occurrences
from workbench.kernels.sketches.simhash import bits_of, distances, near, simhashes, table_keys, text_simhashes, words_of
from workbench.methods.core.api import NEAR_DUPLICATE, Explanation, Reason
from workbench.methods.core.collection import EMPTY, keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import as_texts, compiled, rows_apart, shingle_rows
from workbench.methods.sketches.columns import Postings, compact
from workbench.methods.sketches.simhash.parameters import SimHashParameters

_UNIT = 16
"""The integer that represents a weight of 1 if weights are fractions; integer weights keep sums exact."""
_MOST = 2**31 - 1
"""Maximum sum of the weights of one document."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """The number of ``documents`` with each feature.

    ``hashes`` uint64 [h] ascending: features of at least two documents; ``holders`` int64 [h]: their numbers of
    documents. Unlisted features count as being in one document.
    """

    documents: int
    hashes: NDArray[np.uint64]
    holders: NDArray[np.int64]

    @classmethod
    def unknown(cls) -> Rarity:
        """A rarity in which all features count as equally rare."""
        return cls(1, np.zeros(0, np.uint64), np.zeros(0, np.int64))

    @classmethod
    def of(cls, documents: int, sets: Sequence[Rows]) -> Rarity:
        """The rarity of features of documents, given as sets."""
        values = np.sort(np.concatenate([np.zeros(0, np.uint64), *(s.values for s in sets)]))
        first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
        holders = np.diff(np.append(first, len(values))).astype(np.int64)
        shared = holders > 1
        return cls(documents, values[first[shared]], holders[shared])

    def idf(self, values: NDArray[np.uint64]) -> NDArray[np.float64]:
        """ln(1 + N / df) of each feature: float64."""
        if not len(self.hashes):
            return np.full(len(values), np.log1p(float(self.documents)))
        at = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        holders = np.where(self.hashes[at] == values, self.holders[at], 1)
        inverse: NDArray[np.float64] = np.log1p(self.documents / holders)
        return inverse


def weights(sets: Rows, counts: NDArray[np.int64], parameters: SimHashParameters, rarity: Rarity) -> NDArray[np.int32]:
    """Weight of each feature of ``sets``, with ``counts`` occurrences in its document: int32, parallel to
    ``sets.values``.
    """
    if parameters.weights == "once":
        return np.ones(len(sets.values), np.int32)
    if parameters.weights == "frequency":
        return counts.astype(np.int32)
    if parameters.weights == "log":
        return np.asarray(np.rint(_UNIT * (1 + np.log(counts))), np.int32)
    tfidf = _UNIT * counts * rarity.idf(sets.values)
    owner = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    if parameters.weights == "keywords":
        tfidf[~_heaviest(tfidf, owner, sets, parameters.keywords)] = 0
    sums = np.bincount(owner, weights=tfidf + 1, minlength=len(sets.sizes))
    return np.asarray(np.rint(tfidf / np.maximum(1, sums / _MOST)[owner]), np.int32)


def _heaviest(values: NDArray[np.float64], owner: NDArray[np.int64], sets: Rows, most: int) -> NDArray[np.bool_]:
    """Which features are among the ``most`` heaviest of their document; of equal ones, those with the smallest hash."""
    order = np.lexsort((sets.values, -values, owner))
    heaviest = np.zeros(len(values), np.bool_)
    heaviest[order] = np.arange(len(values)) - sets.bounds[owner] < most
    return heaviest


_KEY_BITS = 64
_LOOK_UP = 200.0
_MEASURE = 8.0
_SCAN = 1.0
"""Rough costs of a look-up in a table, of comparing a table's candidates, and of one fingerprint in a scan."""
_MOST_TABLES = 128
_EXTRA_BLOCKS = 6


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Blocks ``edges[b]:edges[b + 1]`` in bits (int64 [n + 1]), and the blocks of each table (int64 [t, n - k])."""

    edges: NDArray[np.int64]
    tables: NDArray[np.int64]


def plan(bits: int, distance: int, documents: int, search: str) -> TablePlan:
    """The cheapest tables for fingerprints of ``bits`` that differ in at most ``distance`` bits.

    No tables if comparing every fingerprint is cheaper (``search`` = ``auto``) or requested (``scan``); ``tables``
    requests tables whatever their cost. If many bits may differ, the blocks are short and tables save nothing.
    """
    best, cost = 0, documents * _SCAN * max(1, bits // 64) if search == "auto" else float("inf")
    if search != "scan":
        for blocks in range(distance + 1, min(distance + _EXTRA_BLOCKS, bits) + 1):
            block_cost = _cost(bits, distance, blocks, documents)
            if comb(blocks, distance) <= _MOST_TABLES and block_cost < cost:
                best, cost = blocks, block_cost
    if not best:
        return TablePlan(np.zeros(1, np.int64), np.zeros((0, 1), np.int64))
    edges = np.arange(best + 1) * bits // best
    tables = list(combinations(range(best), best - distance))
    return TablePlan(edges.astype(np.int64), np.array(tables, np.int64))


def _cost(bits: int, distance: int, blocks: int, documents: int) -> float:
    key = min(_KEY_BITS, bits * (blocks - distance) // blocks)
    return comb(blocks, distance) * (_LOOK_UP + documents / 2.0**key * _MEASURE)


BEYOND = Message("pairs beyond the limit for one document")
_ARRAYS = ("order", "fingerprints", "edges", "blocks", "keys", "holders", "tables", "features", "frequency")
_STEP = 1 << 23
"""Fingerprints compared between two checks for cancellation: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class SimHashIndex:
    """D documents that have features; ``order`` int64 [D] are their positions in the collection.

    ``fingerprints`` uint64 [D, words]; ``plan`` and ``postings``: permuted tables, none if all fingerprints are
    compared. ``rarity``: of features among the documents, if weights depend on it.
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
    """``values`` uint64 [d, words] of d documents, and the number of distinct features of each (int64 [d])."""

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
    """Distinct features of each document, and the number of occurrences of each (0 if that does not count)."""
    rows = shingle_rows(documents, parameters, parameters.k)
    sets = distinct(rows)
    counted = parameters.weights != "once"
    return sets, occurrences(rows) if counted else np.zeros(len(sets.values), np.int64)


def _fingerprints(sets: Rows, counts: NDArray[np.int64], parameters: SimHashParameters, rarity: Rarity) -> Fingerprints:
    return Fingerprints(simhashes(sets, weights(sets, counts, parameters, rarity), parameters.bits), sets.sizes)


def votes(documents: Sequence[Document], parameters: SimHashParameters, rarity: Rarity) -> NDArray[np.int64]:
    """The sum of the features' weights at each bit, subtracted for a 0: int64 [d, bits]. A bit of the fingerprint is 1
    if the sum is not negative.
    """
    sets, counts = _features(documents, parameters)
    heavy = weights(sets, counts, parameters, rarity).astype(np.int64)
    sums = np.zeros((len(documents), parameters.bits), np.int64)
    for document in range(len(documents)):
        rows = slice(sets.bounds[document], sets.bounds[document + 1])
        for bit, ones in enumerate(bits_of(sets.values[rows], parameters.bits)):
            sums[document, bit] = heavy[rows][ones].sum() - heavy[rows][~ones].sum()
    return sums


load = SimHashIndex.load


def build(groups: Iterable[Sequence[Document]], parameters: SimHashParameters, progress: Progress) -> SimHashIndex:
    """Index of documents, given in groups in the collection's order. Raises Cancelled."""
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
    """Pairs of each document with the first ``before[i]`` indexed documents. Raises Cancelled."""
    own = fingerprints(documents, parameters, index.rarity)
    limits = np.minimum(before, len(index.order)).astype(np.int64)
    limits[own.features == 0] = 0
    search = _in_tables if len(index.plan.tables) else _compare_all
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
    evidence = {"distance": compact(distance), "bits": compact(np.full(len(a), bits)), "cosine": compact(cosines)}
    return PairScores(a, b, compact(1 - distance / bits), none, none, [NEAR_DUPLICATE] * len(a), PackedRows(evidence))


_Found = Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]
"""Numbers of documents (ascending) and of indexed documents within the distance, in batches."""


def _in_tables(
    index: SimHashIndex, values: NDArray[np.uint64], limits: NDArray[np.int64], distance: int, progress: Progress
) -> _Found:
    """Pairs found with the tables: compares fingerprints that agree in the blocks of any table."""
    lists = index.postings.find(table_keys(values, index.plan.edges, index.plan.tables))
    lists = lists.take(lists.last > lists.first)
    for met in candidate_pairs(lists, index.postings.holders, limits, len(index.order), progress):
        close = distances(values, met.mine, index.fingerprints, met.other) <= distance
        yield met.mine[close], met.other[close]


def _compare_all(
    index: SimHashIndex, values: NDArray[np.uint64], limits: NDArray[np.int64], distance: int, progress: Progress
) -> _Found:
    """Pairs found by comparing all fingerprints."""
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


def explain(
    a: Document, b: Document, parameters: SimHashParameters, index: SimHashIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    rarity = (index or build([[b]], parameters, NullProgress())).rarity
    own = fingerprints([a, b], parameters, rarity)
    features = zip((Message("suspect"), Message("source")), own.features.tolist(), strict=True)
    reasons = [
        Reason(Message("features of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in features
    ]
    if not all(r.passed for r in reasons):
        return Explanation(False, Message("No pair: one of the documents has no text to compare."), tuple(reasons))
    distance = int(distances(own.values, np.array([0]), own.values, np.array([1]))[0])
    close = distance <= parameters.max_distance
    detail = Message(
        "{distance} of {bits} bits differ, at most {allowed} may",
        distance=distance,
        bits=parameters.bits,
        allowed=parameters.max_distance,
    )
    reasons.append(Reason(Message("distance"), close, detail))
    if not close:
        return Explanation(False, Message("No pair: {detail}.", detail=detail), tuple(reasons))
    if index is not None:
        nearer = _nearer([a, b], distance, index, own.values)
        is_among_nearest = nearer < parameters.max_pairs
        reasons.append(
            Reason(
                Message("maximum pairs"),
                is_among_nearest,
                Message("{nearer} documents are closer, {kept} are kept", nearer=nearer, kept=parameters.max_pairs),
            )
        )
        if not is_among_nearest:
            return Explanation(False, Message("No pair: too many other documents are closer."), tuple(reasons))
    return Explanation(
        True,
        Message("A pair: {distance} of {bits} bits differ.", distance=distance, bits=parameters.bits),
        tuple(reasons),
    )


def _nearer(pair: Sequence[Document], distance: int, index: SimHashIndex, own: NDArray[np.uint64]) -> int:
    """Number of documents that rank before the earlier of ``pair`` among the nearest to the later one, which detection
    compares with all before it. ``own``: fingerprints of both.
    """
    order = places(pair)
    later = int(np.argmax(order))
    rows = np.arange(int(np.searchsorted(index.order, order[later])))
    apart = distances(own, np.full_like(rows, later), index.fingerprints, rows)
    at = int(np.searchsorted(index.order, order[1 - later]))
    return int((apart < distance).sum() + (apart[:at] == distance).sum())
