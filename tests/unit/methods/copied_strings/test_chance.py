from collections import Counter

import numpy as np
import pytest

from workbench.methods.copied_strings.index import chance_length, meeting_chance


def meeting(text: str) -> float:
    return meeting_chance(np.array([*Counter(text).values()], np.int64))


@pytest.mark.parametrize(("letters", "first", "second"), [(2, 300, 3_000), (4, 1_000, 1_000), (26, 500, 20_000)])
def test_it_is_near_the_longest_common_run_of_random_texts(letters, first, second):
    rng = np.random.default_rng(letters)
    longest, expected = [], []
    for _ in range(8):
        a, b = ("".join(map(chr, 97 + rng.integers(0, letters, n))) for n in (first, second))
        size = 1
        while any(a[i : i + size] in b for i in range(first - size + 1)):
            size += 1
        longest.append(size - 1)
        expected.append(chance_length(first, second, meeting(b), most=100))
    assert abs(np.mean(longest) - np.mean(expected)) <= 2


def test_it_grows_with_either_text_and_with_the_chance_that_characters_meet():
    assert chance_length(1_000, 5_000, meeting("aaab"), most=1_000) > chance_length(1_000, 5_000, 0.5, most=1_000)
    assert chance_length(64, 1_024, 0.5, most=1_000) == 16
    assert chance_length(128, 1_024, 0.5, most=1_000) == chance_length(64, 2_048, 0.5, most=1_000) == 17


def test_texts_without_characters_have_the_shortest_and_one_letter_the_longest():
    assert meeting("") == 0
    assert chance_length(0, 2, meeting("ab"), most=9) == 1
    assert chance_length(2, 0, meeting(""), most=9) == 1
    assert chance_length(4, 2, meeting("aa"), most=9) == 9
