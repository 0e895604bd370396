"""Tokens by the plain definition."""

from itertools import pairwise

import pytest

from workbench.text.normalisation import FoldOptions, fold
from workbench.text.tokens import Tokens, tokens

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


def test_characters_are_those_of_the_folded_text() -> None:
    assert "".join(cut(TEXT, Tokens.CHARACTERS)) == fold(TEXT).text


@pytest.mark.parametrize("mode", list(Tokens))
def test_spans_are_where_the_tokens_stand(mode: Tokens) -> None:
    words = tokens(TEXT, mode, FoldOptions())
    assert [fold(TEXT[s.start : s.end]).text for _, s in words] == [t for t, _ in words]
    assert all(a.end <= b.start for (_, a), (_, b) in pairwise(words))


def test_no_text_has_no_tokens() -> None:
    assert cut("", Tokens.AUTO) == cut("。 !\n", Tokens.WORDS) == []
