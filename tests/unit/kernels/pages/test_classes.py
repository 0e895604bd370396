from __future__ import annotations

from workbench.kernels.pages.classes import DECIMAL, DIGIT, LOWER, SPACE, UPPER, WORD, classes


def test_the_class_of_every_code_point_is_that_of_the_character() -> None:
    table = classes()
    for code, bits in enumerate(table.tolist()):
        character = chr(code)
        assert bool(bits & SPACE) == character.isspace()
        assert bool(bits & DECIMAL) == character.isdecimal()
        assert bool(bits & DIGIT) == character.isdigit()
        assert bool(bits & WORD) == (character.isalnum() or character == "_")
        assert bool(bits & UPPER) == character.isupper()
        assert bool(bits & LOWER) == (not character.isupper() and (character.islower() or character.istitle()))
