from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import ProjectError
from workbench.project import database as locks_module
from workbench.project.database import Locks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.palimpsest"


def test_a_lock_is_seen_by_others_until_it_is_settled(file: Path):
    mine, other = Locks(file), Locks(file)
    mine.hold("run-1")
    assert mine.is_held("run-1")
    assert other.is_held("run-1")
    mine.retire("run-1")
    assert other.is_held("run-1")
    mine.settle()
    assert not other.is_held("run-1")
    assert not list(file.parent.iterdir())


def test_looking_does_not_take_the_lock(file: Path):
    first, second = Locks(file), Locks(file)
    first.hold("run-1")
    first.close()
    assert not second.is_held("run-1")
    first.hold("run-1")
    assert second.is_held("run-1")
    first.close()


def test_what_a_killed_process_left_is_cleared_and_a_living_lock_is_not(file: Path):
    first, second = Locks(file), Locks(file)
    Path(f"{file}.run-1.lock").touch()
    first.hold("run-2")
    second.clear("run-1")
    second.clear("run-2")
    assert [entry.name for entry in file.parent.iterdir()] == [f"{file.name}.run-2.lock"]
    assert second.is_held("run-2")
    first.close()


def test_two_cannot_hold_one_lock(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(locks_module, "_PATIENCE", 0.1)
    first, second = Locks(file), Locks(file)
    first.hold("run-1")
    with pytest.raises(ProjectError, match="Another program"):
        second.hold("run-1")
    second.hold("run-2")
    first.close()
    second.hold("run-1")
    second.close()


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path):
    locks = Locks(tmp_path / "none" / "x.palimpsest")
    assert not locks.is_held("run-1")
