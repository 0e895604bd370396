import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.kernels.altered import plain
from workbench.kernels.altered.candidates import MISS, PORTION, Vocabulary, portions, postings, scan
from workbench.kernels.altered.word_pairs import PHRASE, REPLACED, WORD, in_order, word_pairs

TEXT = st.lists(st.integers(0, 6), min_size=1, max_size=20)


@pytest.mark.slow
@given(TEXT, TEXT)
@settings(max_examples=300)
def test_each_word_is_paired_once_with_its_like(a: list[int], b: list[int]) -> None:
    rows = word_pairs(*plain.numbered(a, b), 0, len(a), 0, len(b))
    used_a: Counter[int] = Counter()
    used_b: Counter[int] = Counter()
    for sort, i, i_end, j, j_end in rows.tolist():
        used_a.update(range(i, i_end))
        used_b.update(range(j, j_end))
        if sort == REPLACED:
            assert not set(a[i:i_end]) & set(b[j:j_end])
        else:
            assert a[i:i_end] == b[j:j_end]
            assert (sort == PHRASE) == (i_end - i > 1)
            assert sort in (PHRASE, WORD)
    assert max([*used_a.values(), *used_b.values(), 1]) == 1
    paired = Counter(w for s, i, e, *_ in rows.tolist() if s != REPLACED for w in a[i:e])
    assert paired == Counter(a) & Counter(b)


@given(TEXT, TEXT)
def test_the_longest_phrase_is_among_the_pairs(a: list[int], b: list[int]) -> None:
    rows = word_pairs(*plain.numbered(a, b), 0, len(a), 0, len(b))
    lengths = [e - i for s, i, e, *_ in rows.tolist() if s != REPLACED]
    greedy = plain.greedy_pairs(a, b)
    assert max(lengths, default=0) == max(greedy, default=0)


@given(TEXT, TEXT)
def test_the_heaviest_chain_is_the_best_of_all_chains(a: list[int], b: list[int]) -> None:
    rows = word_pairs(*plain.numbered(a, b), 0, len(a), 0, len(b))
    pairs = [r for r in rows.tolist() if r[0] != REPLACED][:10]
    kept = np.array(pairs, np.int32).reshape(-1, 5)
    best = 0
    for size in range(len(pairs) + 1):
        for chain in itertools.combinations(pairs, size):
            if all(p[4] <= q[3] for p, q in itertools.pairwise(chain)):
                best = max(best, sum(p[2] - p[1] for p in chain))
    assert in_order(kept, 0, len(b)) == best


@given(st.lists(st.lists(st.integers(0, 2000), max_size=30), max_size=20))
def test_a_vocabulary_numbers_values_by_first_appearance(groups: list[list[int]]) -> None:
    vocabulary, seen = Vocabulary(), []
    for group in groups:
        numbers = vocabulary.add(np.array(group, np.uint64))
        seen += [v for v in dict.fromkeys(group) if v not in seen]
        assert numbers.tolist() == [seen.index(v) for v in group]
    assert vocabulary.values.tolist() == seen
    assert vocabulary.find(np.array([*seen, 5000], np.uint64)).tolist() == [*range(len(seen)), -1]


@given(st.lists(st.one_of(st.integers(0, 9), st.integers(0, 9 * PORTION)), max_size=6))
def test_portions_cover_each_source_in_nearly_equal_parts(sizes: list[int]) -> None:
    bounds = np.cumsum([0, *sizes], dtype=np.int64)
    cuts, first = portions(bounds)
    for size, start, (at, after) in zip(sizes, bounds.tolist(), itertools.pairwise(first.tolist()), strict=False):
        limits = cuts[at : after + 1]
        assert (limits[0], limits[-1]) == (start, start + size)
        parts = np.diff(limits)
        assert len(parts) == max(1, math.ceil(size / PORTION))
        assert parts.max() <= min(PORTION, parts.min() + 1)


@pytest.mark.slow
@given(st.lists(TEXT, min_size=1, max_size=6), TEXT, st.integers(1, 20))
def test_a_sources_score_is_the_best_stretch_of_the_suspect(
    sources: list[list[int]], text: list[int], cut: int
) -> None:
    words = np.array(list(itertools.chain(*sources)), np.int32)
    bounds = np.cumsum([0, *map(len, sources)], dtype=np.int64)
    counts = np.bincount(words, minlength=7).astype(np.uint32)
    first, holders, gains = postings(words, bounds, portions(bounds)[0], counts, 1.0)
    places_of = {
        w: dict(
            zip(holders[first[w] : first[w + 1]].tolist(), (gains[first[w] : first[w + 1]] / 60).tolist(), strict=True)
        )
        for w in range(7)
    }
    assert {w: set(by) for w, by in places_of.items()} == {
        w: {i for i, s in enumerate(sources) if w in s} for w in range(7)
    }
    n = len(sources)
    current, seen, best = np.zeros(n), np.full(n, -1, np.int32), np.zeros(n)
    used, step = np.full(len(text), 2, np.uint8), 0
    for low in range(0, len(text), cut):
        high = min(len(text), low + cut)
        step = scan(np.array(text, np.int32), low, high, used, first, holders, gains, n, step, current, seen, best)
    assert np.allclose(best, plain.scores(text, places_of, MISS, n))
