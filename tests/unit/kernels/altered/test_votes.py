import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.kernels.altered import plain
from workbench.kernels.altered.pairing import REPEATED, Frequencies, background, count_links, repeated, sides
from workbench.kernels.altered.votes import NEW, WAYS, VoteConstants, count_within, learn, tally_for, votes_on

TEXT = st.lists(st.integers(0, 5), min_size=2, max_size=30)
REPEATING = st.builds(
    lambda text, between, first: [*text, *between, *text[first:]],
    st.lists(st.integers(0, 5), min_size=REPEATED, max_size=REPEATED + 5),
    st.lists(st.integers(0, 5), max_size=5),
    st.integers(0, 6),
)
MIXTURE = np.array([0.35, 0.10, 0.10, 0.15, 0.20, 0.10])
PLAIN = VoteConstants(near=3, narrow=1, wide=4)


@pytest.mark.slow
@given(TEXT | REPEATING, TEXT, st.booleans(), st.data())
@settings(max_examples=400)
def test_a_vote_equals_its_definition(a: list[int], b: list[int], source: bool, data: st.DataObject) -> None:
    x, y = plain.numbered(b, a)[::-1] if source else plain.numbered(a, b)
    start, end = sorted((data.draw(st.integers(0, len(a))), data.draw(st.integers(0, len(a)))))
    other, other_end = sorted((data.draw(st.integers(0, len(b))), data.draw(st.integers(0, len(b)))))
    low, high = data.draw(st.integers(0, other)), data.draw(st.integers(other_end, len(b)))
    i = data.draw(st.integers(0, len(a) - 1))
    tally, votes = tally_for(x), np.zeros(len(a))
    places = (start, end, other, other_end), low, high, i, i + 1, i, i + 1
    votes_on(x, y, *places, np.empty(0, np.bool_), plain.flat(x), MIXTURE, PLAIN, votes, tally)
    expected = plain.vote(
        a, b, i, start, end, other, other_end, low, high, 0.01, MIXTURE.tolist(), PLAIN, source=source
    )
    assert math.isclose(votes[i], expected, abs_tol=1e-12)
    assert math.isclose(tally.shares.sum(), 1.0 if start <= i < end else 0.0, abs_tol=1e-12)
    assert not tally.words.any()
    assert not tally.links.any()


def test_words_are_examined_until_consecutive_ones_lose_more_than_a_gap() -> None:
    rng = random.Random(1)
    for _ in range(200):
        source, own = (rng.choices(range(6), k=rng.randint(2, 30)) for _ in range(2))
        a, gap = [*own, *source, *own], rng.choice([0.5, 2.0, 6.0])
        x, y = plain.numbered(a, source)
        first, start, end, last = sorted(rng.choices(range(len(a) + 1), k=4))
        votes, limits = np.zeros(len(a)), VoteConstants(near=3, narrow=1, wide=4, gap=gap)
        places = (start, end, 0, len(source)), 0, len(source), start, end, first, last, np.empty(0, np.bool_)
        left, right = votes_on(x, y, *places, plain.flat(x), MIXTURE, limits, votes, tally_for(x))
        expected = start
        while expected > first and all(votes[expected:i].sum() >= -gap for i in range(expected, start + 1)):
            expected -= 1
        assert left == expected
        expected = end
        while expected < last and all(votes[i:expected].sum() >= -gap for i in range(end, expected + 1)):
            expected += 1
        assert right == expected


@given(st.lists(st.integers(0, 2), max_size=40), st.integers(1, 8))
def test_words_of_a_stretch_that_occurs_twice_are_repeated(words: list[int], length: int) -> None:
    assert repeated(np.array(words, np.int32), length).tolist() == plain.repeated(words, length)


@given(st.lists(st.integers(0, 50), unique=True, max_size=40), st.integers(-5, 60), st.integers(-5, 60))
def test_places_are_counted(places: list[int], start: int, end: int) -> None:
    ordered = np.array(sorted(places), np.int32)
    assert count_within(ordered, 0, len(ordered), start, end) == sum(start <= p < end for p in places)


@given(st.lists(st.floats(0, 50), min_size=WAYS, max_size=WAYS))
def test_a_learned_mixture_is_one_and_never_too_new(shares: list[float]) -> None:
    mixture = np.zeros(WAYS)
    learn(mixture, np.array(shares), MIXTURE, VoteConstants())
    assert math.isclose(mixture.sum(), 1.0)
    assert mixture[NEW] <= VoteConstants().most_new + 1e-12


@given(TEXT, TEXT, TEXT)
def test_the_background_is_that_of_the_other_documents(a: list[int], b: list[int], others: list[int]) -> None:
    x, y = np.array(a, np.int32), np.array(b, np.int32)
    breaks = np.zeros(len(a) + 1, np.float32), np.zeros(len(b) + 1, np.float32)
    left, right, words = sides(x, y, *breaks, np.full(6, -1, np.int32))
    together = np.array(b + others, np.int32)
    counts = np.bincount(together, minlength=6).astype(np.uint32)
    bounds = np.array([0, len(b), len(b) + len(others)], np.int64)
    links = count_links(together, bounds)
    frequencies = Frequencies(counts, np.full(6, -1, np.int32), np.zeros(0, np.uint32), links, len(together))
    word, pair, after, _ = background(left, right, words, frequencies, False, True, 100.0, np.zeros(0, np.int64))
    for w, number in enumerate(words.tolist()):
        share = max(a.count(number) + b.count(number) - 2, 0.3) / (len(a) + len(b))
        expected = max(1e-5, (others.count(number) + 100 * share) / (len(others) + 100))
        assert math.isclose(word[w], expected if number in a and number in b else 0)
    assert not pair.any()
    for i in range(1, len(a)):
        if (a[i - 1], a[i]) in itertools.pairwise(b):
            elsewhere = sum(p == (a[i - 1], a[i]) for p in itertools.pairwise(others))
            # Neighbours whose hashes meet are counted together, so there may be more.
            assert after[left.links[i]] >= elsewhere / (others.count(a[i - 1]) + 20) - 1e-12
