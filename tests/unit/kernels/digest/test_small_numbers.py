"""Numbers in a byte each, against the numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.digest.bridging import SmallNumbers, number_at

NUMBERS = st.lists(st.integers(0, 300) | st.sampled_from([254, 255, 256, 2**32 - 1]), min_size=1, max_size=40)


@given(NUMBERS, st.data())
def test_small_numbers_are_the_numbers(numbers: list[int], data: st.DataObject) -> None:
    small = SmallNumbers.of(np.array(numbers, np.uint32))
    places = np.array(data.draw(st.lists(st.integers(0, len(numbers) - 1), max_size=20)), np.int64)
    first, end = data.draw(st.tuples(st.integers(0, len(numbers)), st.integers(0, len(numbers))))
    assert small.at(places).tolist() == [numbers[p] for p in places.tolist()]
    assert small.sums(np.array([first]), np.array([end])).tolist() == [sum(numbers[first:end])]
    assert [number_at(p, small.codes, small.places, small.large) for p in range(len(numbers))] == numbers
