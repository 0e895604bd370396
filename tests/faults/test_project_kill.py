"""SIGKILL while a project is written, many times: what is committed stays, and the end is that of calm work."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.base.types import RunState
from workbench.project.database import create, open_project
from workbench.project.documents import corpus_hash
from workbench.project.integrity import Counts, counts, integrity
from workbench.project.matches import match_columns
from workbench.project.pairs import Pair, SuspectTotals, pairs_of, suspects_of
from workbench.project.runs import runs

WORK = Path(__file__).with_name("fault_work.py")


def contents(path: Path) -> tuple[Counts, str, list[Pair], list[SuspectTotals], list[object], dict[str, int]]:
    with open_project(path, write=False) as project, project.read() as connection:
        (run,) = runs(connection)
        assert run.state is RunState.DONE
        return (
            counts(connection),
            corpus_hash(connection),
            pairs_of(connection, run.id),
            suspects_of(connection, run.id),
            list(match_columns(connection, run.id)),
            dict(run.excluded) | {"documents": run.documents, "pairs": run.pairs},
        )


@pytest.mark.rest
@pytest.mark.timeout(7200)
def test_work_that_is_killed_again_and_again_ends_like_calm_work(tmp_path: Path, rounds: int):
    calm, hunted = tmp_path / "calm.palimpsest", tmp_path / "hunted.palimpsest"
    create(calm).close()
    start = time.monotonic()
    subprocess.run([sys.executable, WORK, calm], check=True, stdout=subprocess.DEVNULL)
    span = time.monotonic() - start
    rng = random.Random(3)
    kills = 0
    while kills < rounds * 5:
        hunted.unlink(missing_ok=True)
        create(hunted).close()
        committed = Counts(0, 0, 0, 0)
        for _ in range(4):
            child = subprocess.Popen([sys.executable, WORK, hunted], stdout=subprocess.PIPE)
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(rng.uniform(0, span / 3))
            child.kill()
            child.communicate()
            kills += 1
            with open_project(hunted, write=False) as project:
                assert integrity(project) == "ok"
                with project.read() as connection:
                    now = counts(connection)
                    assert not any(run.state is RunState.RUNNING for run in runs(connection))
            assert all(after >= before for before, after in zip(committed, now, strict=True))
            assert now.documents == now.labels
            committed = now
        subprocess.run([sys.executable, WORK, hunted], check=True, stdout=subprocess.DEVNULL)
        assert contents(hunted) == contents(calm)
    with open_project(hunted) as project:
        assert integrity(project, deep=True) == "ok"
    assert sorted(file.name for file in tmp_path.iterdir()) == [calm.name, hunted.name]
