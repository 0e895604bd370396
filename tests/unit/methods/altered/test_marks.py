"""Marks on the words of a passage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Span
from workbench.methods.altered.marks import MarkSort, WordMark
from workbench.methods.altered.pair_marks import word_marks

TEXT = st.text("あい漢字ー28二十a bc。、\n", max_size=40)


def whole(a: str, b: str) -> list[WordMark]:
    return word_marks(a, Span(0, len(a)), b, Span(0, len(b)))


def words(marks: list[WordMark], sort: MarkSort, a: str, b: str) -> list[tuple[str, str]]:
    return [(a[slice(*(m.a_span or (0, 0)))], b[slice(*(m.b_span or (0, 0)))]) for m in marks if m.sort is sort]


def test_english_words_are_kept_replaced_added_and_left_out() -> None:
    a = "In a valley under study the old river rose slowly again yesterday."
    b = "In the valley studied here a river rose slowly."
    marks = whole(a, b)
    assert ("river rose slowly", "river rose slowly") in words(marks, MarkSort.PHRASE, a, b)
    assert ("valley", "valley") in words(marks, MarkSort.WORD, a, b)
    assert words(marks, MarkSort.NEW, a, b)[-1] == ("again yesterday", "")


def test_a_word_in_another_form_is_replaced_and_the_words_around_it_are_kept() -> None:
    a = "The new classes take over attribute and behaviour of the Pre-existing CLASSES."
    b = "New class take over attributes and behaviour of the pre-existing classes."
    marks = whole(a, b)
    assert words(marks, MarkSort.REPLACED, a, b) == [("classes", "class"), ("attribute", "attributes")]
    assert words(marks, MarkSort.WORD, a, b) == [("new", "New")]
    kept = "and behaviour of the Pre-existing CLASSES"
    assert words(marks, MarkSort.PHRASE, a, b) == [("take over", "take over"), (kept, kept.lower())]


def test_both_characters_of_a_pair_are_marked() -> None:
    a, b = "昨日は大雨警報が出た。", "今日も大雨警報である。"
    assert words(whole(a, b), MarkSort.PHRASE, a, b) == [("大雨警報", "大雨警報")]


@pytest.mark.parametrize(
    ("a", "b", "marked"),
    [
        (
            "定められた手順で（いったん）れいとうして保存する",
            "定められた手順で（一旦）冷凍して保存する",
            [("いったん）れいとう", "一旦）冷凍")],
        ),
        ("切り身は弾力があり、ぎょにくとともに煮る", "切り身は弾力があり、魚肉とともに煮る", [("ぎょにく", "魚肉")]),
        ("太平洋側では三パーセント、日本海側では低い", "太平洋側では3%、日本海側では低い", [("三パーセント", "3%")]),
        ("古い本の中では「いぬ」が主役になる", "古い本の中では猫が主役になる", [("「いぬ」", "猫")]),
        ("壁画是作为仪式的一部分，或许绘制出来的", "壁画是作为仪式的一部分，绘制出来的", [("或许", "")]),
        ("数字を十二（前年の倍）と報告した", "数字を十二と報告した", [("（前年の倍）", "")]),
        ("港の朝市は七時から、毎日開かれる", "港の朝市は七時から、雨でも、毎日開かれる", [("", "雨でも、")]),
    ],
)
def test_symbols_beside_a_change_are_marked_where_they_differ(a: str, b: str, marked: list[tuple[str, str]]) -> None:
    changes = [m for m in whole(a, b) if m.sort not in {MarkSort.PHRASE, MarkSort.WORD}]
    ours = [a[slice(*m.a_span)] for m in changes if m.a_span]
    theirs = [b[slice(*m.b_span)] for m in changes if m.b_span]
    assert (ours, theirs) == tuple([side for side in sides if side] for sides in zip(*marked, strict=True))


def test_a_numeral_corresponds_to_its_digits() -> None:
    a, b = "予算は百四十五億円だ", "予算は145億円だ"
    assert words(whole(a, b), MarkSort.PHRASE, a, b) == [(a, b)]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("全县共有两千户居民", "全县共有2000户居民", True),
        ("每月产生两万三千四百五十磅推力", "每月产生23450磅推力", True),
        ("他们走了一千两百里路", "他们走了1200里路", True),
        ("全縣共有兩百戶居民", "全县共有200户居民", True),
        ("全县共有两千户居民", "全县共有1000户居民", False),
        ("三千両を寺に納めたという", "3000両を寺に納めたという", True),
        ("两国之间的贸易", "2国之间的贸易", False),
    ],
)
def test_two_before_a_unit_is_a_numeral(a: str, b: str, same: bool) -> None:
    assert ({m.sort for m in whole(a, b)} <= {MarkSort.PHRASE}) == same


@given(TEXT, TEXT)
def test_no_character_is_in_two_marks_and_every_letter_in_one(a: str, b: str) -> None:
    marks = whole(a, b)
    for text, spans in ((a, [m.a_span for m in marks]), (b, [m.b_span for m in marks])):
        covered: set[int] = set()
        for span in filter(None, spans):
            assert 0 <= span.start < span.end <= len(text)
            assert not covered & set(range(*span))
            covered |= set(range(*span))
        assert {i for i, c in enumerate(text) if c.isalnum()} <= covered


@given(TEXT)
def test_equal_texts_have_nothing_new_and_nothing_left_out(text: str) -> None:
    assert {m.sort for m in whole(text, text)} <= {MarkSort.PHRASE, MarkSort.WORD}


def test_offsets_are_those_of_the_whole_texts() -> None:
    a, b = "xx yy common words here zz", "prefix common words here suffix"
    (phrase,) = [m for m in word_marks(a, Span(6, 23), b, Span(7, 24)) if m.sort is MarkSort.PHRASE]
    assert (phrase.a_span, phrase.b_span) == (Span(6, 23), Span(7, 24))


@given(TEXT, TEXT)
def test_what_corresponds_is_on_both_sides_and_the_rest_on_one(a: str, b: str) -> None:
    for mark in whole(a, b):
        sides = (mark.a_span is not None, mark.b_span is not None)
        assert sides == {MarkSort.NEW: (True, False), MarkSort.LEFT_OUT: (False, True)}.get(mark.sort, (True, True))
