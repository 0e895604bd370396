from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.coverage import (
    A,
    B,
    content_length,
    content_spans,
    covered,
    covered_by_group,
    lengths,
    limits,
    stretches,
)
from workbench.base.gaps import Gaps
from workbench.base.types import Block, BlockClass, Document, Matches, Span

Row = tuple[int, int, list[int], int, int, list[int]]
"""Start and length in a, edges of gaps there; the same of b."""
PLACES = st.tuples(st.integers(0, 40), st.integers(0, 20), st.lists(st.integers(0, 20), max_size=6))
ROWS = st.lists(st.tuples(PLACES, PLACES).map(lambda sides: (*sides[0], *sides[1])), max_size=8)


def gaps_of(start: int, length: int, edges: list[int]) -> list[tuple[int, int]]:
    """Disjoint gaps within ``[start, start + length)``, some of which touch its ends or each other."""
    places = sorted({start + min(edge, length) for edge in edges})
    return list(zip(places[::2], places[1::2], strict=False))


def matches_of(rows: list[Row]) -> Matches:
    columns = np.array([(a, a + n, b, b + m) for a, n, _, b, m, _ in rows], np.int64).reshape(-1, 4).T
    gaps = Gaps.of(
        (at, side, *gap)
        for at, row in enumerate(rows)
        for side in (A, B)
        for gap in gaps_of(*row[3 * side : 3 * side + 3])
    )
    ones = np.ones(len(rows), np.int64)
    return Matches(ones, 2 * ones, *columns, np.ones(len(rows)), np.zeros(len(rows), np.int8), gaps=gaps)


def characters(row: Row, side: int) -> set[int]:
    start, length, edges = row[3 * side : 3 * side + 3]
    return set(range(start, start + length)) - {at for gap in gaps_of(start, length, edges) for at in range(*gap)}


@pytest.mark.slow
@given(ROWS, st.sampled_from([A, B]))
def test_what_matches_cover_is_the_set_of_their_characters_outside_their_gaps(rows: list[Row], side: int) -> None:
    matches, sets = matches_of(rows), [characters(row, side) for row in rows]
    cut = stretches(matches, side)
    spans = list(zip(*(column.tolist() for column in cut), strict=True))
    assert [{at for row, *span in spans if row == n for at in range(*span)} for n in range(len(rows))] == sets
    assert all(start < end for _, start, end in spans)
    assert spans == sorted(spans)
    assert lengths(matches, side).tolist() == [len(places) for places in sets]
    assert covered(matches, side) == len(set().union(*sets))


@pytest.mark.slow
@given(ROWS, st.sampled_from([A, B]), st.data())
def test_groups_are_counted_apart(rows: list[Row], side: int, data: st.DataObject) -> None:
    group = [data.draw(st.integers(0, 3)) for _ in rows]
    counts = covered_by_group(matches_of(rows), side, np.array(group, np.int64), 4)
    expected: list[set[int]] = [set() for _ in range(4)]
    for of, row in zip(group, rows, strict=True):
        expected[of] |= characters(row, side)
    assert counts.tolist() == [len(places) for places in expected]


@pytest.mark.slow
@given(ROWS, st.sampled_from([A, B]))
def test_a_share_is_never_more_than_that_of_the_limits_and_equal_without_gaps(rows: list[Row], side: int) -> None:
    whole = matches_of([(a, n, [], b, m, []) for a, n, _, b, m, _ in rows])
    first, last = limits(whole, side)
    hull = {at for span in zip(first.tolist(), last.tolist(), strict=True) for at in range(*span)}
    assert covered(whole, side) == len(hull)
    assert covered(matches_of(rows), side) <= len(hull)


@pytest.mark.slow
@given(ROWS, st.data())
def test_gaps_stay_with_their_matches(rows: list[Row], data: st.DataObject) -> None:
    matches = matches_of(rows)
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=10)) if rows else []
    mask = np.array([data.draw(st.booleans()) for _ in rows], np.bool_)
    taken = matches.take(np.array(chosen, np.int64))
    assert [taken.row(n) for n in range(len(taken))] == [matches.row(n) for n in chosen]
    assert list(matches.take(mask)) == [row for row, kept in zip(matches, mask.tolist(), strict=True) if kept]
    assert list(matches.take(slice(1, None))) == list(matches)[1:]
    assert list(Matches.concatenate([taken, matches])) == [*taken, *matches]
    for n, row in enumerate(rows):
        match = matches.row(n)
        assert [list(match.a_gaps), list(match.b_gaps)] == [gaps_of(*row[:3]), gaps_of(*row[3:])]


def paragraphs(text: str, not_content: str = "") -> Document:
    """A document with a block for every line; the lines ``not_content`` are none."""
    blocks, at = [], 0
    for part in text.split("\n"):
        verdict = BlockClass.NON_CONTENT if part and part in not_content else BlockClass.CONTENT
        blocks += [Block(Span(at, at + len(part)), verdict=verdict)] if part else []
        at += len(part) + 1
    return Document("d", text, blocks=tuple(blocks))


@pytest.mark.parametrize("text", ["", "one\ntwo\n\nthree\n", "one"])
def test_a_text_of_which_nothing_is_left_out_is_all_content(text: str) -> None:
    assert content_length(paragraphs(text)) == content_length(Document("d", text)) == len(text)


def test_line_ends_between_blocks_of_content_are_content() -> None:
    page = paragraphs("menu\none\ntwo\nmenu\nthree\n\nfour\nmenu", "menu")
    assert [page.text[start:end] for start, end in content_spans(page)] == ["one\ntwo", "three\n\nfour"]
    assert content_spans(paragraphs("menu\nmenu", "menu")) == []
