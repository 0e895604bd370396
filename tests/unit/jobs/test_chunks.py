from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import job_functions as functions
import pytest
from job_functions import RecordingWatcher

from tests.processes import is_alive, wait_until
from workbench.base.errors import Cancelled, UserError
from workbench.jobs.chunks import GIGABYTES, Crash, WorkerMessage, _report, map_chunks

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_every_chunk_is_answered_once_under_its_index(watcher: RecordingWatcher, workers: int):
    answers = dict(map_chunks(watcher, functions.square, range(25), workers=workers))
    assert answers == {number: number * number for number in range(25)}


def test_no_chunks_start_no_process(watcher: RecordingWatcher):
    assert list(map_chunks(watcher, functions.square, [], workers=2)) == []


def test_work_is_done_in_other_processes_and_by_all_of_them(watcher: RecordingWatcher):
    pids = {pid for _, pid in map_chunks(watcher, functions.process_id, range(8), workers=2)}
    assert os.getpid() not in pids
    assert len(pids) == 2


def test_chunks_are_taken_only_as_they_are_needed(watcher: RecordingWatcher):
    taken = []

    def chunks():
        for number in range(1000):
            taken.append(number)
            yield number

    answers = map_chunks(watcher, functions.square, chunks(), workers=2)
    next(answers)
    assert len(taken) <= 5
    answers.close()


def test_payloads_beyond_a_pipes_buffer_pass_both_ways(watcher: RecordingWatcher):
    blob = bytes(3_000_000)
    answers = [answer for _, answer in map_chunks(watcher, functions.echo, [blob] * 6, workers=2)]
    assert answers == [blob] * 6


def test_a_worker_that_dies_loses_only_its_chunk(watcher: RecordingWatcher):
    answers = dict(map_chunks(watcher, functions.dying, range(12), workers=2))
    assert {index for index, answer in answers.items() if isinstance(answer, Crash)} == {3, 7}
    assert answers[3].exit_code == -9
    assert "killed" in answers[3].message
    assert answers[7].exit_code == -11
    assert all(answers[number] == number for number in set(range(12)) - {3, 7})


def test_chunks_that_all_crash_are_all_reported(watcher: RecordingWatcher):
    answers = dict(map_chunks(watcher, functions.always_dying, range(4), workers=2))
    assert {type(answer) for answer in answers.values()} == {Crash}
    assert len(answers) == 4


def test_an_error_of_a_chunk_is_raised_with_its_traceback(watcher: RecordingWatcher):
    with pytest.raises(ZeroDivisionError, match="one over nothing") as caught:
        list(map_chunks(watcher, functions.failing, [1], workers=1))
    assert "in failing" in "".join(caught.value.__notes__)


def test_a_user_error_of_a_chunk_keeps_its_path(watcher: RecordingWatcher):
    with pytest.raises(UserError) as caught:
        list(map_chunks(watcher, functions.refusing, range(4), workers=2))
    assert caught.value.path == "two.txt"


def test_an_error_that_cannot_be_pickled_is_raised_in_words(watcher: RecordingWatcher):
    with pytest.raises(RuntimeError, match="Unpicklable: cannot travel"):
        list(map_chunks(watcher, functions.failing_unpicklable, [1], workers=1))


@pytest.mark.parametrize("workers", [0, 2])
def test_warnings_of_chunks_reach_the_job(watcher: RecordingWatcher, workers: int):
    list(map_chunks(watcher, functions.warning, range(3), workers=workers))
    assert sorted(watcher.warnings) == [(f"warned of {number}", "file.txt") for number in range(3)]


@pytest.mark.parametrize("workers", [0, 2])
def test_the_initializer_runs_once_before_the_chunks(watcher: RecordingWatcher, workers: int):
    answers = map_chunks(
        watcher, functions.set_up_value, range(3), workers=workers, initializer=functions.set_up, initargs=("ready",)
    )
    assert [answer for _, answer in answers] == ["ready"] * 3


def test_an_error_of_the_initializer_is_raised(watcher: RecordingWatcher):
    with pytest.raises(UserError, match="index is gone"):
        list(map_chunks(watcher, functions.square, [1], workers=1, initializer=functions.failing_set_up))


def test_workers_that_cannot_start_are_given_up(watcher: RecordingWatcher):
    with pytest.raises(ChildProcessError):
        list(map_chunks(watcher, functions.square, [1], workers=1, initializer=os._exit, initargs=(4,)))


@pytest.mark.parametrize("function", [functions.listening, functions.deaf])
def test_a_cancel_ends_work_that_has_begun(watcher: RecordingWatcher, monkeypatch: pytest.MonkeyPatch, function):
    monkeypatch.setattr(watcher, "warn", lambda *_: setattr(watcher, "cancelled", True))
    with pytest.raises(Cancelled):
        list(map_chunks(watcher, function, range(4), workers=2))


def test_leaving_the_loop_early_leaves_no_process(watcher: RecordingWatcher):
    answers = map_chunks(watcher, functions.process_id, range(100), workers=2)
    pids = {next(answers)[1], next(answers)[1], next(answers)[1]}
    answers.close()
    assert not any(is_alive(pid) for pid in pids)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_end_when_their_owner_is_killed(tmp_path: Path):
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "import job_functions as f\n"
        f"if __name__ == '__main__': f.pool_of_sleepers(f.RecordingWatcher(), {str(tmp_path)!r}, 2)\n"
    )
    script = tmp_path / "owner.py"
    script.write_text(code)
    owner = subprocess.Popen([sys.executable, script])

    def pids() -> list[int]:
        return [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]

    assert wait_until(lambda: len(pids()) == 2)
    assert all(is_alive(pid) for pid in pids())
    owner.kill()
    owner.wait()
    assert wait_until(lambda: not any(is_alive(pid) for pid in pids()))


def test_a_worker_whose_owner_reads_no_more_ends_without_a_trace():
    def nobody_reads(answer: WorkerMessage) -> None:
        raise BrokenPipeError

    _report(nobody_reads, ValueError("late"))


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is one of POSIX systems")
def test_a_process_that_reads_has_a_limit_of_memory(watcher: RecordingWatcher) -> None:
    with pytest.raises(MemoryError):
        list(map_chunks(watcher, functions.allocating, [GIGABYTES + 1], workers=1, untrusted=True))


def test_a_crash_tells_how_far_its_chunk_was(watcher: RecordingWatcher) -> None:
    [(_, crash)] = map_chunks(watcher, functions.reporting_and_dying, [5], workers=1)
    assert isinstance(crash, Crash)
    assert (crash.place, crash.exit_code, crash.timed_out) == (5, 7, False)


@pytest.mark.rest
def test_a_time_limit_does_not_count_compiling(watcher: RecordingWatcher):
    answers = dict(map_chunks(watcher, functions.compile_first, [2, 0], workers=1))
    assert answers[0] == "done"
    assert isinstance(answers[1], Crash)
    assert answers[1].timed_out
