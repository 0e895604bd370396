"""SIGKILL at random moments: the file opens, nothing committed is lost, and resuming ends where calm work does."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_program import PROGRAM, Run, passages

from tests.forked_program import Begun
from tests.processes import is_alive, wait_until
from workbench.project.database import open_project
from workbench.project.integrity import integrity
from workbench.project.runs import runs


@dataclass(frozen=True)
class Calm:
    """What undisturbed work gives, and how long its steps take in seconds."""

    documents: int
    labels: int
    matches: list[str]
    seconds: dict[str, float]


def info(palimpsest: Run, project: Path) -> dict[str, Any]:
    return json.loads(palimpsest("info", project, "--json").stdout)


def steps(project: Path, corpus: Path) -> dict[str, list[str]]:
    return {
        "import": ["import", str(project), str(corpus), "--role", "suspect", "--json"],
        "detect": ["detect", str(project), "digest", "--workers", "2", "--resume", "--json"],
    }


@pytest.fixture(scope="module")
def calm(palimpsest: Run, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Calm:
    project = tmp_path_factory.mktemp("calm") / "calm.palimpsest"
    palimpsest("new", project)
    seconds, answers = {}, {}
    for name, command in steps(project, corpus).items():
        start = time.monotonic()
        answers[name] = json.loads(palimpsest(*command).stdout)
        seconds[name] = time.monotonic() - start
    matches = passages(palimpsest, project, answers["detect"]["run"])
    assert len(matches) > 200
    state = info(palimpsest, project)
    return Calm(state["documents"], state["labels"], matches, seconds)


def kill_during(command: list[str], seconds: float, *, group: bool) -> None:
    """Start the command, kill it (with its workers when ``group``) after ``seconds``; nothing of it stays alive."""
    child = Begun(command)
    time.sleep(seconds)
    below = child.workers()
    child.kill()
    if group:
        for pid in below:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not any(is_alive(pid) for pid in below)), "workers outlive their owner"


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at /proc for processes that stay")
def test_killed_work_is_resumed_to_the_same_end(palimpsest: Run, corpus: Path, calm: Calm, tmp_path: Path, rounds: int):
    rng = random.Random(os.environ.get("PALIMPSEST_FAULT_SEED", "1"))
    for number in range(rounds):
        project = tmp_path / f"{number}.palimpsest"
        palimpsest("new", project)
        for name, command in steps(project, corpus).items():
            committed = 0
            # Killed more than once: what resumes may be killed again.
            for _ in range(rng.choice((1, 1, 2))):
                kill_during(command, rng.uniform(0.05, calm.seconds[name]), group=rng.random() < 0.5)
                state = info(palimpsest, project)
                assert state["integrity"] == "ok", (number, name)
                stored = state["documents"] if name == "import" else state["matches"]
                assert stored >= committed, (number, name)
                committed = stored
            palimpsest(*command)
        state = info(palimpsest, project)
        assert (state["documents"], state["labels"]) == (calm.documents, calm.labels)
        assert state["interrupted"] == []
        run = json.loads(palimpsest(*steps(project, corpus)["detect"]).stdout)["run"]
        assert passages(palimpsest, project, run) == calm.matches, number
        with open_project(project) as opened:
            assert integrity(opened, deep=True) == "ok"
        project.unlink()


@pytest.mark.slow
def test_a_killed_detection_is_listed_as_interrupted(palimpsest: Run, corpus: Path, calm: Calm, tmp_path: Path):
    project = tmp_path / "p.palimpsest"
    palimpsest("new", project)
    palimpsest(*steps(project, corpus)["import"])
    child = subprocess.Popen([*PROGRAM, *steps(project, corpus)["detect"]], stdout=subprocess.DEVNULL)
    assert wait_until(lambda: _has_run(project))
    child.send_signal(signal.SIGSTOP)
    assert _states(palimpsest, project) == ["running"]
    child.kill()
    child.wait()
    assert _states(palimpsest, project) == ["interrupted"]
    assert len(info(palimpsest, project)["interrupted"]) == 1


def _has_run(project: Path) -> bool:
    with open_project(project, write=False) as opened, opened.read() as connection:
        return bool(runs(connection))


def _states(palimpsest: Run, project: Path) -> list[str]:
    return [json.loads(line)["state"] for line in palimpsest("runs", project, "--json").stdout.splitlines()]


@pytest.mark.slow
def test_an_interrupt_cancels_and_says_so(palimpsest: Run, corpus: Path, tmp_path: Path):
    # Eight times as many documents: with fewer, a busy machine may have read all of them before it is interrupted.
    # Only their beginnings: to read all of each takes as long again once they are imported in peace.
    rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "corpus.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for copy in "abcdefgh":
            out.writelines(
                json.dumps({**row, "id": copy + row["id"], "text": row["text"][:200]}) + "\n" for row in rows
            )
    project = tmp_path / "p.palimpsest"
    palimpsest("new", project)
    command = [*PROGRAM, *steps(project, file)["import"]]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    # The first line of progress: work has begun, and the signal finds a handler.
    assert child.stderr is not None
    first = child.stderr.readline()
    assert "stage" in first
    os.killpg(child.pid, signal.SIGINT)
    _, error_output = child.communicate(timeout=240)
    assert child.returncode == 1
    assert "Traceback" not in error_output
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in", project.name]
    palimpsest(*steps(project, file)["import"])
    assert info(palimpsest, project)["documents"] == 2400
