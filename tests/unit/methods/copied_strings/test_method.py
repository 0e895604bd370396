import math
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection
from workbench.base.errors import Cancelled, UserError
from workbench.base.progress import NullProgress
from workbench.base.types import Results, Role
from workbench.methods.copied_strings.method import METHOD
from workbench.methods.copied_strings.parameters import CopiedStringsParameters


def detect(collection: Collection, **parameters: object) -> Results:
    chosen = CopiedStringsParameters(**parameters)
    with TemporaryDirectory() as folder:
        METHOD.prepare(collection, chosen, Path(folder), NullProgress())
        index = METHOD.load(Path(folder), chosen)
        return METHOD.detect(index, list(collection.documents(Role.SUSPECT)), chosen, NullProgress())


def best_score(b: str, others: list[str], min_length: int) -> float:
    """bl* straight from equations 1 and 6: every partition, by dynamic programming over all substrings."""
    best = [0.0] * (len(b) + 1)
    for end in range(1, len(b) + 1):
        best[end] = best[end - 1]
        for start in range(end - min_length + 1):
            df = 1 + sum(b[start:end] in other for other in others)
            if df >= 2:
                cpl = (end - start) * math.log((1 + len(others)) / df)
                best[end] = max(best[end], best[start] + cpl)
    return best[-1]


@st.composite
def cut_from_one_text(draw):
    """Documents cut from one text, so that long strings recur, over 2 to 4 letters; at most 40 characters each."""
    letters = "abcd"[: draw(st.integers(2, 4))]
    base = draw(st.text(letters, min_size=60, max_size=60))
    piece = st.tuples(st.integers(0, 55), st.integers(1, 14)).map(lambda p: base[p[0] : p[0] + p[1]])
    piece |= st.text(letters, min_size=1, max_size=6)
    texts = st.lists(piece, max_size=4).map(lambda pieces: "".join(pieces)[:40])
    return draw(st.lists(texts, min_size=1, max_size=9))


@st.composite
def periodic(draw):
    """Documents of short units said many times over, so that a start may serve many ends, with slips between."""
    units = st.text("ab", min_size=1, max_size=3)
    runs = st.tuples(units, st.integers(1, 40)).map(lambda run: (run[0] * run[1])[:60])
    texts = st.lists(runs | st.text("abc", max_size=4), min_size=1, max_size=3).map(lambda parts: "".join(parts)[:90])
    return draw(st.lists(texts, min_size=2, max_size=5))


@pytest.mark.slow
@settings(max_examples=60)
@given(periodic(), st.integers(1, 4))
def test_scores_of_periodic_texts_equal_the_definition(texts, min_length):
    results = detect(Collection.of(*((Role.SUSPECT, t) for t in texts)), min_length=min_length)
    for i, (score, text) in enumerate(zip(results.scores, texts, strict=True)):
        others = texts[:i] + texts[i + 1 :]
        assert score.score == pytest.approx(best_score(text, others, min_length))
        parts = [m for m in results.matches if m.a == score.document]
        assert sum(m.score for m in parts) == pytest.approx(score.score)


@pytest.mark.slow
@settings(max_examples=200)
@given(periodic() | cut_from_one_text(), st.lists(st.text("abx", max_size=12), max_size=2), st.sampled_from([0, 1, 3]))
def test_against_others_scores_equal_the_definition_and_do_not_depend_on_what_comes_with_a_document(
    texts, strange, min_length
):
    half = len(texts) // 2
    corpus_texts, examined = texts[:half], [*texts[half:], *strange]
    background = [(Role.BACKGROUND, t) for t in corpus_texts]
    together = Collection.of(*background, (Role.BACKGROUND, ""), *((Role.SUSPECT, t) for t in examined))
    results = detect(together, min_length=min_length, score="length")
    for document, score in zip(examined, results.scores, strict=True):
        shortest = int(score.evidence["min_length"])
        assert shortest == min_length or not min_length
        assert score.score == pytest.approx(best_score(document, [*corpus_texts, ""], shortest))
        alone = Collection.of(*background, (Role.BACKGROUND, ""), (Role.SUSPECT, document))
        (by_itself,) = detect(alone, min_length=min_length, score="length").scores
        assert (by_itself.score, by_itself.evidence) == (score.score, score.evidence)


