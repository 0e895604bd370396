"""A second start on a project that is open brings its window forward."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import settle
from workbench.base.resources import state_dir
from workbench.base.settings import Settings
from workbench.gui.shell import app, single_instance
from workbench.gui.shell.lifetime import Lifetime
from workbench.gui.shell.single_instance import bring_forward, take_request
from workbench.services.session import create


@pytest.fixture
def lifetime(tmp_path: Path) -> Iterator[Lifetime]:
    begun = Lifetime(tmp_path / "windows")
    yield begun
    begun.end()


def test_a_window_with_another_project_is_not_asked(tmp_path: Path, lifetime: Lifetime) -> None:
    for name in ("a", "b"):
        (tmp_path / name).touch()
    lifetime.note(str(tmp_path / "a"), "review")
    assert not bring_forward(tmp_path / "windows", tmp_path / "b", None)
    assert take_request(lifetime.marker) is None


def test_a_window_whose_project_was_deleted_is_not_asked_to_show_another(
    tmp_path: Path, lifetime: Lifetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_instance, "_ask", lambda *_: True)
    for name in ("a", "b"):
        (tmp_path / name).touch()
    lifetime.note(str(tmp_path / "a"), "review")
    assert bring_forward(tmp_path / "windows", tmp_path / "a", None)
    (tmp_path / "a").unlink()
    assert not bring_forward(tmp_path / "windows", tmp_path / "b", None)


def test_a_window_that_does_not_answer_is_not_waited_for(tmp_path: Path, lifetime: Lifetime) -> None:
    (tmp_path / "a").touch()
    lifetime.note(str(tmp_path / "a"), "review")
    assert not bring_forward(tmp_path / "windows", tmp_path / "a", None, patience=0.1)
    assert take_request(lifetime.marker) is None


def test_a_window_that_was_killed_is_not_asked(tmp_path: Path) -> None:
    code = "import sys, os; from pathlib import Path; from workbench.gui.shell.lifetime import Lifetime\n"
    code += "Lifetime(Path(sys.argv[1])).note(sys.argv[2], 'review'); os._exit(1)"
    (tmp_path / "a").touch()
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "windows"), str(tmp_path / "a")], check=False)
    assert not bring_forward(tmp_path / "windows", tmp_path / "a", None)


def test_a_second_start_shows_the_project_in_the_window_there_is_and_ends(qtbot: QtBot, tmp_path: Path) -> None:
    project = tmp_path / "p.palimpsest"
    create(project)
    app.application()
    lifetime = Lifetime(state_dir() / "windows")
    controller = app.Controller(Settings(), keep=False, lifetime=lifetime)
    controller.window.show()
    controller.begin(project, "documents")
    settle(qtbot, controller)
    controller.window.showMinimized()
    second = subprocess.Popen(
        [sys.executable, "-m", "workbench", "gui", str(project), "--view", "jobs"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.PIPE,
        text=True,
    )
    qtbot.waitUntil(lambda: second.poll() is not None)
    assert second.returncode == 0
    assert "already open in a window" in second.communicate()[1]
    assert controller.window.current == "jobs"
    assert not controller.window.isMinimized()
    controller.window.close()
    qtbot.waitUntil(lambda: not controller.window.isVisible())
    for left in (controller.window, controller.context, controller):
        left.deleteLater()
