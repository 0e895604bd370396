"""The compiled features of blocks beside the plain ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.reading.blocks import plain_features, plain_surroundings
from workbench.reading.blocks import features
from workbench.reading.blocks.page import Page
from workbench.reading.html.page import extract_html
from workbench.text.markup.feature_names import WORDS

PROSE = "The council met on Monday, and after a long debate, it voted to rebuild the old bridge. "
PARTS = [
    *("<p>", "</p>", "<div class=sidebar>", "<div id=comments>", "</div>", "<article>", "</article>", "<h1>", "<h3>"),
    *(
        "<li>",
        "<ul>",
        "</ul>",
        "<table><td>",
        "<nav>",
        "</nav>",
        "<footer>",
        "<section class='Related x1'>",
        "<blockquote>",
    ),
    *(
        "<a href=x>",
        "</a>",
        "<b class=meta>",
        "</b>",
        "<i>",
        "</i>",
        f"<span class='{'byline ' * 40}'>",
        "</span>",
        "<br>",
    ),
    *(
        "あ。",
        "Text, text. ",
        PROSE,
        PROSE * 3,
        "古い橋は、町の人が長いあいだ大切にしてきたものである。" * 3,
        "短い文",
        "関連記事",
    ),
    *(
        "Related",
        "RELATED STORIES",
        "Comments",
        "By A. Writer",
        "subscribeſ",
        "bac\u212a",
        "l\u0130ke",
        "©",
        "(c)",
        "a | b > c",
    ),
    *(
        "12/3/2020",
        "３／４",
        "2020 年 4",
        "in 1999, or",
        "x1999",
        "²²",
        "12345",
        "ΣΊΣ",
        "ǅ",
        "STOP",
        "ends: ",
        "終わり：",
        "He said “no.”",
    ),
    *(
        "<title>The old bridge is rebuilt</title>",
        "<meta property=og:type content=article>",
        "The old bridge",
        "a, b, c, d",
    ),
]


@given(st.lists(st.sampled_from(PARTS), max_size=60))
def test_features_are_those_of_the_plain_reference(parts: list[str]) -> None:
    page = _page("".join(parts))
    length = features.lengths(page)
    assert length.tolist() == plain_features.lengths(page)
    assert features.features(page) == plain_features.features(page)


@given(st.lists(st.sampled_from(PARTS), max_size=60), st.data())
def test_surroundings_are_those_of_the_plain_reference(parts: list[str], data: st.DataObject) -> None:
    page = _page("".join(parts))
    n = len(page.leaves)
    points = data.draw(st.lists(st.integers(-60, 60).map(lambda p: p / 10), min_size=n, max_size=n))
    keeps = data.draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n))
    length = features.lengths(page)
    rows = features.surroundings(page, np.array(points, np.float64), length, keeps)
    assert features.bits_of(rows) == plain_surroundings.surroundings(page, points, length.tolist(), keeps)


def test_a_deep_page_has_the_features_of_the_plain_reference() -> None:
    for depth in (30, 31, 32, 33, 64, 500):
        page = _page("<div>" * depth + f"<p>{PROSE}<p>{PROSE}<div><p>a</div><p>b</div><p>c")
        assert features.features(page) == plain_features.features(page)


def test_only_two_characters_of_other_alphabets_are_ascii_letters_in_lower_case() -> None:
    assert [code for code in range(0x80, 0x110000) if any(c.isascii() for c in chr(code).lower())] == [0x130, 0x212A]


def test_words_of_labels_fit_their_numbers() -> None:
    assert all(
        word.isalpha() and word.islower() and len(word) <= 12 if word.isascii() else len(word) == 2 for word in WORDS
    )


def _page(markup: str) -> Page:
    return extract_html(markup).page
