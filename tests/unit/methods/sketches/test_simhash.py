"""SimHash pairs against all pairs, with and without tables."""

from __future__ import annotations

import math
import random
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection, detect, drifting
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.kernels.sketches.shingles import Rows
from workbench.kernels.sketches.simhash import table_keys
from workbench.methods.core.collection import EMPTY
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.sketches.columns import Postings
from workbench.methods.sketches.simhash import METHOD
from workbench.methods.sketches.simhash.index import (
    BEYOND,
    Rarity,
    SimHashIndex,
    _in_tables,
    build,
    fingerprints,
    plan,
    weights,
)
from workbench.methods.sketches.simhash.parameters import SimHashParameters

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD)


@pytest.mark.parametrize("search", ["auto", "tables", "scan"])
@pytest.mark.parametrize(
    ("bits", "distance", "weights"),
    [
        (128, 31, "once"),
        (64, 3, "frequency"),
        (64, 12, "log"),
        (32, 6, "once"),
        (64, 6, "idf"),
        (128, 20, "keywords"),
    ],
)
def test_pairs_are_all_within_the_distance(tmp_path: Path, search: str, bits: int, distance: int, weights: str) -> None:
    corpus = drifting(5, 300)
    chosen = {"bits": bits, "max_distance": distance, "weights": weights, "search": search}
    pairs = {(p.a, p.b): p for p in run(tmp_path, corpus, **chosen).pairs}
    parameters = SimHashParameters(**chosen)
    rarity = METHOD.load(tmp_path, parameters).rarity
    prints = fingerprints(corpus.all, parameters, rarity).values.tolist()
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


def test_the_worked_example_of_the_article_on_fingerprints_of_32_bits() -> None:
    """Datagrand's survey, section 2.2: this fingerprint, four blocks of 8 bits, at most 3 bits differ."""
    example, allowed = int("101001111100011010100011011011", 2), 3
    layout = plan(32, allowed, 10**4, "tables")
    assert np.diff(layout.edges).tolist() == [8, 8, 8, 8]
    assert layout.tables.tolist() == [[0], [1], [2], [3]]
    choices = [bits for n in range(allowed + 2) for bits in combinations(range(32), n)]
    values = np.array([[example ^ sum(1 << bit for bit in bits)] for bits in choices], np.uint64)
    postings = Postings.of(table_keys(values, layout.edges, layout.tables), None, NullProgress())
    index = SimHashIndex(np.arange(len(values)), values, layout, postings, Rarity.unknown())
    requested = np.array([[example]], np.uint64)
    reported = [
        other
        for _, others in _in_tables(index, requested, np.array([len(values)]), allowed, NullProgress())
        for other in others
    ]
    assert sorted(reported) == [row for row, bits in enumerate(choices) if len(bits) <= allowed]


letters = st.text("甲乙丙丁戊", max_size=12)


@pytest.mark.slow
@given(
    texts=st.lists(letters, min_size=1, max_size=6), kind=st.sampled_from(["idf", "keywords"]), most=st.integers(1, 5)
)
@settings(deadline=None)
def test_weights_of_rare_features_are_those_of_the_definition(texts: list[str], kind: str, most: int) -> None:
    documents = [Document(f"d{i}", text, key=i) for i, text in enumerate(texts, 1)]
    parameters = SimHashParameters(weights=kind, keywords=most, k=2, bits=64)
    index = build([documents[:2], documents[2:]], parameters, NullProgress())
    counted = [Counter(shingle_rows([d], parameters, 2).values.tolist()) for d in documents]
    present = [c for c in counted if c]
    expected = []
    for own in present:
        tfidf = {f: n * math.log(1 + len(present) / sum(f in c for c in present)) for f, n in own.items()}
        voting = sorted(tfidf, key=lambda f: (-round(tfidf[f], 9), f))[: most if kind == "keywords" else None]
        votes = [sum(round(16 * tfidf[f]) * (1 if f >> bit & 1 else -1) for f in voting) for bit in range(64)]
        expected.append(sum(1 << bit for bit, sum_of_votes in enumerate(votes) if sum_of_votes >= 0))
    assert index.fingerprints[:, 0].tolist() == expected


def test_the_phrase_of_all_documents_counts_less_than_their_own_words(tmp_path: Path) -> None:
    template = "このページはどの記事にも付いている同じ案内文で、記事とは関係がない。" * 3
    corpus = Collection.of(
        *(
            (S, template + own)
            for own in ("梅の花が咲いた。", "株価が大きく下がった。", "駅前に店が開いた。", "雨で試合が延びた。")
        )
    )
    alike = {}
    for kind in ("frequency", "idf"):
        folder = tmp_path / kind
        alike[kind] = np.mean([p.score for p in run(folder, corpus, weights=kind, max_distance=63).pairs])
    assert alike["idf"] < alike["frequency"]


def test_a_document_of_one_word_without_end_keeps_its_votes() -> None:
    counts, rows = np.array([2**30, 2**30, 5]), Rows(np.array([1, 2, 3], np.uint64), np.array([0, 3]))
    voting = weights(rows, counts, SimHashParameters(weights="idf"), Rarity.unknown())
    assert voting.sum() < 2**31
    assert voting[0] == voting[1] > voting[2] >= 0


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
        assert METHOD.explain(b, a, parameters, index).matched is is_reported


def test_an_explanation_gives_the_distance() -> None:
    explanation = METHOD.explain(
        Document("a", "甲乙丙丁戊己庚辛壬癸"), Document("b", "子丑寅卯辰巳午未申酉戌亥"), SimHashParameters()
    )
    assert [r.passed for r in explanation.reasons] == [True, True, False]
    assert "of 128 bits differ, at most 31 may" in explanation.summary


@pytest.mark.parametrize(
    ("settings", "distance"),
    [({}, 31), ({"bits": 128}, 31), ({"bits": "32"}, 3), ({"bits": 64}, 3), ({"bits": 64, "max_distance": 9}, 9)],
)
def test_short_fingerprints_have_a_distance_of_their_own(settings: dict[str, Any], distance: int) -> None:
    assert SimHashParameters.parse(settings).max_distance == distance
