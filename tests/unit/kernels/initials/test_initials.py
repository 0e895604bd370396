"""Windows of initials, their neighbours and their extension against plain references."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.base.progress import NullProgress
from workbench.kernels.initials import numbers as initials_numbers
from workbench.kernels.initials.neighbours import neighbours, tables
from workbench.kernels.initials.stretches import (
    COLUMNS,
    HOLDER,
    SCORE,
    StretchLimits,
    _longest_run,
    extended,
    free_parts,
)
from workbench.kernels.initials.windows import MULTIPLIERS, Windows, windows
from workbench.methods.initials.index import CHINESE, quantiser, shares
from workbench.methods.initials.parameters import InitialsParameters

N = 12
LEVELS = (10, 8, 4, 2)
texts = st.lists(st.integers(0, 25), max_size=60)


def parameters(levels: int, distance: int = 2) -> InitialsParameters:
    return InitialsParameters(window=N, levels=levels, distance=distance)


def as_letters(values: list[int]) -> NDArray[np.uint8]:
    return np.array(values, np.uint8)


def windowed(values: list[int], step: int, settings: InitialsParameters) -> Windows:
    bounds = np.array([0, len(values)], np.int64)
    return windows(as_letters(values), bounds, N, step, quantiser(CHINESE, settings), NullProgress())


def levels_of(window: list[int], settings: InitialsParameters) -> list[int]:
    """By the definition: the levels of the letters that vary most, in letter order."""
    counts, n = Counter(window), settings.window
    variance = [n * p * (1 - p) for p in CHINESE]
    used = sorted(sorted(range(26), key=lambda x: (-variance[x], x))[: settings.used])
    levels = []
    for x in used:
        width = max(1.0, 4 * math.sqrt(variance[x]) / settings.levels)
        level = math.floor((counts[x] - n * CHINESE[x]) / width + settings.levels / 2)
        levels.append(min(max(level, 0), settings.levels - 1))
    return levels


@pytest.mark.parametrize("levels", LEVELS)
@given(values=texts, step=st.integers(1, 9))
def test_a_fingerprint_is_the_levels_of_its_letters_in_letter_order(levels: int, values: list[int], step: int) -> None:
    settings, measured = parameters(levels), windowed(values, step, parameters(levels))
    last = len(values) - N
    starts = sorted({*range(0, last + 1, step), last}) if last >= 0 else []
    assert measured.places.tolist() == starts
    assert measured.variety.tolist() == [len(set(values[x : x + N])) for x in starts]
    for key, start in zip(measured.keys.tolist(), starts, strict=True):
        expected = 0
        for level in levels_of(values[start : start + N], settings):
            expected = expected * levels + level
        assert key == expected < 1 << 64


@pytest.mark.parametrize("distance", range(7))
@given(values=texts, step=st.integers(1, 2 * N))
def test_a_hash_is_the_sum_of_the_multiplied_levels_of_its_block(distance: int, values: list[int], step: int) -> None:
    settings = parameters(8, distance)
    q, measured = quantiser(CHINESE, settings), windowed(values, step, settings)
    used = np.flatnonzero(q.weight).tolist()
    letters = [q.of_block(block).tolist() for block in range(q.blocks)]
    assert sorted(x for some in letters for x in some) == used
    for row, start in zip(measured.blocks.tolist(), measured.places.tolist(), strict=True):
        level = dict(zip(used, levels_of(values[start : start + N], settings), strict=True))
        assert row == [sum(level[x] * int(MULTIPLIERS[x]) for x in some) % 2**64 for some in letters]


def test_twenty_letters_take_the_bits_that_the_levels_need() -> None:
    assert [InitialsParameters(levels=n).used for n in LEVELS] == [19, 20, 20, 20]


@pytest.mark.parametrize("levels", LEVELS)
@given(values=st.lists(st.integers(0, 25), min_size=N, max_size=N), data=st.data())
def test_a_changed_letter_moves_a_fingerprint_by_two_at_most(
    levels: int, values: list[int], data: st.DataObject
) -> None:
    changed = list(values)
    edits = data.draw(st.integers(0, 4))
    for _ in range(edits):
        changed[data.draw(st.integers(0, N - 1))] = data.draw(st.integers(0, 25))
    a, b = levels_of(values, parameters(levels)), levels_of(changed, parameters(levels))
    assert sum(abs(x - y) for x, y in zip(a, b, strict=True)) <= 2 * edits


@pytest.mark.slow
@pytest.mark.parametrize("levels", LEVELS)
@given(st.data())
def test_every_neighbour_within_the_distance_is_found_and_no_other(levels: int, data: st.DataObject) -> None:
    few = st.lists(st.integers(0, data.draw(st.integers(1, 25))), min_size=N, max_size=80)
    indexed, queried, distance = data.draw(few), data.draw(few), data.draw(st.integers(0, 6))
    settings = parameters(levels, distance)
    theirs, mine = windowed(indexed, 1, settings), windowed(queried, 1, settings)
    keys, first = np.unique(theirs.keys, return_index=True)
    q = quantiser(CHINESE, settings)
    by_block = tables(keys, theirs.blocks[first], q, NullProgress())
    pairs = neighbours(mine.keys, mine.blocks, by_block, q, NullProgress())
    by_key = {k: levels_of(indexed[i : i + N], settings) for i, k in enumerate(theirs.keys.tolist())}
    expected = []
    for i in range(len(mine.keys)):
        own = levels_of(queried[i : i + N], settings)
        near = (sum(abs(x - y) for x, y in zip(own, by_key[k], strict=True)) <= distance for k in keys.tolist())
        expected += [(i, j) for j, yes in enumerate(near) if yes]
    assert list(zip(pairs.mine.tolist(), pairs.other.tolist(), strict=True)) == expected


def best_end(x: list[int], y: list[int], cost: float) -> float:
    """The best of (i + j) / 2 - cost · (edit distance of x[:i] and y[:j]), by the whole table."""
    row = list(range(len(y) + 1))
    best = max(j / 2 - cost * d for j, d in enumerate(row))
    for i in range(1, len(x) + 1):
        above, row = row, [i]
        for j in range(1, len(y) + 1):
            row.append(min(above[j - 1] + (x[i - 1] != y[j - 1]), above[j] + 1, row[j - 1] + 1))
        best = max(best, *((i + j) / 2 - cost * d for j, d in enumerate(row)))
    return best


@given(st.data())
def test_an_extension_that_gives_up_nothing_is_the_best_there_is(data: st.DataObject) -> None:
    side = st.lists(st.integers(0, 2), max_size=18)
    left, right, left_b, right_b = (data.draw(side) for _ in range(4))
    seed = [5, 6, 7, 8, 5, 6, 7, 8]
    a, b = [*left, *seed, *right], [*left_b, *seed, *right_b]
    pair = tuple(np.array([x], np.int64) for x in (len(left), len(left_b), 0))
    rows, _ = extended(
        as_letters(a),
        as_letters(b),
        np.array([0, len(b)], np.int64),
        (pair[0], pair[1], pair[2]),
        StretchLimits(len(seed), 0, len(seed), 0.0, 2.5, 1000.0),
        lambda: None,
    )
    expected = len(seed) + best_end(right, right_b, 2.5) + best_end(left[::-1], left_b[::-1], 2.5)
    assert rows[0, SCORE] == 2 * expected


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(1, 12), st.integers(0, 9)), max_size=20))
def test_better_stretches_leave_others_the_longest_part(stretches: list[tuple[int, int, int, int]]) -> None:
    rows = np.zeros((len(stretches), COLUMNS), np.int64)
    for row, (holder, begin, size, score) in zip(rows, stretches, strict=True):
        row[0], row[1], row[HOLDER], row[SCORE] = begin, begin + size, holder, score
    expected = []
    taken: set[tuple[int, int]] = set()
    for i in sorted(range(len(stretches)), key=lambda i: (stretches[i][0], -stretches[i][3])):
        holder, begin, size, _ = stretches[i]
        ends = range(begin, begin + size + 1)
        free = [(x, y) for x in ends for y in ends if y - x >= 3 and not any((holder, z) in taken for z in range(x, y))]
        if free:
            x, y = max(free, key=lambda part: (part[1] - part[0], -part[0]))
            taken |= {(holder, z) for z in range(x, y)}
            expected.append((i, [x, y]))
    chosen, parts = free_parts(rows, 50, 3, lambda: None)
    assert list(zip(chosen.tolist(), parts.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 40), max_size=80), st.integers(1, 7))
def test_numbers_of_distinct_values_do_not_depend_on_the_pieces(values: list[int], piece: int) -> None:
    keys = np.array(values, np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(initials_numbers, "_STEP", piece)
        distinct, first, number = initials_numbers.numbered(keys, NullProgress())
        order, bounds = initials_numbers.grouped(number, len(distinct), NullProgress())
    for counted, expected in zip(
        (distinct, first, number), np.unique(keys, return_index=True, return_inverse=True), strict=True
    ):
        assert counted.tolist() == expected.tolist()
    assert [order[a:b].tolist() for a, b in pairwise(bounds.tolist())] == [
        [i for i, v in enumerate(values) if v == x] for x in sorted(set(values))
    ]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=80), st.integers(1, 7))
def test_keys_in_the_order_of_slots_are_the_distinct_ones_of_each_piece(
    values: list[tuple[int, int]], piece: int
) -> None:
    keys = np.array([10 * block + rest for rest, block in values], np.uint64)
    hashes = np.array([int(MULTIPLIERS[block]) for _, block in values], np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(initials_numbers, "_STEP", piece)
        first, number = initials_numbers.in_slot_order(keys, hashes, NullProgress())
    assert keys[first][number].tolist() == keys.tolist()
    for at in range(0, len(keys), piece):
        own = [i for i in first.tolist() if at <= i < at + piece]
        assert sorted(keys[own].tolist()) == sorted(set(keys[at : at + piece].tolist()))
        assert own == sorted(own, key=lambda i: hashes[i])


def longest_run(a: list[int], b: list[int], q: int, s: int, reach: int, least: int) -> tuple[int, int, int]:
    """By the definition: every run of the window, diagonal by diagonal from the nearest on."""
    best = (q, 0, s - q)
    for shift in sorted(range(-reach, reach + 1), key=lambda x: (abs(x), x < 0)):
        for i in range(q, q + N):
            n = 0
            while i + n < q + N and 0 <= i + n + s - q + shift < len(b) and a[i + n] == b[i + n + s - q + shift]:
                n += 1
            if n >= least and n > best[1]:
                best = (i, n, s - q + shift)
    return best


@pytest.mark.slow
@given(st.data())
def test_the_anchor_is_the_longest_run_beside_a_pair(data: st.DataObject) -> None:
    letters = st.lists(st.integers(0, 2), min_size=N, max_size=N + 8)
    a, b = data.draw(letters), data.draw(letters)
    q, s = data.draw(st.integers(0, len(a) - N)), data.draw(st.integers(0, len(b) - N))
    reach, least = data.draw(st.integers(0, 3)), data.draw(st.integers(2, 6))
    anchor = _longest_run(as_letters(a), q, as_letters(b), s, 0, len(b), N, reach, least)
    expected = longest_run(a, b, q, s, reach, least)
    assert anchor[1] == expected[1]
    if expected[1]:
        assert anchor == expected


def test_stretches_stay_inside_their_document() -> None:
    rng = random.Random(1)
    text = [rng.randrange(20) for _ in range(40)]
    letters, bounds = as_letters(text * 3), np.arange(4, dtype=np.int64) * 40
    pairs = np.zeros(3, np.int64) + 10, np.array([10, 50, 90]), np.arange(3)
    rows, _ = extended(as_letters(text), letters, bounds, pairs, StretchLimits(20, 2, 5, 5.0, 5.0, 20.0), lambda: None)
    assert rows[:, :4].tolist() == [[0, 40, low, high] for low, high in pairwise(bounds.tolist())]


def test_shares_add_up_even_of_nothing() -> None:
    assert shares(np.zeros(26, np.int64)).sum() == pytest.approx(1)
    assert CHINESE.sum() == pytest.approx(1)
