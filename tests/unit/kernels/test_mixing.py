"""Hashes in order, as numpy orders them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.kernels.mixing import in_order, insertion_sort, number_below, shell_sort


def assert_in_order(hashes: NDArray[np.uint64]) -> None:
    ordered, order = in_order(hashes)
    expected = np.argsort(hashes, kind="stable")
    assert np.array_equal(order, expected)
    assert np.array_equal(ordered, hashes[expected])


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(2**63, 2**63 + 9), st.integers(0, 2**64 - 1)), max_size=80))
def test_equal_hashes_stay_in_order(hashes: list[int]) -> None:
    assert_in_order(np.array(hashes, np.uint64))


@pytest.mark.parametrize("different", [1, 10, 1_000, 2**60])
def test_many_hashes_are_ordered_as_numpy_orders_them(different: int) -> None:
    rng = np.random.default_rng(3)
    assert_in_order(rng.integers(0, different, 200_000).astype(np.uint64) + np.uint64(2**63))


@pytest.mark.parametrize("power", [1, 20])
def test_unevenly_spread_hashes_are_ordered_too(power: int) -> None:
    rng = np.random.default_rng(5)
    assert_in_order((rng.random(100_000) ** power * 2.0**63).astype(np.uint64))
    assert_in_order(np.append(rng.integers(0, 1 << 30, 100_000).astype(np.uint64), np.uint64(2**64 - 1)))


def test_hashes_of_one_column_of_a_table_are_ordered() -> None:
    rows = np.zeros(1_000, [("hash", np.uint64), ("other", np.int32)])
    rows["hash"] = np.random.default_rng(7).integers(0, 1 << 62, 1_000)
    assert_in_order(rows["hash"])


@given(st.lists(st.integers(-9, 9), max_size=60))
def test_short_arrays_are_ordered_and_searched_as_numpy_does(numbers: list[int]) -> None:
    values, rows = np.array(numbers, np.int64), np.arange(len(numbers))
    expected, order = np.sort(values), np.argsort(values, kind="stable")
    assert np.array_equal(shell_sort(values.copy()), expected)
    insertion_sort(values, rows, len(values) ** 2)
    assert np.array_equal(values, expected)
    assert np.array_equal(rows, order)
    for value in range(-10, 11):
        assert number_below(expected, value) == np.searchsorted(expected, value)
