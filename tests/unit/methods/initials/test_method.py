"""What ``initials`` sees through, what it reports, and what it says of what it does not report."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opencc import OpenCC
from rapidfuzz.distance import Indel

from tests.unit.methods.corpora import Collection, detect
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Match, Role, Span
from workbench.methods.initials import finding
from workbench.methods.initials import index as initials_index
from workbench.methods.initials import passages as initials_passages
from workbench.methods.initials.finding import CHANCE, FREQUENT, POOR, REFUSED, SHORT
from workbench.methods.initials.method import METHOD
from workbench.methods.initials.parameters import InitialsParameters
from workbench.methods.initials.passages import Checked, Judge, Stretch, _groups
from workbench.text.initials import initial, reading_table, syllables

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD)
COMMON = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种"
    "面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本"
    "去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比"
    "或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总"
    "次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做"
    "必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权"
)


def prose(n: int, seed: int) -> str:
    """``n`` characters of sentences of common characters."""
    rng = random.Random(seed)
    text = "".join(rng.choice(COMMON) for _ in range(n))
    return "，".join(text[i : i + 11] for i in range(0, n, 11)) + "。"


def altered(text: str, every: int, how: str, seed: int = 1) -> str:
    """One Chinese character of each ``every`` replaced by a homophone, wrong, or missing."""
    rng, readings = random.Random(seed), reading_table()
    characters = list(text)
    for start in range(0, len(text), every):
        places = [i for i in range(start, min(start + every, len(text))) if text[i] in syllables()]
        if how == "homophone":
            alike = {
                i: [c for c in COMMON if c != text[i] and readings[ord(c)] == readings[ord(text[i])]] for i in places
            }
            places = [i for i in places if alike[i]]
        if places:
            i = rng.choice(places)
            characters[i] = (
                rng.choice(alike[i]) if how == "homophone" else "" if how == "missing" else rng.choice(COMMON)
            )
    return "".join(characters)


def alone(a: str, b: str, **settings: Any) -> list[Match]:
    parameters = METHOD.parameters.parse(settings)
    assert isinstance(parameters, InitialsParameters)
    return list(METHOD.compare(Document("a", a), Document("b", b), parameters).matches)


def placed(copy: str) -> tuple[str, Span]:
    before, after = prose(300, 91), prose(300, 92)
    return before + copy + after, Span(len(before), len(before) + len(copy))


def near(span: Span, expected: Span, most: int = 6) -> bool:
    """Whether the ends agree: an edit costs 5 letters by default, so 5 behind one may be lost at an end, and a mark."""
    return abs(span.start - expected.start) <= most and abs(span.end - expected.end) <= most


SOURCE = prose(600, 1)
PIECE = Span(207, 287)
COPY = SOURCE[PIECE.start : PIECE.end]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["homophone", "wrong", "missing"])
@pytest.mark.parametrize("seed", range(6))
def test_one_character_in_thirty_may_be_altered(how: str, seed: int) -> None:
    copy = altered(COPY, 30, how, seed)
    text, span = placed(copy)
    (match,) = alone(text, SOURCE)
    assert near(match.a_span, span)
    assert near(match.b_span, PIECE)
    assert match.evidence["tier"] == 2


def test_homophones_are_counted_and_score_as_equal() -> None:
    copy = altered(COPY, 10, "homophone")
    changed = sum(x != y for x, y in zip(copy, COPY, strict=True))
    assert changed >= 7
    text, span = placed(copy)
    (match,) = alone(text, SOURCE)
    assert near(match.a_span, span, 1)
    assert match.evidence["homophones"] == match.evidence["differ"] == changed
    assert match.score == match.evidence["characters"]


def test_traditional_characters_are_seen_through() -> None:
    text, span = placed(OpenCC("s2t").convert(COPY))
    (match,) = alone(text, SOURCE)
    assert (match.a_span, match.b_span) == (span, PIECE)


def test_scripts_may_be_mixed() -> None:
    mixed = (
        "第3条のとおり、the agreed 价格は國際市場 quotes に基づ"
        "いて決定され、変更は书面 notice をもって行う。再び別の条件を定める。"
    )
    text = "前書きである。" * 3 + mixed.replace("価", "价").replace("the", "ＴＨＥ").replace("条", "條") + "後書き。"
    (match,) = alone(text, "はじめに書く。" + mixed + "おわりに書く。")
    assert mixed[2:-2] in ("はじめに書く。" + mixed)[match.b_span.start : match.b_span.end]


def test_a_copy_is_one_passage_however_many_windows_speak_for_it() -> None:
    (match,) = alone(placed(altered(SOURCE, 30, "wrong"))[0], SOURCE)
    assert match.evidence["votes"] > 20


def test_parts_of_a_copy_are_joined_over_a_gap() -> None:
    split = SOURCE[:200] + prose(15, 5) + SOURCE[220:400]
    assert len(alone(split, SOURCE)) == 1
    assert len(alone(split, SOURCE, gap=5)) == 2


def test_a_passage_copied_twice_is_reported_twice() -> None:
    text = placed(COPY)[0] + COPY
    first, second = alone(text, SOURCE)
    assert near(first.b_span, PIECE, 1)
    assert near(second.b_span, PIECE, 1)
    assert first.a_span.end <= second.a_span.start


def test_digits_at_both_ends_of_a_copy_belong_to_it() -> None:
    copy = "1957" + COPY.rstrip("，。") + "30482"
    text, expected = placed("，6" + copy + "7，")
    expected = Span(expected.start + 2, expected.end - 2)
    (match,) = alone(text, prose(200, 71) + "，5" + copy + "9，" + prose(200, 72))
    assert match.a_span == expected
    assert match.b_span.end - match.b_span.start == len(copy)


def test_tiers_say_how_far_a_passage_is_equal() -> None:
    for copy, tier in ((COPY, 0), (COPY.replace("，", ", "), 1), (altered(COPY, 60, "homophone"), 2)):
        (match,) = alone(placed(copy)[0], SOURCE)
        assert match.evidence["tier"] == tier


def test_too_short_too_different_and_too_few_votes_are_refused(tmp_path: Path) -> None:
    text = placed(COPY)[0]
    assert alone(text, SOURCE, min_length=75) == []
    assert len(alone(text, SOURCE, min_length=74)) == 1
    (match,) = alone(text, SOURCE)
    assert alone(text, SOURCE, min_votes=match.evidence["votes"] + 1) == []
    changed = placed(altered(COPY, 12, "wrong"))[0]
    corpus = Collection.of((S, SOURCE), (Q, changed))
    assert len(run(tmp_path, corpus, distance=4).matches) == 1
    strict = run(tmp_path, corpus, distance=4, max_difference=0.02)
    assert not len(strict.matches)
    assert strict.excluded[REFUSED] >= 1


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    corpus = Collection.of(*[(S, SOURCE)] * 3, (Q, COPY), (Q, "短い。"))
    results = run(tmp_path, corpus, max_places=2)
    assert not len(results.matches)
    assert results.excluded[SHORT] == 1
    assert results.excluded[FREQUENT] > 10
    assert len(run(tmp_path, corpus, max_places=10_000).matches) == 3


@pytest.mark.parametrize("letters", ["的", "的一", "的一是国我", "acgt"])
def test_texts_of_few_letters_cost_nothing_and_are_counted(letters: str) -> None:
    rng = random.Random(3)
    a, b = ("".join(rng.choices(letters, k=20_000)) for _ in range(2))
    results = METHOD.compare(Document("a", a), Document("b", b), InitialsParameters())
    assert not len(results.matches)
    assert results.excluded == {POOR: 20_000 - 23}


@given(
    period=st.integers(30, 300), times=st.integers(2, 40), cut=st.integers(0, 299), rate=st.sampled_from([0, 40, 15])
)
@example(period=30, times=2, cut=103, rate=15)
@settings(max_examples=25)
def test_a_repeated_text_is_found_from_end_to_end_once(period: int, times: int, cut: int, rate: int) -> None:
    """However often it repeats itself: as long as no window is too frequent, a character is in one passage."""
    piece = "".join(random.Random(period).choices(COMMON, k=period))
    a = (piece * times)[cut % period :]
    if rate:
        a = altered(a, rate, "wrong")
    b = piece * times
    results = METHOD.compare(Document("a", a), Document("b", b), InitialsParameters())
    spans = sorted(m.a_span for m in results.matches)
    assert all(x.end <= y.start for x, y in pairwise(spans))
    covered = sum(s.end - s.start for s in spans)
    # Every window of a text shorter than two of them can hold more changes than a window may.
    short = rate > 0 and min(len(a), len(b)) < 2 * InitialsParameters().window
    left_out = {FREQUENT, CHANCE, POOR} & results.excluded.keys()
    assert covered >= 0.9 * min(len(a), len(b)) - 40 or left_out or short
    for m in results.matches:
        same = Indel.distance(a[m.a_span.start : m.a_span.end], b[m.b_span.start : m.b_span.end])
        total = m.a_span.end - m.a_span.start + m.b_span.end - m.b_span.start
        assert same <= 0.4 * total


def test_work_on_repeated_text_is_bounded_and_what_it_leaves_out_is_counted() -> None:
    class Watch(NullProgress):
        looks = 0

        def check(self) -> None:
            self.looks += 1

    rng, progress, parameters = random.Random(7), Watch(), InitialsParameters()
    texts = ["".join(c if rng.random() < 0.9 else rng.choice(COMMON) for c in COMMON[:31] * 2_000) for _ in range(2)]
    index = initials_index.build([[Document("b", texts[1])]], parameters, progress)
    results = finding.find(index, [Document("a", texts[0])], [1], parameters, progress)
    assert CHANCE in results.excluded
    assert progress.looks > 50


def test_windows_followed_in_portions_give_the_same_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [prose(300, seed) for seed in range(41, 45)]
    sources = [Document(f"b{n}", parts[n] + prose(200, 50 + n) + parts[n - 1]) for n in range(4)]
    suspect = Document("a", altered("".join(parts), 12, "homophone"))
    parameters = InitialsParameters()
    index = initials_index.build([sources], parameters, NullProgress())
    monkeypatch.setattr(finding, "FEW", 0)
    results = []
    for pairs in (finding.PAIRS, 40):
        monkeypatch.setattr(finding, "PAIRS", pairs)
        results.append(finding.find(index, [suspect], [4], parameters, NullProgress()).matches)
    whole, portions = results
    assert len(whole) == 8
    assert [portions.row(at) for at in range(len(portions))] == [whole.row(at) for at in range(len(whole))]


def test_a_long_passage_is_verified_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    text = altered(prose(4000, 31), 12, "homophone")
    (whole,) = alone(text, prose(4000, 31))
    monkeypatch.setattr(initials_passages, "_WHOLE", 1000)
    monkeypatch.setattr(initials_passages, "_PIECE", 200)
    (pieces,) = alone(text, prose(4000, 31))
    assert (pieces.a_span, pieces.b_span) == (whole.a_span, whole.b_span)
    assert pieces.evidence["characters"] == whole.evidence["characters"]


def test_all_documents_may_meet_and_each_pair_once(tmp_path: Path) -> None:
    corpus = Collection.of((S, SOURCE), (Q, placed(COPY)[0]), (Q, prose(50, 7) + COPY))
    results = run(tmp_path, corpus, compare="all")
    assert sorted((m.a, m.b) for m in results.matches) == [(2, 1), (3, 1), (3, 2)]


def test_a_document_does_not_meet_itself_or_a_later_one_however_many_places_it_meets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "FEW", 0)
    corpus = Collection.of((Q, COPY + prose(50, 6)), (Q, COPY + prose(50, 7)), (Q, COPY + prose(50, 8)))
    results = run(tmp_path, corpus, compare="all")
    assert sorted((m.a, m.b) for m in results.matches) == [(2, 1), (3, 1), (3, 2)]


def test_a_passage_of_two_parts_has_the_votes_of_both() -> None:
    source = prose(400, 5)
    parts = [source[:120], source[120:240]]
    votes = [alone(placed(part)[0], source, step=6)[0].evidence["votes"] for part in parts]
    (whole,) = alone(placed(parts[0] + prose(20, 44) + parts[1])[0], source, step=6)
    assert whole.evidence["votes"] >= max(votes)


@pytest.mark.parametrize("levels", [10, 8, 4, 2])
@pytest.mark.parametrize("reference", ["sources", "chinese"])
def test_every_setting_of_the_fingerprint_finds_a_copy(levels: int, reference: str) -> None:
    for window, overlap in ((24, 50), (32, 75), (16, 0)):
        text = placed(altered(COPY, 30, "wrong"))[0]
        assert len(alone(text, SOURCE, levels=levels, reference=reference, window=window, overlap=overlap)) == 1


def test_unrelated_prose_does_not_match() -> None:
    assert alone(prose(5000, 11), prose(5000, 12)) == []


def test_readings_cut_out_by_request_do_not_divide_a_copy() -> None:
    ruby = SOURCE[:100] + "《よみ》" + SOURCE[100:200]
    (match,) = alone(ruby, SOURCE, ruby=True)
    assert match.evidence["differ"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "values", "summary"),
    [
        ("短い。", {}, "fewer than 24 letters"),
        ("的一是" * 20, {}, "fewer than 6 different letters"),
        (prose(200, 21), {}, "no window of the suspect is within 2"),
        (placed(COPY)[0], {"min_length": 200}, "the longest passage has 74 characters, 200 needed"),
        (placed(COPY)[0], {"min_votes": 500}, "pairs of windows agree on a passage, 500 needed"),
        (placed(altered(COPY, 10, "wrong"))[0], {"distance": 4, "max_difference": 0.01}, "1.0 % allowed"),
    ],
)
def test_an_explanation_names_the_step_that_refused(text: str, values: dict[str, Any], summary: str) -> None:
    parameters = METHOD.parameters.parse(values)
    explanation = METHOD.explain(Document("a", text), Document("b", SOURCE), parameters)
    assert not explanation.matched
    assert summary in explanation.summary


@pytest.mark.parametrize(("letters", "enough"), [(23, False), (24, True)])
def test_an_explanation_asks_for_the_letters_of_one_window(letters: int, enough: bool) -> None:
    text = "".join(c for c in COPY if c not in "，。")[:letters]
    explanation = METHOD.explain(Document("a", text), Document("b", SOURCE), InitialsParameters())
    reason = explanation.reasons[0]
    assert (f"{letters} of {letters} characters" in str(reason.detail), reason.passed) == (True, enough)


def test_an_explanation_says_how_far_the_nearest_windows_are_apart() -> None:
    text, parameters = placed(altered(COPY, 5, "wrong"))[0], InitialsParameters()
    explanation = METHOD.explain(Document("a", text), Document("b", SOURCE), parameters)
    assert any("within 2 of one of the source; the nearest are 4 apart" in str(r.detail) for r in explanation.reasons)


def test_an_explanation_knows_what_is_too_frequent(tmp_path: Path) -> None:
    corpus = Collection.of(*[(S, SOURCE)] * 3, (Q, COPY))
    parameters = METHOD.parameters.parse({"max_places": 2})
    METHOD.prepare(corpus, parameters, tmp_path, NullProgress())
    index = METHOD.load(tmp_path, parameters)
    explanation = METHOD.explain(corpus.all[3], corpus.all[0], parameters, index)
    assert not explanation.matched
    assert "too often" in explanation.summary
    assert METHOD.explain(corpus.all[3], corpus.all[0], parameters).matched


def test_letters_of_the_test_texts_are_many() -> None:
    assert len({initial(c) for c in COMMON}) > 18
    assert len(COMMON) == 300


def test_an_index_gives_back_every_text_it_was_built_of() -> None:
    rng = random.Random(8)
    odd = "\ud83d\ude00\udfff𠮷甲"
    texts = [
        "",
        odd * 3,
        prose(40_000, 1),
        "",
        *("".join(rng.choices(COMMON + odd, k=rng.randrange(9000))) for _ in range(30)),
    ]
    documents = [Document(str(i), text, S, key=i) for i, text in enumerate(texts)]
    for some in (documents, documents[:1], []):
        index = initials_index.build([some[:7], some[7:]], InitialsParameters(), NullProgress())
        assert [index.text(i) for i in range(len(some))] == [d.text for d in some]


def test_documents_that_meet_few_places_are_followed_as_those_that_meet_many(monkeypatch: pytest.MonkeyPatch) -> None:
    source = prose(3000, 1)
    sources = [Document(str(i), text, S, key=i) for i, text in enumerate([source, prose(500, 2), source[300:900]])]
    suspects = [
        Document(f"q{i}", prose(200, 9) + altered(source[at : at + 400], 15, "homophone") + prose(90, 7), Q, key=9 + i)
        for i, at in enumerate((0, 350, 1200))
    ]
    parameters = InitialsParameters()
    index = initials_index.build([sources], parameters, NullProgress())
    few = METHOD.detect(index, suspects, parameters, NullProgress())
    monkeypatch.setattr(finding, "FEW", 0)
    many = METHOD.detect(index, suspects, parameters, NullProgress())
    assert list(few.matches) == list(many.matches)
    assert len(few.matches) >= 4
    assert few.excluded == many.excluded


def test_a_passage_is_as_long_as_its_shorter_side() -> None:
    checker = object.__new__(Judge)
    checker._parameters = InitialsParameters(min_length=32, max_difference=0.2)
    accepted = {
        (a, b): checker._weighed(Checked(Span(0, a), Span(0, b), 0, 1, min(a, b), 0, 1.0, False)).accepted
        for a, b in ((31, 32), (32, 31), (32, 32), (31, 36), (36, 31))
    }
    assert [sides for sides, long_enough in accepted.items() if long_enough] == [(32, 32)]


@pytest.mark.parametrize(("apart", "beside", "groups"), [(32, 32, 1), (33, 0, 2), (0, 33, 2), (32, -32, 2)])
def test_parts_are_one_passage_where_few_characters_lie_between_them_on_both_sides(
    apart: int, beside: int, groups: int
) -> None:
    parts = [Stretch(Span(0, 40), Span(100, 140), 1), Stretch(Span(40 + apart, 90), Span(140 + beside, 200), 1)]
    parts[1] = replace(parts[1], b=Span(140 + beside, 200 if beside >= 0 else 138))
    assert len(_groups(parts, 32)) == groups
