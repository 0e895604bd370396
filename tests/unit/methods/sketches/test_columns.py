"""Keys in order, with equal ones in the order of their documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.methods.sketches.columns import stable_order


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1)), max_size=80))
def test_equal_keys_stay_in_order(keys: list[int]) -> None:
    array = np.array(keys, np.uint64)
    assert stable_order(array).tolist() == sorted(range(len(keys)), key=keys.__getitem__)


@pytest.mark.parametrize("different", [1, 10, 1_000, 2**60])
def test_many_keys_are_ordered_like_numpy_orders_them(different: int) -> None:
    keys = np.random.default_rng(3).integers(0, different, 20_000).astype(np.uint64)
    assert np.array_equal(stable_order(keys), np.argsort(keys, kind="stable"))
