"""Passages of a region against a plain reference."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.trustable_lcs.regions import ALTERED, EXACT, FOLDED, matched_places, passages

STEPS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)


@given(STEPS, st.integers(1, 6), st.integers(0, 3))
def test_passages_are_cut_where_more_than_a_window_lies_between(
    steps: list[tuple[int, int]], window: int, change: int
) -> None:
    a, b = (np.cumsum([step[side] for step in steps]) - 1 for side in (0, 1))
    raw_a, raw_b = np.zeros(a[-1] + 1, np.uint32), np.zeros(b[-1] + 1, np.uint32)
    raw_a[a[::4]] = change
    parts: list[list[int]] = []
    for i, step in enumerate(steps):
        if i and max(step) <= window:
            parts[-1].append(i)
        else:
            parts.append([i])
    expected = []
    for part in parts:
        spans = a[part[0]], a[part[-1]] + 1, b[part[0]], b[part[-1]] + 1
        edits = spans[1] - spans[0] + spans[3] - spans[2] - 2 * len(part)
        same = (raw_a[spans[0] : spans[1]] == 0).all()
        expected.append([*spans, len(part), edits, ALTERED if edits else EXACT if same else FOLDED])
    assert passages(a, b, raw_a, raw_b, window).tolist() == expected


def test_blocks_lead_to_the_places_that_were_kept() -> None:
    blocks = np.array([(0, 1, 2), (3, 4, 1)], np.int32)
    here, there = matched_places(blocks, np.array([5, 6, 9, 12]), np.array([0, 1, 3, 4, 8]))
    assert (here.tolist(), there.tolist()) == ([5, 6, 12], [1, 3, 8])
