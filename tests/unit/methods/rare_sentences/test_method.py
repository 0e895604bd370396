from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Block, BlockClass, Document, Results, Role, Span
from workbench.methods.core.collection import read_batches
from workbench.methods.rare_sentences.finding import FREQUENT, NONE_LONG, OUTSIDE, SHORT
from workbench.methods.rare_sentences.index import build, load
from workbench.methods.rare_sentences.method import METHOD
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.relations import Relation
from workbench.methods.rare_sentences.sentences import read
from workbench.text.normalisation import fold
from workbench.text.segmenting.sentences import sentences

KANJI = "一二三四五六七八九十"
P = RareSentencesParameters(copies_as_one=False)


def sentence(n: int) -> str:
    """One of many sentences of 20 characters or more."""
    spelled = "".join(KANJI[int(d)] for d in f"{n:04d}")
    return f"この第{spelled}番目の文章は他のどこにも現れないものである。"


def detect(documents: Sequence[Document], p: RareSentencesParameters = P, memory: int = 1 << 20) -> Results:
    corpus = Collection(tuple(documents))
    with TemporaryDirectory() as name:
        folder = Path(name)
        build(read_batches(corpus, METHOD.indexed, NullProgress()), p, folder, NullProgress(), memory)
        assert not list(folder.glob("*.tmp"))
        index = load(folder)
        return METHOD.detect(index, list(corpus.documents(*METHOD.roles(p)[1])), p, NullProgress())


def page(key: int, numbers: Sequence[int], role: Role = Role.SUSPECT, **fields: object) -> Document:
    return Document(f"d{key}", "".join(map(sentence, numbers)), role, key, **fields)  # type: ignore[arg-type]


def by_definition(documents: Sequence[Document], p: RareSentencesParameters) -> dict[tuple[int, int], tuple]:  # type: ignore[type-arg]
    """Pairs to (shared sentences, R, Simpson), from sets of strings."""
    sets = {}
    for d in documents:
        sentences_of_document = {
            fold(d.text[slice(*s)], p.fold_options).text for s in sentences(d.text, blocks=d.blocks)
        }
        sets[d.key] = {s for s in sentences_of_document if len(s) >= p.min_length}
    holders = defaultdict(set)
    for key, sentences_of_document in sets.items():
        for s in sentences_of_document:
            holders[s].add(key)
    pairs = {}
    rank = {Role.SOURCE: 0, Role.SUSPECT: 1, Role.BACKGROUND: 2}
    ordered = sorted((d for d in documents if d.role is not Role.BACKGROUND), key=lambda d: (rank[d.role], d.key))
    for i, a in enumerate(ordered):
        for b in ordered[:i]:
            shared = {s for s in sets[a.key] & sets[b.key] if len(holders[s]) <= p.max_documents}
            if len(shared) >= p.min_sentences and shared:
                sizes = [sum(map(len, sets[d.key])) for d in (a, b)]
                common = sum(map(len, shared))
                pairs[a.key, b.key] = (shared, 2 * common / sum(sizes), common / min(sizes))
    return pairs


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.lists(st.integers(0, 12), max_size=8), st.sampled_from(list(Role))), max_size=9),
    st.integers(2, 4),
    st.integers(1, 2),
    st.integers(1, 30),
)
def test_pairs_are_those_of_the_definition(
    drawn: list[tuple[list[int], Role]], most: int, least: int, memory: int
) -> None:
    p = replace(P, max_documents=most, min_sentences=least)
    documents = [page(i, numbers, role) for i, (numbers, role) in enumerate(drawn, 1)]
    results = detect(documents, p, memory)
    expected = by_definition(documents, p)
    assert {(x.a, x.b) for x in results.pairs} == set(expected)
    texts = {d.key: d.text for d in documents}
    for pair in results.pairs:
        shared, overlap, simpson = expected[pair.a, pair.b]
        assert pair.resemblance == pair.score == pytest.approx(overlap)
        assert pair.containment == pytest.approx(simpson)
        assert pair.evidence["sentences"] == len(shared)
        passages = [m for m in results.matches if (m.a, m.b) == (pair.a, pair.b)]
        assert sum(m.evidence["sentences"] for m in passages) == len(shared)
        for m in passages:
            assert texts[m.a][slice(*m.a_span)] == texts[m.b][slice(*m.b_span)]
            assert m.evidence["frequency"] <= most
            inside = {fold(texts[m.a][slice(*s)]).text for s in sentences(texts[m.a]) if m.a_span.overlap(s)}
            assert inside <= shared


