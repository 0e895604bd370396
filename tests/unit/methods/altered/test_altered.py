"""The method ``altered`` on small texts: what it finds, what it calls it, and what it leaves out."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from tests.unit.methods.corpora import Collection, detect
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Match, Results, Role, Span
from workbench.methods.altered import alignment
from workbench.methods.altered import index as index_module
from workbench.methods.altered.alignment import Aligner
from workbench.methods.altered.kinds import Classified
from workbench.methods.altered.matching import Row, _without_echoes
from workbench.methods.altered.passage import WordPassage, goes_on, whole_sentences
from workbench.methods.core import registry
from workbench.methods.core.figures import CopyKind

METHOD = registry.get("altered")
NOUNS = [
    "harbour",
    "lantern",
    "orchard",
    "glacier",
    "senator",
    "violin",
    "copper",
    "meadow",
    "furnace",
    "librarian",
    "engine",
    "turbine",
    "canal",
]
VERBS = [
    "repairs",
    "carries",
    "observes",
    "paints",
    "measures",
    "forgets",
    "welcomes",
    "describes",
    "borrows",
    "divides",
    "follows",
    "imagines",
]


def prose(seed: int, sentences: int = 12) -> list[str]:
    """Sentences of words that other seeds seldom share."""
    rng = random.Random(seed)
    names = ["".join(rng.choices("bcdfglmnprstv", k=1) + rng.choices("aeiou", k=1)) for _ in range(60)]
    words = [a + b + c for a, b, c in zip(names, names[1:], names[2:], strict=False)]
    return [
        f"The {rng.choice(words)} {rng.choice(NOUNS)} {rng.choice(VERBS)} a {rng.choice(words)} of {rng.choice(words)} "
        f"and the {rng.choice(words)} {rng.choice(VERBS)} every {rng.choice(words)}. "
        for _ in range(sentences)
    ]


HOST = "".join(prose(1))
COPIED = prose(2)
OTHERS = [(Role.SOURCE, "".join(prose(seed))) for seed in range(10, 16)]


def detected(folder: Path, passage: str, *others: tuple[Role, str]) -> tuple[Results, Span]:
    """What is found of ``passage`` in the middle of a text of its own, with COPIED as a source."""
    middle = len(HOST) // 2
    at = HOST.index(". ", middle) + 2
    suspect = HOST[:at] + passage + HOST[at:]
    corpus = Collection.of((Role.SOURCE, "".join(COPIED)), *OTHERS, *others, (Role.SUSPECT, suspect))
    return detect(METHOD, folder, corpus), Span(at, at + len(passage))


def only(results: Results) -> Match:
    (match,) = results.matches
    return match


def test_a_verbatim_passage_is_found_to_the_letter(tmp_path: Path) -> None:
    results, span = detected(tmp_path, "".join(COPIED[3:7]))
    match = only(results)
    assert (match.b, match.a_span) == (1, Span(span.start, span.end - 1))
    assert "".join(COPIED)[match.b_span.start : match.b_span.end] == "".join(COPIED[3:7]).strip()
    assert match.evidence["kind"] == CopyKind.VERBATIM
    assert match.evidence["tier"] == 0


def test_one_word_in_five_replaced_is_found_and_called_changed(tmp_path: Path) -> None:
    rng = random.Random(3)
    words = "".join(COPIED[2:9]).split(" ")
    changed = " ".join(rng.choice(NOUNS) if i % 5 == 0 else w for i, w in enumerate(words))
    results, span = detected(tmp_path, changed)
    match = only(results)
    assert match.a_span.overlap(span) > 0.9 * (span.end - span.start)
    assert match.evidence["kind"] in (CopyKind.LIGHTLY_CHANGED, CopyKind.REWORDED)
    assert match.evidence["tier"] == 2


def test_a_changed_passage_is_found_where_its_source_has_it_twice(tmp_path: Path) -> None:
    rng = random.Random(3)
    words = "".join(COPIED[2:9]).split(" ")
    changed = " ".join(rng.choice(NOUNS) if i % 5 == 0 else w for i, w in enumerate(words))
    teaser = "".join([*COPIED[:9], *prose(3, 30), *COPIED])
    suspect = HOST + changed + "".join(prose(4))
    corpus = Collection.of((Role.SOURCE, teaser), *OTHERS, (Role.SUSPECT, suspect))
    span = Span(len(HOST), len(HOST) + len(changed))
    reported = [match.a_span.overlap(span) for match in detect(METHOD, tmp_path, corpus).matches]
    assert max(reported, default=0) > 0.9 * len(changed)


def test_sentences_in_another_order_are_one_passage_called_shuffled(tmp_path: Path) -> None:
    results, span = detected(tmp_path, "".join(COPIED[i] for i in (7, 3, 6, 4, 8, 2, 5)))
    match = only(results)
    assert match.a_span.overlap(span) > 0.9 * (span.end - span.start)
    assert match.evidence["kind"] == CopyKind.SHUFFLED


@pytest.mark.parametrize(("own", "passages"), [(1, 1), (2, 1), (6, 2)])
def test_moved_sentences_are_one_passage_unless_much_of_the_writers_own_lies_between_them(
    tmp_path: Path, own: int, passages: int
) -> None:
    between = "Nobody here ever asked why. " * own
    results, _ = detected(tmp_path, COPIED[5] + COPIED[7] + between + COPIED[4] + COPIED[6])
    assert len(results.matches) == passages


def test_a_changed_word_does_not_part_a_paragraph_that_was_moved(tmp_path: Path) -> None:
    words = "".join(COPIED[:5]).split(" ")
    words[len(words) // 2] = "lighthouse"
    moved = "".join(COPIED[5:10])
    results, span = detected(tmp_path, moved + " ".join(words))
    paragraphs = [Span(span.start, span.start + len(moved)), Span(span.start + len(moved), span.end)]
    assert len(results.matches) == 2
    for match, whole in zip(results.matches, paragraphs, strict=True):
        assert match.a_span.overlap(whole) > 0.95 * (whole.end - whole.start)


PARAGRAPHS = {
    "ja": (
        "港の朝は静かで、漁師たちは石垣のそばで網を繕っていた。"
        "一週間のあいだ、誰もその船を見た者はなかった。"
        "それでも老人は嵐の前に必ず戻ると信じて疑わなかった。"
        "彼は白墨で小屋の扉に日数を書きつけていた。"
        "夕方になると、丘の上の教会から鐘の音が聞こえてきた。"
        "子供たちは貝殻を拾い集め、砂の上に町を作って遊んだ。"
    ),
    "zh": (
        "清晨的港口十分安静，渔夫们在石墙旁边修补渔网。"
        "整整一个星期，没有人见过那条船的影子。"
        "可是老人坚信，它一定会赶在风暴之前回来。"
        "他每天用粉笔在小屋的门板上记下日子。"
        "到了傍晚，山坡上的教堂传来了悠长的钟声。"
        "孩子们捡来贝壳，在沙滩上堆起了一座小城。"
    ),
    "en": (
        "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall. "
        "Nobody had seen the ship for a week. "
        "The old man was certain that it would return before the storm. "
        "He counted the days on the door of his hut with a piece of chalk. "
        "Towards evening the bells of the chapel rang from the hill. "
        "Children gathered shells and built a little town of them in the sand. "
    ),
}


@pytest.mark.parametrize("method", ["altered", "copies"])
@pytest.mark.parametrize("language", PARAGRAPHS)
def test_verbatim_passages_in_another_order_are_two_and_moved_sentences_are_one(
    tmp_path: Path, language: str, method: str
) -> None:
    sentences = re.findall(r".+?(?:。|\. )", PARAGRAPHS[language])
    first, second = "".join(sentences[1:3]), "".join(sentences[3:5])

    def passages(copied: str) -> list[Match]:
        corpus = Collection.of((Role.SOURCE, PARAGRAPHS[language]), *OTHERS, (Role.SUSPECT, HOST + copied + HOST))
        return list(detect(registry.get(method), tmp_path / copied[:8], corpus).matches)

    swapped = passages(second + first)
    text = HOST + second + first
    assert [text[slice(*m.a_span)].strip() for m in swapped] == [second.strip(), first.strip()]
    assert {m.evidence["kind"] for m in swapped} == {CopyKind.VERBATIM}
    assert len(passages(sentences[2] + sentences[1])) == 1


def test_numerals_widths_and_spellings_are_the_same_words(tmp_path: Path) -> None:
    source = "二十八日、藝術學會は百四十五億円の國債を發行し、一九九八年三月に会員千二百人を集めた。"
    suspect = "２８日、芸術学会は145億円の国債を発行し、1998年3月に会員１,２００人を集めた。"
    corpus = Collection.of((Role.SOURCE, source), (Role.SUSPECT, suspect))
    match = only(detect(METHOD, tmp_path, corpus))
    assert match.a_span == (0, len(suspect))
    assert match.b_span == (0, len(source))
    assert match.evidence["tier"] == 1
    assert match.evidence["shared_words"] == 1


def test_of_two_sources_the_one_that_explains_a_passage_much_better_is_reported(tmp_path: Path) -> None:
    rng = random.Random(4)
    echo = " ".join(rng.choice(NOUNS) if i % 3 == 0 else w for i, w in enumerate("".join(COPIED[2:8]).split(" ")))
    results, _ = detected(tmp_path, "".join(COPIED[2:8]), (Role.SOURCE, echo))
    assert only(results).b == 1
    assert results.excluded["passages that another source explains much better"] == 1


def test_equal_sources_are_both_reported(tmp_path: Path) -> None:
    results, _ = detected(tmp_path, "".join(COPIED[2:8]), (Role.SOURCE, "".join(COPIED)))
    assert {m.b for m in results.matches} == {1, 8}


def test_formulas_that_every_source_has_are_not_copies(tmp_path: Path) -> None:
    formula = "In witness whereof the undersigned plenipotentiaries have affixed their seals to the present protocol. "
    sources = [(Role.SOURCE, "".join(prose(seed)) + formula) for seed in range(20, 60)]
    suspect = HOST + formula + "".join(prose(3))
    results = detect(METHOD, tmp_path, Collection.of(*sources, (Role.SUSPECT, suspect)))
    assert not len(results.matches)


@pytest.mark.parametrize(("shared", "matches"), [(0.45, 1), (0.449, 0)])
def test_a_passage_of_which_too_few_words_correspond_is_refused_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: float, matches: int
) -> None:
    def as_wanted(p: WordPassage, rows: object) -> Classified:
        return Classified(CopyKind.REWORDED, shared)

    monkeypatch.setattr(alignment, "classified", as_wanted)
    results, _ = detected(tmp_path, "".join(COPIED[2:8]))
    assert len(results.matches) == matches
    source = Document("source", "".join(COPIED), Role.SOURCE, key=1)
    suspect = Document("suspect", HOST + "".join(COPIED[2:8]), Role.SUSPECT, key=2)
    reply = METHOD.explain(suspect, source, METHOD.parameters())
    assert reply.matched == bool(matches)
    assert ("correspond to words of the source, 45 % needed" in str(reply.summary)) == (not matches)


@pytest.mark.parametrize("min_odds", [25, 1000])
def test_an_explanation_of_a_passage_without_rare_words_says_how_it_was_found(min_odds: float) -> None:
    source = Document("source", "".join(COPIED), Role.SOURCE, key=1)
    suspect = Document("suspect", HOST + "".join(COPIED[2:8]), Role.SUSPECT, key=2)
    reply = METHOD.explain(suspect, source, METHOD.parameters.parse({"min_odds": min_odds}))
    assert reply.matched == (min_odds == 25)
    _, seeds, passage = reply.reasons
    assert seeds.passed
    assert str(seeds.detail).startswith("rare words cluster at 0 places")
    assert str(seeds.detail).endswith("; the whole source was searched instead")
    needed = "1000 needed on both" if min_odds == 1000 else "25 needed;"
    assert f"log-odds 338 in the suspect and 307 in the source, {needed}" in str(passage.detail)


def test_an_explanation_with_an_index_is_about_the_source_that_was_chosen(tmp_path: Path) -> None:
    suspect = HOST + "".join(COPIED)
    corpus = Collection.of(*OTHERS, (Role.SOURCE, "".join(COPIED)), (Role.SUSPECT, suspect))
    parameters = METHOD.parameters()
    METHOD.prepare(corpus, parameters, tmp_path, NullProgress())
    index = METHOD.load(tmp_path, parameters)
    *others, source, document = corpus.all
    for of, matches in ((source, True), (others[0], False)):
        reply = METHOD.explain(document, of, parameters, index)
        assert reply.matched is matches
        assert "7 of 7 sources are likely enough to be aligned, including this one" in map(
            str, (reason.detail for reason in reply.reasons)
        )


@pytest.mark.parametrize("others", [1, 3, 40])
def test_of_few_documents_a_copy_is_found_though_it_makes_its_own_words_common(tmp_path: Path, others: int) -> None:
    spam = "".join(
        f"Buy the cheapest watches of brand number {n} at our shop in the old town today. " for n in range(12)
    )
    different = [(Role.SUSPECT, "".join(prose(seed))) for seed in range(100, 99 + others)]
    corpus = Collection.of((Role.SUSPECT, spam), (Role.SUSPECT, spam), *different)
    match = only(detect(METHOD, tmp_path, corpus, compare="all"))
    assert {match.a, match.b} == {1, 2}


def test_a_cap_on_sources_is_counted(tmp_path: Path) -> None:
    copies = [(Role.SOURCE, "".join(COPIED)) for _ in range(5)]
    corpus = Collection.of(*copies, *OTHERS, (Role.SUSPECT, HOST + "".join(COPIED)))
    results = detect(METHOD, tmp_path, corpus, max_sources=2)
    assert len({m.b for m in results.matches}) == 2
    assert results.excluded["sources that were not aligned because others were likelier"] == 3


def test_words_that_would_take_too_long_to_look_up_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_MOST_POSTINGS", 40)
    results, _ = detected(tmp_path, "".join(COPIED[2:8]))
    assert results.excluded["words of suspects too common for choosing sources"] > 0


def test_places_beyond_the_number_that_is_tried_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = "".join("".join(prose(seed)) for seed in range(20, 26))
    corpus = Collection.of((Role.SOURCE, "".join(COPIED)), *OTHERS, (Role.SUSPECT, host + "".join(COPIED) + host))
    untried = "clusters of rare shared words beyond the limit"
    assert untried not in detect(METHOD, tmp_path, corpus).excluded
    monkeypatch.setattr(alignment, "SEEDS", 0)
    assert detect(METHOD, tmp_path / "none", corpus).excluded[untried] > 0


def test_words_that_both_texts_repeat_too_often_are_counted(tmp_path: Path) -> None:
    """The words of 30 copies of a passage would mark 900 points each."""
    others = "".join("".join(prose(seed)) for seed in range(100, 160))
    corpus = Collection.of(
        (Role.SOURCE, others), (Role.SOURCE, "".join(COPIED) * 30), (Role.SUSPECT, "".join(COPIED) * 30)
    )
    results = detect(METHOD, tmp_path, corpus)
    assert results.excluded["words too frequent in both texts to begin a passage"] > 0


def test_words_that_were_paired_among_their_nearest_places_only_are_counted(tmp_path: Path) -> None:
    """A sentence has "the" twice, and "a", "of", "and" and "every" once."""
    nearest = "words of passages that were paired only with their nearest occurrences in the source"
    counted = {}
    for number in (12, 40):
        text = "".join(prose(3, number))
        corpus = Collection.of((Role.SOURCE, text), *OTHERS, (Role.SUSPECT, HOST + text))
        counted[number] = detect(METHOD, tmp_path / str(number), corpus).excluded.get(nearest)
    assert counted == {12: None, 40: 6 * 40}


def test_all_documents_can_be_compared_with_each_other(tmp_path: Path) -> None:
    text = "".join(COPIED)
    corpus = Collection.of((Role.SUSPECT, text), (Role.SOURCE, text), (Role.SUSPECT, text), *OTHERS)
    results = detect(METHOD, tmp_path, corpus, compare="all")
    assert sorted((m.a, m.b) for m in results.matches) == [(1, 2), (3, 1), (3, 2)]


def test_background_documents_make_phrases_common(tmp_path: Path) -> None:
    text = "".join(COPIED[:1])
    alone = detect(METHOD, tmp_path / "a", Collection.of((Role.SOURCE, text * 2), (Role.SUSPECT, HOST + text)))
    background = [(Role.BACKGROUND, "".join(prose(seed)) + text) for seed in range(20, 60)]
    corpus = Collection.of((Role.SOURCE, text * 2), (Role.SUSPECT, HOST + text), *background)
    assert len(alone.matches) >= len(detect(METHOD, tmp_path / "b", corpus).matches)


@pytest.mark.parametrize(("explained", "kept"), [(5, 2), (6, 1), (3, 2)])
def test_a_passage_goes_where_another_source_explains_more_than_half_of_it_much_better(
    explained: int, kept: int
) -> None:
    def row(source: int, start: int, end: int, odds: float) -> Row:
        return Row(1, source, Span(0, 9), Span(0, 9), WordPassage(start, end, 0, 9, odds, odds), cast(Any, None), 2)

    # Ten words at 1 each, of which a better source has some at 2 each.
    rows = [row(2, 0, 10, 10.0), row(3, 10 - explained, 10, 2.0 * explained)]
    assert len(_without_echoes(rows)) == kept


@pytest.mark.parametrize(
    ("ours", "theirs", "joined"),
    [(15, 30, True), (0, 0, True), (16, 0, False), (0, 31, False), (-1, 5, False), (5, -1, False), (5, -200, False)],
)
def test_passages_that_continue_in_the_same_order_a_sentence_apart_are_one(
    ours: int, theirs: int, joined: bool
) -> None:
    first = WordPassage(100, 150, 300, 360, 40.0, 40.0)
    second = WordPassage(150 + ours, 200 + ours, 360 + theirs, 400 + theirs, 40.0, 40.0)
    assert goes_on(first, second) is joined
    assert not goes_on(replace(first, summary=True), second)
    assert not goes_on(first, replace(second, summary=True))


def test_of_words_between_two_passages_only_whole_sentences_are_left_out() -> None:
    breaks = np.zeros(40, np.float32)
    assert whole_sentences(breaks, 10, 20) == ()
    breaks[12] = 1
    assert whole_sentences(breaks, 10, 20) == ()
    breaks[[17, 25]] = 1
    assert whole_sentences(breaks, 10, 20) == ((12, 17),)
    breaks[[10, 20]] = 1
    assert whole_sentences(breaks, 10, 20) == ((10, 20),)


class Writing:
    """Sentences of the words of one language, some of them the writer's own."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        sizes = (rng.randrange(1, 3) for _ in range(400))
        self._common = ["".join(chr(rng.randrange(0x4E00, 0x4F00)) for _ in range(size)) for size in sizes]

    def text(self, size: int, own_words: float) -> str:
        """At least ``size`` characters, with this share of own words."""
        rng, text = self.rng, ""
        while len(text) < size:
            sentence = ""
            for _ in range(rng.randrange(8, 20)):
                own = self.letter() + self.letter()
                usual = self._common[min(int(rng.expovariate(1 / 60)), 399)]
                sentence += (own if rng.random() < own_words else usual) + rng.choice("のをにはがでと")
            text += sentence + "。"
        return text

    def letter(self) -> str:
        """A letter of own words."""
        return chr(self.rng.randrange(0x5100, 0x6100))


