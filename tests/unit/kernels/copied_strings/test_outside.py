import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.character_suffixes import (
    character_lcp,
    character_suffix_array,
    dense_characters,
    distinct_characters,
)
from workbench.kernels.copied_strings.outside import BLOCK, block_minima, gram_filter, gram_starts, longest_matches


def codes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def statistics(text: str, corpus: list[str], gram: int, slices: int, filtered: bool) -> list[int]:
    """Matching statistics; each place is seen to hold the string."""
    texts = [codes(t) for t in corpus]
    ids, letters = dense_characters(texts), distinct_characters(texts)
    suffixes = character_suffix_array(ids)
    rank = np.argsort(suffixes).astype(np.int32)
    lcp = character_lcp(ids, suffixes)
    firsts = np.searchsorted(ids[suffixes], np.arange(len(letters) + 2, dtype=ids.dtype))
    number = np.zeros(0x110000, ids.dtype)
    number[letters] = np.arange(1, len(letters) + 1)
    query = number[codes(text)]
    possible = gram_starts(query, gram, gram_filter(ids, gram, 3))
    if not filtered:
        # as if the filter held everything
        possible[:] = [0 not in query[j : j + gram] and j + gram <= len(query) for j in range(len(query))]
    length, place = np.zeros(len(query), np.int32), np.zeros(len(query), np.int32)
    for begin in range(0, len(query), slices):
        end = min(begin + slices, len(query))
        longest_matches(
            query, begin, end, gram, possible, firsts, ids, suffixes, rank, lcp, block_minima(lcp), length, place
        )
    joined = "".join(t + "\0" for t in corpus)
    for j in np.flatnonzero(length):
        assert joined[place[j] : place[j] + length[j]] == text[j : j + length[j]]
    return length.tolist()


def expected(text: str, corpus: list[str], gram: int) -> list[int]:
    lengths = []
    for j in range(len(text)):
        size = 0
        while j + size < len(text) and any(text[j : j + size + 1] in t for t in corpus):
            size += 1
        lengths.append(size if size >= gram else 0)
    return lengths


TEXTS = st.text("ab", max_size=40) | st.text("abcx", max_size=25)


@pytest.mark.slow
@settings(max_examples=200)
@given(TEXTS, st.lists(TEXTS.filter(lambda t: "x" not in t), max_size=6), st.integers(1, 5), st.data())
def test_they_equal_a_search_of_every_substring(text, corpus, gram, data):
    slices, filtered = data.draw(st.integers(1, 50)), data.draw(st.booleans())
    assert statistics(text, corpus, gram, slices, filtered) == expected(text, corpus, gram)


@pytest.mark.parametrize("copies", [BLOCK - 1, BLOCK, 3 * BLOCK + 7])
def test_strings_that_are_in_more_places_than_a_block_holds(copies):
    corpus = ["皆が持つ文言。" + chr(0x4E00 + i) for i in range(copies)] + ["皆が持つ文言だ。", "の文言"]
    text = "前に皆が持つ文言。" + chr(0x4E00 + copies // 2) + "皆が持つ文言だ。後に皆が持つ文言"
    assert statistics(text, corpus, 2, 7, True) == expected(text, corpus, 2)


@pytest.mark.slow
def test_more_characters_than_two_bytes_number():
    corpus = ["".join(chr(c) for c in range(0x10000, 0x10000 + 70_000))]
    text = corpus[0][100:110] + corpus[0][69_000:69_020]
    assert statistics(text, corpus, 2, 100, True) == expected(text, corpus, 2)
