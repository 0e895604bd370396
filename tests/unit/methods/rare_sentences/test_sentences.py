"""Links one after the other, and pages without Japanese particles, as the thesis has them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection, detect
from workbench.base.progress import NullProgress
from workbench.base.types import Block, Document, Role, Span
from workbench.kernels.code_points import code_points
from workbench.kernels.rare_sentences import Strings, count_documents
from workbench.methods.rare_sentences.finding import FOREIGN
from workbench.methods.rare_sentences.method import METHOD
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.sentences import anchor_runs, compounds, particles, read
from workbench.reading.formats.html import page
from workbench.reading.web.urls import anchor_texts

JOINED = RareSentencesParameters(anchors="joined", min_length=1)


def linked(*texts: str, key: int = 1, after: str = "") -> Document:
    links = "".join(f"<a href=/{i}>{text}</a>" for i, text in enumerate(texts))
    document = page(f"<body><p>{links}{after}</p></body>", f"d{key}", url=f"https://a.example/{key}", rule="all")
    return Document(
        document.id, document.text, Role.SUSPECT, key, url=document.url, links=document.links, anchors=document.anchors
    )


def cut(document: Document, others: list[Document], p: RareSentencesParameters = JOINED) -> list[str]:
    joined = compounds(lambda: [[document, *others]], p, NullProgress())
    rows = read([document], p, joined)
    return [document.text[a:b] for a, b in zip(rows.start.tolist(), rows.end.tolist(), strict=True)]


@pytest.mark.slow
def test_links_are_one_sentence_where_their_compound_is_frequent_as_in_the_thesis() -> None:
    place, subjects = linked("京都市", "左京区"), linked("福地寿樹", "捕鯨問題", key=2)
    others = [linked(key=3, after="京都市左京区に住む。")]
    assert cut(place, [subjects, *others]) == ["京都市左京区"]
    assert cut(subjects, [place, *others]) == ["福地寿樹", "捕鯨問題"]
    assert cut(place, [subjects]) == ["京都市", "左京区"]
    assert cut(subjects, [], RareSentencesParameters(min_length=1)) == ["福地寿樹捕鯨問題"]


def test_only_links_with_nothing_between_are_a_run() -> None:
    document = page(
        "<p><a href=a>一</a> <a href=b>二</a>と<a href=c>三</a><a href=d>四</a><br><a href=e>五</a><p><a href=f>六</a>",
        "d",
        rule="all",
    )
    runs = [[document.text[at] for at in run[:-1]] for run in anchor_runs(document)]
    assert runs == [["一", "二"], ["三", "四"]]


@given(
    texts=st.lists(st.text("abc", max_size=30), max_size=5),
    wanted=st.sets(st.text("abc", min_size=1, max_size=7), max_size=8),
)
@settings(deadline=None)
def test_documents_that_contain_a_string_are_counted(texts: list[str], wanted: set[str]) -> None:
    ordered = sorted(wanted)
    codes = code_points("".join(ordered))
    edges = np.cumsum([0, *map(len, ordered)], dtype=np.int64)
    strings = Strings.of(codes, edges[:-1], edges[1:])
    counts = np.zeros(len(strings.hashes), np.int64)
    bounds = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    count_documents(code_points("".join(texts)), bounds, strings, counts)
    assert sorted(counts.tolist()) == sorted(sum(s in text for text in texts) for s in ordered)


def test_compounds_by_brute_force_decide_every_run() -> None:
    rng = random.Random(5)
    words = ["京都", "大阪", "市役所", "観光", "案内所"]
    documents = [
        linked(*rng.choices(words, k=rng.randrange(1, 4)), key=i, after=rng.choice(["", "京都観光の案内。"]))
        for i in range(1, 30)
    ]
    for document in documents:
        whole = {d.key: "".join(d.text.split()).replace("。", "") for d in documents}
        for run in anchor_runs(document):
            compound = document.text[run[0] : run[-1]]
            is_one = sum(compound in text for text in whole.values()) >= 2
            pieces = cut(document, [d for d in documents if d is not document])
            assert any(piece.startswith(compound) for piece in pieces) is is_one


def test_pages_without_particles_are_left_out_and_counted(tmp_path: Path) -> None:
    japanese = "これは日本語で書かれた文章であり、助詞が多く含まれている。"
    chinese = "这是一篇用中文写成的文章,其中没有任何日语助词出现在里面。"
    corpus = Collection.of(*((Role.SUSPECT, text) for text in (japanese, japanese, chinese, chinese)))
    assert particles(japanese) == 4 / len(japanese)
    results = detect(METHOD, tmp_path / "all", corpus)
    assert {(p.a, p.b) for p in results.pairs} == {(2, 1), (4, 3)}
    results = detect(METHOD, tmp_path / "ja", corpus, min_particles=0.005)
    assert {(p.a, p.b) for p in results.pairs} == {(2, 1)}
    assert results.excluded[FOREIGN] == 2
    a, b = corpus.all[2:]
    explanation = METHOD.explain(a, b, RareSentencesParameters(min_particles=0.005))
    assert not explanation.matched
    assert [r.passed for r in explanation.reasons if "particles" in r.rule] == [False, False]


def test_the_preset_of_the_paper_switches_both_on() -> None:
    p = RareSentencesParameters.parse(RareSentencesParameters.preset("paper"))
    assert (p.anchors, p.min_particles) == ("joined", 0.005)


def test_an_explanation_shows_the_texts_of_links_between_the_pages() -> None:
    shared = "この文章はどちらの頁にも載っていて、しかも他には現れない。"
    target = Document("b", shared, Role.SUSPECT, 1, url="https://b.example/x.html")
    source = page(
        f"<p>{shared}<p>出典：<a href=https://b.example/x.html>元の記事</a>", "a", url="https://a.example/", rule="all"
    )
    assert anchor_texts(source, target.url) == ["元の記事"]
    assert anchor_texts(source, "https://c.example/") == anchor_texts(source, "") == []
    details = [r.detail for r in METHOD.explain(source, target, RareSentencesParameters()).reasons if r.rule == "link"]
    assert details == ["a links to b as “元の記事”"]


def test_each_page_of_a_pair_is_measured_by_its_own_particles(tmp_path: Path) -> None:
    japanese, chinese = "これは日本語で書かれた文章であり、助詞が多い。", "这是一篇用中文写成的文章,其中没有助词。"
    suspect, source = Collection.of((Role.SUSPECT, japanese), (Role.SOURCE, chinese)).all
    explanation = METHOD.explain(suspect, source, RareSentencesParameters(min_particles=0.005))
    measured = [(r.rule, r.passed) for r in explanation.reasons if "particles" in r.rule]
    assert measured == [("particles of suspect", True), ("particles of source", False)]


@pytest.mark.parametrize("write", [str, str.capitalize, str.title, str.upper])
def test_words_that_mark_a_quotation_are_noticed_however_they_are_capitalised(write: Callable[[str], str]) -> None:
    words = (
        *(
            "引用元",
            "引用：",
            "より引用",
            "から引用",
            "【引用",
            "出典",
            "転載",
            "参照元",
            "引自",
            "引用自",
            "摘自",
            "转自",
            "轉自",
        ),
        *("转载自", "轉載自", "来源：", "來源 :", "出处", "出處", "quoted from", "quote from", "excerpt from"),
        *("excerpted from", "source:", "originally published", "reposted from"),
    )
    sentence = "誰も来ない駅で一日中待ち続けた。"
    plain = Document("a", sentence, Role.SUSPECT, 1)
    assert not read([plain], RareSentencesParameters()).quoted.any()
    for word in words:
        document = replace(plain, text=f"{sentence} {write(word)} x")
        assert read([document], RareSentencesParameters()).quoted.all(), word


@pytest.mark.parametrize(
    ("path", "is_quoted"),
    [
        ("/html[1]/body[1]/blockquote[1]/p[1]", True),
        ("page[3]/blockquote", True),
        ("quote/p[2]", True),
        ("p[2]", False),
        ("section[1]/quotes/p[1]", False),
    ],
)
def test_a_sentence_in_a_block_quotation_of_any_format_is_quoted(path: str, is_quoted: bool) -> None:
    text = "誰も来ない駅で一日中待ち続けた人がいると聞いている。"
    document = Document("a", text, blocks=(Block(Span(0, len(text)), path=path),))
    assert read([document], RareSentencesParameters()).quoted.tolist() == [is_quoted]
