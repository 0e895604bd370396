"""Where segments lie, from five bytes each, against the offsets themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.methods.digest.extents import Extents, comparable

SIZES = st.integers(0, 30) | st.sampled_from([254, 255, 70_000])
SEGMENT = st.tuples(SIZES, SIZES, SIZES, st.sampled_from([1, 2, 2**32 - 1]), st.integers(0, 2**32 - 1))
"""Gap, characters, folded letters, hash of the gap, hash of the segment."""
DOCUMENTS = st.lists(st.lists(SEGMENT, max_size=90), max_size=6)


def columns(documents: list[list[tuple[int, int, int, int, int]]]) -> tuple[np.ndarray, ...]:
    """Spans, lengths, spellings and which places are segments; a place without one around each document."""
    spans, lengths, spellings = [(0, 0)], [0], [(0, 0)]
    for document in documents:
        at = 0
        for gap, size, letters, gap_hash, own_hash in document:
            spans.append((at + gap, at + gap + size))
            lengths.append(letters)
            spellings.append((own_hash, gap_hash))
            at += gap + size
        spans.append((0, 0))
        lengths.append(0)
        spellings.append((0, 0))
    ends = np.cumsum([1 + len(d) for d in documents])
    is_segment = np.ones(len(spans), np.bool_)
    is_segment[[0, *ends.tolist()]] = False
    return np.array(spans, np.uint32), np.array(lengths, np.uint32), np.array(spellings, np.uint32), is_segment


@given(DOCUMENTS)
def test_extents_are_the_offsets_lengths_and_spellings(documents: list[list[tuple[int, int, int, int, int]]]) -> None:
    spans, lengths, spellings, is_segment = columns(documents)
    extents = Extents.from_columns(Extents.of(spans, lengths, spellings, is_segment).columns())
    places = np.flatnonzero(is_segment)
    firsts = np.repeat(
        np.cumsum([1, *(1 + len(d) for d in documents)])[: len(documents)], [len(d) for d in documents]
    ).astype(np.int64)
    assert np.array_equal(extents.spans(places, firsts), spans[places])
    assert np.array_equal(extents.lengths.at(places), lengths[places])
    assert np.array_equal(extents.spellings(places), comparable(spellings[places]))


def test_shapes_beyond_the_most_frequent_are_kept_whole() -> None:
    document = [(gap, 10, 8, gap, gap) for gap in range(1, 400)]
    spans, lengths, spellings, is_segment = columns([document])
    extents = Extents.of(spans, lengths, spellings, is_segment)
    places = np.flatnonzero(is_segment)
    assert len(extents.common) == 255
    assert np.array_equal(extents.spans(places, np.ones_like(places)), spans[places])


def test_a_segment_takes_five_bytes() -> None:
    documents = [[(0, 40, 36, 1, number)] * 20 for number in range(200)]
    extents = Extents.of(*columns(documents))
    assert sum(column.nbytes for column in extents.columns().values()) < 5.5 * len(extents.codes)


def test_columns_of_other_sizes_are_refused() -> None:
    kept = Extents.of(*columns([[(0, 5, 5, 1, 1)]])).columns()
    with pytest.raises(ValueError, match="sizes disagree"):
        Extents.from_columns({**kept, "codes": kept["codes"][:-1]})
