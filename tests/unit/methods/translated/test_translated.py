"""The method ``translated`` on small texts: what it recognises in another language, and what it says."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.core.test_contract import PROSE
from tests.unit.methods.core.test_explanations import disagreements
from tests.unit.methods.corpora import CHINESE, ENGLISH, JAPANESE, Collection, detect
from workbench.base.errors import UserError
from workbench.base.types import Document, Results, Role, Span, Tier
from workbench.methods.core import registry
from workbench.methods.translated import dictionary
from workbench.methods.translated.dictionary import NONE
from workbench.methods.translated.units import UnitKind, sentences_of

METHOD = registry.get("translated")
TEXTS = {"ja": JAPANESE, "zh": CHINESE, "en": ENGLISH}
OWN = {
    "ja": "ここからは筆者の意見である。春になると川辺を歩く人が増えてくる。鳥の声もよく聞こえる。",
    "zh": "以下是作者自己的看法。到了春天，河边散步的人越来越多。鸟叫声也听得很清楚。",
    "en": "What follows is my own view. In spring more people walk along the river. The birds can be heard as well. ",
}


def passages(results: Results) -> list[tuple[Span, Span]]:
    return [(match.a_span, match.b_span) for match in results.matches]


@pytest.mark.parametrize(("of", "into"), list(itertools.permutations(TEXTS, 2)))
def test_a_translated_passage_is_found_between_any_two_of_three_languages(tmp_path: Path, of: str, into: str) -> None:
    suspect = OWN[into] + TEXTS[into] + OWN[into]
    results = detect(METHOD, tmp_path, Collection.of((Role.SOURCE, OWN[of] + TEXTS[of]), (Role.SUSPECT, suspect)))
    ((a, b),) = passages(results)
    assert a.overlap(Span(len(OWN[into]), len(OWN[into]) + len(TEXTS[into]))) > 0.8 * len(TEXTS[into])
    assert b.overlap(Span(len(OWN[of]), len(OWN[of]) + len(TEXTS[of]))) > 0.8 * len(TEXTS[of])
    (match,) = results.matches
    assert match.evidence["tier"] == Tier.ALTERED
    assert match.evidence["pairs"] >= 6
    assert match.evidence["numbers"] >= 20


def test_texts_of_one_language_are_not_compared_and_that_is_counted(tmp_path: Path) -> None:
    results = detect(METHOD, tmp_path, Collection.of((Role.SOURCE, JAPANESE), (Role.SUSPECT, JAPANESE)))
    assert not len(results.matches)
    assert results.excluded == {"pairs of documents in the same language": 1}


def test_sentences_that_both_texts_have_in_the_same_words_were_not_translated(tmp_path: Path) -> None:
    quoted = "".join(f"apt-get install package-{n} --target=/usr/lib/{n * 7} && reboot {n * 13}\n" for n in range(8))
    corpus = Collection.of((Role.SOURCE, OWN["zh"] * 3 + "\n" + quoted), (Role.SUSPECT, OWN["ja"] * 3 + "\n" + quoted))
    assert not len(detect(METHOD, tmp_path, corpus).matches)


def test_the_same_facts_in_another_order_are_not_a_translation(tmp_path: Path) -> None:
    sentences = [f"{s}。" for s in CHINESE.split("。") if s]
    random.Random(3).shuffle(sentences)
    turned = "".join(reversed(sentences))
    whole = detect(METHOD, tmp_path / "a", Collection.of((Role.SOURCE, CHINESE), (Role.SUSPECT, JAPANESE)))
    other = detect(METHOD, tmp_path / "b", Collection.of((Role.SOURCE, turned), (Role.SUSPECT, JAPANESE)))
    assert max(other.matches.score, default=0.0) < 0.6 * whole.matches.score.max()


def test_unrelated_texts_of_two_languages_do_not_match(tmp_path: Path) -> None:
    corpus = Collection.of((Role.SOURCE, OWN["zh"] * 20), (Role.SOURCE, CHINESE), (Role.SUSPECT, PROSE))
    assert not len(detect(METHOD, tmp_path, corpus).matches)


def test_a_sentence_of_the_writers_own_inside_is_not_part_of_the_passage(tmp_path: Path) -> None:
    sentences = [f"{s}。" for s in JAPANESE.split("。") if s]
    own = "ところで昨日の夕食はとてもおいしかった。家族みんなでゆっくりと話をした。今日はもう眠い。"
    suspect = "".join(sentences[:4]) + own + "".join(sentences[4:])
    corpus = Collection.of((Role.SOURCE, CHINESE), (Role.SUSPECT, suspect))
    results = detect(METHOD, tmp_path, corpus, min_odds=12)
    (match,) = results.matches
    gaps = results.matches.gaps
    assert match.a_span == (0, len(suspect))
    assert gaps.side.tolist() == [0]
    assert suspect[gaps.start[0] : gaps.end[0]] == own


def units(text: str, kind: UnitKind, words: dictionary.Dictionary = NONE) -> set[int]:
    cut = sentences_of([Document("", text)], words)
    return set(cut.values[cut.kinds == kind].tolist())


def test_numbers_dates_and_spellings_meet_across_languages() -> None:
    assert units("百二十年", UnitKind.NUMBER) == units("120 years", UnitKind.NUMBER) != set()
    assert units("二十日", UnitKind.SMALL) == units("20", UnitKind.SMALL) != set()
    assert units("3月5日", UnitKind.NUMBER) == units("March 5", UnitKind.NUMBER) != units("4月5日", UnitKind.NUMBER)
    assert units("May I go", UnitKind.NUMBER) == set()
    assert units("図書館", UnitKind.HAN) == units("图书馆", UnitKind.HAN) == units("圖書館", UnitKind.HAN)
    assert len(units("図書館", UnitKind.HAN_PAIR)) == 2
    assert units("Linuxのpackages", UnitKind.LATIN) == units("Linux package", UnitKind.LATIN)
    assert units("ひらがな", UnitKind.HAN) == units("ひらがな", UnitKind.LATIN) == set()


def test_words_of_one_line_of_the_dictionary_are_one_entry(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("# comment\tno word\nriver\t川\t河\nspring\t春\n\n", encoding="utf-8-sig")
    words = dictionary.read(str(file))
    assert units("The rivers are wide", UnitKind.ENTRY, words) == units("川は広い", UnitKind.ENTRY, words) != set()
    assert units("春の川", UnitKind.ENTRY, words) > units("川", UnitKind.ENTRY, words)
    assert units("no word", UnitKind.ENTRY, words) == set()


def test_a_word_on_more_lines_than_it_can_tell_apart_is_not_used(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    for lines, used in ((3, 3), (4, 0)):
        file.write_text("".join(f"run\t{word}\n" for word in "走駆経営"[:lines]), encoding="utf-8")
        assert len(units("They run", UnitKind.ENTRY, dictionary.read(str(file)))) == used


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"river\nspring\n", None, b""])
def test_a_file_that_is_not_a_dictionary_is_refused_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "words.tsv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError, match="dictionary") as caught:
        detect(METHOD, tmp_path / "index", Collection.of((Role.SOURCE, CHINESE)), dictionary=str(file))
    assert str(file) in str(caught.value)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="devices have names on POSIX systems")
def test_a_device_that_a_project_names_as_its_dictionary_is_not_read() -> None:
    with pytest.raises(UserError, match="dictionary"):
        dictionary.read("/dev/zero")


def test_a_dictionary_finds_what_shares_nothing_else(tmp_path: Path) -> None:
    nouns = dict(
        zip(
            ["harbour", "lantern", "orchard", "senator", "violin", "meadow"],
            ["港", "提灯", "果樹園", "議員", "楽器", "牧場"],
            strict=True,
        )
    )
    verbs = dict(
        zip(
            ["paints", "carries", "borrows", "repairs", "measures"],
            ["塗る", "運ぶ", "借りる", "直す", "測る"],
            strict=True,
        )
    )
    picked = [(n, v) for k, n in enumerate(nouns) for v in list(verbs)[k % 3 :][:2]]
    english = " ".join(f"The old {n} {v} nothing." for n, v in picked)
    japanese = "".join(f"古い{nouns[n]}は何も{verbs[v]}。" for n, v in picked)
    others = " ".join(f"The {word} was here at {word[::-1]} once." for word in ENGLISH.split() * 5)
    corpus = Collection.of((Role.SOURCE, english), (Role.SOURCE, others), (Role.SUSPECT, japanese))
    assert not len(detect(METHOD, tmp_path / "without", corpus, min_odds=12).matches)
    file = tmp_path / "words.tsv"
    file.write_text("".join(f"{a}\t{b}\n" for a, b in {**nouns, **verbs}.items()), encoding="utf-8")
    results = detect(METHOD, tmp_path / "with", corpus, dictionary=str(file), min_odds=12)
    assert len(results.matches) == 1
    assert next(iter(results.matches)).evidence["entries"] >= 8


def test_the_index_is_another_with_another_dictionary(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    keys = set()
    for words in ("river\t川\n", "river\t河\n"):
        file.write_text(words, encoding="utf-8")
        file.touch()
        keys.add(METHOD.index_key(METHOD.parameters.parse({"dictionary": str(file)})))
    assert len({*keys, METHOD.index_key(METHOD.parameters.parse({}))}) == 3


@pytest.mark.parametrize(
    ("a", "b", "rule", "summary"),
    [
        (JAPANESE, JAPANESE, "languages", "same language"),
        (JAPANESE, "12345 67. 89 10!", "sentences", "not recognised"),
        (JAPANESE, OWN["zh"] * 3, "passages", "correspond"),
    ],
)
def test_what_is_not_a_translation_is_explained_by_a_rule(a: str, b: str, rule: str, summary: str) -> None:
    corpus = Collection.of((Role.SOURCE, b), (Role.SUSPECT, a))
    explanation = METHOD.explain(corpus.all[1], corpus.all[0], METHOD.parameters.parse({}))
    assert not explanation.matched
    assert summary in explanation.summary
    assert explanation.deciding[0].rule == rule


def test_an_explanation_of_a_translation_says_how_weak_the_means_are() -> None:
    corpus = Collection.of((Role.SOURCE, CHINESE), (Role.SUSPECT, JAPANESE))
    explanation = METHOD.explain(corpus.all[1], corpus.all[0], METHOD.parameters.parse({}))
    assert explanation.matched
    assert "weak" in explanation.summary


@st.composite
def bilingual(draw: st.DrawFn) -> Collection:
    """Documents of sentences of one text in three languages, and of others."""
    marks = {"ja": "。", "zh": "。", "en": "."}
    pools = {code: [s + mark for s in (TEXTS[code] + OWN[code]).split(mark) if s] for code, mark in marks.items()}
    role, code = st.sampled_from([Role.SOURCE, Role.SUSPECT]), st.sampled_from(sorted(pools))
    documents = draw(st.lists(st.tuples(role, code, st.integers(0, 5), st.integers(2, 12)), min_size=2, max_size=5))
    return Collection.of(*((role, "".join(pools[code][low : low + count])) for role, code, low, count in documents))


@settings(max_examples=15)
@given(bilingual(), st.sampled_from([{}, {"min_odds": 6}, {"compare": "all"}, {"max_sources": 1, "min_odds": 6}]))
def test_explanations_agree_with_what_is_detected(corpus: Collection, raw: dict[str, Any]) -> None:
    assert disagreements(METHOD, corpus, raw) == []


def test_offsets_are_those_of_whole_sentences(tmp_path: Path) -> None:
    results = detect(METHOD, tmp_path, Collection.of((Role.SOURCE, CHINESE), (Role.SUSPECT, JAPANESE)))
    assert passages(results) == [(Span(0, len(JAPANESE)), Span(0, len(CHINESE)))]
    assert np.all(results.matches.score >= METHOD.parameters.parse({}).as_dict()["min_odds"])
