"""Words are found as they read."""

from __future__ import annotations

import pytest

from workbench.text.finding import beginnings, find_all


@pytest.mark.parametrize(
    ("text", "needle", "hit"),
    [
        ("the night and\nThe rain fell", "and the rain", "and\nThe rain"),
        ("日本の\n　文は", "日本の文", "日本の\n　文"),
        ("cafe\u0301 noir", "café", "cafe\u0301"),
        ("café noir", "cafe\u0301", "café"),
        ("ﾃﾞｰﾀの表", "データ", "ﾃﾞｰﾀ"),
        ("データの表", "ﾃﾞｰﾀ", "データ"),
        ("ＡＢＣ社", "abc社", "ＡＢＣ社"),
        ("①と1", "①", "①"),
        ("\uf900と", "\uf900", "\uf900"),
        ("😀𠮷野家", "𠮷野", "𠮷野"),
        ("a.b axb", "a.b", "a.b"),
    ],
)
def test_text_is_found_as_it_reads_across_line_ends_and_in_other_widths(text: str, needle: str, hit: str) -> None:
    starts, ends = find_all(text, needle)
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == ([hit] if hit else [])
    assert {first.casefold() for first in beginnings(needle)} >= {hit[0].casefold()}


@pytest.mark.parametrize("hidden", ["\u00ad", "\u200b", "\u2060\u00ad"])
def test_characters_without_width_are_no_obstacle_in_either(hidden: str) -> None:
    text = f"The co{hidden}operative cat. 村{hidden}上春樹の本。"
    for needle in ("cooperative cat", f"coop{hidden}erative", "村上春樹"):
        starts, ends = find_all(text, needle)
        assert [text[a:b].replace(hidden, "") for a, b in zip(starts, ends, strict=True)] == [
            needle.replace(hidden, "")
        ]


def test_words_of_two_paragraphs_are_not_one_and_no_words_are_nowhere() -> None:
    assert len(find_all("日本\n\n語", "日本語")[0]) == 0
    assert len(find_all("text", "")[0]) == 0
