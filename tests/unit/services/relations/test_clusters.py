"""Clusters of pages: components, communities, counts."""

from __future__ import annotations

from itertools import combinations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import ParameterError
from workbench.base.types import Role
from workbench.project.listing import DocumentItem
from workbench.services.relations.clusters import ClusterOptions, clusters, components
from workbench.services.relations.pair_columns import PairColumns


def columns(edges: list[tuple[int, int, float]], *, resemblance: bool = True) -> PairColumns:
    """Pairs (a, b, figure) of pages at site ``s`` + key modulo 2."""
    a, b = (np.array([e[i] for e in edges], np.int64) for i in (0, 1))
    value = np.array([e[2] for e in edges], np.float64)
    none = np.full(len(edges), np.nan)
    items = {
        key: DocumentItem(key, f"d{key}", "", Role.SOURCE, "ja", 100, f"s{key % 2}", "")
        for key in {*a.tolist(), *b.tolist()}
    }
    zero = np.zeros(len(edges), np.int64)
    relation = np.zeros(len(edges), np.int16)
    return PairColumns(a, b, value, value if resemblance else none, none, zero, relation, ("",), {}, {}, items)


@pytest.mark.slow
@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_components_are_those_of_networkx(case: tuple[int, list[tuple[int, int]]]) -> None:
    count, edges = case
    graph = networkx.Graph(edges)
    graph.add_nodes_from(range(count))
    expected = np.zeros(count, np.int64)
    for part in networkx.connected_components(graph):
        expected[list(part)] = min(part)
    ends = np.array(edges, np.int64).reshape(-1, 2)
    assert components(count, ends[:, 0], ends[:, 1]).tolist() == expected.tolist()


def test_two_pages_that_were_compared_both_ways_are_one_pair() -> None:
    clustering = clusters(columns([(1, 2, 0.7), (2, 1, 0.9), (2, 3, 0.6), (4, 5, 0.2), (5, 4, 0.8)]))
    assert [(c.pairs, c.weakest, c.strongest) for c in clustering.clusters] == [(2, 0.6, 0.9), (1, 0.8, 0.8)]
    assert (clustering.pairs, clustering.edges.tolist()) == (3, [True] * 5)


def test_only_pairs_at_or_above_the_threshold_hold_a_cluster_together() -> None:
    clustering = clusters(columns([(1, 2, 0.9), (2, 3, 0.5), (4, 5, 0.2), (6, 7, 0.8)]), ClusterOptions(threshold=0.5))
    assert [c.keys.tolist() for c in clustering.clusters] == [[1, 2, 3], [6, 7]]
    assert [(c.pairs, c.weakest, c.strongest, c.component) for c in clustering.clusters] == [
        (2, 0.5, 0.9, 3),
        (1, 0.8, 0.8, 2),
    ]
    assert clustering.clusters[0].sites == ("s0", "s1")
    assert (clustering.alone, clustering.pages.tolist(), clustering.number.tolist()) == (
        2,
        [1, 2, 3, 4, 5, 6, 7],
        [0, 0, 0, -1, -1, 1, 1],
    )


def test_a_large_component_is_split_where_it_is_loosely_joined() -> None:
    edges = [(*two, 0.9) for start in (1, 11) for two in combinations(range(start, start + 6), 2)]
    pairs = columns([*edges, (6, 11, 0.1)])
    assert [len(c.keys) for c in clusters(pairs, ClusterOptions(largest=0)).clusters] == [12]
    split = clusters(pairs, ClusterOptions(largest=11)).clusters
    assert [c.keys.tolist() for c in split] == [list(range(1, 7)), list(range(11, 17))]
    assert {(c.pairs, c.component) for c in split} == {(15, 12)}


def test_the_score_is_used_where_there_is_no_resemblance_and_an_unknown_figure_is_refused() -> None:
    pairs = columns([(1, 2, 40.0), (2, 3, 10.0)], resemblance=False)
    clustering = clusters(pairs, ClusterOptions(threshold=20))
    assert (clustering.figure, [c.keys.tolist() for c in clustering.clusters]) == ("score", [[1, 2]])
    with pytest.raises(ParameterError, match="resemblance"):
        clusters(pairs, ClusterOptions(figure="resemblance"))
    with pytest.raises(ParameterError, match="weight"):
        clusters(pairs, ClusterOptions(figure="weight"))


def test_no_pairs_make_no_clusters() -> None:
    clustering = clusters(columns([]))
    assert (clustering.clusters, clustering.alone, len(clustering.pages)) == ((), 0, 0)
