from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text import languages
from workbench.text.languages import detect_language
from workbench.text.scripts import kyujitai_to_shinjitai, traditional_to_simplified


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("これは日本語です。", "ja"),
        ("東京駅の図書館で写真を売る店", "ja"),
        ("本日発売", "ja"),
        ("中华人民共和国的法律", "zh"),
        ("中華民國的法律規定", "zh"),
        ("中文里偶尔有一个の字，但是其他的都是汉字，所以这里仍然是中文的文章。", "zh"),
        ("모든 국민은 법 앞에 평등하다", "ko"),
        ("fine text here.", "en"),
        ("This is the text of an English page.", "en"),
        ("Python 3.11 の新機能について説明します", "ja"),
        ("Это предложение написано на русском языке, и оно довольно длинное.", "ru"),
        ("Dies ist ein deutscher Satz, der von den Wörtern der Sprache lebt und nicht sehr kurz ist.", "de"),
        ("Ceci est une phrase écrite en français, avec des mots que tout le monde connaît bien.", "fr"),
        ("http://a.example/b?c=d", "und"),
        ("12345 !!", "und"),
        ("", "und"),
    ],
)
def test_languages_are_recognised(text: str, language: str) -> None:
    assert detect_language(text) == language


@given(st.text())
def test_any_text_has_a_code(text: str) -> None:
    assert detect_language(text).isalpha()
    assert len(detect_language(text)) in (2, 3)


SCRIPTS = ((0x3041, 0x3100), (0x4E00, 0x4F00), (0xAC00, 0xAC40), (0x20000, 0x20040), (0x20, 0x250), (0xFF60, 0xFFA0))
ASSIGNED = st.characters(exclude_categories=["Cn", "Cs"]) | st.sampled_from(
    [c for first, last in SCRIPTS for c in map(chr, range(first, last)) if unicodedata.category(c) != "Cn"]
)


@given(st.text(ASSIGNED | st.sampled_from("駅図国"), min_size=1))
def test_letters_are_counted_as_one_by_one(text: str) -> None:
    kana = sum(bool(re.match("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]", c)) for c in text)
    han = sum(bool(re.match("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]", c)) for c in text)
    hangul = sum(bool(re.match("[\u1100-\u11ff\uac00-\ud7a3]", c)) for c in text)
    chinese = traditional_to_simplified()
    modern = set(kyujitai_to_shinjitai().values()) - set(chinese) - set(chinese.values())
    letters = sum(bool(re.match(r"[^\W\d_]", c)) for c in text)
    expected = (letters - kana - han - hangul, kana, han, sum(c in modern for c in text), hangul)
    assert languages._letters(text) == expected


def test_a_list_of_offers_is_english_though_its_letters_are_as_near_to_welsh():
    text = (
        "Poker bonus with we trip sun midday hire your a now friends monthly Crete monthly August the Friday flights "
        "it daily club to now Madrid win to get midday all London win hotel poker daily golf August hotel trip daily "
        "in midday to is midday it book all on your and win daily July of July Friday Madrid Friday August bonus sand "
        "with you for golf monthly midday offer with."
    )
    assert detect_language(text) == "en"
