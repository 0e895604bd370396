import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.kernels.altered import plain
from workbench.kernels.altered.passages import (
    DONE,
    best_run,
    first_state,
    in_runs,
    refine,
    stretch_bound,
    top_run,
)
from workbench.kernels.altered.seeds import seeds, word_weights
from workbench.kernels.altered.votes import VoteConstants, tally_for, votes_on

VOTES = st.lists(st.sampled_from([-3.0, -1.5, -0.5, 0.25, 1.0, 4.0]), min_size=1, max_size=25)
FAR = 1e6


@pytest.mark.slow
@given(VOTES, st.data())
@settings(max_examples=300)
def test_without_holes_the_best_run_is_the_best_of_all_runs(votes: list[float], data: st.DataObject) -> None:
    n = len(votes)
    breaks = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=n + 1, max_size=n + 1))
    start = data.draw(st.integers(0, n - 1))
    end = data.draw(st.integers(start + 1, n))
    run = best_run(np.array(votes), 0, n, np.array(breaks, np.float32), 2.0, start, end, FAR)
    assert math.isclose(run[0], plain.best_run(votes, breaks, 2.0, start, end, FAR)[0])
    low, high = run[1], run[2]
    assert math.isclose(sum(votes[low:high]) - 2 * (1 - breaks[low]) - 2 * (1 - breaks[high]), run[0])


@given(VOTES, st.floats(1.0, 8.0))
def test_a_run_has_no_hole(votes: list[float], gap: float) -> None:
    n = len(votes)
    _, low, high = top_run(np.array(votes), 0, n, np.ones(n + 1, np.float32), 2.0, gap, np.zeros(n, np.bool_))
    for i in range(low, high):
        assert all(sum(votes[i:j]) >= -gap - 1e-9 for j in range(i, high))


@given(VOTES, st.data())
def test_a_run_leaves_out_what_is_taken(votes: list[float], data: st.DataObject) -> None:
    n = len(votes)
    taken = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    worth, low, high = top_run(np.array(votes), 0, n, np.ones(n + 1, np.float32), 2.0, FAR, taken)
    assert not taken[low:high].any()
    if not taken.all():
        free = [sum(votes[i:j]) for i in range(n) for j in range(i + 1, n + 1) if not taken[i:j].any()]
        assert math.isclose(worth, max(free))


@given(st.lists(st.integers(0, 8), min_size=24, max_size=60), st.integers(1, 200))
@settings(max_examples=50)
def test_interrupted_refinement_gives_what_uninterrupted_gives(text: list[int], budget: int) -> None:
    a, b = plain.numbered(text, text[::2] + text[10:])
    results = []
    for step in (budget, 1 << 40):
        prior = np.array([0.35, 0.10, 0.10, 0.15, 0.20, 0.10])
        state, worth = first_state(4, 16, 4, 16), np.zeros(2)
        buffers = np.zeros(len(a.words)), np.zeros(len(b.words)), tally_for(a)
        mixtures = prior.copy(), prior.copy()
        while not state[DONE]:
            refine(a, b, plain.flat(a), VoteConstants(), prior, *mixtures, state, worth, *buffers, step)
        results.append((*state.tolist(), *worth.tolist()))
    assert results[0] == results[1]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.lists(st.integers(0, 12), min_size=1, max_size=60))
@example([1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 9, 10, 11, 4, 5, 9, 10, 11, 10])  # a pair alone in a long text
@example([1, 2, 3, 4, 5, 6, 7, 8], [4, 9, 10, 11, 9, 10, 4, 11, 9, 10, 3, 4])  # one of its words at an end, too
def test_no_stretch_is_worth_more_than_the_bound_of_stretches(a: list[int], b: list[int]) -> None:
    x, y = plain.numbered(a, b)
    mixture, tally, votes = np.array([0.30, 0.01, 0.01, 0.01, 0.07, 0.60]), tally_for(x), np.zeros(len(a))
    background = plain.flat(x)
    places = (0, 0, 0, len(b)), 0, len(b), 0, len(a), 0, len(a)
    votes_on(x, y, *places, np.empty(0, np.bool_), background, mixture, VoteConstants(), votes, tally)
    price = VoteConstants().end_price
    best = top_run(votes, 0, len(a), x.breaks, price, math.inf, np.zeros(len(a), np.bool_))[0]
    bounds = np.empty(len(a))
    bound = stretch_bound(x, y, background, mixture, VoteConstants(), bounds, tally)
    assert bound >= best - 1e-9
    assert (bounds >= votes - 1e-9).all()
    if len(set(a)) == len(a):  # nobody has habits of words used once
        assert math.isclose(bound, best, abs_tol=1e-9)


@given(VOTES, st.data(), st.sampled_from([-4.0, 0.0, 3.0, 8.0]))
def test_words_in_runs_are_those_of_every_run_that_is_worth_enough(
    votes: list[float], data: st.DataObject, least: float
) -> None:
    n = len(votes)
    breaks = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=n + 1, max_size=n + 1))
    expected = [False] * n
    for i in range(n):
        for j in range(i + 1, n + 1):
            if sum(votes[i:j]) - 2 * (1 - breaks[i]) - 2 * (1 - breaks[j]) >= least:
                expected[i:j] = [True] * (j - i)
    assert in_runs(np.array(votes), np.array(breaks, np.float32), 2.0, least).tolist() == expected


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_seeds_are_blocks_of_cells_where_the_words_that_meet_weigh_enough(a: list[int], b: list[int]) -> None:
    x, y = plain.numbered(a, b)
    height, width = len(a) // 4 + 1, len(b) // 4 + 1
    plot = np.zeros((height + 1, width + 1))
    for i, v in enumerate(a):
        for j, w in enumerate(b):
            if v == w and a.count(v) * b.count(v) <= 400:
                plot[i // 4, j // 4] += (-math.log(0.001) - 5) / math.sqrt(a.count(v) * b.count(v))
    blocks = plot[:-1, :-1] + plot[1:, :-1] + plot[:-1, 1:] + plot[1:, 1:]
    of_word, left_out = word_weights(x.starts, y.starts, plain.flat(x, 0.001).word)
    assert left_out == sum(a.count(v) * b.count(v) > 400 for v in set(a))
    plotted = x.words, y.starts, y.places
    weights, rows, columns = seeds(*plotted, of_word, 0, height, 4, 2.0)
    places = list(zip(rows.tolist(), columns.tolist(), strict=True))
    assert places == sorted(set(places))
    assert set(places) >= set(zip(*(p.tolist() for p in np.nonzero(blocks >= 2.001)), strict=True))
    assert np.allclose(weights, blocks[rows, columns], atol=1e-4)
    parts = [seeds(*plotted, of_word, r, r + 1, 4, 2.0) for r in range(height)]
    assert np.array_equal(np.concatenate([part[0] for part in parts]), weights)
