from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.services.review.coverage import covered, mutual_overlap, share

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=30)


@given(spans)
def test_covered_counts_each_character_once(drawn: list[tuple[int, int]]) -> None:
    start = np.array([s for s, _ in drawn], np.int64)
    end = np.array([s + length for s, length in drawn], np.int64)
    assert covered(start, end) == len({i for s, length in drawn for i in range(s, s + length)})


def test_the_share_of_an_empty_text_is_zero() -> None:
    assert share(0, 0) == 0.0
    assert share(3, 4) == 0.75


def test_spans_agree_by_the_longer_one() -> None:
    assert mutual_overlap((0, 10), (0, 10)) == 1.0
    assert mutual_overlap((0, 10), (2, 10)) == 0.8
    assert mutual_overlap((0, 10), (10, 20)) == 0.0
