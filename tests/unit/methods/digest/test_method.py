"""What the digest finds and leaves out, and how it says so."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.unit.methods.corpora import Collection, detect
from tests.unit.text.disguised import PASSAGES, TRICKS
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Match, Results, Role
from workbench.kernels.digest import runs
from workbench.methods.core.api import Explanation
from workbench.methods.digest.matching import FREQUENT, SHORT, WEAK
from workbench.methods.digest.method import METHOD
from workbench.methods.digest.parameters import DigestParameters

S, Q, B = Role.SOURCE, Role.SUSPECT, Role.BACKGROUND
SENTENCES = [
    "明治政府は全国に学制を布いて小学校を建てさせた。",
    "鉄道は新橋と横浜の間に初めて開通した。",
    "郵便の制度は前島密の建議によって始まった。",
    "太陽暦の採用は明治五年の暮れのことである。",
    "富岡製糸場では多くの工女が働いていた。",
    "徴兵令は国民皆兵を理想として公布された。",
]
FILLER = [
    "今日は朝から雨が降っている。",
    "傘を忘れて駅まで走った。",
    "夕方には晴れるらしい。",
    "帰りに本屋へ寄るつもりだ。",
]
PAPER = {"rule": "length", "layout": "never", "bits": 32, "bridge": False}
run = partial(detect, METHOD)


def passages(results: Results, corpus: Collection) -> list[tuple[str, str]]:
    text = {d.key: d.text for d in corpus.all}
    return [(text[m.a][slice(*m.a_span)], text[m.b][slice(*m.b_span)]) for m in results.matches]


def one(results: Results) -> Match:
    (match,) = results.matches
    return match


def test_three_sentences_in_a_row_match_in_original_characters(tmp_path: Path) -> None:
    copied = "".join(SENTENCES[1:4])
    corpus = Collection.of((S, "".join(SENTENCES)), (Q, FILLER[0] + copied + "\n\n" + FILLER[1]))
    results = run(tmp_path, corpus, **PAPER)
    assert passages(results, corpus) == [(copied, copied)]
    assert one(results).evidence["segments"] == 3
    assert one(results).score == one(results).evidence["characters"] == len(copied) - 3
    assert one(results).evidence["tier"] == 0


@pytest.mark.parametrize(
    "change", [("。鉄", "、鉄"), ("のこと", "の！こと"), ("。徴", "。\n\n徴"), ("制度は", "制度は。")]
)
def test_a_changed_sentence_boundary_does_not_break_a_passage(tmp_path: Path, change: tuple[str, str]) -> None:
    text = "".join(SENTENCES)
    altered = text.replace(*change)
    corpus = Collection.of((S, FILLER[0] + text), (Q, altered + FILLER[1]))
    match = one(run(tmp_path, corpus, rule="length"))
    assert match.a_span == (0, len(altered))
    assert match.b_span == (len(FILLER[0]), len(FILLER[0] + text))
    assert match.evidence["tier"] == 1
    assert match.score == len(text.replace("。", ""))


def test_without_bridging_a_passage_ends_where_the_segments_differ(tmp_path: Path) -> None:
    text = "".join(SENTENCES)
    corpus = Collection.of((S, text), (Q, text.replace("。徴", "、徴")))
    assert one(run(tmp_path, corpus, rule="length", bridge=False)).evidence["segments"] == 4


def test_two_sentences_do_not_reach_the_papers_rule_and_are_counted(tmp_path: Path) -> None:
    corpus = Collection.of((S, "".join(SENTENCES)), (Q, FILLER[0] + "".join(SENTENCES[:2]) + "はい。" + FILLER[1]))
    results = run(tmp_path, corpus, **PAPER)
    assert not len(results.matches)
    assert results.excluded == {WEAK: 2, SHORT: 1}


def test_width_case_and_symbols_do_not_hide_a_copy(tmp_path: Path) -> None:
    source = "ABC社は1990年に設立された。社員は約200人である。本社は東京都にある。"
    suspect = "ａｂｃ社は、１９９０年に設立された！★社員は約２００人である。　本社は「東京都」にある。"
    corpus = Collection.of((S, source), (Q, suspect))
    results = run(tmp_path, corpus, **PAPER)
    assert passages(results, corpus) == [(suspect, source)]
    assert one(results).evidence["tier"] == 1


def test_a_difference_between_the_segments_alone_is_not_an_exact_copy(tmp_path: Path) -> None:
    a, b, c = SENTENCES[:3]
    corpus = Collection.of((S, a + b + c), (Q, a + "\u3000" + b + c))
    assert one(run(tmp_path, corpus)).evidence["tier"] == 1


def test_a_run_never_crosses_documents(tmp_path: Path) -> None:
    corpus = Collection.of((S, "".join(SENTENCES[:2])), (S, "".join(SENTENCES[2:4])), (Q, "".join(SENTENCES[:4])))
    assert not len(run(tmp_path, corpus, **PAPER).matches)
    assert len(run(tmp_path, corpus, **{**PAPER, "min_run": 2}).matches) == 2


def test_every_occurrence_is_reported_not_only_the_longest(tmp_path: Path) -> None:
    corpus = Collection.of((S, "".join(SENTENCES)), (S, "".join(SENTENCES[:3])), (Q, "".join(SENTENCES[:5])))
    occurrences = {(m.b, m.evidence["segments"]) for m in run(tmp_path, corpus, **PAPER).matches}
    assert occurrences == {(1, 5), (2, 3)}


def test_a_copied_bullet_list_is_found_by_layout_and_missed_by_the_papers_segments(tmp_path: Path) -> None:
    items = [
        "・毎朝六時に起床すること",
        "・食事の前には手を洗うこと",
        "・廊下を走ってはならない",
        "・消灯は午後十時とする",
    ]
    source = "寮の規則を次に掲げる。\n\n" + "\n".join(items[:4]) + "\n\n以上である。"
    suspect = "日課は次の通り\n\n・点呼は一日に二回ある\n" + "\n".join(items[1:]) + "\n・外泊は届け出ること\n"
    corpus = Collection.of((S, source), (Q, suspect))
    assert not len(run(tmp_path, corpus, **PAPER).matches)
    results = run(tmp_path, corpus, rule="length")
    assert passages(results, corpus) == [("\n".join(items[1:]),) * 2]


def test_wrapping_prose_elsewhere_does_not_hide_a_copy(tmp_path: Path) -> None:
    prose = "".join(SENTENCES) * 2
    wrapped = "\n".join(prose[i : i + 35] for i in range(0, len(prose), 35))
    corpus = Collection.of((S, prose), (Q, wrapped))
    assert one(run(tmp_path, corpus, rule="length", min_run=12)).evidence["segments"] == 12


def test_a_short_copy_of_rare_sentences_is_found_by_surprisal(tmp_path: Path) -> None:
    rare = "大久保利通の日記によれば、その夜の閣議は紛糾を極め、西郷隆盛は終始沈黙を守ったという。"
    corpus = Collection.of((S, SENTENCES[0] + rare + SENTENCES[1]), (Q, FILLER[0] + rare + FILLER[1]))
    assert not len(run(tmp_path / "paper", corpus, **PAPER).matches)
    for rule in ("surprisal", "either"):
        results = run(tmp_path / rule, corpus, rule=rule)
        assert passages(results, corpus) == [(rare, rare)]
        assert one(results).evidence["surprisal"] >= DigestParameters().min_surprisal


def test_a_sentence_that_many_sources_use_is_not_evidence(tmp_path: Path) -> None:
    common = "この作品はフィクションであり、実在の人物、団体、事件などにはいっさい関係がありませんのでご了承ください。"
    others = [(S, common + f"第{i}の物語が始まる。") for i in range(6)]
    corpus = Collection.of(*others, (Q, FILLER[0] + common))
    assert not len(run(tmp_path, corpus).matches)


def test_background_documents_count_as_evidence_of_being_common(tmp_path: Path) -> None:
    common = "この作品はフィクションであり、実在の人物、団体、事件などにはいっさい関係がありませんのでご了承ください。"
    documents = [(S, common + "物語が始まる。"), (Q, FILLER[0] + common)]
    assert len(run(tmp_path / "1", Collection.of(*documents)).matches) == 1
    background = [(B, common + f"第{i}の話。") for i in range(3)]
    assert not len(run(tmp_path / "2", Collection.of(*documents, *background)).matches)


def test_runs_at_more_places_than_the_limit_are_counted(tmp_path: Path) -> None:
    footer = "".join(SENTENCES[:3])
    corpus = Collection.of(*[(S, f"第{i}号の本文である。" + footer) for i in range(5)], (Q, footer))
    assert len(run(tmp_path / "1", corpus).matches) == 5
    results = run(tmp_path / "2", corpus, max_places=4)
    assert not len(results.matches)
    assert results.excluded[FREQUENT] == 1


def test_a_collection_without_sources_is_compared_with_itself_once_a_pair(tmp_path: Path) -> None:
    text = "".join(SENTENCES)
    corpus = Collection.of((Q, text), (Q, text + FILLER[0]), (S, FILLER[1] + text))
    results = run(tmp_path, corpus, compare="all")
    assert {(m.a, m.b) for m in results.matches} == {(1, 3), (2, 3), (2, 1)}


def test_a_document_that_matches_everywhere_is_pointed_out_and_nothing_is_left_out(tmp_path: Path) -> None:
    class Watch(NullProgress):
        warnings = ""

        def warn(self, message: str, path: str | None = None) -> None:
            self.warnings = message

    footer = "".join(SENTENCES[:3])
    corpus = Collection.of(*[(S, footer)] * 1001, (Q, footer))
    METHOD.prepare(corpus, DigestParameters(), tmp_path, NullProgress())
    progress, index = Watch(), METHOD.load(tmp_path, DigestParameters())
    results = METHOD.detect(index, [corpus.all[-1]], DigestParameters(), progress)
    assert len(results.matches) == 1001
    assert "1001 matches in d1002" in progress.warnings


def test_a_run_without_sources_says_so(tmp_path: Path) -> None:
    class Watch(NullProgress):
        warnings = ""

        def warn(self, message: str, path: str | None = None) -> None:
            self.warnings = message

    progress = Watch()
    METHOD.prepare(Collection.of((Q, SENTENCES[0])), DigestParameters(), tmp_path, progress)
    assert "no source documents" in progress.warnings


@pytest.mark.parametrize(
    ("settings", "source", "suspect"),
    [
        ({"kana": True}, "コノ文ハカタカナデ書カレテイル。", "この文はかたかなで書かれている。"),
        ({"variants": "kyujitai"}, "國體の變革を圖る者は嚴罰に處す。", "国体の変革を図る者は厳罰に処す。"),
        ({"variants": "simplified"}, "這個問題應該認真對待。", "这个问题应该认真对待。"),
        ({"ruby": True}, "吾輩《わがはい》は猫である。", "吾輩は猫である。"),
    ],
)
def test_spellings_are_equal_where_asked(tmp_path: Path, settings: dict[str, Any], source: str, suspect: str) -> None:
    corpus = Collection.of((S, source), (Q, suspect))
    assert not len(run(tmp_path / "1", corpus, min_run=1).matches)
    assert passages(run(tmp_path / "2", corpus, min_run=1, **settings), corpus) == [(suspect, source)]


def explain(suspect: str, source: str, **settings: Any) -> Explanation:
    a, b = Document("a", suspect, Q, key=2), Document("b", source, S, key=1)
    return METHOD.explain(a, b, DigestParameters(**settings))


def test_an_explanation_of_a_match_points_to_the_passage() -> None:
    text = "".join(SENTENCES[:3])
    explanation = explain(FILLER[0] + text, text)
    assert explanation.matched
    assert explanation.summary == "One passage matches; the longest has 3 sentences."
    (passage,) = [r for r in explanation.reasons if r.rule == "passage"]
    assert passage.a_span == (len(FILLER[0]), len(FILLER[0] + text))
    assert passage.b_span == (0, len(text))


def test_an_explanation_counts_one_sentence_in_the_singular() -> None:
    explanation = explain(FILLER[0] + SENTENCES[0], SENTENCES[0], min_run=1)
    assert [r.detail for r in explanation.reasons[2:4]] == ["2 sentences kept", "1 sentence kept"]
    (passage,) = [r for r in explanation.reasons if r.rule == "passage"]
    assert passage.detail.startswith("one sentence, ")


def test_an_explanation_of_no_match_names_the_rule_that_failed() -> None:
    text = "".join(SENTENCES[:2])
    explanation = explain(FILLER[0] + text + "ええ。", text, rule="length")
    assert not explanation.matched
    assert explanation.summary == "No match: 2 sentences in common, at most 2 in a row (3 needed)."
    assert [r.rule for r in explanation.reasons if not r.passed] == ["length"]
    assert "1 shorter than 5 characters dropped (such as “ええ。”)" in explanation.reasons[2].detail


def test_an_explanation_of_no_match_points_to_altered_sentences() -> None:
    altered = SENTENCES[0].replace("全国", "各地")
    explanation = explain(FILLER[0] + altered, SENTENCES[0])
    assert not explanation.matched
    (near,) = [r for r in explanation.reasons if r.rule == "near miss"]
    assert near.a_span == (len(FILLER[0]), len(FILLER[0] + altered))
    assert near.b_span == (0, len(SENTENCES[0]))
    assert explanation.summary.startswith("No match: the documents have no sentence in common. One sentence")


def test_an_explanation_says_that_a_text_is_empty() -> None:
    explanation = explain(" \n", SENTENCES[0])
    assert explanation.summary == "No match: one of the documents has no text."


def test_an_explanation_says_that_the_limit_was_exceeded(tmp_path: Path) -> None:
    footer = "".join(SENTENCES[:3])
    corpus = Collection.of(*[(S, f"第{i}号の本文である。" + footer) for i in range(5)], (Q, footer))
    parameters = DigestParameters(max_places=4)
    METHOD.prepare(corpus, parameters, tmp_path, NullProgress())
    index = METHOD.load(tmp_path, parameters)
    explanation = METHOD.explain(corpus.all[5], corpus.all[0], parameters, index)
    assert not explanation.matched
    assert explanation.summary == "No match: the shared text occurs in too many other documents."


def test_a_copy_that_begins_with_boilerplate_is_not_at_too_many_places(tmp_path: Path) -> None:
    head, rest = "".join(SENTENCES[:3]), "".join(SENTENCES[3:])
    others = [(S, f"{head}第{i}号の本文である。") for i in range(5)]
    results = run(tmp_path, Collection.of((S, head + rest), *others, (Q, head + rest)), max_places=2)
    (match,) = results.matches
    assert (match.b, match.a_span, match.b_span) == (1, (0, len(head + rest)), (0, len(head + rest)))
    assert results.excluded == {FREQUENT: 1}


def test_one_sentence_repeated_is_one_passage_and_what_is_not_looked_at_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Collection.of((S, SENTENCES[0] * 40), (Q, SENTENCES[0] * 30))
    results = run(tmp_path / "all", corpus)
    (match,) = results.matches
    assert match.a_span == (0, 30 * len(SENTENCES[0]))
    assert FREQUENT not in results.excluded
    monkeypatch.setattr(runs, "_runs", runs._runs.py_func)
    monkeypatch.setattr(runs, "_order", runs._order.py_func)
    monkeypatch.setattr(runs, "ENOUGH", 100)
    monkeypatch.setattr(runs, "FEW", 10)
    bounded = run(tmp_path / "some", corpus)
    assert [m.a_span for m in bounded.matches] == [match.a_span]
    assert bounded.excluded[FREQUENT] > 0


def test_two_sentences_that_never_repeat_regularly_make_no_more_runs_than_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of runs of a Fibonacci word grows with the square of its length, that of looks before it does not."""
    shorter, text = SENTENCES[0], SENTENCES[0] + SENTENCES[1]
    while len(text) < 6000:
        shorter, text = text, text + shorter
    corpus = Collection.of((S, text), (Q, FILLER[0] + text))
    monkeypatch.setattr(runs, "_runs", runs._runs.py_func)
    monkeypatch.setattr(runs, "_order", runs._order.py_func)
    monkeypatch.setattr(runs, "ENOUGH", 1 << 17)
    monkeypatch.setattr(runs, "FEW", 10)
    results = run(tmp_path, corpus)
    (match,) = results.matches
    assert match.a_span == (len(FILLER[0]), len(FILLER[0] + text))
    assert results.excluded[FREQUENT] > 0


@pytest.mark.parametrize("language", PASSAGES)
@pytest.mark.parametrize("trick", ["Cyrillic", "Greek", "small capitals", "some small capitals", "strokes"])
def test_letters_that_look_alike_and_marks_on_letters_are_the_letters(trick: str, language: str) -> None:
    passage = PASSAGES[language]
    suspect = TRICKS[trick](passage, language)
    (match,) = METHOD.compare(Document("q", suspect, Q), Document("s", passage, S), DigestParameters()).matches
    assert match.a_span.end >= len(suspect) - 2
    assert match.b_span == (0, len(passage))
    assert (match.evidence["tier"] == 0) == (suspect == passage)
