from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.evaluation.intervals import bootstrap, proportion_interval
from workbench.evaluation.thresholds import (
    average_precision,
    curve,
    mcnemar,
    paired_difference,
    resampled_average_precision,
)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40))
def test_every_row_equals_a_count_by_definition(rows: list[tuple[int, bool]]) -> None:
    s, y = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    if y.all() or not y.any():
        with pytest.raises(UserError):
            curve(s, y)
        return
    c = curve(s, y)
    assert sorted(set(s), reverse=True) == c.threshold.tolist()
    for i, t in enumerate(c.threshold):
        chosen = s >= t
        assert c.selected[i] == chosen.sum()
        assert c.true_positive[i] == (chosen & y).sum()
    f1 = [2 * (y & (s >= t)).sum() / ((s >= t).sum() + y.sum()) for t in c.threshold]
    assert c.f1[c.best()] == max(f1)


def test_the_best_threshold_may_lie_between_the_rows_of_a_grid() -> None:
    c = curve([30, 25, 21.2, 15], [True, True, False, False])
    assert c.threshold[c.best()] == 25


def test_precise_gives_the_largest_recall_at_a_precision() -> None:
    c = curve([5, 4, 3, 2, 1], [True, False, True, True, False])
    row = c.precise(0.75)
    assert row is not None
    assert c.threshold[row] == 2
    assert curve([2, 1], [False, True]).precise(0.9) is None


def test_of_thresholds_with_one_recall_the_highest_is_precise() -> None:
    c = curve(range(12, 0, -1), [True] * 10 + [False] * 2)
    row = c.precise(0.9)
    assert row is not None
    assert (c.threshold[row], c.precision[row], c.recall[row]) == (3, 1, 1)


@pytest.mark.parametrize("labels", [[], [True, True], [False]])
def test_undefined_figures_are_a_sentence(labels: list[bool]) -> None:
    with pytest.raises(UserError, match=r"label"):
        curve([1.0] * len(labels), labels)


def test_equal_scores_give_one_row() -> None:
    c = curve([1, 1, 1], [True, False, True])
    assert len(c.threshold) == 1
    assert c.precision[0] == pytest.approx(2 / 3)


def test_exact_interval_has_its_published_value() -> None:
    low, high = proportion_interval(374, 378)
    assert (round(low, 4), round(high, 4)) == (0.9731, 0.9971)
    assert proportion_interval(0, 10)[0] == 0
    assert proportion_interval(10, 10)[1] == 1


def test_bootstrap_interval_holds_the_mean() -> None:
    x = np.arange(100.0)
    low, high = bootstrap(np.mean, x)
    assert low < x.mean() < high
    assert high - low < 15


def test_a_better_method_differs_significantly() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    good, bad = y + rng.normal(0, 0.3, 300), rng.normal(0, 1, 300)
    difference, low, _ = paired_difference(good, bad, y, rounds=200)
    assert difference > 0.3
    assert low > 0


def test_what_is_not_reported_counts_as_missed_at_every_threshold() -> None:
    c = curve([2, 1, np.nan, np.nan], [True, False, True, False])
    assert c.threshold.tolist() == [2, 1]
    assert c.recall.tolist() == [0.5, 0.5]
    assert (c.positives, c.total) == (2, 4)
    assert c.average_precision == pytest.approx(0.5)
    with pytest.raises(UserError, match="reported none"):
        curve([np.nan, np.nan], [True, False])


@given(st.lists(st.tuples(st.integers(0, 4) | st.none(), st.booleans()), min_size=1, max_size=25))
def test_average_precision_is_the_area_of_its_steps(rows: list[tuple[int | None, bool]]) -> None:
    s = np.array([np.nan if r[0] is None else r[0] for r in rows], float)
    y = np.array([r[1] for r in rows])
    if not y.any():
        assert np.isnan(average_precision(s, y))
        return
    area = before = 0.0
    for t in sorted({x for x in s if x == x}, reverse=True):
        recall = (y & (s >= t)).sum() / y.sum()
        area += (recall - before) * (y & (s >= t)).sum() / (s >= t).sum()
        before = recall
    assert average_precision(s, y) == pytest.approx(area)


