"""Suffix arrays over characters against sorting all suffixes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.character_suffixes import _bytes_of, character_lcp, character_suffix_array, dense_characters
from workbench.kernels.code_points import code_points


def sorted_suffixes(ids: list[int]) -> list[int]:
    return sorted(range(len(ids)), key=lambda i: ids[i:])


@given(st.lists(st.text(st.sampled_from("abあ漢𠮷"), max_size=20), max_size=5))
def test_suffixes_are_in_the_order_of_their_characters(texts: list[str]) -> None:
    ids = dense_characters([code_points(text) for text in texts])
    assert character_suffix_array(ids).tolist() == sorted_suffixes(ids.tolist())


@pytest.mark.parametrize("different", [2, 200, 255, 256, 257, 600, 5000, 65_535])
def test_suffixes_are_in_order_however_many_different_characters_there_are(different: int) -> None:
    rng = random.Random(different)
    # A few characters make up most of the text, as in Japanese and Chinese.
    drawn = [rng.randrange(different) if rng.random() < 0.3 else rng.randrange(min(different, 40)) for _ in range(4000)]
    text = "".join(chr(0x20000 + c) for c in [*drawn, *drawn[:900], *range(different)])
    ids = dense_characters([code_points(text[:3000]), code_points(text[3000:])])
    values = ids.tolist()
    suffixes = character_suffix_array(ids).tolist()
    assert sorted(suffixes) == list(range(len(values)))
    lcp = character_lcp(ids, np.array(suffixes, np.int32)).tolist()
    # As characters, which Python compares fastest.
    written = "".join(map(chr, values))
    for rank in range(1, len(suffixes)):
        a, b = suffixes[rank - 1], suffixes[rank]
        common = lcp[rank]
        end_of_a, end_of_b = a + common, b + common
        assert written[a:end_of_a] == written[b:end_of_b]
        assert written[end_of_a : end_of_a + common + 1600] < written[end_of_b : end_of_b + common + 1600]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=3000))
def test_the_bytes_of_characters_are_in_their_order_and_none_begins_another(counts: list[int]) -> None:
    first, second = _bytes_of(np.array(counts, np.int64))
    written = [bytes([a]) if b < 0 else bytes([a, b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    assert written == sorted(set(written))
    alone = {a[0] for a in written if len(a) == 1}
    assert all(pair[0] not in alone for pair in written if len(pair) == 2)
