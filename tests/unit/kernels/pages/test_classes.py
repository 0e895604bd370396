from __future__ import annotations

import numpy as np

from workbench.kernels.pages.classes import DECIMAL, DIGIT, LOWER, SPACE, UPPER, WORD, classes


def bits(character: str) -> int:
    small = not character.isupper() and (character.islower() or character.istitle())
    return (
        SPACE * character.isspace()
        | DECIMAL * character.isdecimal()
        | DIGIT * character.isdigit()
        | WORD * (character.isalnum() or character == "_")
        | UPPER * character.isupper()
        | LOWER * small
    )


def test_the_class_of_every_code_point_is_that_of_the_character() -> None:
    table = classes()
    expected = np.fromiter(map(bits, map(chr, range(0x110000))), np.uint8)
    wrong = np.flatnonzero((table & (SPACE | DECIMAL | DIGIT | WORD | UPPER | LOWER)) != expected)
    assert len(table) == len(expected)
    assert not len(wrong), [hex(code) for code in wrong[:9]]
