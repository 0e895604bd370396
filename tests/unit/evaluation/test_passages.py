from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.base.types import Span
from workbench.evaluation.passages import Passage, measure, plagdet_interval


def passage(a0: int, a1: int, b0: int, b1: int) -> Passage:
    return Passage("s", Span(a0, a1), "t", Span(b0, b1))


spans = st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(0, 30), st.integers(1, 12)).map(
    lambda t: passage(t[0], t[0] + t[1], t[2], t[2] + t[3])
)


def by_definition(items: list[Passage], others: list[Passage]) -> float:
    """Sets of characters, straight from the paper."""
    total = 0.0
    for p in items:
        near = [q for q in others if p.a_span.overlap(q.a_span) and p.b_span.overlap(q.b_span)]
        chars = {("a", i) for i in range(*p.a_span)} | {("b", i) for i in range(*p.b_span)}
        seen = {("a", i) for q in near for i in range(*q.a_span)} | {("b", i) for q in near for i in range(*q.b_span)}
        total += len(chars & seen) / len(chars)
    return total / len(items) if items else 0.0


@given(st.lists(spans, max_size=5), st.lists(spans, max_size=5))
def test_precision_and_recall_equal_their_definition(reference: list[Passage], detected: list[Passage]) -> None:
    result = measure(reference, detected)
    assert result.precision == pytest.approx(by_definition(detected, reference))
    assert result.recall == pytest.approx(by_definition(reference, detected))


def test_a_passage_found_in_two_pieces_costs_granularity() -> None:
    result = measure([passage(0, 100, 50, 150)], [passage(0, 50, 50, 100), passage(50, 100, 100, 150)])
    assert (result.precision, result.recall, result.granularity) == (1, 1, 2)
    assert result.plagdet == pytest.approx(1 / math.log2(3))


def test_nothing_found_is_zero() -> None:
    assert measure([passage(0, 9, 0, 9)], []).plagdet == 0


def test_the_interval_of_plagdet_resamples_suspects() -> None:
    def of(suspect: str, is_detected: bool) -> list[Passage]:
        return [Passage(suspect, Span(0, 10), "t", Span(0, 10))] if is_detected else []

    reference = [p for i in range(40) for p in of(f"s{i}", True)]
    detected = [p for i in range(40) for p in of(f"s{i}", i % 2 == 0)]
    low, high = plagdet_interval(reference, detected)
    assert 0.4 < low < measure(reference, detected).plagdet < high < 0.85


@pytest.mark.parametrize("suspects", [1, 30])
def test_resamples_that_are_all_equal_give_no_interval(suspects: int) -> None:
    reference = [Passage(f"s{i}", Span(0, 10), "t", Span(0, 10)) for i in range(suspects)]
    detected = [Passage(p.a, Span(0, 5), "t", Span(0, 5)) for p in reference]
    with pytest.raises(UserError, match="too few labels"):
        plagdet_interval(reference, detected)
