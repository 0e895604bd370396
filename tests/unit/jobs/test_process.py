"""A process gets its work when it is there to read it."""

from __future__ import annotations

import multiprocessing
import pickle
from typing import Any

import pytest
from job_functions import length_of

from workbench.jobs.events import Finished
from workbench.jobs.process import JobProcess

LARGE = "x" * 3_000_000


def test_large_work_arrives() -> None:
    *_, last = JobProcess("large", length_of, (LARGE,), {}).events()
    assert isinstance(last, Finished)
    assert last.result == len(LARGE)


def test_who_makes_a_process_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts in the thread that reads its events, and gets large work only then."""
    spawn = multiprocessing.get_context("spawn")
    spawned: list[tuple[Any, ...]] = []

    class Process:
        def __init__(self, *, target: object, args: tuple[Any, ...], daemon: bool) -> None:
            spawned.append(args)

        def start(self) -> None:
            raise AssertionError("started by who made it")

        def kill(self) -> None: ...

    class Context:
        Pipe = staticmethod(spawn.Pipe)

    context = Context()
    context.Process = Process  # type: ignore[attr-defined]
    monkeypatch.setattr("workbench.jobs.process.spawning", lambda: context)
    JobProcess("large", length_of, (LARGE,), {})
    plain = [value for value in spawned[0] if isinstance(value, str | bytes | tuple | dict)]
    assert all(len(value) < 1_000 for value in plain)
    assert length_of not in spawned[0]


def test_work_that_cannot_be_handed_over_is_refused_at_once() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        JobProcess("job", lambda _ctx: None, (), {})
