"""Positions for the pages of a graph: each cluster in a spring layout, the clusters side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints

MOST_PAGES = 400
"""Maximum number of pages drawn: more cannot be distinguished, and the spring layout takes quadratic time in the size
of a cluster.
"""
MOST_PAIRS = 3_000
SEED = 1
"""The spring layout starts from random positions; with a fixed seed the same pairs always look the same."""
_GAP = 1.0
_WIDE = 1.1
"""Width of the drawing relative to its height."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph to be drawn: n pages with their positions, and m pairs between them.

    ``x``, ``y`` are in units of the usual distance between pages of a cluster. ``rows`` are the pairs' rows in the
    run's columns, the weakest first; ``one`` and ``other`` the positions of their pages a and b in ``keys``.
    ``pages_left_out`` and ``pairs_left_out`` count those not drawn: there were too many, or the pairs are between
    clusters.
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

    ``pages`` (ascending keys) have the cluster ``group`` (-1: none; such pages are laid out together). Clusters are
    drawn whole, in order of their numbers, as long as they fit into ``most_pages``; if the first one does not fit, its
    pages with the most pairs are drawn.
    """
    one, other = np.searchsorted(pages, a[rows]), np.searchsorted(pages, b[rows])
    inside = group[one] == group[other]
    in_view = _choose_pages(pages, group, one[inside], other[inside], most_pages)
    drawable = inside & in_view[one] & in_view[other]
    value = np.nan_to_num(weight[rows], nan=0.0)
    drawn = np.flatnonzero(drawable)
    drawn = drawn[np.argsort(value[drawn], kind="stable")][max(0, len(drawn) - most_pairs) :]
    at = np.cumsum(in_view) - 1
    first, second = at[one[drawn]], at[other[drawn]]
    members = group[in_view]
    x, y = _places(members, first, second, value[drawn])
    touched = np.zeros(len(pages), np.bool_)
    touched[one] = touched[other] = True
    return Drawing(
        pages[in_view],
        x,
        y,
        members,
        rows[drawn],
        first,
        second,
        int(touched.sum() - (touched & in_view).sum()),
        len(rows) - len(drawn),
    )


def _choose_pages(pages: Ints, group: Ints, one: Ints, other: Ints, most: int) -> NDArray[np.bool_]:
    """Which pages are drawn, bool[pages]: those that have a pair inside their cluster, in clusters that fit."""
    degree = np.bincount(one, minlength=len(pages)) + np.bincount(other, minlength=len(pages))
    mask = np.zeros(len(pages), np.bool_)
    room = most
    by_group = np.argsort(group, kind="stable")
    by_group = by_group[degree[by_group] > 0]
    bounds = np.flatnonzero(np.diff(group[by_group], prepend=-2, append=np.iinfo(np.int64).max))
    for start, end in pairwise(bounds.tolist()):
        members = by_group[start:end]
        if len(members) > most and room == most:
            members = members[np.argsort(-degree[members], kind="stable")][:most]
        if len(members) <= room:
            mask[members] = True
            room -= len(members)
        if not room:
            break
    return mask


def _places(group: Ints, one: Ints, other: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Lay out each cluster by springs, then pack them in shelves, the largest first."""
    x, y = np.zeros(len(group)), np.zeros(len(group))
    numbers, sizes = np.unique(group, return_counts=True)
    radius = np.maximum(0.8, 0.7 * np.sqrt(sizes))
    order = np.lexsort((numbers, -sizes))
    width = max(np.sqrt(float(((2 * radius + _GAP) ** 2).sum()) * _WIDE), float((2 * radius).max(initial=0.0)))
    x_offset = top = height = 0.0
    for at in order.tolist():
        size = 2 * radius[at]
        if x_offset and x_offset + size > width:
            x_offset, top, height = 0.0, top + height + _GAP, 0.0
        height = max(height, size)
        members = np.flatnonzero(group == numbers[at])
        inside = np.isin(one, members)
        first, second = np.searchsorted(members, one[inside]), np.searchsorted(members, other[inside])
        where = _spring_layout(len(members), first, second, weight[inside])
        x[members] = x_offset + radius[at] + where[:, 0] * radius[at]
        y[members] = top + radius[at] + where[:, 1] * radius[at]
        x_offset += size + _GAP
    return x, y


def _spring_layout(count: int, one: Ints, other: Ints, weight: Floats) -> NDArray[np.float64]:
    """Positions of ``count`` nodes in the square from -1 to 1, float64[count, 2]."""
    if count <= 3:
        angle = np.arange(count) * 2 * np.pi / max(1, count) + (0.0 if count < 3 else -np.pi / 2)
        return 0.9 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    import networkx

    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(count))
    # The strongest pair pulls at most twice as hard as the weakest, so that weakly linked pages do not drift away.
    pulls = 0.5 + 0.5 * weight / max(float(weight.max(initial=0.0)), 1e-9)
    graph.add_weighted_edges_from(zip(one.tolist(), other.tolist(), pulls.tolist(), strict=True))
    positions = networkx.spring_layout(graph, seed=SEED, iterations=60)
    places: NDArray[np.float64] = np.array([positions[node] for node in range(count)], np.float64)
    return places
