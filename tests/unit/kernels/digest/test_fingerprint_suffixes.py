"""The suffix array against sorting all suffixes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import Cancelled
from workbench.base.progress import NullProgress
from workbench.kernels.digest.fingerprint_suffixes import suffix_array

DOCUMENTS = st.lists(st.lists(st.integers(1, 4), max_size=12), max_size=6)


def digest_text(documents: list[list[int]], spread: int = 1) -> np.ndarray:
    return np.array([0, *(x for d in documents for x in (*(v * spread for v in d), 0))], np.uint64)


def sorted_suffixes(text: np.ndarray) -> list[int]:
    zeros = np.cumsum(text == 0)
    ranks = [(0, int(z)) if x == 0 else (1, int(x)) for x, z in zip(text, zeros, strict=True)]
    return sorted(np.flatnonzero(text).tolist(), key=lambda place: ranks[place:])


@given(DOCUMENTS, st.sampled_from([1, 2**60, 2**48 + 1]))
def test_suffixes_come_in_order(documents: list[list[int]], spread: int) -> None:
    text = digest_text(documents, spread)
    assert suffix_array(text).suffixes.tolist() == sorted_suffixes(text)


@pytest.mark.parametrize("bits", [32, 64])
def test_buckets_and_signatures_hold_the_top_bits(bits: int) -> None:
    rng = np.random.default_rng(3)
    text = np.concatenate([[0], rng.integers(1, 2**bits - 1, 5000, np.uint64), [0]]).astype(np.uint64)
    index = suffix_array(text, bits)
    ordered = text[index.suffixes]
    for slot in range(0, 5000, 37):
        top = int(ordered[slot]) >> (bits - index.bucket_bits)
        assert index.buckets[top] <= slot < index.buckets[top + 1]
        assert int(index.signatures[slot]) == int(ordered[slot]) >> (bits - index.bucket_bits - 16) & 0xFFFF


def test_a_text_of_one_repeated_fingerprint_is_sorted_quickly() -> None:
    text = np.full(200_001, 9, np.uint64)
    text[[0, -1]] = 0
    assert suffix_array(text).suffixes.tolist() == list(range(199_999, 0, -1))


def test_building_stops_when_cancelled() -> None:
    class Impatient(NullProgress):
        def check(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        suffix_array(digest_text([[1, 2]]), progress=Impatient())
