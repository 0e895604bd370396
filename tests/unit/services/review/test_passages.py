"""Which matches are one passage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Matches
from workbench.services.review.passages import NEAR, passages

Row = tuple[int, int, int, int, int]
"""Source, start and end in the suspect, start and end in the source."""


def _matches(rows: list[Row]) -> Matches:
    b, a0, a1, b0, b1 = np.array(rows, np.int64).reshape(-1, 5).T
    count = len(rows)
    return Matches(np.ones(count, np.int64), b, a0, a1, b0, b1, np.ones(count), np.zeros(count, np.int8))


def by_definition(rows: list[Row]) -> list[int]:
    """The first row of each passage, as the module's docstring says it."""
    group = list(range(len(rows)))
    for _ in rows:
        for i, one in enumerate(rows):
            for k, other in enumerate(rows):
                if one[0] == other[0] and _near(rows, one, other, 1) and _near(rows, one, other, 3):
                    group[i] = group[k] = min(group[i], group[k])
    return group


def _near(rows: list[Row], one: Row, other: Row, side: int) -> bool:
    covered = {at for row in rows if row[0] == one[0] for at in range(row[side], row[side + 1])}
    between = range(min(one[side + 1], other[side + 1]), max(one[side], other[side]))
    return sum(at not in covered for at in between) <= NEAR


_spans = st.tuples(st.integers(0, 12), st.integers(1, 5)).map(lambda s: (s[0] * 23, s[0] * 23 + s[1] * 9))
_rows = st.tuples(st.integers(1, 2), _spans, _spans).map(lambda row: (row[0], *row[1], *row[2]))


@pytest.mark.slow
@given(st.lists(_rows, max_size=9))
def test_passages_are_as_defined(rows: list[Row]) -> None:
    assert passages(_matches(rows)).tolist() == by_definition(rows)


def test_swapped_sentences_are_one_passage() -> None:
    swapped = [(1, 0, 60, 500, 560), (1, 60, 130, 610, 680), (1, 130, 180, 560, 610)]
    assert passages(_matches(swapped)).tolist() == [0, 0, 0]


def test_a_sentence_of_the_writers_own_parts_passages_on_either_side() -> None:
    apart = NEAR + 1
    assert passages(_matches([(1, 0, 60, 0, 60), (1, 60 + apart, 99 + apart, 60, 99)])).tolist() == [0, 1]
    assert passages(_matches([(1, 0, 60, 0, 60), (1, 60, 99, 60 + apart, 99 + apart)])).tolist() == [0, 1]
    assert passages(_matches([(1, 0, 60, 0, 60), (1, 60 + NEAR, 99 + NEAR, 60, 99)])).tolist() == [0, 0]


def test_matches_from_two_sources_are_never_one_passage() -> None:
    assert passages(_matches([(1, 0, 60, 0, 60), (2, 0, 60, 0, 60)])).tolist() == [0, 1]


def test_no_matches_have_no_passages() -> None:
    assert passages(Matches.empty()).tolist() == []


CLAUSE = "and nobody had seen a ship come in for many a week"


@pytest.mark.parametrize(("own", "joined"), [(CLAUSE, True), (f"{CLAUSE}.", False)])
@pytest.mark.parametrize("side", ["suspect", "source"])
def test_a_clause_of_the_writers_own_joins_two_matches_and_a_whole_sentence_parts_them(
    own: str, joined: bool, side: str
) -> None:
    size = len(own)
    then = (1, 60 + size, 99 + size, 60, 99) if side == "suspect" else (1, 60, 99, 60 + size, 99 + size)
    assert passages(_matches([(1, 0, 60, 0, 60), then])).tolist() == ([0, 0] if joined else [0, 1])
