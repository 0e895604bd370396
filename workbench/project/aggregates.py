"""Figures of pairs and suspects from columns of matches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.coverage import A, B, covered_by_group, lengths
from workbench.base.types import Floats, Ints, Matches


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Figures of g groups of matches, as columns.

    ``a``, ``b`` are the keys of the group's first match; ``total`` and ``best`` are the sum and the greatest of the
    scores; ``covered_a``, ``covered_b`` count code points covered by at least one match (of b only if the group
    has a single b); ``longest`` counts those of a in the longest match; ``partners`` counts distinct b.
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
    """``matches`` sorted by a, b, position in a, position in b."""
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
        covered_a=covered_by_group(matches, A, group, len(first)),
        covered_b=covered_by_group(matches, B, group, len(first)),
        longest=np.maximum.reduceat(lengths(matches, A), first),
        partners=np.add.reduceat(new_pair, first),
    )
