"""Signs in the text: named sites and date lines."""

from __future__ import annotations

import pytest

from workbench.methods.rare_sentences.relations import interval
from workbench.services.relations.directions import dateline, named, site_names


def test_a_sites_name_is_what_its_titles_end_with() -> None:
    titles = {
        "a.example": [f"記事 {n} | 川町新聞" for n in range(3)],
        "b.example": [f"Story {n} - The River Post" for n in range(3)] + ["Imprint"],
        "c.example": ["One - Two", "Three - Four", "Five - Six"],
        "d.example": [f"Story {n} - Home page" for n in range(3)],
        "e.example": [f"News {n} - Home page" for n in range(3)],
    }
    assert site_names(titles) == {"a.example": "川町新聞", "b.example": "The River Post"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First seen on news.example/2026.", {"www.news.example"}),
        ("See https://www.NEWS.example for more", {"www.news.example"}),
        ("news.example wrote it first", {"www.news.example"}),
        ("see goodnews.example", set()),
        ("see news.examples", set()),
        ("（川町新聞）が報じた", {"kawa.example"}),
        ("nothing", set()),
    ],
)
def test_sites_are_named_by_host_or_name_and_not_inside_other_words(text: str, expected: set[str]) -> None:
    assert named(text, ["www.news.example", "kawa.example"], {"kawa.example": "川町新聞"}) == expected


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026年3月4日、市議会は", "2026-03-04"),
        ("RIVERTON, March 4, 2026 — The council", "2026-03-04"),
        ("Riverton (4th Mar. 2026): the council", "2026-03-04"),
        ("In March 2026 the council", ""),
        ("文" * 80 + "2026年3月4日", ""),
    ],
)
def test_a_text_may_begin_with_its_date(text: str, day: str) -> None:
    assert dateline(text) == (interval(day) if day else None)
