"""Figures of pairs and suspects from columns of matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints, Matches


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Figures of g groups of matches, as columns.

    ``a``, ``b`` are the keys of the group's first match; ``total`` and ``best`` are the sum and the greatest of the
    scores; ``covered_a``, ``covered_b`` count code points under at least one match (those of b only if the group has a
    single b); ``longest`` is the longest span of a; ``partners`` counts distinct b.
    """

    a: Ints
    b: Ints
    matches: Ints
    total: Floats
    best: Floats
    covered_a: Ints
    covered_b: Ints
    longest: Ints
    partners: Ints


def in_order(matches: Matches) -> Matches:
    """``matches`` by a, b, place in a, place in b."""
    keys = (matches.b_end, matches.a_end, matches.b_start, matches.a_start, matches.b, matches.a)
    return matches.take(np.lexsort(keys))


def by_pair(matches: Matches) -> Aggregates:
    """One group per pair (a, b), in that order; ``matches`` must be sorted as by :func:`in_order`."""
    return _aggregate(matches, _edges(matches.a, matches.b))


def by_suspect(matches: Matches) -> Aggregates:
    """One group per suspect (a), in that order; ``matches`` must be sorted as by :func:`in_order`."""
    return _aggregate(matches, _edges(matches.a))


def _edges(*keys: Ints) -> Ints:
    """First row of each run of equal keys."""
    change = np.zeros(len(keys[0]), bool)
    change[:1] = True
    for key in keys:
        change[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(change)


def _aggregate(matches: Matches, first: Ints) -> Aggregates:
    none = np.zeros(0, np.int64)
    if not len(first):
        return Aggregates(none, none, none, np.zeros(0), np.zeros(0), none, none, none, none)
    sizes = np.diff(np.append(first, len(matches)))
    group = np.repeat(np.arange(len(first)), sizes)
    new_pair = np.zeros(len(matches), np.int64)
    new_pair[_edges(matches.a, matches.b)] = 1
    return Aggregates(
        a=matches.a[first],
        b=matches.b[first],
        matches=sizes,
        total=np.add.reduceat(matches.score, first),
        best=np.maximum.reduceat(matches.score, first),
        covered_a=_covered(group, first, matches.a_start, matches.a_end),
        covered_b=_covered(group, first, matches.b_start, matches.b_end),
        longest=np.maximum.reduceat(matches.a_end - matches.a_start, first),
        partners=np.add.reduceat(new_pair, first),
    )


def _covered(group: Ints, first: Ints, start: Ints, end: Ints) -> Ints:
    """Size of the union of the spans of each group.

    The groups are laid one after another on one line, so that one running maximum gives for all of them how far the
    preceding spans reach.
    """
    order = np.lexsort((start, group))
    shift = group * (int(end.max()) + 1)
    starts: NDArray[Any] = start[order] + shift
    ends: NDArray[Any] = end[order] + shift
    reached = np.maximum.accumulate(np.concatenate((starts[:1], ends[:-1])))
    fresh = np.maximum(0, ends - np.maximum(starts, reached))
    covered: Ints = np.add.reduceat(fresh, first)
    return covered