@pytest.mark.slow
def test_a_tiny_bound_of_memory_changes_nothing() -> None:
    rng = random.Random(7)
    documents = [page(i, rng.choices(range(300), k=30)) for i in range(1, 80)]
    whole, bounded = detect(documents), detect(documents, memory=50)
    assert whole.pairs == bounded.pairs
    assert list(whole.matches) == list(bounded.matches)
    assert whole.excluded == bounded.excluded


def test_a_sentence_of_too_many_documents_makes_no_pair_and_is_counted() -> None:
    documents = [page(i, [0, i]) for i in range(1, 12)]
    results = detect(documents)
    assert not results.pairs
    assert results.excluded[FREQUENT] == 11
    assert len(detect(documents[:10]).pairs) == 45


def test_background_makes_sentences_frequent_but_no_pairs() -> None:
    documents = [page(1, [0, 1]), page(2, [0, 2]), *(page(i, [0], Role.BACKGROUND) for i in range(3, 12))]
    assert not detect(documents).pairs
    assert len(detect(documents[:10]).pairs) == 1


def test_suspects_alone_are_compared_where_sources_are_asked_for() -> None:
    roles = [Role.SOURCE, Role.SOURCE, Role.SUSPECT, Role.SUSPECT]
    documents = [page(i, [0, i], role) for i, role in enumerate(roles, 1)]
    results = detect(documents, replace(P, compare="sources"))
    assert [(p.a, p.b) for p in results.pairs] == [(3, 1), (3, 2), (4, 1), (4, 2)]
    assert {p.evidence["sentences"] for p in results.pairs} == {1}


def test_equal_hashes_of_unequal_sentences_are_not_a_match(tmp_path: Path) -> None:
    documents = [page(1, [1]), page(2, [2])]
    build(
        read_batches(Collection((documents[0], replace(documents[0], key=3))), METHOD.indexed, NullProgress()),
        P,
        tmp_path,
        NullProgress(),
    )
    index = load(tmp_path)
    mine = read([documents[1]], P)
    forged = replace(mine, hashes=np.asarray(index.hashes).copy())
    assert index.slots(forged).tolist() == [-1]
    assert index.slots(read([documents[0]], P)).tolist() == [0]


def test_sentences_outside_content_count_only_when_asked_for() -> None:
    def two(key: int, own: int) -> Document:
        template, text = sentence(0), sentence(own)
        blocks = (
            Block(Span(0, len(template)), verdict=BlockClass.NON_CONTENT),
            Block(Span(len(template) + 1, len(template) + 1 + len(text))),
        )
        return Document(f"d{key}", f"{template}\n{text}", Role.SUSPECT, key, blocks=blocks)

    documents = [two(1, 1), two(2, 2)]
    left_out = detect(documents)
    assert not left_out.pairs
    assert left_out.excluded == {OUTSIDE: 2}
    (pair,) = detect(documents, replace(P, content=False)).pairs
    assert pair.resemblance == pytest.approx(0.5)
    explanation = METHOD.explain(documents[1], documents[0], P)
    assert any("outside content blocks" in r.detail for r in explanation.reasons)


def test_sentences_in_a_row_are_one_passage_until_the_documents_differ() -> None:
    a = Document("a", f"{sentence(1)}短い文。{sentence(2)}別の。{sentence(3)}{sentence(4)}", Role.SUSPECT, 2)
    b = Document("b", f"{sentence(1)}短い文。{sentence(2)}異なる。{sentence(3)}。{sentence(4)}", Role.SUSPECT, 1)
    matches = list(detect([b, a]).matches)
    assert [m.evidence["sentences"] for m in matches] == [2, 2]
    assert matches[0].evidence["tier"] == 0
    assert matches[1].evidence["tier"] == 1  # an additional full stop
    assert a.text[slice(*matches[0].a_span)] == b.text[slice(*matches[0].b_span)]


def test_widths_do_not_count() -> None:
    a = Document("a", "ＡＢＣは２００８年に発売された新しい製品である。", Role.SUSPECT, 2)
    b = Document("b", "ABCは2008年に発売された新しい製品である。", Role.SUSPECT, 1)
    (match,) = detect([b, a]).matches
    assert match.evidence["tier"] == 1


