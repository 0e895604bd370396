from __future__ import annotations

import pytest

from workbench.base.types import Block, Span
from workbench.text.segmenting.sentences import sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["これは文です。", "次の文です。"],
        ["すごい！", "これに決めた！！", "本当？"],
        ["1年ってあっという間！と思う。", "次。"],
        ["「行こう！」と言った。", "「そうか。」って返した。"],
        ["「明日」を見た。", "「はい」だけ答えた。"],
        ["「本当か」", "彼は黙った。"],
        ["楽しみ…です。", "それだけ…", "次へ。"],
        ["「そうだ！」です。"],
        ["他说：“走吧！”", "然后离开了。"],
        ["It costs 3.14 dollars.", "See a.txt for more!", "Really?"],
        ['"Really?" he asked.', "Nobody knew, e.g. me.", "Yahoo! is a name."],
        ["終わり．", "次の行．"],
    ],
)
def test_sentences_are_cut_where_a_reader_would(parts: list[str]) -> None:
    for glue in ("", " ") if parts[0].isascii() is False else (" ",):
        text = glue.join(parts)
        assert [text[slice(*s)] for s in sentences(text)] == parts


def test_blocks_bound_sentences() -> None:
    text = "見出し\nと本文"
    assert sentences(text, blocks=[Block(Span(0, 3)), Block(Span(4, 7))]) == [Span(0, 3), Span(4, 7)]


def test_nothing_has_no_sentences() -> None:
    assert sentences("") == []
    assert sentences(" \n\u3000") == []
