"""The parts of a text that matches cover: every share that the product shows is computed here.

A match covers its span on either side without its gaps (:class:`workbench.base.gaps.Gaps`); text that several matches
cover counts once.

A share is one of a document's whole text, or of its content (:func:`content_spans`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.types import BlockClass, Document, Ints, Matches, Span

A, B = 0, 1
"""The sides of a match: the suspect's and the source's."""


class Stretches(NamedTuple):
    """The stretches that n matches cover on one side: code points ``[start, end)`` of the match ``row``, int64 each.

    Sorted by row and start; not empty, and disjoint within a match.
    """

    row: Ints
    start: Ints
    end: Ints


def limits(matches: Matches, side: int) -> tuple[Ints, Ints]:
    """Starts and ends of the matches on one side, int64[n] each."""
    return (matches.a_start, matches.a_end) if side == A else (matches.b_start, matches.b_end)


def stretches(matches: Matches, side: int) -> Stretches:
    """The stretches that each of the matches covers on one side. O((n + k) log(n + k)) for k gaps, O(n) without."""
    first, last = limits(matches, side)
    row, start, end = np.arange(len(matches)), first, last
    gaps = matches.gaps.on(side)
    if len(gaps):
        row = np.concatenate((row, gaps.row))
        start, end = np.concatenate((first, gaps.end)), np.concatenate((last, gaps.start))
        # Within a match the n-th stretch ends where the n-th gap begins.
        start, end = start[np.lexsort((start, row))], end[np.lexsort((end, row))]
        row = np.sort(row)
    some = end > start
    return Stretches(row[some], start[some], end[some])


def lengths(matches: Matches, side: int) -> Ints:
    """How many characters each of the n matches covers on one side, int64[n]."""
    first, last = limits(matches, side)
    gaps = matches.gaps.on(side)
    if not len(gaps):
        return last - first
    missing = np.bincount(gaps.row, weights=gaps.end - gaps.start, minlength=len(matches))
    return last - first - missing.astype(np.int64)


def covered(matches: Matches, side: int) -> int:
    """How many characters of one text the matches cover together."""
    return int(covered_by_group(matches, side, np.zeros(len(matches), np.int64), 1)[0])


def covered_by_group(matches: Matches, side: int, group: Ints, groups: int) -> Ints:
    """How many characters of its text each of the ``groups`` covers; ``group`` int64[n] is each match's group.

    O(n log n): the texts of the groups are concatenated, so that one running maximum gives the reach of the preceding
    stretches for all.
    """
    row, start, end = stretches(matches, side)
    if not len(row):
        return np.zeros(groups, np.int64)
    of = group[row]
    order = np.lexsort((start, of))
    shift = of[order] * (int(end.max()) + 1)
    start, end = start[order] + shift, end[order] + shift
    reached = np.maximum.accumulate(np.concatenate((start[:1], end[:-1])))
    fresh = np.maximum(0, end - np.maximum(start, reached))
    return np.bincount(of[order], weights=fresh, minlength=groups).astype(np.int64)


def content_spans(document: Document) -> list[Span]:
    """Disjoint spans of the content, ascending: the whole text if no block is left out, otherwise the content blocks,
    with the white space between neighbours.
    """
    content = [block.span for block in document.blocks if block.verdict is BlockClass.CONTENT]
    if len(content) == len(document.blocks):
        return [Span(0, len(document.text))]
    spans: list[Span] = []
    for start, end in content:
        if spans and not document.text[spans[-1].end : start].strip():
            start = spans.pop().start
        spans.append(Span(start, end))
    return spans


def content_length(document: Document) -> int:
    """How many characters the content has."""
    return sum(end - start for start, end in content_spans(document))