def test_a_long_document_examined_against_others_can_be_cancelled(tmp_path):
    class Watch(NullProgress):
        left = 3

        def check(self):
            self.left -= 1
            if not self.left:
                raise Cancelled

    source, suspect = Collection.of((Role.SOURCE, "あい" * 10), (Role.SUSPECT, "あいう" * 200_000)).all
    METHOD.prepare(Collection((source,)), CopiedStringsParameters(), tmp_path, NullProgress())
    index = METHOD.load(tmp_path, CopiedStringsParameters())
    with pytest.raises(Cancelled):
        METHOD.detect(index, [suspect], CopiedStringsParameters(), Watch())


def test_the_roles_that_shape_the_index_are_those_that_documents_are_compared_with():
    suspect, source = (Role.SUSPECT, "甲"), (Role.SOURCE, "乙")
    chosen = [
        METHOD.index_roles(Collection.of(*texts), CopiedStringsParameters(corpus=corpus))
        for texts in ([suspect], [suspect, source])
        for corpus in ("auto", "background", "suspects+background")
    ]
    other, both = (Role.BACKGROUND,), (Role.SUSPECT, Role.BACKGROUND)
    assert chosen == [(Role.SUSPECT,), other, both, (Role.BACKGROUND, Role.SOURCE), other, both]


def test_a_long_run_of_one_character_is_cut_into_the_fewest_strings():
    texts = ["あ" * 200_000, "あ" * 1000, "い"]
    results = detect(Collection.of(*((Role.SUSPECT, t) for t in texts)), min_length=15)
    assert results.scores[0].score == pytest.approx(200_000 * math.log(3 / 2))
    assert [m.a_span.end - m.a_span.start for m in results.matches if m.a == results.scores[0].document] == [1000] * 200


@pytest.mark.slow
@settings(max_examples=300)
@given(cut_from_one_text(), st.integers(1, 6), st.lists(st.booleans(), min_size=9, max_size=9))
def test_scores_and_partitions_equal_the_definition(texts, min_length, suspect):
    roles = [Role.SUSPECT if s else Role.BACKGROUND for s in suspect]
    collection = Collection.of(*zip(roles, texts, strict=False))
    for corpus in ("suspects", "background", "suspects+background"):
        results = detect(collection, min_length=min_length, corpus=corpus, score="length")
        assert [s.document for s in results.scores] == [d.key for d in collection.documents(Role.SUSPECT)]
        for score in results.scores:
            own = next(d for d in collection.all if d.key == score.document)
            others = [
                d.text
                for d in collection.all
                if d.key != own.key and (corpus == "suspects+background" or corpus[:7] == d.role[:7])
            ]
            assert score.score == pytest.approx(best_score(own.text, others, min_length))
            parts = [m for m in results.matches if m.a == own.key]
            assert sum(m.score for m in parts) == pytest.approx(score.score)
            for m in parts:
                text = own.text[m.a_span.start : m.a_span.end]
                there = next(d for d in collection.all if d.key == m.b)
                assert m.b != own.key
                assert there.text[m.b_span.start : m.b_span.end] == text
                assert len(text) >= min_length
                assert m.evidence["df"] == 1 + sum(text in other for other in others)


def test_the_score_is_the_highest_where_some_of_many_alike_strings_end_before_others():
    texts = [
        "abbbbbbbbbbbbbbbabbaaabaabaababaaaaa",
        "abbbbbbbbbbbbbbbabbaaabaabaababaaaaaababbbbbbbbbbbbbbbabbaaabaabaababaaaaaa",
        "bbbbbbbbbbbbabbaaabaabaababaaaaaa",
    ]
    results = detect(Collection.of(*((Role.SUSPECT, text) for text in texts)), min_length=2, score="length")
    for at, score in enumerate(results.scores):
        assert score.score == pytest.approx(best_score(texts[at], texts[:at] + texts[at + 1 :], 2))


def test_a_string_cut_short_can_be_the_better_part():
    """The longest string of each document frequency alone does not reach the optimum."""
    texts = ["abcdef", "abc", "abcd", "def", "cdef", "ef"]
    collection = Collection.of(*((Role.SUSPECT, t) for t in texts))
    results = detect(collection, min_length=2)
    for score, text in zip(results.scores, texts, strict=True):
        others = [t for t in texts if t is not text]
        assert score.score == pytest.approx(best_score(text, others, 2))


