from __future__ import annotations

from workbench.services.review.visible import visible


def test_characters_that_turn_a_line_around_are_spelled_out() -> None:
    assert visible("safe\u202egnp.exe") == "safe<U+202E>gnp.exe"
    assert visible("a\u200bb\x1b[31m\x00") == "a<U+200B>b<U+001B>[31m<U+0000>"


def test_text_people_read_stays_as_it_is() -> None:
    text = "日本語\nと\temoji 👨\u200d👩\u200d👧"
    assert visible(text) == text


def test_line_ends_are_spelled_out_where_a_line_is_wanted() -> None:
    assert visible("a\nb", keep="") == "a<U+000A>b"
