"""The trustable region against the algorithm of the paper's figure 4, written down as it stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.methods.trustable_lcs.pair import Curve, trustable_region

UNIT = 1_000_000


def curve_of(length: int, pairs: list[tuple[int, int]]) -> Curve:
    return Curve.of(length, (np.array([a for a, _ in pairs], np.int64), np.array([b for _, b in pairs], np.int64)))


@st.composite
def alignments(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Length of a, and matched (place in a, place in b)."""
    steps = draw(st.lists(st.tuples(st.sampled_from([1, 1, 1, 2, 5]), st.sampled_from([1, 1, 1, 2, 4])), max_size=40))
    pairs, x, y = [], -1, -1
    for dx, dy in steps:
        x, y = x + dx, y + dy
        pairs.append((x, y))
    return x + 1 + draw(st.integers(0, 6)), pairs


def edits(length: int, pairs: list[tuple[int, int]], start: int, end: int) -> int:
    """Edits inside [start, end), counted one by one."""
    if start >= end:
        return 0
    matched = dict(pairs)
    count = sum(x not in matched for x in range(start, end))
    for (_, before), (x, y) in zip([(-1, -1), *pairs], pairs, strict=False):
        point = x if (before, y) != (-1, y) else 0
        if start < point < end:
            count += y - before - 1
    return count


def allowed(length: int, pairs: list[tuple[int, int]], start: int, end: int, slope: float) -> bool:
    return edits(length, pairs, start, end) * UNIT <= round(slope * UNIT) * (end - start)


def reference(length: int, pairs: list[tuple[int, int]], block: int, slope: float) -> set[tuple[int, int]]:
    """The longest extended regions, by trying everything."""
    k = -(-length // block)
    half = -(-k // 2)
    weights = [half - abs(half - i) for i in range(1, k + 1)]
    base = []
    for i in range(k):
        for j in range(i, k):
            start, end = i * block, min((j + 1) * block, length)
            if allowed(length, pairs, start, end, slope):
                base.append((sum(weights[i : j + 1]), -(j - i), start, end))
    if not base:
        return set()
    best = max(base)[:2]
    grown = set()
    for weight, size, start, end in base:
        if (weight, size) == best:
            for left_first in (True, False):
                a, b = start, end
                for left in (left_first, not left_first):
                    if left:
                        a = min(x for x in range(max(0, a - block), a + 1) if allowed(length, pairs, x, b, slope))
                    else:
                        top = min(length, b + block)
                        b = max(x for x in range(b, top + 1) if allowed(length, pairs, a, x, slope))
                grown.add((a, b))
    longest = max(b - a for a, b in grown)
    return {(a, b) for a, b in grown if b - a == longest}


@given(alignments(), st.integers(1, 9), st.sampled_from([0.0, 0.1, 0.2, 0.5]))
def test_the_region_is_what_trying_everything_gives(
    alignment: tuple[int, list[tuple[int, int]]], block: int, slope: float
) -> None:
    length, pairs = alignment
    region = trustable_region(curve_of(length, pairs), block, slope)
    expected = reference(length, pairs, block, slope)
    assert region in expected if expected else region is None
    if region is not None:
        assert curve_of(length, pairs).edits(*region) == edits(length, pairs, *region)


@given(alignments())
def test_the_whole_curve_counts_every_edit(alignment: tuple[int, list[tuple[int, int]]]) -> None:
    length, pairs = alignment
    positions, cumulated = curve_of(length, pairs).points()
    assert positions[0] == 0
    assert positions[-1] == length
    assert (np.diff(positions) >= 0).all()
    assert (np.diff(cumulated) >= 0).all()
    in_b = pairs[-1][1] + 1 if pairs else 0
    assert cumulated[-1] == length + in_b - 2 * len(pairs)


def test_a_replaced_character_is_a_step_of_one_and_one_of_slope() -> None:
    positions, cumulated = curve_of(5, [(0, 0), (1, 1), (3, 3), (4, 4)]).points()
    assert list(zip(positions.tolist(), cumulated.tolist(), strict=True)) == [(0, 0), (2, 0), (3, 1), (3, 2), (5, 2)]


@pytest.mark.parametrize("length", [1, 15, 16, 17, 31, 32, 33, 48, 100])
def test_an_equal_text_is_one_region_from_end_to_end(length: int) -> None:
    assert trustable_region(curve_of(length, [(i, i) for i in range(length)]), 16, 0.1) == (0, length)


def test_what_surrounds_the_middle_is_left_outside() -> None:
    pairs = (
        [(i, i) for i in range(30)] + [(i, i + 100) for i in range(100, 300)] + [(i, i + 300) for i in range(370, 400)]
    )
    start, end = trustable_region(curve_of(400, pairs), 16, 0.1) or (0, 0)
    assert (start, end) == (100, 300 + 22)
    assert curve_of(400, pairs).edits(start, end) / (end - start) <= 0.1


def test_nothing_in_common_has_no_region() -> None:
    assert trustable_region(curve_of(40, []), 16, 0.1) is None
    assert trustable_region(curve_of(0, []), 16, 0.1) is None
