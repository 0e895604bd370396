"""Suspect digests against a digest index: accepted runs as matches in original characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import OTHER_PLACES, STARTS
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Ints, Matches, Tier
from workbench.kernels.digest.bridging import Passages, bridge
from workbench.kernels.digest.runs import Digests, allowed, find_runs, locate, required_lengths
from workbench.kernels.digest.segment_values import COST_UNIT
from workbench.methods.digest.extents import comparable
from workbench.methods.digest.index import DigestIndex
from workbench.methods.digest.parameters import DigestParameters
from workbench.methods.digest.segments import Segments, segment


def once(matches: Matches) -> Matches:
    """The fewest of ``matches`` that cover everything that all cover in the suspects, in order; the longest where
    possible.

    For equal text: repetitions elsewhere in the same source are counted in the evidence of the covering match
    (:mod:`workbench.base.evidence`). O(n log n).
    """
    n = len(matches)
    if not n:
        return matches
    order = np.lexsort((matches.b_start, -matches.a_end, matches.a_start, matches.b, matches.a))
    of = _pairs(matches.a[order], matches.b[order])
    shift = of * (int(matches.a_end.max()) + 1)
    start, end = matches.a_start[order] + shift, matches.a_end[order] + shift
    reached = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] >= reached[:-1])))
    kept = np.ones(n, np.bool_)
    holder = np.arange(n)
    for low, high in zip(first.tolist(), np.append(first[1:], n).tolist(), strict=True):
        if high - low > 1:
            _cover(start[low:high].tolist(), end[low:high].tolist(), low, kept, holder)
    dropped = np.flatnonzero(~kept)
    chosen = np.sort(order[kept])
    row = np.empty(n, np.int64)
    row[chosen] = np.arange(len(chosen))
    others = row[order[holder[dropped]]], matches.b_start[order[dropped]]
    taken = matches.take(chosen)
    return with_places(taken, *others)


def with_places(matches: Matches, row: Ints, start: Ints) -> Matches:
    """``matches`` with evidence of further places: given by match and offset in its source."""
    order = np.lexsort((start, row))
    row, start = row[order], start[order]
    count = np.bincount(row, minlength=len(matches))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    evidence: dict[str, Any] = dict(matches.evidence) | {OTHER_PLACES: count}
    for k, name in enumerate(STARTS):
        evidence[name] = np.full(len(matches), -1, np.int64)
        evidence[name][row[rank == k]] = start[rank == k]
    columns: Mapping[str, Any] = {name: getattr(matches, name) for name in matches.columns()}
    return Matches(**columns, evidence=evidence, gaps=matches.gaps)


def _pairs(a: Ints, b: Ints) -> Ints:
    """A number for each pair, of rows in the order of pairs."""
    new = np.concatenate(([True], (a[1:] != a[:-1]) | (b[1:] != b[:-1])))
    return np.cumsum(new) - 1


def _cover(start: list[int], end: list[int], low: int, kept: Any, holder: Any) -> None:
    """Mark in ``kept`` the fewest ranges that cover a cluster (ordered by start), and for the others the covering range
    in ``holder``.
    """
    chosen: list[int] = []
    at, reached = 0, start[0]
    while at < len(start):
        best = at
        while at < len(start) and (start[at] <= reached):
            best = at if end[at] > end[best] else best
            at += 1
        chosen.append(best)
        reached = end[best]
        # A range that ends within the chosen one adds nothing.
        while at < len(start) and end[at] <= reached:
            at += 1
    starts = [start[i] for i in chosen]
    for i in range(len(start)):
        holder[low + i] = low + chosen[max(0, bisect_right(starts, start[i]) - 1)]
    kept[low : low + len(start)] = False
    kept[[low + i for i in chosen]] = True


SHORT = Message("segments that are too short")
WEAK = Message("shared segments in sequences below the minimum")
FREQUENT = Message("sequences of segments at more places than the limit")


@dataclass(frozen=True, slots=True)
class SharedSegments:
    """The segments that a batch of suspects shares with the index.

    ``surprisal`` float64 [m]: bits, of segments that count; ``shared`` bool [m]: occurs in an allowed source.
    ``passages`` are grown from the accepted runs; ``frequent`` counts starts of runs dropped by ``max_places``.
    """

    segments: Segments
    surprisal: NDArray[np.float64]
    shared: NDArray[np.bool_]
    passages: Passages
    frequent: int


def find(
    index: DigestIndex,
    documents: Sequence[Document],
    parameters: DigestParameters,
    progress: Progress,
    *,
    itself: bool,
    later: bool = False,
) -> SharedSegments:
    """Accepted runs of ``documents``; with ``itself``, the index also contains them, and only earlier documents count,
    or also ``later`` ones.
    """
    segments = segment(documents, parameters)
    end = np.full(len(documents), len(index.text), np.int64)
    own_start, own_end = end, end
    if itself:
        own_start, own_end = index.own_places([d.key for d in documents])
        end = end if later else own_start
    digests = Digests(segments.fingerprints, segments.bounds, end, own_start, own_end)
    slots = locate(digests, index.text, index.array, parameters.bits)
    shared = slots[:, 1] > slots[:, 0]
    if itself:
        shared = allowed(digests, slots, index.array)
    surprisal = np.full(len(shared), -1.0)
    rows = np.flatnonzero(shared)
    if len(rows):
        surprisal[rows] = surprisals(index, segments, rows, itself=itself)
    required = required_lengths(surprisal, segments.bounds, parameters.length_needed, parameters.surprisal_needed)
    runs = find_runs(digests, slots, required, index.text, index.array, parameters.max_places, progress)
    passages = Passages.of(runs)
    if parameters.bridge:
        passages = bridge(runs, digests, segments.length, index.text, index.extents.lengths, parameters.bits)
    inside = np.flatnonzero(covered(passages, len(shared)) & ~shared)
    if len(inside):
        surprisal[inside] = surprisals(index, segments, inside, itself=itself)
    return SharedSegments(segments, surprisal, shared, passages, runs.frequent)


def surprisals(index: DigestIndex, segments: Segments, rows: NDArray[np.int64], *, itself: bool) -> NDArray[np.float64]:
    """Surprisal, in bits, of each segment of ``rows`` in an independently written document.

    The smaller of two estimates: from its letters (by their individual frequencies in the sources) and from the
    sources: log2(N / k), where k of the N counted documents, other than the pair in question, contain the segment, if
    any.
    """
    bits = segments.bits(rows, index.costs)
    return rarity(bits, index.documents_holding(segments.fingerprints[rows]), index.counted, itself=itself)


def rarity(bits: NDArray[np.float64], holding: NDArray[np.int64], counted: int, *, itself: bool) -> NDArray[np.float64]:
    """Surprisal, in bits, of segments with ``bits`` for their letters that occur in ``holding`` of ``counted``
    documents.

    With ``itself`` the document in question is one of them.
    """
    others = holding - (2 if itself else 1)
    # Integers, so that sums are exact and do not depend on the rest of the batch.
    by_documents = np.floor(np.log2(max(counted, 1) / np.maximum(others, 1)) * COST_UNIT) / COST_UNIT
    return np.where(others > 0, np.minimum(bits, by_documents), bits)


def matches(shared_runs: SharedSegments, index: DigestIndex, documents: Sequence[Document]) -> Matches:
    """The accepted runs as matches, ordered by document, position and source; words at several places of a source are
    listed once.
    """
    runs, segments = shared_runs.passages, shared_runs.segments
    if not len(runs.query):
        return Matches.empty()
    sums = [_prefix(column) for column in (segments.length, np.maximum(shared_runs.surprisal, 0))]
    characters, surprisal = (s[runs.query_end] - s[runs.query] for s in sums)
    keys = np.array([d.key for d in documents], np.int64)
    theirs = index.document_of(runs.place)
    start, end = index.spans(runs.place, theirs)[:, 0], index.spans(runs.place_end - 1, theirs)[:, 1]
    result = Matches(
        a=keys[runs.document],
        b=index.keys[theirs].astype(np.int64),
        a_start=segments.start[runs.query],
        a_end=segments.end[runs.query_end - 1],
        b_start=start,
        b_end=end,
        score=characters,
        tier=np.zeros(len(theirs), np.int8),
        evidence={
            "segments": runs.query_end - runs.query,
            "surprisal": np.round(surprisal, 2),
            "characters": characters.astype(np.int64),
            _RUN: np.arange(len(theirs)),
        },
    )
    order = np.lexsort((result.b_start, result.b, result.a_start, runs.document))
    kept = once(result.take(order))
    evidence = dict(kept.evidence)
    # Spellings are looked up for these only: a sentence repeated n times makes n runs of up to n segments.
    same = _same_spelling(shared_runs, index, evidence.pop(_RUN))
    tier = np.where(same, Tier.EXACT, Tier.FOLDED).astype(np.int8)
    return replace(kept, tier=tier, evidence=evidence)


def _prefix(column: NDArray[np.float64] | NDArray[np.int32]) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(column, dtype=np.float64)])


_RUN = "run"


def _same_spelling(shared_runs: SharedSegments, index: DigestIndex, which: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each of some runs is identical on both sides, character for character (by 24-bit hashes)."""
    runs = shared_runs.passages
    query, place, bridged = runs.query[which], runs.place[which], runs.bridged[which]
    length = np.where(bridged, 0, runs.query_end[which] - query)
    rows = np.repeat(np.arange(len(length)), length)
    step = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
    here = comparable(shared_runs.segments.spellings(query[rows] + step))
    there = index.extents.spellings(place[rows] + step)
    unlike = (here[:, 0] != there[:, 0]) | ((here[:, 1] != there[:, 1]) & (step > 0))
    same: NDArray[np.bool_] = np.bincount(rows, unlike, len(length)) == 0
    return same & ~bridged


def excluded(shared_runs: SharedSegments) -> dict[str, int]:
    """Counts of omissions, by reason; reasons that did not occur are absent."""
    counts = {
        SHORT: int(shared_runs.segments.short.sum()),
        WEAK: int((shared_runs.shared & ~covered(shared_runs.passages, len(shared_runs.shared))).sum()),
        FREQUENT: shared_runs.frequent,
    }
    return {reason: n for reason, n in counts.items() if n}


def covered(passages: Passages, size: int) -> NDArray[np.bool_]:
    """Which of ``size`` query segments are in a passage."""
    edges = np.zeros(size + 1, np.int64)
    np.add.at(edges, passages.query, 1)
    np.add.at(edges, passages.query_end, -1)
    inside: NDArray[np.bool_] = np.cumsum(edges)[:-1] > 0
    return inside
