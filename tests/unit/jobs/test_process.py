"""A process gets its work when it is there to read it."""

from __future__ import annotations

import os
import pickle
import time
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from job_functions import announced_and_broken, length_of

from tests.processes import wait_until
from workbench.base import compiling
from workbench.base.errors import Cancelled
from workbench.jobs import process
from workbench.jobs.events import Finished
from workbench.jobs.process import JobProcess, second_compiler

LARGE = "x" * 3_000_000


def test_large_work_arrives() -> None:
    *_, last = JobProcess("large", length_of, (LARGE,), {}).events()
    assert isinstance(last, Finished)
    assert last.result == len(LARGE)


def test_who_makes_a_process_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts in the thread that reads its events, and gets large work only then."""
    started: list[tuple[Any, ...]] = []

    def start(_target: object, arguments: tuple[Any, ...], **_: object) -> None:
        started.append(arguments)
        raise OSError("no process today")

    monkeypatch.setattr("workbench.jobs.process.start_function", start)
    job = JobProcess("large", length_of, (LARGE,), {})
    assert not started
    with pytest.raises(OSError, match="today"):
        list(job.events())
    assert all(len(value) < 1_000 for value in started[0] if isinstance(value, str | bytes | tuple | dict))
    assert length_of not in started[0]


def test_work_that_cannot_be_handed_over_is_refused_at_once() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        JobProcess("job", lambda _ctx: None, (), {})


@pytest.mark.parametrize("processors", [1, 2])
def test_a_second_process_compiles_once_the_first_has_compiled_for_a_while(
    processors: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    file = tmp_path / "second"
    before = active_children()
    with second_compiler(partial(announced_and_broken, str(file))):
        compiling.begin()
        compiling.end(0.1)
        compiling.begin()
        assert active_children() == before
        compiling.end(60.0)
        compiling.begin()
        compiling.end(60.0)
        compiling.begin()
        assert len(active_children()) == len(before) + processors - 1
        assert processors == 1 or wait_until(lambda: file.exists() and active_children() == before)
    assert file.exists() is (processors == 2)


def test_a_second_process_that_still_compiles_ends_with_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    before = active_children()

    def cancelled() -> None:
        with second_compiler(partial(time.sleep, 600)):
            compiling.end(60.0)
            compiling.begin()
            assert active_children() != before
            raise Cancelled

    with pytest.raises(Cancelled):
        cancelled()
    assert active_children() == before


def test_where_no_second_process_can_start_the_first_compiles_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(process, "start_function", refuse)
    with second_compiler(partial(time.sleep, 600)):
        compiling.end(60.0)
        compiling.begin()
