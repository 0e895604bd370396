from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.types import Label
from workbench.project import labels
from workbench.project.database import Connection, Project, create
from workbench.project.followed_labels import current_followed


def _give(connection: Connection, target: str, value: str, label_set: str = "few") -> None:
    labels.add_label(connection, Label(target, value, "Aoyama", "", label_set=label_set))


def _give_and_fail(connection: Connection) -> None:
    _give(connection, "x", "two")
    assert current_followed(connection, "few")["x"].value == "two"
    raise RuntimeError


def _both(project: Project) -> tuple[dict[str, Label], dict[str, Label]]:
    with project.read() as connection:
        return dict(current_followed(connection, "few")), labels.current(connection, "few")


def test_what_is_followed_is_what_is_stored_after_every_event(tmp_path: Path) -> None:
    with create(tmp_path / "case.palimpsest") as project:
        events = [("x", "one"), ("y", "two"), ("x", ""), ("x", "three"), ("y", "four"), ("z", "")]
        for target, value in events:
            with project.write() as connection:
                _give(connection, target, value)
                _give(connection, target, "elsewhere", "many")
            followed, stored = _both(project)
            assert followed == stored
        assert {target: label.value for target, label in followed.items()} == {"x": "three", "y": "four"}


def test_what_is_rolled_back_is_not_followed(tmp_path: Path) -> None:
    with create(tmp_path / "case.palimpsest") as project:
        with project.write() as connection:
            _give(connection, "x", "one")
        with pytest.raises(RuntimeError), project.write() as connection:
            _give_and_fail(connection)
        followed, stored = _both(project)
        assert followed == stored
        assert followed["x"].value == "one"


def test_an_older_state_is_read_as_it_was(tmp_path: Path) -> None:
    with create(tmp_path / "case.palimpsest") as project, project.read() as early:
        assert current_followed(early, "few") == {}
        with project.write() as connection:
            _give(connection, "x", "one")
        assert list(_both(project)[0]) == ["x"]
        assert current_followed(early, "few") == {}
