"""Labels where they tell most: fewer are needed than in random order, and the intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.evaluation.allocation import Strata, make_strata, needed_labels, plan, population_interval
from workbench.evaluation.intervals import f_interval

# Intervals are tried on thousands of drawn samples.
pytestmark = pytest.mark.slow

COUNT, CUT = 2_000, 500
SCORE = -np.arange(COUNT, dtype=np.float64)


def population(seed: int) -> np.ndarray:
    """Whether each item, in order of score, is positive: surely at the top, hardly ever at the bottom."""
    rng = np.random.default_rng(seed)
    place = np.arange(COUNT)
    return rng.random(COUNT) < 1 / (1 + np.exp((place - CUT) / 60))


def f_of(positive: np.ndarray) -> float:
    return 2 * positive[:CUT].sum() / (CUT + positive.sum())


def test_strata_follow_the_score_and_are_narrow_at_the_threshold() -> None:
    none = np.zeros(COUNT, np.bool_)
    strata = make_strata(SCORE, CUT, none, none)
    assert strata.size.sum() == COUNT
    assert (np.diff(strata.number) >= 0).all()
    assert strata.size[strata.selected].sum() == CUT
    last = int(np.flatnonzero(strata.selected)[-1])
    assert strata.size[last] == strata.size[: last + 1].min()
    assert strata.size[last + 1] == strata.size[last + 1 :].min()


def test_what_is_fully_labelled_is_known_exactly() -> None:
    truth = population(0)
    strata = make_strata(SCORE, CUT, np.ones(COUNT, np.bool_), truth)
    rates = population_interval(strata)
    assert all(interval == (value, value) for value, interval in rates.values())
    assert rates["f1"][0] == f_of(truth)
    assert plan(strata, 10) == []
    assert needed_labels(strata, 0.05) == 0


def test_precision_is_known_once_everything_selected_is_labelled() -> None:
    truth = population(0)
    rates = population_interval(make_strata(SCORE, CUT, np.arange(COUNT) < CUT, truth))
    precision, interval = rates["precision"]
    assert interval == (precision, precision) == (truth[:CUT].mean(),) * 2
    assert all(low < high for low, high in (rates["recall"][1], rates["f1"][1]))


def test_of_a_rate_that_is_not_defined_nothing_is_known() -> None:
    every, none = np.ones(20, np.bool_), np.zeros(20, np.bool_)
    rates = population_interval(make_strata(SCORE[:20], 0, every, none))
    assert [interval for _, interval in rates.values()] == [(0.0, 1.0)] * 3


def test_no_more_is_asked_for_than_there_is() -> None:
    none = np.zeros(20, np.bool_)
    strata = make_strata(SCORE[:20], 8, none, none)
    assert len(plan(strata, 100)) == 20
    assert needed_labels(strata, 1e-9) == 20


def test_fewer_labels_are_needed_than_in_random_order_and_the_interval_holds_the_truth() -> None:
    requested, random, inside = [], [], []
    for seed in range(12):
        truth = population(seed)
        rng = np.random.default_rng(seed)
        none = np.zeros(COUNT, np.bool_)
        strata = make_strata(SCORE, CUT, none, truth)
        pools = [rng.permutation(np.flatnonzero(strata.number == k)).tolist() for k in range(len(strata.size))]
        labels = 0
        while True:
            for k in plan(strata, 5):
                strata = strata.with_label(k, positive=bool(truth[pools[k].pop()]))
                labels += 1
            low, high = population_interval(strata, ["f1"])["f1"][1]
            if high - low <= 0.1:
                break
        requested.append(labels)
        inside.append(low <= f_of(truth) <= high)
        hits = wrong = missed = 0
        for count, at in enumerate(rng.permutation(COUNT), 1):
            hits += bool(truth[at] and at < CUT)
            wrong += bool(not truth[at] and at < CUT)
            missed += bool(truth[at] and at >= CUT)
            ends = f_interval(hits, wrong, missed)
            if hits and ends[1] - ends[0] <= 0.1:
                random.append(count)
                break
    assert np.mean(requested) <= 0.75 * np.mean(random)
    assert sum(inside) >= 11


def test_items_of_one_score_stay_in_one_stratum_on_each_side_of_the_threshold() -> None:
    score = np.repeat([9.0, 5.0, 3.0, -np.inf], [100, 100, 100, 700])
    none = np.zeros(1_000, np.bool_)
    strata = make_strata(score, 150, none, none)
    for k in range(len(strata.size)):
        inside = strata.number == k
        for value in np.unique(score[inside]):
            side = (np.arange(1_000) < 150) == strata.selected[k]
            assert (strata.number[(score == value) & side] == k).all()
    assert strata.size[strata.selected].sum() == 150


SHAPES = {
    # Shares of positives by place in the order of score, and how many items are selected.
    "steep": (1 / (1 + np.exp((np.arange(2_000) - 500) / 60)), 500),
    "flat": (np.where(np.arange(2_000) < 400, 0.7, 0.12), 400),
    "a lump far below": (np.where(np.arange(2_500) < 400, 0.75, 0.02) + 0.3 * (np.arange(2_500) // 100 == 18), 400),
}


@pytest.mark.rest
def test_f_is_about_as_near_as_it_is_said_to_be_when_no_more_labels_are_asked_for() -> None:
    """A simulation is the oracle: labels are given until the interval is as narrow as wanted."""
    ends = [label_on(shape, seed) for shape in SHAPES for seed in range(40)]
    assert np.mean([abs(f - truth) <= 0.05 for f, _, truth in ends]) >= 0.93
    assert np.mean([low <= truth <= high for _, (low, high), truth in ends]) >= 0.93


def label_on(shape: str, seed: int) -> tuple[float, tuple[float, float], float]:
    """F as estimated once enough is labelled, its interval, and the true F."""
    chance, cut = SHAPES[shape]
    score, none = -np.arange(len(chance), dtype=np.float64), np.zeros(len(chance), np.bool_)
    rng = np.random.default_rng(seed)
    truth = rng.random(len(chance)) < chance
    strata = make_strata(score, cut, none, truth)
    pools = [rng.permutation(np.flatnonzero(strata.number == k)).tolist() for k in range(len(strata.size))]
    while True:
        f, (low, high) = population_interval(strata, ["f1"])["f1"]
        if max(f - low, high - f) <= 0.05:
            return f, (low, high), 2 * truth[:cut].sum() / (cut + truth.sum())
        for k in plan(strata, 20):
            strata = strata.with_label(k, positive=bool(truth[pools[k].pop()]))


def test_the_labels_that_are_needed_bring_the_interval_to_the_width_that_is_asked_for() -> None:
    truth = population(3)
    none = np.zeros(COUNT, np.bool_)
    strata = make_strata(SCORE, CUT, none, truth)
    pools = [
        np.random.default_rng(3).permutation(np.flatnonzero(strata.number == k)).tolist()
        for k in range(len(strata.size))
    ]
    forecasts = []
    while needed := needed_labels(strata, 0.05):
        forecasts.append(needed + int(strata.labelled.sum()))
        for k in plan(strata, min(20, needed)):
            strata = strata.with_label(k, positive=bool(truth[pools[k].pop()]))
    f, (low, high) = population_interval(strata, ["f1"])["f1"]
    assert max(f - low, high - f) <= 0.05
    # Where nothing is labelled, nothing is known of the shares of positives.
    whole = int(strata.labelled.sum())
    assert all(0.5 * whole <= forecast <= 1.5 * whole for forecast in forecasts[1:])


@given(st.data())
def test_precision_recall_and_f_lie_in_their_intervals_within_what_is_possible(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 60))
    cut = data.draw(st.integers(0, count))
    bits = st.lists(st.booleans(), min_size=count, max_size=count).map(lambda b: np.array(b, np.bool_))
    labelled, truth = data.draw(bits), data.draw(bits)
    score = np.sort(np.array(data.draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)), np.float64))[::-1]
    strata = make_strata(score, cut, labelled, truth)
    assert strata.size.sum() == count
    assert strata.size[strata.selected].sum() == cut
    rates = population_interval(strata)
    for value, (low, high) in rates.values():
        assert 0 <= low <= value + 1e-9
        assert value - 1e-9 <= high <= 1
    # No labels are needed where the interval is as narrow as wanted.
    f, (low, high) = rates["f1"]
    reach = max(f - low, high - f)
    for within in (0.02, 0.05, 0.3):
        if not labelled.all() and abs(reach - within) > 1e-6:
            assert (needed_labels(strata, within) == 0) == (reach < within)


def test_of_all_outcomes_of_a_fixed_design_as_many_intervals_hold_the_truth_as_they_say() -> None:
    from scipy.stats import hypergeom

    """The exact probability of each outcome is the oracle: few labels in two strata, one above the threshold."""
    size, labelled = np.array([30, 120]), np.array([8, 16])
    number, selected = np.repeat([0, 1], size), np.array([True, False])
    outcomes = [(a, b) for a in range(labelled[0] + 1) for b in range(labelled[1] + 1)]
    ends = [
        population_interval(Strata(size, labelled, np.array(o), selected, number), ["f1"])["f1"][1] for o in outcomes
    ]
    shares = []
    for hits in (15, 21, 27, 29):
        for missed in (3, 8, 20, 45):
            f = 2 * hits / (size[0] + hits + missed)
            chance = [
                hypergeom.pmf(a, size[0], hits, labelled[0]) * hypergeom.pmf(b, size[1], missed, labelled[1])
                for a, b in outcomes
            ]
            shares.append(sum(p for p, (low, high) in zip(chance, ends, strict=True) if low <= f <= high))
    assert np.mean(shares) >= 0.95
    assert min(shares) >= 0.9


def test_rare_events_among_very_many_items_have_the_limits_of_jeffreys() -> None:
    from scipy.stats import gamma

    size, labelled, known = 10_000_000, 100_000, 50_000
    for events in (1, 3, 12):
        low, high = population_interval(
            Strata(
                np.array([known, size]),
                np.array([known, labelled]),
                np.array([known, events]),
                np.array([True, False]),
                np.repeat([0, 1], [known, size]),
            )
        )["f1"][1]
        missed = [(2 * known / f - 2 * known) * labelled / size for f in (high, low)]
        assert missed == pytest.approx(gamma.ppf([0.035, 0.985], events + 0.5), rel=0.1)


def test_a_stratum_cut_in_two_that_has_shown_nothing_adds_no_doubt() -> None:
    def width(*parts: int) -> float:
        size, labelled = np.array([100, *(part * 10 for part in parts)]), np.array([100, *parts])
        positive = np.array([90, *(0 for _ in parts)])
        above = np.array([True, *(False for _ in parts)])
        strata = Strata(size, labelled, positive, above, np.repeat(np.arange(len(size)), size))
        low, high = population_interval(strata, ["f1"])["f1"][1]
        return high - low

    assert width(20, 20) == pytest.approx(width(40))
    assert width(10, 10, 10, 10) == pytest.approx(width(40))
