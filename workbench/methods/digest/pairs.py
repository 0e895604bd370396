"""Pairs of documents by how much of each is in the other: whole copies, inclusions, partial copies.

Source: Sakurai, Matsuo and Kikui, figure 1: the whole of one page is a copy of the other, one page holds the whole of
the other, or a part of one stands in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document, PairScore
from workbench.methods.digest.index import DigestIndex
from workbench.methods.digest.matching import Shared

WHOLE, INCLUSION, PARTIAL = "whole copy", "inclusion of a copy", "partial copy"
"""The kinds of figure 1."""


def kind_of(share_a: float, share_b: float, whole: float) -> str:
    """The kind of a pair of which these shares of each document, in [0, 1], stand in the other."""
    both = min(share_a, share_b)
    return WHOLE if both >= whole else INCLUSION if max(share_a, share_b) >= whole else PARTIAL


def pairs(shared: Shared, index: DigestIndex, documents: Sequence[Document], whole: float) -> tuple[PairScore, ...]:
    """One row for each document of ``documents`` and document of the index that have a passage in common.

    Shares are of folded characters in segments that are long enough to count; text in several passages counts once.
    """
    rows, lengths = shared.passages, shared.segments.length
    if not len(rows.query):
        return ()
    theirs = index.document_of(rows.place)
    order = np.lexsort((theirs, rows.document))
    document, their = rows.document[order], theirs[order]
    first = np.flatnonzero(np.concatenate(([True], (document[1:] != document[:-1]) | (their[1:] != their[:-1]))))
    mine = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    starts, stops = index.own_places(index.keys[their[first]].tolist())
    scored = []
    limits = zip(first.tolist(), [*first[1:].tolist(), len(order)], strict=True)
    for number, (begin, end) in enumerate(limits):
        some = order[begin:end]
        a, b = int(document[begin]), int(their[begin])
        score = float(sum(mine[rows.query_end[some]] - mine[rows.query[some]]))
        size_a = int(mine[shared.segments.bounds[a + 1]] - mine[shared.segments.bounds[a]])
        size_b = index.extents.lengths.sum(int(starts[number]), int(stops[number]))
        in_a = _covered(rows.query[some], rows.query_end[some], lambda first, end: int(mine[end] - mine[first]))
        in_b = _covered(rows.place[some], rows.place_end[some], index.extents.lengths.sum)
        share_a, share_b = in_a / size_a, in_b / size_b
        evidence = {"containment_a": round(share_a, 4), "containment_b": round(share_b, 4)}
        scored.append(
            PairScore(
                documents[a].key,
                int(index.keys[b]),
                score,
                resemblance=(in_a + in_b) / (size_a + size_b),
                containment=max(share_a, share_b),
                relation=kind_of(share_a, share_b, whole),
                evidence=evidence,
            )
        )
    return tuple(scored)


def _covered(start: NDArray[np.int64], end: NDArray[np.int64], characters: Callable[[int, int], int]) -> int:
    """Characters of the segments in the union of the ranges ``[start, end)``; ``characters``: those of one range."""
    total = reached = 0
    for first, last in sorted(zip(start.tolist(), end.tolist(), strict=True)):
        if last > reached:
            total += characters(max(first, reached), last)
            reached = last
    return total
