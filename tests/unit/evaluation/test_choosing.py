"""Thresholds chosen by a rule: against brute force, and what they are worth on labels they were not chosen on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.evaluation.choosing import RULES, Rule, choose_thresholds
from workbench.evaluation.thresholds import curve

ROWS = st.lists(st.tuples(st.integers(0, 6) | st.none(), st.booleans()), min_size=4, max_size=30)


@pytest.mark.slow
@given(ROWS, st.sampled_from([*RULES, Rule("precision", 0.5), Rule("recall", 0.5), Rule("cost", 0.5)]))
def test_each_rule_finds_what_a_search_through_all_thresholds_finds(
    rows: list[tuple[int | None, bool]], rule: Rule
) -> None:
    s = np.array([np.nan if r[0] is None else r[0] for r in rows], float)
    y = np.array([r[1] for r in rows])
    if y.all() or not y.any() or np.isnan(s).all():
        return
    points = []
    for t in sorted({x for x in s if x == x}, reverse=True):
        hits, selected = int((y & (s >= t)).sum()), int((s >= t).sum())
        points.append((t, hits / selected, hits / y.sum(), 2 * hits / (selected + y.sum()), hits, selected))
    best: float | None
    match rule.kind:
        case "best-f":
            best = max(points, key=lambda p: p[3])[0]
        case "precision":
            met = [p for p in points if p[1] >= rule.value]
            best = max(met, key=lambda p: p[4])[0] if met else None
        case "recall":
            met = [p for p in points if p[4] >= rule.value * y.sum()]
            best = max(met, key=lambda p: p[1])[0] if met else None
        case "cost":
            cost = min(points, key=lambda p: rule.value * (p[5] - p[4]) + y.sum() - p[4])
            best = cost[0] if rule.value * (cost[5] - cost[4]) + y.sum() - cost[4] < y.sum() else None
    choices = choose_thresholds(s, y, curve(s, y), [rule], rounds=5)
    assert [c.threshold for c in choices] == ([] if best is None else [best])


def drawn(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    y = rng.random(count) < 0.3
    return np.round(y + rng.normal(0, 0.8, count), 2), y


def test_the_correction_takes_most_of_the_optimism_away_and_its_interval_holds_the_truth() -> None:
    whole = curve(*drawn(np.random.default_rng(99), 200_000))
    rng = np.random.default_rng(1)
    apparent, corrected, inside = [], [], []
    for _ in range(60):
        s, y = drawn(rng, 120)
        (choice,) = choose_thresholds(s, y, curve(s, y), [Rule("best-f")], rounds=120)
        truth = whole.counts(choice.threshold).f1
        apparent.append(choice.counts.f1 - truth)
        corrected.append(choice.f1.value - truth)
        assert choice.f1.interval is not None
        inside.append(choice.f1.interval[0] <= truth <= choice.f1.interval[1])
    assert np.mean(apparent) > 0.03
    assert abs(np.mean(corrected)) < 0.5 * np.mean(apparent)
    assert np.mean(inside) >= 0.9


def test_resamples_counted_together_give_what_they_give_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    s, y = drawn(np.random.default_rng(3), 40)
    s[:5] = np.nan
    together = choose_thresholds(s, y, curve(s, y), rounds=70)
    monkeypatch.setattr("workbench.evaluation.choosing._AT_ONCE", 1)
    assert choose_thresholds(s, y, curve(s, y), rounds=70) == together


def test_one_selected_item_does_not_pass_for_certain() -> None:
    s = np.array([9.0, *range(8)] * 1)
    y = np.array([True, *[False, True] * 4])
    (choice,) = choose_thresholds(s, y, curve(s, y), [Rule("precision", 0.99)], rounds=500)
    assert choice.precision.interval is not None
    assert choice.precision.interval[0] < 0.1


def test_with_many_labels_each_corrected_rate_is_near_its_own_on_them() -> None:
    s, y = drawn(np.random.default_rng(5), 4000)
    (choice,) = choose_thresholds(s, y, curve(s, y), [Rule("recall", 0.9)], rounds=20)
    measured = choice.counts.precision, choice.counts.recall, choice.counts.f1
    assert None not in measured
    assert measured[1] - measured[0] > 0.1
    rates = [rate.value for rate in (choice.precision, choice.recall, choice.f1)]
    assert rates == pytest.approx(measured, abs=0.03)


def test_a_rule_that_no_threshold_meets_is_left_out() -> None:
    s, y = np.array([2.0, 1.0]), np.array([False, True])
    assert choose_thresholds(s, y, curve(s, y), [Rule("precision", 0.9)], rounds=5) == []


def test_selecting_nothing_may_cost_least() -> None:
    s, y = np.array([3.0, 2.0, 1.0]), np.array([False, False, True])
    assert choose_thresholds(s, y, curve(s, y), [Rule("cost", 5)], rounds=5) == []
    assert choose_thresholds(s, y, curve(s, y), [Rule("cost", 0.1)], rounds=5)[0].threshold == pytest.approx(1)


def test_a_precision_that_is_just_reached_is_reached() -> None:
    scores, positive = np.array([9.0, 8.0, 7.0, 6.0]), np.array([True, False, False, True])
    (choice,) = choose_thresholds(scores, positive, curve(scores, positive), [Rule("precision", 0.5)])
    assert (choice.threshold, choice.counts.precision) == (6.0, 0.5)


def test_a_recall_that_is_just_reached_is_reached() -> None:
    s, y = np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False])
    (choice,) = choose_thresholds(s, y, curve(s, y), [Rule("recall", 0.5)], rounds=5)
    assert choice.threshold == 4.0
    s, y = np.arange(200.0, 0, -1), np.arange(200) < 100
    (choice,) = choose_thresholds(s, y, curve(s, y), [Rule("recall", 0.55)], rounds=5)
    assert choice.counts.recall == 0.55
