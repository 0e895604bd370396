"""Exact intervals: against scipy, a definition, and published examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.evaluation.intervals import (
    f_interval,
    f_intervals,
    percentile_interval,
    proportion_interval,
    proportion_intervals,
)


@given(st.integers(0, 400), st.integers(0, 400))
def test_a_proportion_has_the_interval_that_scipy_computes(successes: int, failures: int) -> None:
    from scipy.stats import beta

    n = successes + failures
    low, high = proportion_interval(successes, n)
    assert low == pytest.approx(beta.ppf(0.025, successes, n - successes + 1) if successes else 0.0, abs=1e-9)
    assert high == pytest.approx(beta.ppf(0.975, successes + 1, n - successes) if failures else 1.0, abs=1e-9)


@given(st.integers(1, 60), st.integers(1, 60))
def test_at_its_ends_each_tail_of_the_binomial_is_two_and_a_half_percent(successes: int, failures: int) -> None:
    from scipy.stats import binom

    n = successes + failures
    low, high = proportion_interval(successes, n)
    assert binom.sf(successes - 1, n, low) == pytest.approx(0.025, abs=1e-9)
    assert binom.cdf(successes, n, high) == pytest.approx(0.025, abs=1e-9)


def test_published_intervals() -> None:
    """Clopper and Pearson (1934) read 3 of 10 off their chart; Newcombe (1998), table I, gives four digits."""
    assert proportion_interval(81, 263) == pytest.approx((0.2527, 0.3676), abs=5e-5)
    assert proportion_interval(15, 148) == pytest.approx((0.0578, 0.1617), abs=5e-5)
    assert proportion_interval(0, 20) == pytest.approx((0.0, 0.1684), abs=5e-5)
    assert proportion_interval(1, 29) == pytest.approx((0.0009, 0.1776), abs=5e-5)


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    k, n = np.array([0, 3, 7, 7]), np.array([0, 9, 7, 40])
    low, high = proportion_intervals(k, n)
    assert list(zip(low, high, strict=True)) == [proportion_interval(int(a), int(b)) for a, b in zip(k, n, strict=True)]


@given(st.integers(0, 90), st.integers(0, 90), st.integers(0, 90))
def test_the_interval_of_f_holds_it_and_follows_the_share_of_hits(hits: int, wrong: int, missed: int) -> None:
    low, high = f_interval(hits, wrong, missed)
    if hits + wrong + missed:
        assert low <= 2 * hits / (2 * hits + wrong + missed) <= high
        ends = [j / (2 - j) for j in (low, high)]
        assert ends == pytest.approx(proportion_interval(hits, hits + wrong + missed), abs=1e-9)
    else:
        assert (low, high) == (0, 1)


def test_the_interval_of_f_covers_as_often_as_it_claims() -> None:
    rng = np.random.default_rng(0)
    shares = np.array([0.3, 0.1, 0.15, 0.45])
    truth = 2 * 0.3 / (0.6 + 0.25)
    drawn = rng.multinomial(120, shares, 4_000)
    low, high = f_intervals(drawn[:, 0], drawn[:, 1], drawn[:, 2])
    assert 0.945 <= ((low <= truth) & (truth <= high)).mean() <= 0.985


def test_a_bootstrap_interval_leaves_out_a_fortieth_of_the_values_at_each_end() -> None:
    values = np.arange(1001, dtype=np.float64)
    assert percentile_interval(values) == pytest.approx((25, 975))
    assert percentile_interval(np.append(values, [np.nan] * 1000)) == pytest.approx((25, 975))
    with pytest.raises(UserError, match="too few labels"):
        percentile_interval(np.append(values, [np.nan] * 1002))
