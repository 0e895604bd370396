"""Clusters of pages: groups of the graph whose nodes are pages and whose edges are pairs of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints
from workbench.services.relations.pair_columns import PairColumns

LOUVAIN_SEED = 0
"""Louvain visits nodes in random order; a fixed seed makes the same pairs give the same clusters."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Which pairs are edges, and which components are split.

    ``figure`` is one of ``relations.FIGURES`` ("" for the run's usual one); pairs with at least ``threshold`` of it
    are edges. Components of more than ``largest`` pages are split into communities (0: never).
    """

    figure: str = ""
    threshold: float = 0.0
    largest: int = 50


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of at least two pages (``keys``, ascending), connected by ``pairs`` edges; both directions are one edge.

    ``sites`` are the distinct sites of its pages; ``weakest`` and ``strongest`` bound the figure of its edges.
    ``component`` is the size of its connected component in pages.
    """

    keys: Ints
    pairs: int
    sites: tuple[str, ...]
    weakest: float
    strongest: float
    component: int


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters of a run's pairs, the largest first.

    ``edges`` says which pairs of the run are edges, ``pairs`` is their number, both directions as one. ``pages`` (keys,
    ascending) are all pages in pairs of the run, ``number`` the position of each one's cluster in ``clusters``, -1 for
    none.
    """

    figure: str
    threshold: float
    clusters: tuple[Cluster, ...]
    edges: NDArray[np.bool_]
    pairs: int
    pages: Ints
    number: Ints

    @property
    def alone(self) -> int:
        """Pages in pairs of the run, but in no cluster."""
        return int((self.number < 0).sum())


def components(count: int, one: Ints, other: Ints) -> Ints:
    """Connected components of ``count`` nodes with the edges ``one[i]``–``other[i]``: for each node, the least node of
    its component.
    """
    # Imported here so that only users of clusters wait for scipy.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(count, count))
    _, component = connected_components(edges, directed=False)
    least = np.unique(component, return_index=True)[1]
    label: Ints = least[component].astype(np.int64)
    return label


def clusters(columns: PairColumns, options: ClusterOptions | None = None) -> Clusters:
    """Connected components of the pairs above a threshold; the large ones split by the Louvain method.

    A community of Louvain (Blondel et al. 2008; edges weighted by the figure) need not be connected: its connected
    parts are the clusters. Raises ParameterError for a figure that the run's pairs do not have.
    """
    options = options or ClusterOptions()
    figure = options.figure or columns.usual_figure()
    values = columns.figure(figure)
    edges = values >= options.threshold
    pages = np.union1d(columns.a, columns.b)
    chosen = _stronger(columns, values, edges)
    one, other = (np.searchsorted(pages, keys[chosen]) for keys in (columns.a, columns.b))
    whole = components(len(pages), one, other)
    size = np.bincount(whole, minlength=len(pages))
    label = whole
    if options.largest:
        label = whole.copy()
        for root in np.flatnonzero(size > options.largest).tolist():
            inside = whole[one] == root
            label[whole == root] = _communities(whole == root, one[inside], other[inside], values[chosen][inside])
        same = label[one] == label[other]
        label = components(len(pages), one[same], other[same])
    groups, number = _gathered(columns, values, chosen, pages, label, size[whole])
    return Clusters(figure, options.threshold, groups, edges, len(chosen), pages, number)


def _stronger(columns: PairColumns, values: Floats, edges: NDArray[np.bool_]) -> Ints:
    """The rows of ``edges``; of two documents that were compared both ways, only that of the greater value."""
    pair = np.minimum(columns.a, columns.b) << 32 | np.maximum(columns.a, columns.b)
    rows = np.flatnonzero(edges)
    rows = rows[np.lexsort((-values[rows], pair[rows]))]
    stronger: Ints = rows[np.unique(pair[rows], return_index=True)[1]]
    return stronger


def _communities(member: NDArray[np.bool_], one: Ints, other: Ints, weight: Floats) -> Ints:
    """For each node of ``member``, the least node of its Louvain community."""
    import networkx

    nodes = np.flatnonzero(member)
    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(nodes.tolist())
    # A figure may be 0, but an edge of weight 0 would not count.
    least = float(weight[weight > 0].min()) if (weight > 0).any() else 1.0
    graph.add_weighted_edges_from(
        zip(one.tolist(), other.tolist(), np.maximum(weight, least).tolist(), strict=True), weight="weight"
    )
    label = np.zeros(len(member), np.int64)
    for community in networkx.community.louvain_communities(graph, weight="weight", seed=LOUVAIN_SEED):
        members = np.fromiter(community, np.int64, len(community))
        label[members] = members.min()
    return label[nodes]


def _gathered(
    columns: PairColumns, values: Floats, chosen: Ints, pages: Ints, label: Ints, component: Ints
) -> tuple[tuple[Cluster, ...], Ints]:
    """The clusters of nodes that share a label, connected by the rows ``chosen``, and the number of each node's."""
    roots, place, sizes = np.unique(label, return_inverse=True, return_counts=True)
    order = np.lexsort((roots, -sizes))
    order = order[sizes[order] > 1]
    rank = np.full(len(roots), -1, np.int64)
    rank[order] = np.arange(len(order))
    number = rank[place]
    one, other = (number[np.searchsorted(pages, keys[chosen])] for keys in (columns.a, columns.b))
    inside = (one == other) & (one >= 0)
    rows_of_pairs, value = one[inside], values[chosen][inside]
    pairs = np.bincount(rows_of_pairs, minlength=len(order))
    weakest, strongest = np.full(len(order), np.inf), np.full(len(order), -np.inf)
    np.minimum.at(weakest, rows_of_pairs, value)
    np.maximum.at(strongest, rows_of_pairs, value)
    by_cluster = np.argsort(number, kind="stable")
    bounds = np.searchsorted(number[by_cluster], np.arange(len(order) + 1))
    clusters = []
    for at in range(len(order)):
        rows = by_cluster[bounds[at] : bounds[at + 1]]
        keys = pages[rows]
        sites = {columns.items[key].site for key in keys.tolist()} - {""}
        low, high = float(weakest[at]), float(strongest[at])
        clusters.append(Cluster(keys, int(pairs[at]), tuple(sorted(sites)), low, high, int(component[rows[0]])))
    return tuple(clusters), number
