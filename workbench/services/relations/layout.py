"""Places for the pages of a graph: each cluster laid out by its springs, the clusters side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints

MOST_PAGES = 400
"""Pages that are drawn at most: more cannot be told apart, and springs take time by the square of a cluster."""
MOST_PAIRS = 3_000
SEED = 1
"""Springs start from random places; a fixed seed makes the same pairs look the same."""
_GAP = 1.0
_WIDE = 1.1
"""Width of the whole drawing against its height."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph to be drawn: n pages with their places, m pairs between them.

    ``x``, ``y`` are in units of the usual distance between pages of a cluster. ``rows`` are the pairs' rows in the
    run's columns, the weakest first; ``one``, ``other`` the positions of their pages in ``keys``. Of the pairs that
    were to be drawn, ``pages_left_out`` and ``pairs_left_out`` are not: there were too many, or (pairs) they lie
    between clusters.
    """

    keys: Ints
    x: Floats
    y: Floats
    group: Ints
    rows: Ints
    one: Ints
    other: Ints
    pages_left_out: int
    pairs_left_out: int


def drawing(
    a: Ints,
    b: Ints,
    weight: Floats,
    rows: Ints,
    pages: Ints,
    group: Ints,
    most_pages: int = MOST_PAGES,
    most_pairs: int = MOST_PAIRS,
) -> Drawing:
    """Lay out the pairs in ``rows`` of the columns ``a``, ``b`` and ``weight``.

    ``pages`` (ascending keys) have the cluster ``group`` (-1: none; such pages hang together as one). Clusters are
    taken whole, in order of their numbers, as long as they fit into ``most_pages``; of the first one, if it does not
    fit, the pages with the most pairs.
    """
    one, other = np.searchsorted(pages, a[rows]), np.searchsorted(pages, b[rows])
    inside = group[one] == group[other]
    shown = _shown(pages, group, one[inside], other[inside], most_pages)
    kept = inside & shown[one] & shown[other]
    value = np.nan_to_num(weight[rows], nan=0.0)
    drawn = np.flatnonzero(kept)
    drawn = drawn[np.argsort(value[drawn], kind="stable")][max(0, len(drawn) - most_pairs) :]
    at = np.cumsum(shown) - 1
    first, second = at[one[drawn]], at[other[drawn]]
    members = group[shown]
    x, y = _places(members, first, second, value[drawn])
    touched = np.zeros(len(pages), np.bool_)
    touched[one] = touched[other] = True
    return Drawing(
        pages[shown],
        x,
        y,
        members,
        rows[drawn],
        first,
        second,
        int(touched.sum() - (touched & shown).sum()),
        len(rows) - len(drawn),
    )


def _shown(pages: Ints, group: Ints, one: Ints, other: Ints, most: int) -> NDArray[np.bool_]:
    """Which pages are drawn, bool[pages]: those that have a pair inside their cluster, in clusters that fit."""
    degree = np.bincount(one, minlength=len(pages)) + np.bincount(other, minlength=len(pages))
    shown = np.zeros(len(pages), np.bool_)
    room = most
    by_group = np.argsort(group, kind="stable")
    by_group = by_group[degree[by_group] > 0]
    bounds = np.flatnonzero(np.diff(group[by_group], prepend=-2, append=np.iinfo(np.int64).max))
    for start, end in pairwise(bounds.tolist()):
        members = by_group[start:end]
        if len(members) > most and room == most:
            members = members[np.argsort(-degree[members], kind="stable")][:most]
        if len(members) <= room:
            shown[members] = True
            room -= len(members)
        if not room:
            break
    return shown


def _places(group: Ints, one: Ints, other: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Every cluster by its springs, then in shelves from the largest on."""
    x, y = np.zeros(len(group)), np.zeros(len(group))
    numbers, sizes = np.unique(group, return_counts=True)
    radius = np.maximum(0.8, 0.7 * np.sqrt(sizes))
    order = np.lexsort((numbers, -sizes))
    width = max(np.sqrt(float(((2 * radius + _GAP) ** 2).sum()) * _WIDE), float((2 * radius).max(initial=0.0)))
    left = top = height = 0.0
    for at in order.tolist():
        size = 2 * radius[at]
        if left and left + size > width:
            left, top, height = 0.0, top + height + _GAP, 0.0
        height = max(height, size)
        members = np.flatnonzero(group == numbers[at])
        inside = np.isin(one, members)
        first, second = np.searchsorted(members, one[inside]), np.searchsorted(members, other[inside])
        where = _springs(len(members), first, second, weight[inside])
        x[members] = left + radius[at] + where[:, 0] * radius[at]
        y[members] = top + radius[at] + where[:, 1] * radius[at]
        left += size + _GAP
    return x, y


def _springs(count: int, one: Ints, other: Ints, weight: Floats) -> NDArray[np.float64]:
    """Places of ``count`` nodes in the square from -1 to 1, float64[count, 2]."""
    if count <= 3:
        angle = np.arange(count) * 2 * np.pi / max(1, count) + (0.0 if count < 3 else -np.pi / 2)
        return 0.9 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    import networkx

    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(count))
    # The strongest pair pulls twice as much as the weakest: pages of weak pairs shall not fly off.
    pulls = 0.5 + 0.5 * weight / max(float(weight.max(initial=0.0)), 1e-9)
    graph.add_weighted_edges_from(zip(one.tolist(), other.tolist(), pulls.tolist(), strict=True))
    found = networkx.spring_layout(graph, seed=SEED, iterations=60)
    places: NDArray[np.float64] = np.array([found[node] for node in range(count)], np.float64)
    return places
