from __future__ import annotations

import pytest
from stored import FIRST, OTHER, PASSAGES, SHIFTED, columns

from workbench.base.types import Match, Matches, Span
from workbench.services.review.pairs import diff_matches

FIRST_ROWS, SHIFTED_ROWS, OTHER_ROWS = (columns(PASSAGES[name]) for name in (FIRST, SHIFTED, OTHER))


def test_a_run_does_not_differ_from_itself() -> None:
    difference = diff_matches(FIRST_ROWS, FIRST_ROWS)
    assert (len(difference.appeared), len(difference.vanished), len(difference.common)) == (0, 0, 2)


def test_a_passage_with_other_limits_is_common_and_the_rest_appears_or_vanishes() -> None:
    both = Matches.concatenate([SHIFTED_ROWS, OTHER_ROWS])
    difference = diff_matches(FIRST_ROWS, both)
    assert [row.a_span for row in difference.common] == [SHIFTED_ROWS.row(0).a_span]
    assert [row.a_span for row in difference.appeared] == [OTHER_ROWS.row(0).a_span]
    assert [row.a_span for row in difference.vanished] == [FIRST_ROWS.row(1).a_span]


def test_each_passage_counts_once_when_several_overlap_it() -> None:
    twice = Matches.concatenate([SHIFTED_ROWS, SHIFTED_ROWS])
    difference = diff_matches(FIRST_ROWS, twice)
    assert (len(difference.common), len(difference.appeared)) == (1, 1)


def test_everything_vanishes_where_the_second_run_found_nothing() -> None:
    assert len(diff_matches(FIRST_ROWS, Matches.empty()).vanished) == 2
    assert len(diff_matches(Matches.empty(), FIRST_ROWS).appeared) == 2


@pytest.mark.parametrize(("end", "common"), [(10, 1), (9, 1), (8, 1), (7, 0)])
def test_a_passage_is_the_same_where_four_fifths_of_the_longer_one_are_in_both(end: int, common: int) -> None:
    first, second = (columns([Match(1, 2, Span(0, 10), Span(0, at), 1.0)]) for at in (10, end))
    difference = diff_matches(first, second)
    assert (len(difference.common), len(difference.vanished)) == (common, 1 - common)
