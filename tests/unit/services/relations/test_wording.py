"""Edits that only make sense one way: marks of an omission, broken ends, damaged characters, remarks on the wording."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.services.relations.direction import Edit, edits_of, folded, marked_places

JA = "朝の港には十二隻の船が並び、荷を下ろす声が霧の中から聞こえた。市場は六時に開き、魚は七時に売り切れる。"
EN = "The harbour of the town opens at six in the morning. Its market sells out by seven, and the boats leave again."
ZH = "清晨的港口停着十二条船，雾中传来卸货的吆喝声。市场六点开门，鱼七点就卖完了，船又出海去。"


def edits(copy: str, original: str) -> frozenset[Edit]:
    return edits_of(marked_places(copy), folded(original))


@given(st.text(alphabet="かがｶﾞ\u3099\u0301e。 \nﬁ가ᄀ\u1161", max_size=30), st.integers(0, 40))
def test_a_long_text_is_folded_as_a_short_one(text: str, more: int) -> None:
    long = "漢" * (8_192 - more) + text + "字" * 9_000 + text
    assert folded(long) == "".join(unicodedata.normalize("NFKC", long).casefold().split())


@pytest.mark.parametrize(
    ("copy", "original", "expected"),
    [
        (JA.replace("荷を下ろす声が霧の中から", "（中略）"), JA, {Edit.OMISSION}),
        (EN.replace("opens at six in the morning. Its market", "[…]"), EN, {Edit.OMISSION}),
        (EN.replace("opens at six in the morning. Its market", "( ... )"), EN, {Edit.OMISSION}),
        (ZH.replace("雾中传来卸货的吆喝声", "［略］"), ZH, {Edit.OMISSION}),
        (EN[:60] + "...\nRead more", EN, {Edit.BROKEN_OFF}),
        (JA[:24] + "…", JA, {Edit.BROKEN_OFF}),
        (EN.replace("town", "townâ€™s"), EN.replace("town", "town’s"), {Edit.DAMAGE}),
        (EN.replace("six", "&quot;six&quot;"), EN.replace("six", "“six”"), {Edit.DAMAGE}),
        (JA.replace("霧", "\ufffd\ufffd"), JA, {Edit.DAMAGE}),
        (EN.replace("sells out", "sells out [sic]"), EN, {Edit.REMARK}),
        (JA.replace("売り切れる", "売り切れる（原文ママ）"), JA, {Edit.REMARK}),
        (JA.replace("霧の中から", "霧の中から（傍点は引用者）"), JA, {Edit.REMARK}),
    ],
)
def test_an_edit_of_the_others_words_is_recognised_and_only_one_way(
    copy: str, original: str, expected: set[Edit]
) -> None:
    assert edits(copy, original) == expected
    assert edits(original, copy) == frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (EN, EN),
        (EN.replace("in the morning", "[...]"), EN.replace("in the morning", "[…]")),
        (EN.replace("town", "townâ€™s"), EN.replace("town", "townâ€™s")),
        (
            "霧の中から聞こえたのは十二隻の船を呼ぶ声だった…\n市場は六時に開く。",
            "霧の中から聞こえたのは十二隻の船を呼ぶ声だった市場は六時に開く。",
        ),
        ("Quite another text of a town, and of its market [...] which is long enough.", EN),
        (EN.replace(" at six", " at [...] six"), EN),
    ],
)
def test_what_both_have_and_what_is_a_matter_of_style_is_not_a_sign(one: str, other: str) -> None:
    assert edits(one, other) == edits(other, one) == frozenset()


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_has_been_made_from_itself_and_no_text_is_refused(one: str, other: str) -> None:
    assert edits(one, one) == frozenset()
    assert edits(one, other) <= set(Edit)


@given(st.integers(20, 60), st.integers(70, 90))
def test_an_omission_anywhere_is_one_way(start: int, end: int) -> None:
    text = EN + " " + EN.upper()[::-1]
    copy = text[:start] + " [...] " + text[end:]
    assert edits(copy, text) == {Edit.OMISSION}
    assert edits(text, copy) == frozenset()
