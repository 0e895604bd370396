"""Pairs of documents by the share of each in the other: whole copies, inclusions, partial copies.

Source: Sakurai, Matsuo and Kikui, figure 1: the whole of one page is a copy of the other, one page contains the whole
of the other, or a part of one is in the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import PackedRows
from workbench.base.types import Document, Matches, PairScores
from workbench.methods.digest.index import DigestIndex
from workbench.methods.digest.matching import SharedSegments

WHOLE, INCLUSION, PARTIAL = "whole copy", "inclusion of a copy", "partial copy"
"""The kinds of figure 1."""


def kind_of(share_a: float, share_b: float, whole: float) -> str:
    """The kind of a pair with these shares, in [0, 1], of each document in the other."""
    both = min(share_a, share_b)
    return WHOLE if both >= whole else INCLUSION if max(share_a, share_b) >= whole else PARTIAL


def pairs(
    shared: SharedSegments, index: DigestIndex, documents: Sequence[Document], whole: float, matches: Matches
) -> PairScores:
    """One row for each document of ``documents`` and document of the index with a common passage.

    The score is the sum over its matches, which are ``matches``, each once. Shares are of folded characters in segments
    that are long enough to count; text in several passages counts once.
    """
    rows, lengths = shared.passages, shared.segments.length
    if not len(rows.query):
        return PairScores.concatenate(())
    theirs = index.document_of(rows.place)
    order = np.lexsort((theirs, rows.document))
    document, their = rows.document[order], theirs[order]
    is_first = np.concatenate(([True], (document[1:] != document[:-1]) | (their[1:] != their[:-1])))
    pair = np.empty(len(order), np.int64)
    pair[order] = np.cumsum(is_first) - 1
    a, b = document[is_first], their[is_first]
    before = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    bounds, theirs_long = before[shared.segments.bounds], index.extents.lengths
    starts, stops = index.own_places(index.keys[b].tolist())
    some, first, end = _union(pair, rows.query, rows.query_end)
    in_a = np.bincount(some, before[end] - before[first], len(a))
    some, first, end = _union(pair, rows.place, rows.place_end)
    in_b = np.bincount(some, theirs_long.sums(first, end), len(a))
    totals: defaultdict[tuple[int, int], float] = defaultdict(float)
    for mine, key, characters in zip(matches.a.tolist(), matches.b.tolist(), matches.score.tolist(), strict=True):
        totals[mine, key] += characters
    size_a, size_b = bounds[a + 1] - bounds[a], theirs_long.sums(starts, stops)
    share_a, share_b = in_a / size_a, in_b / size_b
    keys = np.array([d.key for d in documents], np.int64)[a], index.keys[b].astype(np.int64)
    shares = share_a.tolist(), share_b.tolist()
    return PairScores(
        *keys,
        score=[totals[pair] for pair in zip(keys[0].tolist(), keys[1].tolist(), strict=True)],
        resemblance=((in_a + in_b) / (size_a + size_b)).tolist(),
        containment=np.maximum(share_a, share_b).tolist(),
        relation=[kind_of(of_a, of_b, whole) for of_a, of_b in zip(*shares, strict=True)],
        evidence=PackedRows(
            {f"containment_{side}": [round(s, 4) for s in column] for side, column in zip("ab", shares, strict=True)}
        ),
    )


def _union(
    pair: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Disjoint ranges with the same union as the ranges ``[start, end)`` of each pair: their pairs, starts and ends."""
    order = np.lexsort((start, pair))
    pair, start, end = pair[order], start[order], end[order]
    apart = pair * (int(end.max()) + 1)  # so that no range reaches into the next pair
    reached = np.maximum.accumulate(end + apart)[:-1]
    start[1:] = np.maximum(start[1:], reached - apart[1:])
    kept = start < end
    return pair[kept], start[kept], end[kept]
