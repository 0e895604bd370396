"""Shingles and their sets against plain Python sets."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.progress import NullProgress
from workbench.kernels.sketches import postings
from workbench.kernels.sketches.postings import Lists, bucket_starts, candidate_pairs, equal_range
from workbench.kernels.sketches.shingles import distinct, shared, shingle_hashes, without_repeats


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
        hashes = rows.of(i).tolist()
        assert len(hashes) == len(grams)
        for gram, value in zip(grams, hashes, strict=True):
            assert seen.setdefault(gram, value) == value
    assert len(set(seen.values())) == len(seen)


def test_sets_are_ascending_and_intersect_as_sets_do() -> None:
    _, values, bounds = documents(7)
    rows = shingle_hashes(values, bounds, 3, short=True)
    sets = distinct(rows)
    everyone = np.arange(len(bounds) - 1)
    both = shared(sets, everyone, sets, np.zeros_like(everyone))
    once = without_repeats(rows)
    for i in everyone.tolist():
        assert once.of(i).tolist() == list(dict.fromkeys(rows.of(i).tolist()))
        assert sets.of(i).tolist() == sorted(set(rows.of(i).tolist()))
        expected = set(rows.of(i).tolist()) & set(rows.of(0).tolist())
        assert both[i] == len(expected)


@pytest.mark.parametrize("step", [1, 7, 50, 1 << 22])
def test_documents_meet_those_on_their_lists_before_their_limit(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "_STEP", step)
    rng = random.Random(step)
    size, holders, rows = 9, [], []
    for owner in sorted(rng.choices([0, 1, 3, 4], k=30)):
        list_of_holders = sorted(rng.sample(range(size), rng.randrange(size)))
        rows.append((owner, len(holders), len(holders) + len(list_of_holders)))
        holders += list_of_holders
    limits = np.array([9, 5, 9, 3, 0])
    expected = Counter((o, h) for o, a, b in rows for h in holders[a:b] if h < limits[o])
    lists = Lists(*np.array(rows, np.int64).T.copy())
    parts = list(candidate_pairs(lists, np.array(holders, np.uint32), limits, size, NullProgress()))
    actual = [x for m in parts for x in zip(m.mine.tolist(), m.other.tolist(), m.lists.tolist(), strict=True)]
    assert actual == [(*key, n) for key, n in sorted(expected.items())]
    assert len(parts) > 1 or step > 100


def test_without_lists_nobody_meets() -> None:
    none = np.zeros(0, np.int64)
    assert (
        list(candidate_pairs(Lists(none, none, none), np.zeros(0, np.uint32), np.zeros(3, np.int64), 4, NullProgress()))
        == []
    )


LARGEST = (1 << 64) - 1
numbers = st.one_of(st.integers(0, 40), st.integers(0, LARGEST), st.sampled_from([0, 1 << 63, LARGEST]))


@given(st.lists(numbers, max_size=60), st.lists(numbers, max_size=20), st.integers(1, 9), st.integers(0, 7))
def test_equal_keys_are_found_where_a_binary_search_finds_them(
    keys: list[int], more: list[int], times: int, bits: int
) -> None:
    """Also where hashes are not spread evenly, in a part of the keys only, and with buckets."""
    ordered = np.array(sorted(keys * times), np.uint64)
    sought = np.array([*keys, *more], np.uint64)
    for low, high in ((0, len(ordered)), (len(ordered) // 3, len(ordered) // 2)):
        limits = np.empty((2, len(sought), 2), np.int64)
        starts = bucket_starts(ordered, low, high, bits) if bits else np.zeros(0, np.int32)
        equal_range(ordered, low, high, starts, sought, limits, 1)
        assert limits[0, :, 1].tolist() == (low + np.searchsorted(ordered[low:high], sought, "left")).tolist()
        assert limits[1, :, 1].tolist() == (low + np.searchsorted(ordered[low:high], sought, "right")).tolist()