def test_copy_rate_and_coverage_are_shares_of_the_text():
    copied = "この文は他の日記からそのまま写された長い文です"
    collection = Collection.of(
        (Role.SUSPECT, copied + "ここからは自分で書いた。"),
        (Role.BACKGROUND, "前置き。" + copied),
        (Role.BACKGROUND, "関係のない別の記事である。"),
    )
    score = detect(collection, min_length=15, score="length").scores[0]
    assert score.evidence["strings"] == 1
    assert score.evidence["longest"] == len(copied)
    assert score.evidence["covered"] == pytest.approx(len(copied) / len(collection.all[0].text))
    assert score.evidence["copy_rate"] == pytest.approx(score.score / len(collection.all[0].text))
    assert detect(collection, min_length=15, score="rate").scores[0].score == score.evidence["copy_rate"]


def test_without_a_background_the_suspects_are_the_corpus():
    text = "二つの日記に同じように現れる長い文字列です。"
    among = [(Role.SUSPECT, text), (Role.SUSPECT, text + "追記"), (Role.SUSPECT, "何も写していない別の日記。")]
    assert all(s.score > 0 for s in detect(Collection.of(*among)).scores[:2])
    with_background = Collection.of(*among, (Role.BACKGROUND, "背景の文書。"))
    assert all(s.score == 0 for s in detect(with_background).scores)


def test_what_every_document_holds_weighs_nothing():
    same = Collection.of(*((Role.SUSPECT, "全員が持っている同じ文字列がここにあります。") for _ in range(3)))
    results = detect(same)
    assert [s.score for s in results.scores] == [0, 0, 0]
    assert len(results.matches) == 0


@pytest.mark.parametrize(
    "text",
    ["a text that is held twice", "held twice", "not a text that is held twice" * 9, "a text that is twice held."],
)
def test_a_document_that_is_another_than_the_indexed_one_is_refused(tmp_path, text):
    suspects = Collection.of(*[(Role.SUSPECT, "a text that is held twice.")] * 2)
    METHOD.prepare(suspects, CopiedStringsParameters(), tmp_path, NullProgress())
    index = METHOD.load(tmp_path, CopiedStringsParameters())
    changed = [replace(document, text=text) for document in suspects.documents(Role.SUSPECT)]
    for document in changed:
        with pytest.raises(UserError, match="changed since"):
            METHOD.detect(index, [document], CopiedStringsParameters(), NullProgress())


def test_entries_shorter_than_the_length_and_empty_entries_score_zero():
    results = detect(Collection.of((Role.SUSPECT, ""), (Role.SUSPECT, "短い"), (Role.SUSPECT, "短い")))
    assert [s.score for s in results.scores] == [0, 0, 0]


def test_explain_names_the_longest_shared_string_when_it_is_too_short():
    a, b = Collection.of((Role.SUSPECT, "ここに共通の一文"), (Role.SOURCE, "別だが共通の一文")).all
    explanation = METHOD.explain(a, b, CopiedStringsParameters(min_length=15))
    assert not explanation.matched
    assert explanation.reasons[0].detail == "longest shared string 5 characters, 15 needed"
    assert a.text[slice(*explanation.reasons[0].a_span)] == "共通の一文"
    assert b.text[slice(*explanation.reasons[0].b_span)] == "共通の一文"


@pytest.mark.parametrize(("one", "other"), [("", "文"), ("文", ""), ("文", "字")])
def test_explain_finds_nothing_in_texts_without_a_common_character(one: str, other: str):
    a, b = Collection.of((Role.SUSPECT, one), (Role.SOURCE, other)).all
    explanation = METHOD.explain(a, b, CopiedStringsParameters(min_length=15))
    assert explanation.reasons[0].detail == "longest shared string 0 characters, 15 needed"


