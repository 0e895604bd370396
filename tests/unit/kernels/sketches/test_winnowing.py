"""Winnowing against the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from workbench.kernels.sketches.shingles import Rows
from workbench.kernels.sketches.winnowing import winnow


def by_definition(values: list[int], window: int) -> list[int]:
    """The rightmost least value of every window; of all of them where there are fewer."""
    selected = set()
    for i in range(max(1, len(values) - window + 1) if values else 0):
        part = values[i : i + window]
        selected.add(i + len(part) - 1 - part[::-1].index(min(part)))
    return sorted(selected)


@pytest.mark.parametrize("window", [1, 2, 5, 30])
@pytest.mark.parametrize("distinct", [2, 1000])
def test_the_last_least_hash_of_every_window_is_kept(window: int, distinct: int) -> None:
    rng = random.Random(window)
    lists = [[rng.randrange(distinct) for _ in range(rng.randrange(40))] for _ in range(200)]
    values = np.array([v for one in lists for v in one], np.uint64)
    rows = Rows(values, np.cumsum([0, *map(len, lists)]))
    selected, bounds = winnow(rows, window)
    for i, one in enumerate(lists):
        assert (selected[bounds[i] : bounds[i + 1]] - rows.bounds[i]).tolist() == by_definition(one, window)


def test_two_of_window_plus_one_hashes_are_kept_on_random_text() -> None:
    values = np.random.default_rng(1).integers(0, 2**64, 100_000, dtype=np.uint64)
    selected, _ = winnow(Rows(values, np.array([0, len(values)])), 9)
    assert abs(len(selected) / len(values) - 2 / 10) < 0.005
