"""A share in percent is never rounded to none or all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.messages import percent, rate


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