def test_explain_says_what_occurs_in_a_document_and_what_of_it_is_counted_with_another(tmp_path):
    letters = iter(map(chr, range(0x4E00, 0x9000)))
    both, one, other, *own = ("".join(next(letters) for _ in range(n)) for n in (60, 20, 20, 30, 30, 30, 30))
    sources = (own[0] + both + one, own[1] + both + other, own[2])
    corpus = Collection.of(
        *((Role.SOURCE, text) for text in sources), (Role.SUSPECT, both + own[3][:15] + one + own[3][15:] + other)
    )
    METHOD.prepare(corpus, CopiedStringsParameters(), tmp_path, NullProgress())
    index = METHOD.load(tmp_path, CopiedStringsParameters())
    suspect = corpus.all[-1]
    lengths = []
    for source in corpus.all[:2]:
        explanation = METHOD.explain(suspect, source, CopiedStringsParameters(), index)
        assert explanation.summary == f"80 characters (62 %) of d4 occur in {source.id}."
        lengths.append([(r.a_span.end - r.a_span.start, r.passed) for r in explanation.reasons])
        for r in explanation.reasons:
            assert suspect.text[slice(*r.a_span)] == source.text[slice(*r.b_span)]
    assert sorted(lengths) == [[(20, True), (60, False)], [(60, True), (20, True)]]


def test_explain_shows_the_longest_of_many_strings_that_are_counted_with_another(tmp_path):
    letters = iter(map(chr, range(0x4E00, 0x9000)))
    strings = ["".join(next(letters) for _ in range(20 + n)) for n in range(30)]
    marks = [[next(letters) for _ in strings] for _ in range(4)]
    texts = ["".join(map("".join, zip(strings, own, strict=True))) for own in marks]
    corpus = Collection.of(*((Role.SOURCE, text) for text in (*texts[:3], marks[0][0])), (Role.SUSPECT, texts[3]))
    METHOD.prepare(corpus, CopiedStringsParameters(), tmp_path, NullProgress())
    index = METHOD.load(tmp_path, CopiedStringsParameters())
    suspect = corpus.all[-1]
    for source in corpus.all[:3]:
        reasons = METHOD.explain(suspect, source, CopiedStringsParameters(), index).reasons
        elsewhere = [r.a_span for r in reasons if r.a_span is not None and not r.passed]
        assert len(elsewhere) == min(20, 30 - sum(r.passed for r in reasons))
        assert elsewhere == sorted(elsewhere)
        if len(elsewhere) == 20:
            assert min(span.end - span.start for span in elsewhere) > 20


def test_explain_compares_two_sources_by_themselves(tmp_path):
    text = "二つの出典に同じように現れる長い文字列です。"
    corpus = Collection.of((Role.SOURCE, "甲" + text), (Role.SOURCE, text + "乙"), (Role.SUSPECT, "別の日記。"))
    METHOD.prepare(corpus, CopiedStringsParameters(), tmp_path, NullProgress())
    index = METHOD.load(tmp_path, CopiedStringsParameters())
    one, other, _ = corpus.all
    explanation = METHOD.explain(one, other, CopiedStringsParameters(), index)
    assert explanation == METHOD.explain(one, other, CopiedStringsParameters())
    assert explanation.summary == f"{len(text)} characters (96 %) of d1 occur in d2."


def test_among_themselves_documents_are_scored_as_in_the_paper():
    text = "二つの日記に同じように現れる長い文字列です。"
    among = Collection.of((Role.SUSPECT, text), (Role.SUSPECT, text + "追記"), (Role.SUSPECT, "別の日記。"))
    scores = detect(among).scores
    assert len(scores) == 3
    for score in scores:
        assert score.evidence["min_length"] == 15
        assert score.score == score.evidence["copied_length"]


def test_against_references_what_is_longer_than_chance_counts_and_the_score_is_the_rate():
    letters = np.random.default_rng(1).choice([*"abcdefghijklmnop"], 60_400)
    background, fresh = "".join(letters[:60_000]), "".join(letters[60_000:])
    copied = "".join(background[i : i + 12] for i in range(0, 2_448, 72))
    texts = [(Role.BACKGROUND, background), (Role.BACKGROUND, "-"), (Role.SUSPECT, fresh), (Role.SUSPECT, copied)]
    results = detect(Collection.of(*texts))
    # 16 letters of equal chance: log16(60,000 * 404) = 6.1
    assert [s.evidence["min_length"] for s in results.scores] == [7, 7]
    fresh_share, copied_share = (s.evidence["covered"] for s in results.scores)
    assert fresh_share < 0.05
    assert copied_share > 0.99
    assert [s.score for s in results.scores] == [s.evidence["copy_rate"] for s in results.scores]
