from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.languages import detect_language


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
