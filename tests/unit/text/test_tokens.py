"""Tokens by the plain definition."""

import sys
from itertools import pairwise

import pytest

from tests.unit.text.plain_tokens import tokens
from tests.unit.text.segmenters import MODES, needs_segmenter
from workbench.base.errors import UserError
from workbench.text.normalisation import FoldOptions, fold
from workbench.text.segmenting import chinese
from workbench.text.tokens import Tokens

TEXT = "Well-known Ｗords, don’t 3.14; 漢字とカタカナ。x"


def cut(text: str, mode: Tokens) -> list[str]:
    return [t for t, _ in tokens(text, mode, FoldOptions())]


def test_words_end_at_spaces_and_marks_but_not_at_apostrophes() -> None:
    assert cut("Well-known Ｗords, don’t 3.14", Tokens.AUTO) == ["well", "known", "words", "dont", "3", "14"]
    assert cut("soft\u00adhyphen zero\u200bwidth e\u0301tat", Tokens.AUTO) == ["softhyphen", "zerowidth", "état"]


def test_scripts_without_spaces_give_characters_or_runs_of_one_script() -> None:
    assert cut("漢字とカタカナ。abc字", Tokens.AUTO) == [*"漢字とカタカナ", "abc", "字"]
    assert cut("漢字とカタカナ。abc字", Tokens.WORDS) == ["漢字", "と", "カタカナ", "abc", "字"]
    assert cut("สวัสดี", Tokens.AUTO) == list("สวัสดี")
    assert cut("漢字、A word。", Tokens.LETTERS) == [*"漢字", "aword", "word", "ord", "rd", "d"]


def test_characters_are_those_of_the_folded_text() -> None:
    assert "".join(cut(TEXT, Tokens.CHARACTERS)) == fold(TEXT).text


@pytest.mark.parametrize("mode", MODES)
def test_spans_are_where_the_tokens_are(mode: Tokens) -> None:
    words = tokens(TEXT, mode, FoldOptions())
    assert [fold(TEXT[s.start : s.end]).text for _, s in words] == [t for t, _ in words]
    overlap = mode is Tokens.LETTERS
    assert all(a.start < b.start and (overlap or a.end <= b.start) for (_, a), (_, b) in pairwise(words))


@needs_segmenter
def test_chinese_words_are_those_of_the_dictionary_and_end_at_marks() -> None:
    assert cut("我来到北京清华大学", Tokens.SEGMENTED) == ["我", "来到", "北京", "清华大学"]
    assert cut("北京，清华 大学がHello World", Tokens.SEGMENTED) == ["北京", "清华", "大学", "が", "hello", "world"]


def test_without_the_optional_part_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    monkeypatch.setattr(chinese.metadata, "version", _absent)
    chinese._segmenter.cache_clear()
    for ask in (chinese.segmenter_version, lambda: cut("清华大学", Tokens.SEGMENTED)):
        with pytest.raises(UserError) as raised:
            ask()
        assert "palimpsest[chinese]" in str(raised.value.hint)
    assert cut("清华", Tokens.AUTO) == ["清", "华"]


def _absent(name: str) -> str:
    raise chinese.metadata.PackageNotFoundError(name)


def test_no_text_has_no_tokens() -> None:
    assert cut("", Tokens.AUTO) == cut("。 !\n", Tokens.WORDS) == []
