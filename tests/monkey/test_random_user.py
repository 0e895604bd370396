"""A random user brings nothing down, and what watches it sees what would."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.monkey.grounds import build
from tests.monkey.random_user import Outcome, Runs, Tally, one_seed, shrink, watched
from tests.monkey.sequence import read, step, written

SEEDS = (1, 2)
STEPS, PART = 1500, 500
"""Steps a seed, and those of them that are done in one window."""
PATIENT_S = 60.0
"""Seconds without events that count as a stall here: the machine may be busy with other tests."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("grounds") / "work"
    build(folder)
    return Runs(folder, PATIENT_S)


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("first", range(0, STEPS, PART))
def test_nothing_a_random_user_does_brings_the_window_down(runs: Runs, seed: int, first: int) -> None:
    outcome = runs.attempt(seed, range(first, first + PART))
    command = f"python -m tests.monkey.random_user --seed {seed} --only {first}-{outcome.step}"
    assert not outcome.kind, f"{command}\n{outcome.signature}\n{outcome.report}"
    assert outcome.done == PART


def test_steps_follow_from_seed_and_number_alone() -> None:
    assert [step(7, n) for n in range(50)] == [step(7, n) for n in range(50)]
    assert [step(7, n) for n in range(50)] != [step(8, n) for n in range(50)]
    assert len({step(7, n).kind for n in range(500)}) > 10


@pytest.mark.parametrize("numbers", [[0], [0, 1, 2], [3, 18, 19, 20, 40], [5, 7]])
def test_steps_are_written_as_ranges_and_read_again(numbers: list[int]) -> None:
    assert read(written(numbers)) == numbers


def test_a_failing_sequence_is_shrunk_to_the_steps_it_needs() -> None:
    tried: list[int] = []

    def attempt(_seed: int, numbers: Sequence[int]) -> Outcome:
        tried.append(len(numbers))
        wrong = {31, 200, 340} <= set(numbers)
        return Outcome(len(numbers), "problem", 340, "ValueError: no") if wrong else Outcome(len(numbers))

    failed = attempt(1, range(1000))
    assert shrink(attempt, 1, range(1000), failed, tries=200) == [31, 200, 340]
    assert len(tried) <= 201


def test_a_failure_that_does_not_come_again_keeps_all_its_steps() -> None:
    failed = Outcome(4, "problem", 3, "ValueError: once")
    assert shrink(lambda _seed, numbers: Outcome(len(numbers)), 1, range(9), failed) == [0, 1, 2, 3]


def test_what_follows_a_failure_is_done_and_counted_and_each_kind_is_told_once() -> None:
    def attempt(_seed: int, numbers: Sequence[int]) -> Outcome:
        wrong = [n for n in numbers if n % 40 == 39]
        if wrong:
            return Outcome(list(numbers).index(wrong[0]) + 1, "screen", wrong[0], f"match {wrong[0]} is not shown")
        return Outcome(len(numbers))

    tally, reports = Tally(), list[str]()
    one_seed(attempt, 5, 100, set(), tally, reports.append)
    assert tally.steps == 100
    assert [len(outcomes) for outcomes in tally.failures.values()] == [2]
    assert reports[-1] == "fails again by: python -m tests.monkey.random_user --seed 5 --only 39"
    assert len(reports) == 2


def test_failures_of_the_same_place_count_as_the_same() -> None:
    trace = 'Traceback (most recent call last):\n  File "workbench/gui/a.py", line {}, in paint\n    x\nValueError: {}'
    one, other = (Outcome(1, "problem", 1, trace.format(*of)) for of in ((3, "1"), (4, "2")))
    assert one.signature == other.signature == "problem ValueError gui/a.py paint"


def test_a_process_that_dies_is_reported_with_the_step_and_the_place() -> None:
    program = """
import faulthandler, json, os
faulthandler.enable()
for number in (4, 5):
    print(json.dumps({"step": number}), flush=True)
def fall():
    os.abort()
fall()
"""
    outcome = watched([sys.executable, "-c", program], dict(os.environ))
    assert (outcome.kind, outcome.step, outcome.done) == ("crash", 5, 1)
    assert "in fall" in outcome.report


@pytest.mark.rest
def test_a_process_that_falls_silent_is_ended_and_told() -> None:
    program = """
import faulthandler, time
faulthandler.enable()
print('{"step": 1}', flush=True)
def wait():
    time.sleep(600)
wait()
"""
    outcome = watched([sys.executable, "-c", program], dict(os.environ), hang_s=2.0)
    assert (outcome.kind, outcome.step) == ("hang", 1)
    assert "in wait" in outcome.report


@pytest.mark.rest
def test_the_user_writes_in_its_own_folders_only(runs: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PALIMPSEST_DATA", str(tmp_path))
    assert not runs.attempt(4, range(30)).kind
    assert not list(tmp_path.iterdir())
