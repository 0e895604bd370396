"""A process gets its work when it is there to read it."""

from __future__ import annotations

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