@pytest.mark.parametrize("seed", range(3))
def test_a_verbatim_copy_among_the_writers_own_words_is_not_a_summary(seed: int) -> None:
    writing = Writing(seed)
    source = writing.text(12_000, 0)
    sentences = source.split("。")
    copied = "。".join(sentences[len(sentences) // 2 :][:5]) + "。"
    suspect = writing.text(220, 0.45) + copied + writing.text(220, 0.45)
    matches = METHOD.compare(Document("a", suspect, Role.SUSPECT), Document("b", source), METHOD.parameters()).matches
    assert [(suspect[slice(*m.a_span)], m.evidence["kind"]) for m in matches] == [(copied, CopyKind.VERBATIM)]


def test_copies_from_a_long_source_are_not_a_summary_of_all_of_it_with_the_text_between_them() -> None:
    writing = Writing(1)
    source = writing.text(100_000, 0.2)
    sentences = source.split("。")
    suspect, copied = "", []
    for part in range(1, 5):
        changed = list("。".join(sentences[len(sentences) * part // 5 :][:3]) + "。")
        changed[7::9] = (writing.letter() for _ in changed[7::9])
        suspect += writing.text(300, 0.3)
        copied.append(Span(len(suspect), len(suspect) + len(changed)))
        suspect += "".join(changed)
    matches = METHOD.compare(Document("a", suspect, Role.SUSPECT), Document("b", source), METHOD.parameters()).matches
    assert [m.evidence["kind"] for m in matches] == [CopyKind.LIGHTLY_CHANGED] * 4
    for match, span in zip(matches, copied, strict=True):
        assert abs(match.a_span.start - span.start) < 40
        assert abs(match.a_span.end - span.end) < 40
        assert abs(match.b_span.end - match.b_span.start - (span.end - span.start)) < 40


@pytest.mark.parametrize(("ours", "theirs", "limits"), [(9, 2, [(0, 40), (40, 60)]), (2, 9, [(0, 30), (30, 60)])])
def test_words_that_two_passages_claim_belong_to_the_one_with_more_of_them_in_its_source(
    ours: int, theirs: int, limits: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = WordPassage(0, 40, 100, 140, 80.0, 80.0, 80.0), WordPassage(30, 60, 300, 330, 60.0, 60.0, 60.0)
    monkeypatch.setattr(Aligner, "_shared", lambda _, p, _bounds: np.array([ours if p == before else theirs]))
    aligner = object.__new__(Aligner)
    aligner.a = cast("Any", SimpleNamespace(breaks=np.zeros(61, np.float32)))
    passages = aligner._disjoint([before, after])
    assert [(p.a_start, p.a_end) for p in passages] == limits
    assert [p.odds for p in passages] == [2.0 * (end - start) for start, end in limits]


@pytest.mark.parametrize(("taken", "matches"), [(5, 1), (3, 0)])
def test_a_summary_on_weak_evidence_is_refused_for_that(taken: int, matches: int) -> None:
    rng = random.Random(1)

    def vocabulary() -> list[str]:
        syllables = [a + b for a in "bcdfglmnprstv" for b in "aeiou"]
        return ["".join(rng.choices(syllables, k=rng.randrange(2, 5))) for _ in range(500)]

    theirs, ours = ([rng.choices(words, k=14) for _ in range(80)] for words in (vocabulary(), vocabulary()))
    some = [sentence[at : at + taken] for sentence in theirs[::5] if (at := rng.randrange(9)) >= 0]
    summary = [list(chain.from_iterable(some[at : at + 4])) for at in range(0, len(some), 4)]
    suspect, source = (
        Document(name, ". ".join(" ".join(sentence) for sentence in sentences) + ".", role, key=key)
        for name, sentences, role, key in (
            ("a", ours[:20] + summary + ours[20:40], Role.SUSPECT, 2),
            ("b", theirs, Role.SOURCE, 1),
        )
    )
    passages = METHOD.compare(suspect, source, METHOD.parameters()).matches
    assert [m.evidence["kind"] for m in passages] == matches * [CopyKind.SUMMARY]
    reply = METHOD.explain(suspect, source, METHOD.parameters())
    assert reply.matched == bool(matches)
    assert ("might be summarised" in str(reply.summary)) == (not matches)


SHOPS = (
    "本町商店街の空き店舗は三十七軒を数え、通りに面した店の四割がシャッターを下ろしていた。組合は家賃の補助ではなく、"
    "まず二階に人を住まわせることから再生を始めた。",
    "二階に住む若い世帯には、一階の店番を週に六時間引き受けることを条件に家賃を半額にした。店番といっても商品はなく、"
    "通りがかりの人に道を教え、雨の日に傘を貸すだけの仕事である。",
    "貸した傘は九割が返ってきた。返しに来た人の多くが隣の店で買い物をしたため、五年目には傘の貸し出しを自前の費用で"
    "続けたいという店が十二軒に増えた。",
    "朝市は出店料を無料にした年に出店者が倍になったが、客の数は変わらず、一軒あたりの売り上げが半分に落ちた。",
)


def test_a_sentence_from_elsewhere_in_the_source_is_not_part_of_the_changed_passage_before_it() -> None:
    own = "聞き取りでは、住民の多くが最初の一年を静かすぎたと振り返った。"
    moved = (
        "通りがかりの人に道を教え、雨の日には傘を貸すだけで商品はないのだが、そうした一階の店番を週六時間引き受ける"
        "という条件で、二階に住む若い世帯の家賃は半額とされた。"
    )
    end = "以上から、速さを落とすことが再生の条件であるという仮説を立てることができる。ただし一般化は難しい。"
    suspect = "\n".join((SHOPS[0], own, moved, SHOPS[3], end))
    source = "\n".join(SHOPS)
    result = METHOD.compare(
        Document("a", suspect, Role.SUSPECT, key=2), Document("b", source, key=1), METHOD.parameters()
    )
    sides = [(suspect[slice(*m.a_span)].strip(), source[slice(*m.b_span)].strip()) for m in result.matches]
    assert (SHOPS[3], SHOPS[3]) in sides
    assert not any(end[:5] in ours for ours, _ in sides)
    assert own in [suspect[slice(*gap)].strip() for m in result.matches for gap in m.a_gaps]


FOUNDRY = (
    "Casting took place at night because the colour of the metal tells its heat, and colour is judged badly "
    "in daylight. Neighbours were asked to put out their lamps, and at Verlen a bylaw of 1703 fined every "
    "lit window on the founder's street.",
    "Holm asked eleven old founders what they feared most. Not the crack that you hear but the damp that you "
    "do not see, one of them answered, for a wet core will throw the metal to the roof and the men after it, "
    "and no saint has ever been quick enough. None of the others disagreed.",
    "The loam for the core was mixed with horse dung and chopped flax so that the steam could find a way out.",
    "Recipes were family property, and a widow who remarried outside the trade was made to burn hers before "
    "two witnesses.",
    "Dig the pit one third deeper than the bell is high. Line the pit with dry brick and never with field "
    "stone, which holds water. Ram the earth in layers of a hand's breadth and walk on each for the length "
    "of a rosary. Leave three vents at the crown and plug them with straw until the metal shows.",
)


def test_a_reworded_paragraph_is_found_beside_a_longer_passage_from_elsewhere_in_the_source() -> None:
    reworded = (
        "Casts were made at night, since the heat of the metal is told by its colour, and in daylight colour is "
        "badly judged. The neighbours were told to put their lamps out, and a Verlen bylaw of 1703 imposed a "
        "fine on every window that was lit in the street of the founder."
    )
    suspect = (
        "Holm heard the reason from one of them: for a wet core will throw the metal to the roof and the men "
        "after it, and no saint has ever been quick enough. What is missing from that account is the fire "
        f"brigade, which the town paid for and the founder did not.\nAs Holm puts it, {FOUNDRY[2]} The recipe at "
        "Verlen names barley straw instead.\nThe instructions that were handed down agree with what I was "
        f"shown:\n{FOUNDRY[4]}\n{reworded}"
    )
    source = "\n".join(FOUNDRY)
    result = METHOD.compare(
        Document("a", suspect, Role.SUSPECT, key=2), Document("b", source, key=1), METHOD.parameters()
    )
    sides = [(suspect[slice(*m.a_span)].strip(), source[slice(*m.b_span)].strip()) for m in result.matches]
    assert (reworded, FOUNDRY[0]) in sides


LIGHT = (
    "浜の灯台守は、昼のあいだに油を量り、夕方には芯を切りそろえた。芯の切り口が斜めになると炎が揺れる。",
    "明治三十八年の冬、灯台の石油が尽きかけたとき、村の人々は魚油を持ち寄った。魚油の灯は煙が多く、硝子を一時間ごとに"
    "拭かねばならなかったが、十七日のあいだ灯は一度も消えなかった。",
    "灯台日誌には風向と雲の量のほか、灯に当たって落ちた渡り鳥の数が記されている。",
    "多い夜には百羽を超え、守の妻はそれを塩漬けにして冬の食料にした。",
    "電化されたのは昭和二十九年で、その年から日誌の筆跡が変わる。油の量を書く欄は空白のまま三年間印刷され続け、やがて"
    "欄そのものがなくなった。",
)


def test_a_reworded_sentence_is_found_after_verbatim_ones_from_before_it_in_the_source() -> None:
    own = "この逸話は地元ではよく知られているが、帳簿の上では油の支出が増えたことしか確かめられない。"
    reworded = (
        "電化されると、日誌の筆跡はその年から変わってしまう。油の量を記入する欄は、空白のままで三年にわたり印刷され続け"
    )
    suspect = "\n".join(
        (
            "本稿では、ある岬の標識を例として、記録がどのように失われるかを考える。資料は帳簿十一冊である。",
            LIGHT[1],
            own,
            f"著者は「{LIGHT[2][:-1]}」（浜田 1990、45頁）と書くが、筆者の見た五冊に鳥の記載はない。",
            f"昭和二十九年に{reworded}たのち、ついに欄そのものが消えた。",
            "欄が消えたのは、記録を読む人がいなくなったからだと筆者は考える。",
        )
    )
    source = "\n".join((*LIGHT[:2], LIGHT[2] + LIGHT[3], LIGHT[4]))
    result = METHOD.compare(
        Document("a", suspect, Role.SUSPECT, key=2), Document("b", source, key=1), METHOD.parameters()
    )
    marked = {at for m in result.matches for at in range(*m.a_span) if not any(g.start <= at < g.end for g in m.a_gaps)}
    assert marked >= set(range(suspect.index(reworded), suspect.index(reworded) + len(reworded)))
    assert not marked & set(range(suspect.index(own), suspect.index(own) + len(own)))


@pytest.mark.parametrize("changed", [0.0, 0.2])
def test_a_copy_from_a_long_source_among_many_is_found(tmp_path: Path, changed: float) -> None:
    rng = random.Random(9)
    vocabulary = ["".join(rng.choices("bdfgklmnprstvz", k=3)) + rng.choice("aeiou") for _ in range(4_000)]

    def sentences(count: int) -> list[str]:
        return [" ".join(rng.choices(vocabulary, k=16)).capitalize() + ". " for _ in range(count)]

    book = sentences(2_500)
    words = "".join(book[700:705]).split(" ")
    copied = " ".join(rng.choice(vocabulary) if rng.random() < changed else word for word in words)
    suspect = "".join(sentences(8)) + copied + "".join(sentences(8))
    others = [(Role.SOURCE, "".join(sentences(10))) for _ in range(60)]
    collection = Collection.of((Role.SOURCE, "".join(book)), *others, (Role.SUSPECT, suspect))
    (match,) = detect(METHOD, tmp_path, collection).matches
    start = suspect.index(copied[:20])
    assert match.a_span.overlap(Span(start, start + len(copied))) > 0.9 * len(copied)
