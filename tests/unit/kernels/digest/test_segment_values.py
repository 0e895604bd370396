"""Letter surprisal and spelling hashes of segments."""

import math

import numpy as np
import pytest

from workbench.kernels.digest.segment_values import (
    COST_UNIT,
    count_letters,
    letter_costs,
    letter_counts,
    segment_bits,
    spellings,
)
from workbench.kernels.fold_table import fold_table
from workbench.text.normalisation import FoldOptions, fold

TEXT = "Aa①、㍿b"


def codes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def column(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def test_letters_are_counted_after_folding() -> None:
    counts = letter_counts()
    count_letters(codes(TEXT), fold_table(FoldOptions()), counts)
    folded = fold(TEXT).text
    assert {chr(c): int(counts[c]) for c in np.flatnonzero(counts)} == {c: folded.count(c) for c in folded}


def test_rare_letters_cost_more_and_unseen_ones_most() -> None:
    counts = letter_counts()
    counts[[ord("a"), ord("b")]] = 98, 1
    costs = letter_costs(counts) / COST_UNIT
    assert costs[ord("a")] == pytest.approx(math.log2(102 / 99), abs=1e-3)
    assert costs[ord("b")] == pytest.approx(math.log2(102 / 2), abs=1e-3)
    assert costs[ord("c")] == costs.max() == pytest.approx(math.log2(102), abs=1e-3)


def test_the_bits_of_a_segment_are_those_of_its_folded_letters() -> None:
    table, counts = fold_table(FoldOptions()), letter_counts()
    count_letters(codes(TEXT), table, counts)
    costs = letter_costs(counts)
    bits = segment_bits(codes(TEXT), column(0, 2), column(len(TEXT), 4), table, costs)
    for got, part in zip(bits, (TEXT, TEXT[2:4]), strict=True):
        assert got * COST_UNIT == sum(int(costs[ord(c)]) for c in fold(part).text)


def test_spellings_tell_segments_and_gaps_apart() -> None:
    bounds = np.array([0, 2, 4], np.int64)
    text, start, end = codes("ab cdab-cd"), column(0, 3, 5, 8), column(2, 5, 7, 10)
    one = spellings(text, start, end, bounds, np.arange(4))
    assert one[0].tolist() == one[2].tolist()
    assert one[1, 0] == one[3, 0]
    assert one[1, 1] != one[3, 1]
    some = np.array([3, 0, 3, 2])
    assert spellings(text, start, end, bounds, some).tolist() == one[some].tolist()
