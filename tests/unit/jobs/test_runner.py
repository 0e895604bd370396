from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import job_functions as functions
import pytest

from tests.processes import is_alive, wait_until
from workbench.base.errors import Cancelled, UserError
from workbench.jobs.context import Context
from workbench.jobs.events import Advanced, Changed, Event, Finished, Started, Warned
from workbench.jobs.runner import JobState, Runner, run_inline

pytestmark = pytest.mark.slow


@pytest.fixture
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.close()


def events_of(runner: Runner, job: str) -> list[Event]:
    """Events of ``job`` up to its Finished."""
    events: list[Event] = []
    while not (events and isinstance(events[-1], Finished)):
        event = runner.queue.get(timeout=60)
        if event.job == job:
            events.append(event)
    return events


def test_a_job_tells_its_story_in_order(runner: Runner):
    job = runner.submit("Count", functions.counting, 1000)
    events = events_of(runner, job)
    assert events[0] == Started(job, "Count")
    assert events[-3:] == [
        Warned(job, "one warning"),
        Changed(job, frozenset({"documents"})),
        Finished(job, result=1000),
    ]
    assert any(isinstance(event, Advanced) and event.done == 1000 for event in events)
    assert [(j.id, j.title, j.state) for j in runner.jobs()] == [(job, "Count", JobState.DONE)]


def test_a_user_error_is_a_sentence_without_a_report(runner: Runner):
    last = events_of(runner, runner.submit("", functions.user_error))[-1]
    assert (last.error, last.report) == ("a.txt: No such file.", "")


def test_a_bug_has_a_report(runner: Runner):
    last = events_of(runner, runner.submit("", functions.bug))[-1]
    assert "ZeroDivisionError" in last.error
    assert "in bug" in last.report
    assert runner.jobs()[0].state is JobState.FAILED


@pytest.mark.parametrize("function", [functions.killed, functions.crashed, functions.unpicklable_result])
def test_finished_comes_last_however_the_process_ends(runner: Runner, function):
    events = events_of(runner, runner.submit("", function))
    assert isinstance(events[-1], Finished)
    assert events[-1].error
    with pytest.raises(queue.Empty):
        runner.queue.get(timeout=0.2)


def test_a_crash_of_compiled_code_reports_where_it_was(runner: Runner):
    last = events_of(runner, runner.submit("", functions.crashed))[-1]
    assert "in crashed" in last.report


def test_a_cancelled_job_ends(runner: Runner):
    job = runner.submit("", functions.endless)
    while not isinstance(runner.queue.get(timeout=60), Advanced):
        pass
    runner.cancel(job)
    last = events_of(runner, job)[-1]
    assert last.cancelled
    assert runner.jobs()[0].state is JobState.CANCELLED


def test_a_job_that_does_not_listen_is_killed_after_the_grace(runner: Runner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("workbench.jobs.runner.GRACE", 0.2)
    job = runner.submit("", functions.stuck)
    runner.cancel(job)
    assert events_of(runner, job)[-1].cancelled


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("politely", [True, False])
def test_a_job_takes_its_workers_along(runner: Runner, tmp_path: Path, politely: bool):
    job = runner.submit("", functions.pool_of_sleepers, str(tmp_path), 2)
    assert wait_until(lambda: len(list(tmp_path.glob("[0-9]*"))) == 2)
    workers = [int(file.name) for file in tmp_path.iterdir()]
    if politely:
        runner.cancel(job)
    else:
        os.kill(int((tmp_path / str(workers[0])).read_text(encoding="ascii")), signal.SIGKILL)
    last = events_of(runner, job)[-1]
    assert last.cancelled == politely
    assert wait_until(lambda: not any(is_alive(pid) for pid in workers))


def test_two_jobs_run_side_by_side(runner: Runner):
    waiting = runner.submit("", functions.endless)
    counted = runner.submit("", functions.counting, 3)
    assert events_of(runner, counted)[-1].result == 3
    runner.cancel(waiting)
    assert events_of(runner, waiting)[-1].cancelled


def test_a_jobs_process_loads_neither_qt_nor_numba(runner: Runner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("workbench.jobs.children._served", False)
    modules = events_of(runner, runner.submit("", functions.loaded_modules))[-1].result
    assert not {"PySide6", "numba", "sqlalchemy"} & set(modules)


def test_closing_ends_everything():
    runner = Runner()
    runner.submit("", functions.endless)
    runner.submit("", functions.endless)
    runner.close()
    assert {job.state for job in runner.jobs()} == {JobState.CANCELLED}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("events-")]


def test_inline_gives_the_result_and_finished_last():
    events: list[Event] = []
    assert run_inline(functions.counting, 5, on_event=events.append, title="Count") == 5
    assert events[0] == Started("job", "Count")
    assert events[-1] == Finished("job", 5)


@pytest.mark.parametrize(("function", "error"), [(functions.user_error, UserError), (functions.bug, ZeroDivisionError)])
def test_inline_raises_after_finished(function, error):
    events: list[Event] = []
    with pytest.raises(error):
        run_inline(function, on_event=events.append)
    assert events[-1].error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_inline_work_and_handlers_are_put_back(number: signal.Signals):
    before = signal.getsignal(number)
    events: list[Event] = []

    def note(event: Event) -> None:
        events.append(event)
        if isinstance(event, Advanced):
            os.kill(os.getpid(), number)

    with pytest.raises(Cancelled):
        run_inline(functions.endless, on_event=note)
    assert events[-1].cancelled
    assert signal.getsignal(number) is before


def test_progress_is_throttled_and_says_what_remains(monkeypatch: pytest.MonkeyPatch):
    events: list[Advanced] = []
    ctx = Context("job", events.append, lambda: False)
    moments = (100 + done / 128 for done in range(401))
    monkeypatch.setattr("workbench.jobs.context.time", SimpleNamespace(monotonic=lambda: next(moments)))
    for done in range(401):
        ctx.advance("stage", done, 400)
    reported = [event.done for event in events]
    assert reported == [*range(0, 400, 13), 400]
    assert [event.remaining for event in events[:3]] == [None] * 3
    assert all(event.remaining == pytest.approx((400 - event.done) / 128) for event in events[3:])


def test_an_owner_that_ends_without_closing_does_not_wait_for_its_jobs(tmp_path: Path):
    program = tmp_path / "owner.py"
    program.write_text(
        "import sys\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "import job_functions\n"
        "from tests.processes import wait_until\n"
        "from workbench.jobs.runner import Runner\n"
        "if __name__ == '__main__':\n"
        "    runner = Runner()\n"
        "    runner.submit('Sleep', job_functions.announced_and_stuck, sys.argv[1])\n"
        "    assert wait_until(lambda: job_functions.Path(sys.argv[1]).exists())\n",
        encoding="utf-8",
    )
    started = tmp_path / "started"
    completed = subprocess.run([sys.executable, program, started], timeout=120, check=False)
    assert completed.returncode == 0
    assert wait_until(lambda: not is_alive(int(started.read_text())))
