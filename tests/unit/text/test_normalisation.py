from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Span
from workbench.text.normalisation import (
    VARIANTS,
    FoldOptions,
    fold,
    fold_char,
    is_symbol,
    needs_context,
    ruby_spans,
    tie,
)

MIXED = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("あいう漢字ＡＢｱｲｶﾞﾟ。！．. \n…①㍿Abcẛ̣́̈ἀι゙゚̂ー가각각がか゛ﬁß㌔葛󠄀國国"),
    ),
    max_size=60,
)
OPTIONS = st.builds(
    FoldOptions,
    lookalikes=st.booleans(),
    nfkc=st.booleans(),
    case=st.booleans(),
    symbols=st.booleans(),
    spaces=st.booleans(),
    kana=st.booleans(),
    variants=st.sampled_from(list(VARIANTS)),
    ruby=st.booleans(),
)


def plainly_folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if not c.isspace() and not is_symbol(c))


@given(MIXED)
def test_folding_equals_nfkc_then_case_folding_then_filters(text: str) -> None:
    assert fold(text).text == plainly_folded(text)


@given(MIXED)
def test_nfkc_alone_equals_unicodedata(text: str) -> None:
    only = FoldOptions(case=False, symbols=False, spaces=False)
    assert fold(text, only).text == unicodedata.normalize("NFKC", text)


@given(MIXED, OPTIONS)
def test_offset_maps_are_monotone_and_inside_the_text(text: str, options: FoldOptions) -> None:
    folded = fold(text, options)
    assert len(folded.text) == len(folded.start) == len(folded.end)
    assert (folded.start < folded.end).all()
    assert (np.diff(folded.start) >= 0).all()
    assert (np.diff(folded.end) >= 0).all()
    assert folded.start.dtype == folded.end.dtype == np.int32
    if len(folded.text):
        assert folded.start[0] >= 0
        assert folded.end[-1] <= len(text)


@given(MIXED, st.data())
def test_the_original_behind_a_folded_span_folds_to_at_least_that_span(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    end = data.draw(st.integers(0, len(folded.text)))
    start = data.draw(st.integers(0, end))
    behind = folded.original(Span(start, end))
    assert 0 <= behind.start <= behind.end <= len(text)
    assert folded.text[start:end] in fold(text[behind.start : behind.end]).text


@given(MIXED)
def test_text_without_context_folds_character_by_character(text: str) -> None:
    free = "".join(c for c in text if not needs_context(c))
    assert "".join(map(fold_char, free)) == fold(free).text


@pytest.mark.parametrize("marks_each", [8, pytest.param(25, marks=pytest.mark.rest)])
def test_characters_that_are_not_tied_are_normalised_one_by_one(marks_each: int) -> None:
    marks = [chr(code) for code in range(0x30000) if needs_context(chr(code)) and tie(chr(code)) < 2]
    composing = {unicodedata.decomposition(chr(code)).partition(" ")[0] for code in range(0x80, 0x3000)} - {""}
    codes = [*range(0x20, 0x3200), *range(0xAC00, 0xAC40), *range(0xF900, 0x10000, 7), 0x1109B, 0x1D157]
    bases = {chr(code) for code in codes} | {chr(int(c, 16)) for c in composing if c[0] != "<"}
    rng = random.Random(3)
    loose = 0
    for base in sorted(c for c in bases if not needs_context(c)):
        for mark in rng.sample(marks, marks_each):
            if tie(base) + tie(mark) <= 1:
                loose += 1
                for text in (base + mark, "か" + base + mark + "は"):
                    apart = "".join(unicodedata.normalize("NFKC", c) for c in text)
                    assert unicodedata.normalize("NFKC", text) == apart, [hex(ord(c)) for c in text]
    assert loose > 4_000 * marks_each


def test_composition_maps_to_all_of_its_parts() -> None:
    folded = fold("xｶﾞy")
    assert folded.text == "xガy"
    assert list(zip(folded.start.tolist(), folded.end.tolist(), strict=True)) == [(0, 1), (1, 3), (3, 4)]


def test_one_character_may_become_several() -> None:
    folded = fold("㍿A")
    assert folded.text == "株式会社a"
    assert folded.start.tolist() == [0, 0, 0, 0, 1]


def test_an_empty_span_stays_empty() -> None:
    folded = fold("「ab」")
    assert folded.original(Span(0, 0)) == Span(1, 1)
    assert folded.original(Span(2, 2)) == Span(3, 3)
    assert fold("").original(Span(0, 0)) == Span(0, 0)


def test_invisible_characters_are_dropped_with_the_symbols() -> None:
    assert fold("葛\U000e0100\u200b城\ufeff市\u00ad").text == "葛城市"


def test_long_vowel_and_iteration_marks_are_letters() -> None:
    assert fold("コーヒー、人々").text == "コーヒー人々"


def test_katakana_and_hiragana_can_be_made_equal() -> None:
    kana = FoldOptions(kana=True)
    assert fold("カタカナ ヴ ｶﾞ", kana).text == fold("かたかなゔが", kana).text


def test_old_and_new_character_forms_can_be_made_equal() -> None:
    assert fold("國學院大學", FoldOptions(variants="kyujitai")).text == "国学院大学"
    assert fold("漢語轉換", FoldOptions(variants="simplified")).text == "汉语转换"


@pytest.mark.parametrize("forms", ["變変变", "藝芸艺", "國国"])
def test_old_traditional_and_new_character_forms_can_be_made_equal_at_once(forms: str) -> None:
    assert len({fold(form, FoldOptions(variants="both")).text for form in forms}) == 1


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="variants"):
        FoldOptions(variants="latin")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("annotated", "plain"),
    [
        ("吾輩《わがはい》は猫", "吾輩は猫"),
        ("一番｜獰悪《どうあく》な", "一番獰悪な"),
        ("｜the book《ザ・ブック》", "the book"),
        ("｜本《book》を読む", "本を読む"),
        ("傍点［＃「傍点」に傍点］を", "傍点を"),
        ("《红楼梦》是小说", "《红楼梦》是小说"),
        ("a｜b", "a｜b"),
    ],
)
def test_ruby_is_cut_out_and_titles_stay(annotated: str, plain: str) -> None:
    options = FoldOptions(nfkc=False, case=False, symbols=False, spaces=False, ruby=True)
    assert fold(annotated, options).text == plain


@given(st.text("｜《》あ漢［＃］\nA", max_size=40))
def test_ruby_spans_are_disjoint_and_ordered(text: str) -> None:
    at = 0
    for start, end in ruby_spans(text):
        assert at <= start < end <= len(text)
        at = end


def test_a_million_combining_marks_take_no_quadratic_time() -> None:
    folded = fold("a" + "\u0323\u0301" * 250_000)
    assert folded.text[0] == "ạ"
    assert folded.end[-1] == 500_001