def test_what_is_left_out_is_counted() -> None:
    results = detect([page(1, [1]), Document("short", "短い文。次の文。", Role.SUSPECT, 2)])
    assert results.excluded == {SHORT: 2, NONE_LONG: 1}


SOURCE_URL, COPY_URL = "http://news.example.org/2008/story.html", "https://blog.elsewhere.net/p/77"


@pytest.mark.parametrize(
    ("numbers", "more", "relation", "direction"),
    [
        (range(10), {"url": "http://mirror.example.org/2008/story.htm"}, Relation.MIRROR, "cannot tell"),
        (range(10), {"url": COPY_URL, "published": "2008-05-02"}, Relation.IDENTICAL_COPY, "a from b"),
        (range(40), {"url": "http://news.example.org/2008/"}, Relation.ARCHIVE, "cannot tell"),
        (range(40), {"url": COPY_URL, "links": (SOURCE_URL + "#top",)}, Relation.LINK_COLLECTION, "a from b"),
        (range(40), {"url": COPY_URL}, Relation.INCLUSION, "cannot tell"),
        (range(8, 40), {"url": "http://news.example.org/x"}, Relation.SAME_SITE, "cannot tell"),
        (range(8, 40), {"url": COPY_URL, "links": (SOURCE_URL,)}, Relation.CITATION, "a from b"),
        (range(8, 40), {"url": COPY_URL}, Relation.SHARED_SENTENCES, "cannot tell"),
        (range(8, 40), {"published": "2007"}, Relation.SHARED_SENTENCES, "b from a"),
    ],
)
def test_relations_of_pages(numbers: range, more: dict[str, object], relation: Relation, direction: str) -> None:
    b = page(1, range(10), Role.SOURCE, url=SOURCE_URL, published="2008-05-01")
    a = replace(page(2, numbers), **more)  # type: ignore[arg-type]
    (pair,) = detect([b, a]).pairs
    assert pair.relation == relation
    assert pair.evidence["direction"] == direction
    assert ("url_similarity" in pair.evidence) == ("url" in more)
    assert METHOD.compare(a, b, P).pairs == (pair,)
    explanation = METHOD.explain(a, b, P)
    assert explanation.matched
    assert str(relation) in explanation.summary


def test_quotations_are_told_by_their_element_and_by_words() -> None:
    b = page(1, range(10), Role.SOURCE)
    quote = Document(
        "q",
        f"前文\n{sentence(1)}",
        Role.SUSPECT,
        2,
        blocks=(Block(Span(0, 2)), Block(Span(3, 3 + len(sentence(1))), path="/html[1]/body[1]/blockquote[1]")),
    )
    words = Document("w", f"{sentence(2)}（引用元：新聞）", Role.SUSPECT, 3)
    plain = Document("p", f"{sentence(3)}おわり。", Role.SUSPECT, 4)
    evidence = {p.a: p.evidence for p in detect([b, quote, words, plain]).pairs}
    assert [evidence[i]["quoted_a"] for i in (2, 3, 4)] == [1, 1, 0]
    assert {e["quoted_b"] for e in evidence.values()} == {0}


def test_an_explanation_names_what_stood_in_the_way(tmp_path: Path) -> None:
    documents = [page(i, [0, i]) for i in range(1, 12)]
    build(read_batches(Collection(tuple(documents)), METHOD.indexed, NullProgress()), P, tmp_path, NullProgress())
    explanation = METHOD.explain(documents[1], documents[0], P, load(tmp_path))
    assert not explanation.matched
    assert "too many documents" in explanation.summary
    assert any("the most frequent in 11" in r.detail for r in explanation.reasons)
    short = Document("s", sentence(1)[:15], Role.SUSPECT, 20), Document("t", sentence(1)[:15], Role.SUSPECT, 21)
    explanation = METHOD.explain(*short, P)
    assert not explanation.matched
    of_length = next(r for r in explanation.reasons if r.rule == "length")
    assert f"of fewer than {P.min_length} characters" in str(of_length.detail)
    few = METHOD.explain(documents[1], documents[0], replace(P, min_sentences=2))
    assert not few.matched
    assert "fewer than 2" in few.summary
