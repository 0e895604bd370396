"""The edit script against the dynamic programme of its definition."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from workbench.base.errors import Cancelled
from workbench.base.progress import NullProgress
from workbench.kernels import edit_script
from workbench.kernels.code_points import code_points
from workbench.kernels.edit_script import CODES, TooDifferent, common_blocks, solve, spacing

WORDS = st.text(st.sampled_from("abcd"), max_size=60) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def reference(a: str, b: str) -> int:
    """Length of the longest common subsequence, by the textbook table."""
    above = [0] * (len(b) + 1)
    for x in a:
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
        above = row
    return above[-1]


def check(a: str, b: str, blocks: NDArray[np.int32], length: int) -> None:
    assert blocks[:, 2].sum() == length
    x_end = y_end = 0
    for x, y, n in blocks.tolist():
        assert n > 0
        assert x >= x_end
        assert y >= y_end
        assert not (x == x_end and y == y_end) or x_end == 0
        assert a[x : x + n] == b[y : y + n]
        x_end, y_end = x + n, y + n


def altered(text: str, rate: float, seed: int = 0, letters: str = "abcdefghij") -> str:
    rng = random.Random(seed)
    return "".join(rng.choice(letters) if rng.random() < rate else c for c in text)


def prose(n: int, seed: int = 0, letters: str = "abcdefghij") -> str:
    return "".join(random.Random(seed).choices(letters, k=n))


@pytest.mark.slow
def test_the_example_of_the_paper() -> None:
    blocks = common_blocks(code_points("abcabba"), code_points("cbabac"))
    check("abcabba", "cbabac", blocks, 4)
    edits = 7 + 6 - 2 * 4
    assert edits == 5


@pytest.mark.slow
@settings(max_examples=500)
@given(WORDS, WORDS)
def test_the_common_subsequence_is_longest(a: str, b: str) -> None:
    check(a, b, common_blocks(code_points(a), code_points(b)), reference(a, b))


@pytest.mark.slow
@settings(max_examples=300)
@given(WORDS.filter(bool), WORDS.filter(bool))
def test_bit_rows_find_the_same_length(a: str, b: str) -> None:
    pairs = solve(code_points(a), code_points(b), np.full(CODES, -1, np.int32))[::-1]
    assert len(pairs) == reference(a, b)
    assert all(a[i] == b[j] for i, j in pairs.tolist())
    assert len(pairs) < 2 or (np.diff(pairs, axis=0) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("letters", ["ab", "abcdefghij", "".join(map(chr, range(0x4E00, 0x5200)))])
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.2, 0.6, 1.0])
@pytest.mark.parametrize("characters", [700, pytest.param(1500, marks=pytest.mark.rest)])
def test_both_algorithms_agree_on_long_texts(rate: float, letters: str, characters: int) -> None:
    a = prose(characters, letters=letters)
    b = altered(a, rate, letters=letters)
    length = len(solve(code_points(a), code_points(b), np.full(CODES, -1, np.int32)))
    assert length == reference(a, b)
    check(a, b, common_blocks(code_points(a), code_points(b)), length)


@pytest.mark.parametrize("letters", ["ab", "".join(map(chr, range(0x4E00, 0x5200)))])
def test_texts_whose_rows_are_not_all_kept_have_a_longest_subsequence(letters: str) -> None:
    a = prose(6000, letters=letters)
    b = altered(a, 0.6, letters=letters)
    assert spacing(len(b), len(a) // 64) < len(b)
    length = LCSseq.similarity(a, b)
    assert len(solve(code_points(a), code_points(b), np.full(CODES, -1, np.int32))) == length
    check(a, b, common_blocks(code_points(a), code_points(b)), length)


def test_pauses_do_not_change_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    a = prose(6000)
    b = altered(a, 0.05)[500:] + prose(900, 3)
    whole = common_blocks(code_points(a), code_points(b))
    monkeypatch.setattr(edit_script, "_STEPS", 50)
    assert np.array_equal(common_blocks(code_points(a), code_points(b)), whole)
    check(a, b, whole, int(whole[:, 2].sum()))


def test_symmetric_in_length() -> None:
    a = prose(3000)
    b = altered(a, 0.3)
    lengths = {int(common_blocks(code_points(x), code_points(y))[:, 2].sum()) for x, y in ((a, b), (b, a))}
    assert len(lengths) == 1


def test_symbols_beyond_unicode_are_allowed() -> None:
    a = np.array([1, 0x110000, 2], np.uint32)
    b = np.array([1, 0x110001, 2], np.uint32)
    assert common_blocks(a, b).tolist() == [[0, 0, 1], [2, 2, 1]]


def test_long_texts_with_few_edits_are_solved() -> None:
    a = prose(2_000_000)
    b = a[:1_000_000] + "x" + a[1_000_100:]
    blocks = common_blocks(code_points(a), code_points(b), longest=1000)
    assert blocks[:, 2].sum() == len(a) - 100


def test_stretches_beyond_the_limit_are_refused() -> None:
    with pytest.raises(TooDifferent):
        common_blocks(code_points(prose(20_000)), code_points(prose(20_000, 1)), longest=2_000)


@pytest.mark.slow
def test_a_cancel_is_seen_in_the_midst_of_the_work() -> None:
    class Watch(NullProgress):
        looks = 0

        def check(self) -> None:
            self.looks += 1
            if self.looks > 20:
                raise Cancelled

    progress = Watch()
    a, b = code_points(prose(1_000_000)), code_points(prose(1_000_000, 1))
    with pytest.raises(Cancelled):
        common_blocks(a, b, progress, longest=1_000_000)
    assert progress.looks == 21
