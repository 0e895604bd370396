"""Neighbouring matches of a pair of documents as one passage: sentences that changed places are parts of it.

Let the *open* distance of two places of a text be the number of characters between them that no match of the pair
covers there. Two matches of a pair are *neighbours* when at most ``NEAR`` open characters lie between them in the
suspect, and at most as many in the source, in whichever order they stand. A *passage* is a longest set of matches of
one pair that are joined by neighbours.
"""

from __future__ import annotations

import numpy as np

from workbench.base.types import Ints, Matches
from workbench.services.review.spans import Union, union

NEAR = 50
"""Open characters: about a clause, less than a sentence of the writer's own."""


def passages(matches: Matches) -> Ints:
    """The passage of each of the n ``matches``, int64[n]: the first row of those that belong together.

    O(n log n), and the number of distinct places that lie near each other.
    """
    first_rows = np.arange(len(matches))
    pairs = np.stack((matches.a, matches.b), axis=1)
    order = np.lexsort((matches.b, matches.a))
    cuts = np.flatnonzero((np.diff(pairs[order], axis=0) != 0).any(axis=1)) + 1
    for rows in np.split(order, cuts):
        if len(rows) > 1:
            rows = np.sort(rows)
            part = matches.take(rows)
            first_rows[rows] = rows[_joined(_open(part.a_start, part.a_end), _open(part.b_start, part.b_end))]
    return first_rows


def _open(start: Ints, end: Ints) -> Ints:
    """Characters before each span that none of the spans covers: a span has one such place, its whole length."""
    covered = union(start, end)
    return start - _before(covered, start)


def _before(covered: Union, places: Ints) -> Ints:
    """How many characters of ``covered`` lie before each of ``places``, none of which is before all of it."""
    lengths = np.cumsum(covered.end - covered.start)
    at = np.searchsorted(covered.start, places, "right") - 1
    within: Ints = lengths[at] - np.maximum(0, covered.end[at] - places)
    return within


def _joined(a: Ints, b: Ints) -> Ints:
    """The first row of each set of places ``(a, b)`` joined by steps of at most ``NEAR`` along both axes."""
    distinct, first, of = np.unique(np.stack((a, b), axis=1), axis=0, return_index=True, return_inverse=True)
    x, y = distinct.T
    group = np.arange(len(distinct))
    until = np.searchsorted(x, x + NEAR, "right")
    for i in range(len(distinct)):
        near = np.flatnonzero(np.abs(y[i + 1 : until[i]] - y[i]) <= NEAR) + i + 1
        met = {_root(group, j) for j in (i, *near.tolist())}
        for root in met:
            group[root] = min(met)
    roots = np.array([_root(group, i) for i in range(len(group))], np.int64)
    least = np.full(len(group), len(a))
    np.minimum.at(least, roots, first)
    rows: Ints = least[roots[of.ravel()]]
    return rows


def _root(group: Ints, i: int) -> int:
    while group[i] != i:
        group[i] = group[group[i]]
        i = int(group[i])
    return i
