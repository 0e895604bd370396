"""Labels where they tell most: fewer are needed than in random order, and the intervals hold the truth."""

from __future__ import annotations

import numpy as np

from workbench.evaluation.allocation import make_strata, plan, population_interval
from workbench.evaluation.intervals import f_interval

COUNT, CUT = 2_000, 500


def population(seed: int) -> np.ndarray:
    """Whether each item, in order of score, is positive: surely at the top, hardly ever at the bottom."""
    rng = np.random.default_rng(seed)
    place = np.arange(COUNT)
    return rng.random(COUNT) < 1 / (1 + np.exp((place - CUT) / 60))


def f_of(positive: np.ndarray) -> float:
    return 2 * positive[:CUT].sum() / (CUT + positive.sum())


def test_strata_follow_the_score_and_are_narrow_at_the_threshold() -> None:
    none = np.zeros(COUNT, np.bool_)
    strata = make_strata(COUNT, CUT, none, none)
    assert strata.size.sum() == COUNT
    assert (np.diff(strata.number) >= 0).all()
    assert strata.size[strata.selected].sum() == CUT
    last = int(np.flatnonzero(strata.selected)[-1])
    assert strata.size[last] == strata.size[: last + 1].min()
    assert strata.size[last + 1] == strata.size[last + 1 :].min()


def test_what_is_fully_labelled_is_known_exactly() -> None:
    truth = population(0)
    strata = make_strata(COUNT, CUT, np.ones(COUNT, np.bool_), truth)
    value, (low, high) = population_interval(strata)["f1"]
    assert low == high == value
    assert abs(value - f_of(truth)) < 1e-12
    assert plan(strata, 10, 0.05) == ([], 0)


def test_no_more_is_asked_for_than_there_is() -> None:
    none = np.zeros(20, np.bool_)
    order, _ = plan(make_strata(20, 8, none, none), 100, 1e-9)
    assert len(order) == 20


def test_fewer_labels_are_needed_than_in_random_order_and_the_interval_holds_the_truth() -> None:
    asked, random, inside = [], [], []
    for seed in range(12):
        truth = population(seed)
        rng = np.random.default_rng(seed)
        none = np.zeros(COUNT, np.bool_)
        strata = make_strata(COUNT, CUT, none, truth)
        pools = [rng.permutation(np.flatnonzero(strata.number == k)).tolist() for k in range(len(strata.size))]
        labels = 0
        while True:
            for k in plan(strata, 5, 0.05)[0]:
                strata = strata.with_label(k, positive=bool(truth[pools[k].pop()]))
                labels += 1
            low, high = population_interval(strata, draws=1_000)["f1"][1]
            if high - low <= 0.1:
                break
        asked.append(labels)
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
    assert np.mean(asked) <= 0.5 * np.mean(random)
    assert sum(inside) >= 10
