"""Processes that are forked from a server behave as those that start an interpreter."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import job_functions as functions
import pytest

from tests.forked_readers import OWN_INTERPRETERS
from tests.processes import is_alive, wait_until
from workbench.jobs import children
from workbench.jobs.events import Finished
from workbench.jobs.process import JobProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the server")


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    """A server that has loaded little: it is killed, and that of the suite takes seconds to load."""
    own: Any = forkserver._forkserver  # type: ignore[attr-defined]
    none = {"_forkserver_address": None, "_forkserver_alive_fd": None, "_forkserver_pid": None}
    kept = {name: getattr(own, name) for name in (*none, "_preload_modules")}
    served = children._served
    vars(own).update(none)
    children._served = False
    children.serve("workbench.jobs.process")
    assert children._served
    yield
    own._stop()
    vars(own).update(kept)
    children._served = served


def server_pid() -> int:
    pid = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    assert isinstance(pid, int)
    return pid


def result(function: object, *arguments: object) -> object:
    *_, last = JobProcess("job", function, arguments, {}).events()  # type: ignore[arg-type]
    assert isinstance(last, Finished)
    assert not last.error, (last.error, last.report)
    return last.result


def test_a_job_and_its_workers_come_from_one_server() -> None:
    assert result(functions.parents, False) == (server_pid(), [server_pid()] * 2)


def test_who_reads_what_strangers_sent_has_an_interpreter_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OWN_INTERPRETERS, "1")
    job, workers = result(functions.parents, True)  # type: ignore[misc]
    assert job == server_pid()
    assert server_pid() not in workers


def test_a_forked_job_has_the_environment_and_the_folder_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in ("one", "another"):
        monkeypatch.setenv("PALIMPSEST_TRIED", value)
        assert result(functions.surroundings, "PALIMPSEST_TRIED") == (value, str(tmp_path))
    monkeypatch.delenv("PALIMPSEST_TRIED")
    assert result(functions.surroundings, "PALIMPSEST_TRIED") == (None, str(tmp_path))


def test_a_killed_server_costs_no_job() -> None:
    killed = server_pid()
    os.kill(killed, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(killed))
    assert result(functions.length_of, "abc") == 3
    assert server_pid() != killed


def test_a_job_whose_server_is_gone_starts_its_workers_itself(tmp_path: Path) -> None:
    """Nobody but the process that started the server may start another."""
    job = JobProcess("job", functions.parents_after, (str(tmp_path / "go"),), {})
    events = job.events()
    assert next(events)
    killed = server_pid()
    os.kill(killed, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(killed))
    (tmp_path / "go").touch()
    *_, last = events
    assert isinstance(last, Finished)
    assert not last.error
    assert killed not in last.result


@pytest.mark.parametrize("exit_code", [0, 7])
def test_the_owner_learns_how_a_forked_process_ended(exit_code: int) -> None:
    process = children.start_function(sys.exit, (exit_code,), daemon=False)
    process.join(20)
    assert process.exitcode == exit_code
