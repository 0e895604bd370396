"""Neighbouring matches of a pair of documents as one passage: reordered sentences are parts of it.

Let the *open* distance of two places of a text be the number of characters between them not covered there by any match
of the pair. Two matches of a pair are *neighbours* if their open distance is at most ``NEAR`` in the suspect and in the
source, in any order. A *passage* is a maximal set of matches of one pair connected by neighbours. Matches that their
method keeps apart (``APART``) are not joined, nor are those on both sides of a reviewer's split.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.base.evidence import APART
from workbench.base.types import Ints, Matches
from workbench.services.review.spans import Union, union

NEAR = 50
"""Open characters: about a clause, less than a sentence added by the writer."""
PART = "part"
"""Column of the evidence: the number of a match's part of its pair, if a reviewer split it; NaN otherwise."""


def places_of(*parts: Matches) -> Matches:
    """All of ``parts`` in order, without evidence other than ``PART`` and ``APART``: it may differ between sources."""
    names = [name for name in (PART, APART) if any(name in part.evidence for part in parts)]
    return Matches.concatenate(
        [
            replace(part, evidence={name: part.evidence.get(name, np.full(len(part), np.nan)) for name in names})
            for part in parts
        ]
    )


def passages(matches: Matches) -> Ints:
    """The passage of each of the n ``matches``, int64[n]: the first row of those that belong together.

    O(n log n), plus the number of distinct places near each other.
    """
    first_rows = np.arange(len(matches))
    none = np.zeros(len(matches))
    part, apart = (np.nan_to_num(matches.evidence.get(name, none)).astype(np.int64) for name in (PART, APART))
    pairs = np.stack((matches.a, matches.b, part, apart), axis=1)
    order = np.lexsort((apart, part, matches.b, matches.a))
    cuts = np.flatnonzero((np.diff(pairs[order], axis=0) != 0).any(axis=1)) + 1
    for rows in np.split(order, cuts):
        if len(rows) > 1:
            rows = np.sort(rows)
            some = matches.take(rows)
            first_rows[rows] = rows[_joined(_open(some.a_start, some.a_end), _open(some.b_start, some.b_end))]
    return first_rows


def _open(start: Ints, end: Ints) -> Ints:
    """Number of characters before each span that no span covers; each span counts as one place."""
    covered = union(start, end)
    return start - _before(covered, start)


def _before(covered: Union, places: Ints) -> Ints:
    """The number of characters of ``covered`` before each of ``places``, none of which precedes all of it."""
    lengths = np.cumsum(covered.end - covered.start)
    at = np.searchsorted(covered.start, places, "right") - 1
    within: Ints = lengths[at] - np.maximum(0, covered.end[at] - places)
    return within


def _joined(a: Ints, b: Ints) -> Ints:
    """The first row of each set of places ``(a, b)`` joined by steps of at most ``NEAR`` along both axes."""
    distinct, first, of = np.unique(np.stack((a, b), axis=1), axis=0, return_index=True, return_inverse=True)
    x, y = distinct.T
    steps = [np.zeros((2, 0), np.int64)]
    here = np.arange(len(distinct))
    for ahead in range(1, len(distinct)):
        here = here[here + ahead < len(distinct)]
        here = here[x[here + ahead] - x[here] <= NEAR]
        if not len(here):
            break
        near = here[np.abs(y[here + ahead] - y[here]) <= NEAR]
        steps.append(np.stack((near, near + ahead)))
    least = _least(first, *np.concatenate(steps, axis=1))
    rows: Ints = least[of.ravel()]
    return rows


def _least(values: Ints, one: Ints, other: Ints) -> Ints:
    """For each number, the least of ``values`` among the numbers connected to it by edges from ``one`` to ``other``."""
    order = np.argsort(values)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    one, other = rank[one], rank[other]
    root = np.arange(len(values))
    while len(one):
        low, high = np.minimum(root[one], root[other]), np.maximum(root[one], root[other])
        apart = low < high
        one, other = one[apart], other[apart]
        np.minimum.at(root, high[apart], low[apart])
        while (further := root[root]).tobytes() != root.tobytes():
            root = further
    least: Ints = values[order][root[rank]]
    return least
