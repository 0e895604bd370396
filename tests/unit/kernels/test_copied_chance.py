import numpy as np
import pytest

from workbench.kernels.copied_chance import CharacterCounts, chance_length


def counts(*texts: str) -> CharacterCounts:
    return CharacterCounts(np.frombuffer(text.encode("utf-32-le"), np.uint32) for text in texts)


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
        expected.append(chance_length(counts(a), counts(b), most=100))
    assert abs(np.mean(longest) - np.mean(expected)) <= 2


def test_it_falls_where_the_texts_prefer_different_characters():
    alike = chance_length(counts("ab" * 500), counts("ab" * 5_000), most=1_000)
    apart = chance_length(counts("aaab" * 250), counts("abbb" * 2_500), most=1_000)
    assert apart < alike


def test_texts_without_anything_in_common_have_the_shortest_and_one_letter_the_longest():
    assert chance_length(counts(), counts("ab"), most=9) == 1
    assert chance_length(counts(""), counts(""), most=9) == 1
    assert chance_length(counts("ab"), counts("cd"), most=9) == 1
    assert chance_length(counts("aaaa"), counts("aa"), most=9) == 9
