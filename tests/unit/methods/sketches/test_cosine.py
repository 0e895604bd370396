"""Cosines against vectors made in plain Python."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from tests.unit.methods.corpora import Collection, detect
from tests.unit.text.plain_tokens import tokens
from workbench.base.types import Role
from workbench.methods.core.collection import EMPTY
from workbench.methods.sketches.cosine import METHOD
from workbench.methods.sketches.cosine.parameters import CosineParameters
from workbench.text.normalisation import FoldOptions
from workbench.text.tokens import Tokens

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD)


def terms(text: str, k: int = 2) -> Counter[tuple[str, ...]]:
    cut = [t for t, _ in tokens(text, Tokens.AUTO, FoldOptions())]
    return Counter(tuple(cut[i : i + k]) for i in range(max(1, len(cut) - k + 1))) if cut else Counter()


def plain_cosine(a: Counter[tuple[str, ...]], b: Counter[tuple[str, ...]], weigh, idf) -> float:  # type: ignore[no-untyped-def]
    one, other = ({t: weigh(n) * idf(t) for t, n in c.items()} for c in (a, b))
    dot = sum(w * other.get(t, 0) for t, w in one.items())
    lengths = [math.sqrt(sum(w * w for w in v.values())) for v in (one, other)]
    return dot / lengths[0] / lengths[1] if all(lengths) else 0.0


WEIGHTS = {"once": lambda n: 1, "log": lambda n: 1 + math.log(n), "frequency": lambda n: n}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("compare", ["all", "sources"])
@pytest.mark.parametrize("idf", [True, False])
def test_every_cosine_that_is_large_enough_is_reported_and_no_other(
    tmp_path: Path, weights: str, compare: str, idf: bool
) -> None:
    rng = random.Random(len(weights) + idf)
    base = ["".join(rng.choices("漢字文書比較類似度", k=rng.randrange(0, 40))) for _ in range(6)]
    texts = [(rng.choice([S, Q]), rng.choice(base) + rng.choice(["", "挿入", "x y z"])) for _ in range(30)]
    corpus = Collection.of(*texts)
    reported = {(p.a, p.b): p.score for p in run(tmp_path, corpus, weights=weights, compare=compare, idf=idf).pairs}
    counted = {d.key: terms(d.text) for d in corpus.all}
    roles = {d.key: d.role for d in corpus.all}
    indexed = [key for key in counted if compare == "all" or roles[key] == S]

    def rarity(term: tuple[str, ...]) -> float:
        df = max(1, sum(term in counted[key] for key in indexed))
        return math.log(1 + len(indexed) / df) if idf else 1.0

    expected = {}
    for a in counted:
        for b in indexed:
            ordered = (roles[a] == Q and roles[b] == S) or (compare == "all" and roles[a] == roles[b] and b < a)
            value = plain_cosine(counted[a], counted[b], WEIGHTS[weights], rarity) if ordered else 0
            if value >= 0.8 - 1e-9:
                expected[a, b] = min(1.0, value)
    assert expected
    assert reported == pytest.approx(expected)


def test_a_document_without_text_is_counted(tmp_path: Path) -> None:
    results = run(tmp_path, Collection.of((S, "文書の比較"), (Q, "。"), (Q, "")))
    assert results.excluded[EMPTY] == 2
    assert not results.pairs


def test_what_is_explained_is_what_was_reported(tmp_path: Path) -> None:
    corpus = Collection.of((S, "文書の類似度を比較する。"), (Q, "文書の類似度を比較した。"), (Q, "雨が降る。"))
    source, near, far = corpus.all
    (pair,) = run(tmp_path, corpus, min_cosine=0.5).pairs
    assert (pair.a, pair.b) == (near.key, source.key)
    index = METHOD.load(tmp_path / "index", CosineParameters()) if (tmp_path / "index").exists() else None
    assert METHOD.explain(near, source, CosineParameters(min_cosine=0.5), index).matched
    assert not METHOD.explain(far, source, CosineParameters(min_cosine=0.5), index).matched
    assert METHOD.compare(near, source, CosineParameters(min_cosine=0.5)).pairs
    # A refusal never says that the figure is as large as the one that is needed.
    cosine = METHOD.compare(near, source, CosineParameters(min_cosine=0.5)).pairs[0].score
    needed = cosine + 0.0004
    refusal = METHOD.explain(near, source, CosineParameters(min_cosine=needed))
    assert not refusal.matched
    for text in (refusal.summary, refusal.reasons[-1].detail):
        least = min(map(float, re.findall(r"\d\.\d+", text)))
        assert least < needed
