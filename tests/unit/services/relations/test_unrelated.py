"""Independent sets against all subsets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.services.relations.stitched import unrelated


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    count = draw(st.integers(0, 9))
    weights = draw(st.lists(st.integers(1, 6), min_size=count, max_size=count))
    pairs = list(combinations(range(count), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    related = [0] * count
    for one, other in edges:
        related[one] |= 1 << other
        related[other] |= 1 << one
    return weights, related, draw(st.integers(1, 4))


def value(weights: list[int], chosen: tuple[int, ...], enough: int) -> tuple[int, int]:
    return min(len(chosen), enough), sum(weights[node] for node in chosen)


def independent(related: list[int], chosen: tuple[int, ...]) -> bool:
    return all(not related[one] >> other & 1 for one, other in combinations(chosen, 2))


@pytest.mark.slow
@given(graphs())
@settings(max_examples=400)
def test_no_other_choice_is_better(graph: tuple[list[int], list[int], int]) -> None:
    weights, related, enough = graph
    choice = unrelated(weights, related, enough)
    subsets = (s for size in range(len(weights) + 1) for s in combinations(range(len(weights)), size))
    best = max(value(weights, s, enough) for s in subsets if independent(related, s))
    assert choice.proven
    assert independent(related, choice.chosen)
    assert value(weights, choice.chosen, enough) == best


def test_enough_light_ones_are_better_than_a_heavy_one_that_is_related_to_all() -> None:
    assert unrelated([100, 10, 10, 10], [0b1110, 1, 1, 1], enough=3).chosen == (1, 2, 3)
    assert unrelated([100, 10, 10, 10], [0b1110, 1, 1, 1], enough=1).chosen == (0,)


def test_thousands_without_relations_are_all_chosen() -> None:
    assert unrelated([1] * 3000, [0] * 3000, enough=3).chosen == tuple(range(3000))


def test_a_search_that_is_cut_short_says_so() -> None:
    count = 40
    ring = [1 << (n + 1) % count | 1 << (n - 1) % count for n in range(count)]
    assert not unrelated([5 + n % 3 for n in range(count)], ring, enough=3, steps=2).proven
    assert unrelated([5 + n % 3 for n in range(count)], ring, enough=3).proven
