"""Which letter a character stands for, and which characters are read alike."""

from __future__ import annotations

import pytest

from workbench.text.initials import NONE, initial, letter_table, reading_table
from workbench.text.scripts import traditional_to_simplified


@pytest.mark.parametrize(
    ("characters", "letters"),
    [("中國国的行", "zggdx"), ("かガちつふじをんっアー", "kgctfjwnta"), ("azéø", "aze"), ("9한я々", "")],
)
def test_characters_stand_for_the_initial_of_their_reading(characters: str, letters: str) -> None:
    assert "".join(map(initial, characters)) == letters
    table = letter_table()
    initials = [int(table[ord(c)]) for c in characters]
    assert "".join(chr(ord("a") + x) for x in initials if x != NONE) == letters


def test_traditional_and_simplified_forms_have_the_same_letter_and_reading() -> None:
    letters, readings = letter_table(), reading_table()
    for traditional, simplified in traditional_to_simplified().items():
        assert letters[ord(traditional)] == letters[ord(simplified)]
        if letters[ord(traditional)] != NONE:
            assert readings[ord(traditional)] == readings[ord(simplified)]


def test_homophones_read_alike_and_others_do_not() -> None:
    table = reading_table()
    assert table[ord("事")] == table[ord("是")] == table[ord("市")]
    assert table[ord("事")] != table[ord("四")]
    assert table[ord("カ")] == table[ord("か")] != table[ord("き")]
    assert table[ord("x")] == ord("x")
