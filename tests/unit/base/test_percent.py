"""A share in percent is never rounded to none or all."""

from math import isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workbench.base.messages import beside, percent, rate, threshold_text


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.034, "3.4 %"),
        (0.5, "50 %"),
        (0.99, "99 %"),
        (0.994, "99 %"),
        (0.996, "> 99 %"),
        (0.9996, "> 99 %"),
        (1, "100 %"),
    ],
)
def test_shares_as_they_are_written(part: float, written: str) -> None:
    assert percent(part) == written


@given(st.floats(0, 1))
def test_only_nothing_is_none_and_only_everything_is_all(part: float) -> None:
    assert (percent(part) == "0 %") == (part == 0)
    assert (percent(part) == "100 %") == (part == 1)


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [(0.9996, 3, "0.999"), (0.0004, 3, "0.001"), (0.9764, 3, "0.976"), (0.996, 2, "0.99"), (1.0004, 3, "1.000")],
)
def test_a_rate_is_not_rounded_to_none_or_all(value: float, digits: int, written: str) -> None:
    assert rate(value, digits) == written
    assert [rate(whole, digits) for whole in (0.0, 1.0)] == [f"{0:.{digits}f}", f"{1:.{digits}f}"]


@given(st.floats(-1e6, 1e6), st.floats(-1e-3, 1e-3), st.integers(0, 3))
def test_a_value_beside_its_limit_is_on_the_right_side_of_it(limit: float, apart: float, digits: int) -> None:
    value = limit + apart
    assume(not isclose(value, limit))
    assert (float(beside(value, limit, digits)) < limit) == (value < limit)


def test_a_value_far_from_its_limit_has_no_more_decimals_than_asked_for() -> None:
    assert (beside(0.3, 0.4, 2), beside(0.398, 0.4, 2), beside(0.398, 0.4), beside(11.7, 12, 0)) == (
        *("0.30", "0.398", "0.398", "11.7"),
    )


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_a_threshold_as_it_is_written_selects_what_it_selects(value: float, lower: float) -> None:
    assume(lower < value)
    assert lower < float(threshold_text(value, lower)) <= value


def test_a_threshold_is_not_longer_than_needed() -> None:
    assert [threshold_text(value) for value in (0.3, 2.0, 0.5247427225, 0.9985)] == ["0.3", "2", "0.524742", "0.9985"]