def test_a_threshold_between_scores_selects_what_is_above_it() -> None:
    c = curve([3, 2, 1], [True, False, True])
    assert c.at(2.5) == 0
    assert c.at(9) is None


def test_mcnemar_has_its_exact_value() -> None:
    from scipy.stats import binomtest

    first = [True] * 9 + [False] * 1 + [True] * 5
    second = [False] * 9 + [True] * 1 + [True] * 5
    assert mcnemar(first, second) == pytest.approx(2 * 11 / 2**10)
    for only_first, only_second in ((0, 1), (3, 3), (2, 3), (40, 61)):
        one = [True] * only_first + [False] * only_second
        expected = binomtest(only_first, only_first + only_second).pvalue
        assert mcnemar(one, [not right for right in one]) == pytest.approx(expected)
    assert mcnemar(first, first) == 1


@pytest.mark.parametrize("n", [1, 2, 7, 60, 700, 40_000])
def test_resamples_that_are_drawn_together_are_those_drawn_one_by_one(n: int) -> None:
    rng = np.random.default_rng(n)
    s, y = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 9, n) / 8), rng.random(n) < 0.3
    order = np.argsort(-s, kind="stable")[: np.count_nonzero(~np.isnan(s))]
    ends = np.append(np.flatnonzero(np.diff(s[order])), len(order) - 1) if len(order) else order
    drawn = np.random.default_rng(5)
    one_by_one = []
    for _ in range(130):
        weight = np.bincount(drawn.integers(0, n, n), minlength=n)
        hits, selected = (np.cumsum(part)[ends] for part in (weight[order] * y[order], weight[order]))
        terms = np.diff(hits, prepend=0) * (hits / np.maximum(selected, 1))
        one_by_one.append(terms.sum() / weight[y].sum() if weight[y].sum() else np.nan)
    together = resampled_average_precision(s, y, rounds=130, seed=5)
    assert together.tolist() == pytest.approx(one_by_one, rel=0, abs=0, nan_ok=True)


def test_resampled_average_precision_is_the_library_s_on_each_resample() -> None:
    rng = np.random.default_rng(3)
    s = np.where(rng.random(40) < 0.2, np.nan, rng.integers(0, 6, 40))
    y = rng.random(40) < 0.4
    values = resampled_average_precision(s, y, rounds=20, seed=5)
    again = np.random.default_rng(5)
    for value in values:
        rows = again.integers(0, 40, 40)
        assert value == pytest.approx(average_precision(s[rows], y[rows]))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=4, max_size=60))
def test_curves_are_those_of_scikit_learn(rows: list[tuple[int, bool]]) -> None:
    from sklearn.metrics import average_precision_score, confusion_matrix, f1_score, precision_recall_curve

    s, y = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    if y.all() or not y.any():
        return
    c = curve(s, y)
    precision, recall, thresholds = precision_recall_curve(y, s)
    assert thresholds[::-1].tolist() == c.threshold.tolist()
    assert np.abs(precision[:-1][::-1] - c.precision).max() < 1e-9
    assert np.abs(recall[:-1][::-1] - c.recall).max() < 1e-9
    assert abs(average_precision_score(y, s) - c.average_precision) < 1e-9
    for t in (-1.0, 0.5, *c.threshold.tolist(), 10.0):
        counts = c.counts(t)
        tn, fp, fn, tp = confusion_matrix(y, s >= t, labels=[False, True]).ravel().tolist()
        assert tuple(counts) == (tp, fp, fn, tn)
        assert abs(counts.f1 - f1_score(y, s >= t, zero_division=0)) < 1e-9


def test_a_drawn_curve_keeps_its_ends_and_a_point_at_every_level_of_recall() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(50_000) < 0.1
    c = curve(y + rng.normal(0, 1, 50_000), y)
    rows = c.sample(400)
    assert (rows[0], rows[-1]) == (0, len(c.threshold) - 1)
    assert len(rows) <= 400
    assert np.diff(c.recall[rows]).max() < 0.011


def test_complete_labels_need_no_negatives() -> None:
    c = curve([3, 2, np.nan], [True, True, True], complete=True)
    assert (c.precision[-1], round(float(c.recall[-1]), 3)) == (1, 0.667)
