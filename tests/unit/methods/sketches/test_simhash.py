"""SimHash pairs against all pairs, with and without tables."""

from __future__ import annotations

import random
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.unit.methods.corpora import Collection, detect, drifting
from workbench.base.types import Document, Role
from workbench.methods.core.collection import EMPTY
from workbench.methods.sketches.simhash.index import BEYOND, fingerprints
from workbench.methods.sketches.simhash.method import METHOD, SimHashParameters
from workbench.methods.sketches.simhash.tables import plan

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD)


@pytest.mark.parametrize("search", ["auto", "tables", "scan"])
@pytest.mark.parametrize(
    ("bits", "distance", "weights"), [(128, 31, "once"), (64, 3, "frequency"), (64, 12, "log"), (32, 6, "once")]
)
def test_pairs_are_all_within_the_distance(tmp_path: Path, search: str, bits: int, distance: int, weights: str) -> None:
    corpus = drifting(5, 300)
    settings = {"bits": bits, "max_distance": distance, "weights": weights, "search": search}
    pairs = {(p.a, p.b): p for p in run(tmp_path, corpus, **settings).pairs}
    prints = fingerprints(corpus.all, SimHashParameters(**settings)).values.tolist()
    expected = {}
    for i, a in enumerate(corpus.all):
        for j, b in enumerate(corpus.all):
            if (a.role == Q and b.role == S) or (a.role == b.role and j < i):
                apart = sum((x ^ y).bit_count() for x, y in zip(prints[i], prints[j], strict=True))
                if apart <= distance:
                    expected[a.key, b.key] = 1 - apart / bits
    assert {k: p.score for k, p in pairs.items()} == expected
    assert expected


@pytest.mark.parametrize(("bits", "distance"), [(32, 3), (64, 0), (64, 3), (64, 7), (128, 31), (64, 63)])
def test_fingerprints_within_the_distance_agree_in_the_blocks_of_a_table(bits: int, distance: int) -> None:
    layout = plan(bits, distance, 10**6, "tables")
    rng = random.Random(1)
    assert layout.edges[0] == 0
    assert layout.edges[-1] == bits
    for _ in range(50):
        flipped = np.array(rng.sample(range(bits), distance), np.int64)
        hit = {int(b) for b in np.searchsorted(layout.edges, flipped, "right") - 1}
        assert any(hit.isdisjoint(table) for table in layout.tables.tolist())


def test_of_four_blocks_of_eight_bits_one_is_equal_where_three_of_32_bits_differ() -> None:
    example = 0b101001111100011010100011011011
    for flipped in combinations(range(32), 3):
        other = example
        for bit in flipped:
            other ^= 1 << bit
        assert any((example ^ other) >> 8 * block & 0xFF == 0 for block in range(4))


def test_tables_are_used_only_where_they_save_work() -> None:
    assert len(plan(64, 3, 10**6, "auto").tables) > 0
    assert len(plan(64, 3, 20, "auto").tables) == 0
    assert len(plan(128, 31, 10**6, "auto").tables) == 0
    assert len(plan(64, 3, 10**6, "scan").tables) == 0


def test_identical_pages_agree_fully_and_empty_ones_never_pair(tmp_path: Path) -> None:
    corpus = Collection.of((Q, "短い文"), (Q, ""), (Q, "短い文。"), (S, " 。"), (S, ""))
    for search in ("tables", "scan"):
        results = run(tmp_path / search, corpus, search=search)
        assert [(p.a, p.b, p.score, p.relation) for p in results.pairs] == [(3, 1, 1.0, "near-duplicate")]
        assert results.excluded == {EMPTY: 3}


def test_the_nearest_pairs_are_kept_and_the_others_counted(tmp_path: Path) -> None:
    text = "どの頁にも同じ文章が載っているので、組の数は頁の数の二乗になる。"
    corpus = Collection.of(*((Q, text) for _ in range(20)))
    results = run(tmp_path, corpus, max_pairs=5)
    assert len(results.pairs) == sum(min(5, i) for i in range(20))
    assert results.excluded == {BEYOND: 190 - len(results.pairs)}
    assert {p.b for p in results.pairs} == {1, 2, 3, 4, 5}
    parameters = SimHashParameters(max_pairs=5)
    index = METHOD.load(tmp_path, parameters)
    for a, b in combinations(corpus.all[::-1], 2):
        is_reported = (a.key, b.key) in {(p.a, p.b) for p in results.pairs}
        assert METHOD.explain(a, b, parameters, index).matched is is_reported


def test_an_explanation_gives_the_distance() -> None:
    explanation = METHOD.explain(
        Document("a", "甲乙丙丁戊己庚辛壬癸"), Document("b", "子丑寅卯辰巳午未申酉戌亥"), SimHashParameters()
    )
    assert [r.passed for r in explanation.reasons] == [True, True, False]
    assert "of 128 bits differ, at most 31 may" in explanation.summary
