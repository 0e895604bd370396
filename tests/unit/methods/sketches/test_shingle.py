"""Shingling against sets made in plain Python."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from tests.unit.methods.corpora import Collection, detect
from tests.unit.text.plain_tokens import tokens
from tests.unit.text.segmenters import needs_segmenter
from workbench.base.types import Document, Role
from workbench.methods.core.collection import EMPTY
from workbench.methods.sketches.shingle import METHOD, ShingleParameters
from workbench.methods.sketches.shingle.sketch import SKETCH
from workbench.text.normalisation import FoldOptions
from workbench.text.tokens import Tokens

S, Q, B = Role.SOURCE, Role.SUSPECT, Role.BACKGROUND
run = partial(detect, METHOD)


def grams(text: str, k: int = 4) -> set[tuple[str, ...]]:
    cut = [t for t, _ in tokens(text, Tokens.AUTO, FoldOptions())]
    return {tuple(cut[i : i + k]) for i in range(max(1, len(cut) - k + 1))} if cut else set()


def generated(n: int) -> Collection:
    rng = random.Random(2)
    base = ["".join(rng.choices("あいうえおかきくけこ漢字文書比較類似", k=rng.randrange(3, 80))) for _ in range(n // 4)]
    texts = []
    for _ in range(n):
        text = rng.choice(base)
        at = rng.randrange(len(text))
        texts.append((rng.choice([S, Q]), text[:at] + rng.choice(["", "挿入", "x y z"]) + text[at:]))
    return Collection.of(*texts)


@pytest.mark.parametrize("limit", [10**9, 5])
def test_shares_are_those_of_the_sets(tmp_path: Path, limit: int) -> None:
    corpus = generated(80)
    pairs = {
        (p.a, p.b): p for p in run(tmp_path, corpus, max_documents=limit, tokens="auto", min_resemblance=0.5).pairs
    }
    sets = {d.key: grams(d.text) for d in corpus.all}
    roles = {d.key: d.role for d in corpus.all}
    df = {g: sum(g in s for s in sets.values()) for s in sets.values() for g in s}
    expected = 0
    for a in sets:
        for b in sets:
            if not ((roles[a] == Q and roles[b] == S) or (roles[a] == roles[b] and b < a)):
                continue
            both = sets[a] & sets[b]
            share, contained = len(both) / len(sets[a] | sets[b]), len(both) / len(sets[a])
            other = len(both) / len(sets[b])
            if max(share / 0.5, contained / 0.9, other / 0.9) >= 1 and any(df[g] <= limit for g in both):
                pair = pairs[a, b]
                assert (pair.resemblance, pair.containment) == (share, contained)
                assert pair.evidence["containment_b"] == pytest.approx(other, abs=1e-6)
                assert (pair.relation == "near-duplicate") is (share >= 0.5)
                expected += 1
    assert expected == len(pairs) > 0


def test_identical_pages_resemble_fully_and_empty_ones_never_pair(tmp_path: Path) -> None:
    corpus = Collection.of((Q, "短い文"), (Q, "短い文。"), (Q, ""), (Q, " 。"), (S, ""), (B, "短い文"))
    results = run(tmp_path, corpus)
    assert [(p.a, p.b, p.score, p.containment) for p in results.pairs] == [(2, 1, 1.0, 1.0)]
    assert results.excluded == {EMPTY: 3}


def test_a_shingle_that_is_everywhere_finds_no_pairs_and_is_counted(tmp_path: Path) -> None:
    corpus = Collection.of(*((Q, f"共通の見出し。{chr(0x4E00 + i) * 9}") for i in range(40)), (Q, "共通の見出し。"))
    results = run(tmp_path, corpus, max_documents=20, min_containment=0.1)
    assert not results.pairs
    assert results.excluded[SKETCH.frequent] == 41 * 3
    assert results.excluded[SKETCH.only_frequent] == 1


def test_suspects_meet_sources_only_where_asked(tmp_path: Path) -> None:
    text = "同じ文章がここにもそこにもある。"
    corpus = Collection.of((Q, text), (S, text), (Q, text), (S, text))
    every = {(p.a, p.b) for p in run(tmp_path, corpus).pairs}
    assert every == {(1, 2), (1, 4), (3, 2), (3, 4), (3, 1), (4, 2)}
    (tmp_path / "sources").mkdir()
    some = {(p.a, p.b) for p in run(tmp_path / "sources", corpus, compare="sources").pairs}
    assert some == {(1, 2), (1, 4), (3, 2), (3, 4)}


def test_a_pair_alone_is_compared_whatever_its_keys() -> None:
    text = "The quick brown fox jumps over the lazy dog."
    (pair,) = METHOD.compare(
        Document("a", text), Document("b", "THE QUICK, brown fox jumps"), ShingleParameters(tokens="auto")
    ).pairs
    assert (pair.resemblance, pair.containment) == (2 / 6, 2 / 6)
    assert pair.evidence["containment_b"] == 1.0


def test_an_explanation_names_the_rule_that_refused() -> None:
    a, b = Document("a", "甲乙丙丁戊己庚辛壬癸" * 2), Document("b", "甲乙丙丁" + "子丑寅卯辰巳午未")
    explanation = METHOD.explain(a, b, ShingleParameters())
    assert [(r.rule, r.passed) for r in explanation.reasons][2:] == [
        ("shared shingles", True),
        ("resemblance", False),
        ("containment", False),
    ]


@needs_segmenter
def test_shingles_of_segmented_words_are_those_of_the_dictionary(tmp_path: Path) -> None:
    corpus = Collection.of((S, "我来到北京清华大学。"), (Q, "他来到北京清华大学了。"))
    (pair,) = run(tmp_path, corpus, tokens="segmented", k=2, min_resemblance=0.01).pairs
    # 我-来到 来到-北京 北京-清华大学, and 他-来到 来到-北京 北京-清华大学 清华大学-了.
    assert pair.resemblance == 2 / 5


def test_an_index_names_the_dictionary_of_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for version in ("1.0", "2.0"):
        monkeypatch.setattr("workbench.methods.core.token_parameters.segmenter_version", lambda v=version: v)
        keys.add(METHOD.index_key(ShingleParameters(tokens="segmented")))
    assert len(keys) == 2
