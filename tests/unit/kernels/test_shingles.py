"""Shingles and their sets against plain Python sets."""

from __future__ import annotations

import random

import numpy as np
import pytest

from workbench.base.progress import Unwatched
from workbench.kernels.postings import Counter
from workbench.kernels.shingles import distinct, shared, shingle_hashes


def documents(seed: int) -> tuple[list[list[int]], np.ndarray, np.ndarray]:
    rng = random.Random(seed)
    lists = [[rng.randrange(4) for _ in range(rng.randrange(30))] for _ in range(40)]
    values = np.array([v for one in lists for v in one], np.uint64)
    bounds = np.cumsum([0, *map(len, lists)])
    return lists, values, bounds


@pytest.mark.parametrize("k", [1, 2, 5, 29])
@pytest.mark.parametrize("short", [False, True])
def test_equal_shingles_and_only_they_have_equal_hashes(k: int, short: bool) -> None:
    lists, values, bounds = documents(k)
    rows = shingle_hashes(values, bounds, k, short=short)
    seen: dict[tuple[int, ...], int] = {}
    for i, tokens in enumerate(lists):
        grams = [tuple(tokens[j : j + k]) for j in range(len(tokens) - k + 1)]
        if short and 0 < len(tokens) < k:
            grams = [tuple(tokens)]
        found = rows.of(i).tolist()
        assert len(found) == len(grams)
        for gram, value in zip(grams, found, strict=True):
            assert seen.setdefault(gram, value) == value
    assert len(set(seen.values())) == len(seen)


def test_sets_are_ascending_and_intersect_as_sets_do() -> None:
    _, values, bounds = documents(7)
    rows = shingle_hashes(values, bounds, 3, short=True)
    sets = distinct(rows)
    for i in range(len(bounds) - 1):
        assert sets.of(i).tolist() == sorted(set(rows.of(i).tolist()))
        expected = set(rows.of(i).tolist()) & set(rows.of(0).tolist())
        assert shared(sets.of(i), sets.of(0)) == len(expected)


def test_documents_on_posting_lists_are_counted_before_the_limit_only() -> None:
    holders = np.array([0, 1, 3, 1, 1, 2], np.uint32)
    counter = Counter(holders, 4, Unwatched())
    for _ in range(2):
        found, counts = counter.count(np.array([0, 4]), np.array([3, 6]), 3)
        assert found.tolist() == [0, 1, 2]
        assert counts.tolist() == [1, 2, 1]
    assert counter.count(np.zeros(0, np.int64), np.zeros(0, np.int64), 3)[0].tolist() == []
