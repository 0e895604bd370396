"""Signatures of the longest sentences against those made in plain Python."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection, detect
from workbench.base.types import Document, Role
from workbench.methods.core.collection import EMPTY
from workbench.methods.sketches.longest_sentences import METHOD, LongestSentencesParameters
from workbench.methods.sketches.longest_sentences.sketch import SKETCH
from workbench.text.normalisation import FoldOptions, fold
from workbench.text.segmenting.sentences import sentences

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD)


def folded(text: str) -> set[str]:
    return {fold(text[s.start : s.end], FoldOptions()).text for s in sentences(text)}


def lengths_of_longest(text: str, k: int, shortest: int) -> list[int]:
    return sorted((len(s) for s in folded(text) if len(s) >= shortest), reverse=True)[:k]


letters = st.text("甲乙丙丁A。、！\n 」", max_size=80)


@pytest.mark.slow
@given(texts=st.lists(letters, min_size=1, max_size=4), k=st.integers(1, 4), shortest=st.integers(1, 6))
@given_settings(deadline=None)
def test_a_signature_has_the_longest_sentences_where_they_are(texts: list[str], k: int, shortest: int) -> None:
    documents = [Document(f"d{i}", text, key=i) for i, text in enumerate(texts, 1)]
    own = SKETCH.encode(documents, LongestSentencesParameters(sentences=k, min_length=shortest))
    for number, text in enumerate(texts):
        spans = zip(own["key_start"].of(number).tolist(), own["key_end"].of(number).tolist(), strict=True)
        taken = [fold(text[start:end], FoldOptions()).text for start, end in spans]
        assert sorted(map(len, taken), reverse=True) == lengths_of_longest(text, k, shortest)
        assert set(taken) <= folded(text)
        assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("needed", [1.0, 0.5, 0.2])
def test_pairs_are_those_whose_signatures_resemble_enough(tmp_path: Path, needed: float) -> None:
    rng = random.Random(3)
    pool = [f"{''.join(rng.choices('春夏秋冬東西南北山川', k=12 + i))}。" for i in range(9)]
    texts = [(rng.choice([S, Q]), "".join(rng.sample(pool, rng.randrange(0, 8)))) for _ in range(40)]
    corpus = Collection.of(*texts)
    sets = {d.key: set(sorted(folded(d.text), key=len)[-5:]) for d in corpus.all}
    roles = {d.key: d.role for d in corpus.all}
    expected = {}
    for a, mine in sets.items():
        for b, theirs in sets.items():
            if mine and theirs and ((roles[a] == Q and roles[b] == S) or (roles[a] == roles[b] and b < a)):
                share = len(mine & theirs) / len(mine | theirs)
                if share >= needed:
                    expected[a, b] = share
    assert expected
    assert {(p.a, p.b): p.score for p in run(tmp_path, corpus, min_resemblance=needed).pairs} == expected


def test_the_order_of_sentences_and_short_ones_do_not_matter(tmp_path: Path) -> None:
    pieces = [
        "吾輩は猫である名前はまだ無いのである。",
        "どこで生れたか頓と見当がつかぬのだ。",
        "何でも薄暗い所で泣いていたのだ。",
    ]
    corpus = Collection.of((S, "".join(pieces)), (Q, "序。" + "".join(reversed(pieces)) + "終。"), (Q, "短い。"))
    results = run(tmp_path, corpus)
    assert [(p.a, p.b, p.score) for p in results.pairs] == [(2, 1, 1.0)]
    assert results.excluded == {EMPTY: 1}


def test_a_sentence_that_is_everywhere_finds_no_pairs_and_is_counted(tmp_path: Path) -> None:
    corpus = Collection.of(
        *((Q, f"このページはどの記事にも付いている案内文。{chr(0x4E00 + i) * 19}。") for i in range(8))
    )
    results = run(tmp_path, corpus, max_documents=7, min_resemblance=0.01)
    assert not results.pairs
    assert results.excluded == {SKETCH.frequent: 8}
    a, b = corpus.all[:2]
    parameters = LongestSentencesParameters(max_documents=7, min_resemblance=0.01)
    explanation = METHOD.explain(b, a, parameters, METHOD.load(tmp_path, parameters))
    assert not explanation.matched
    assert "too many documents" in explanation.summary


def test_an_explanation_shows_each_shared_sentence() -> None:
    shared = "吾輩は猫である名前はまだ無いのである。"
    a, b = Document("a", f"前。{shared}あとにまた別の文章が続いている。"), Document("b", shared)
    explanation = METHOD.explain(a, b, LongestSentencesParameters())
    assert explanation.matched
    assert [r.detail for r in explanation.reasons if r.a_span is not None] == [shared]
    assert not METHOD.explain(
        a, Document("c", "何も同じところのない文章である。"), LongestSentencesParameters()
    ).matched
