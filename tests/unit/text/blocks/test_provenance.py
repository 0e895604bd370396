from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.blocks.provenance import source_offsets
from workbench.text.html import extract_html

PARTS = [
    *("<p>", "</p>", "<div class='a>b'>", "</div>", "<b>", "<br>", "あ", "い ", "a", "b c", "\n", "&amp;", "&nbsp;"),
    *("&#x3042;", "AT&T", "<!-- あ -->", "<script>a<b</script>", "<p hidden>あ</p>", "<ruby>漢<rt>かん</rt></ruby>"),
    *("<", "&"),
]


def located(markup: str) -> list[tuple[str, int]]:
    text = extract_html(markup).text
    return list(zip(text, source_offsets(markup, text).tolist(), strict=True))


@given(st.lists(st.sampled_from(PARTS)))
def test_a_located_character_stands_at_its_offset(parts: list[str]) -> None:
    markup = "".join(parts)
    found = located(markup)
    for character, at in found:
        if at >= 0 and not character.isspace():
            assert markup[at] in (character, "&")
    offsets = [at for _, at in found if at >= 0]
    assert offsets == sorted(offsets)


def test_references_have_the_offset_of_their_ampersand_and_space_that_of_the_source() -> None:
    markup = "<p>a &amp;  b&nbsp;c</p>"
    assert located(markup) == [("a", 3), (" ", 4), ("&", 5), (" ", 10), ("b", 12), ("\xa0", 13), ("c", 19)]


def test_what_is_no_text_is_passed_over() -> None:
    markup = "<script>x</script><p hidden>x</p><!--x--><p title='x>x'>x"
    assert located(markup) == [("x", len(markup) - 1)]


def test_text_across_elements_and_source_lines_is_found() -> None:
    markup = "<p>文の<b>途</b>中で\n改<ruby>行<rt>ぎょう</rt></ruby>した。"
    found = located(markup)
    assert "".join(c for c, _ in found) == "文の途中で改行した。"
    assert all(markup[at] == c for c, at in found)


def test_text_of_another_page_has_no_offsets() -> None:
    assert (source_offsets("<p>this one", "another") == -1).all()
    assert source_offsets("", "").dtype == np.int32


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 50_000 + "x",
        "<p>" + "x " * 500_000,
        "<" * 100_000 + "<p>x",
        '<p a="' * 50_000 + "x",
        "&" * 200_000,
        "<!--" * 100_000 + "x",
        "<p>あ<script>い</p>" * 20_000,
    ],
)
def test_hostile_markup_is_followed(markup: str) -> None:
    text = extract_html(markup).text
    assert len(source_offsets(markup, text)) == len(text)
