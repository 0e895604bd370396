"""What the next window does where the one before did not end in order."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import settle
from workbench.base import settings as settings_file
from workbench.base.settings import Settings
from workbench.gui.problems import recorder
from workbench.gui.shell import app
from workbench.gui.shell.lifetime import AbnormalExit, Lifetime
from workbench.services import session

OPEN = """
import sys
from pathlib import Path
from workbench.gui.shell.lifetime import Lifetime
lifetime = Lifetime(Path(sys.argv[1]))
for place in sys.argv[3:]:
    lifetime.note(*place.split(":"))
"""
ENDS = {
    "crash": "import faulthandler; faulthandler._sigsegv()",
    "kill": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "order": "lifetime.end()",
}


def window_that_ends_by(end: str, folder: Path, *places: str) -> None:
    subprocess.run([sys.executable, "-c", OPEN + ENDS[end], str(folder), end, *places], check=False, timeout=240)


def test_after_an_orderly_end_nothing_is_known_and_nothing_is_left(tmp_path: Path) -> None:
    window_that_ends_by("order", tmp_path, "p:review")
    lifetime = Lifetime(tmp_path)
    assert lifetime.before is None
    lifetime.end()
    assert not list(tmp_path.iterdir())


def test_a_killed_window_is_known_by_where_it_was(tmp_path: Path) -> None:
    window_that_ends_by("kill", tmp_path, "p:documents", "p:review")
    lifetime = Lifetime(tmp_path)
    assert lifetime.before == AbnormalExit("p", "review", again=False, trace="")
    lifetime.end()
    assert not list(tmp_path.iterdir())


def test_a_crash_leaves_its_trace(tmp_path: Path) -> None:
    window_that_ends_by("crash", tmp_path, "p:review")
    lifetime = Lifetime(tmp_path)
    lifetime.end()
    assert lifetime.before is not None
    assert "Segmentation fault" in lifetime.before.trace
    assert 'File "<string>", line 8' in lifetime.before.trace


@pytest.mark.parametrize(
    ("places", "again"),
    [
        (("p:review", "p:review"), True),
        (("p:review", "p:detect"), False),
        (("p:review", "q:review"), False),
        (("p:review", "p:detect", "p:review"), True),
        (("p:review", "p:documents"), True),
        (("p:documents",), False),
    ],
)
def test_a_second_unclean_end_at_the_same_place_is_told_from_the_first(
    tmp_path: Path, places: tuple[str, ...], again: bool
) -> None:
    for place in places:
        window_that_ends_by("kill", tmp_path, place)
    lifetime = Lifetime(tmp_path)
    lifetime.end()
    assert lifetime.before is not None
    assert lifetime.before.again == again


def test_windows_that_run_do_not_disturb_each_other(tmp_path: Path) -> None:
    first, second = Lifetime(tmp_path), Lifetime(tmp_path)
    first.note("p", "review")
    third = Lifetime(tmp_path)
    assert (first.before, second.before, third.before) == (None, None, None)
    for lifetime in (first, third, second):
        lifetime.end()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["", "[]", '{"project": "p"}', '{"project": 1, "view": 2, "places": [3]}', "\0"])
def test_a_damaged_marker_is_removed(tmp_path: Path, content: str) -> None:
    (tmp_path / "old.json").write_text(content)
    lifetime = Lifetime(tmp_path)
    assert lifetime.before is None
    lifetime.end()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_not_a_hindrance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    lifetime = Lifetime(tmp_path / "file")
    lifetime.note("p", "review")
    lifetime.end()
    assert "cannot be noted" in capsys.readouterr().err


Begin = Callable[..., app.Controller]


@pytest.fixture
def begin(qtbot: QtBot, tmp_path: Path) -> Iterator[Begin]:
    """Starts windows as ``palimpsest gui`` does, after one that was killed at ``places``."""
    controllers: list[app.Controller] = []

    def start(*places: str, project: Path | None = None, settings: Settings | None = None) -> app.Controller:
        for place in places:
            window_that_ends_by("kill", tmp_path / "state", place)
        controller = app.Controller(settings or settings_file.load(), lifetime=Lifetime(tmp_path / "state"))
        controllers.append(controller)
        controller.begin(project, None)
        controller.window.show()
        settle(qtbot, controller)
        return controller

    yield start
    for controller in controllers:
        controller.window.close()
        qtbot.waitUntil(lambda window=controller.window: not window.isVisible())
        for left in (controller.window, controller.context, controller):
            left.deleteLater()
    assert not list((tmp_path / "state").iterdir())


def test_after_a_kill_the_project_opens_on_documents_and_offers_to_go_back(
    begin: Begin, qtbot: QtBot, project: Path
) -> None:
    settings = Settings(theme="light", language="en", last_project=str(project), last_view="review")
    window = begin(f"{project}:review", settings=settings).window
    assert window.context.project == project
    assert window.current == "documents"
    assert window.banner.isVisible()
    assert window.banner.button.text() == "Go back to Review"
    window.banner.button.click()
    qtbot.waitUntil(lambda: window.current == "review" and window.view("review").is_ready())


def test_a_project_that_is_being_opened_is_known_already(
    qtbot: QtBot, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    usual = session.Session

    def slow(*arguments: object, **named: object) -> session.Session:
        assert go_on.wait(60)
        return usual(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "Session", slow)
    lifetime = Lifetime(tmp_path / "state")
    controller = app.Controller(Settings(theme="light", language="en"), lifetime=lifetime)
    controller.begin(project, "review", wait_ms=1)
    assert controller.window.current == "start"
    assert json.loads(lifetime.marker.read_text())["project"] == str(project)
    go_on.set()
    qtbot.waitUntil(lambda: controller.window.current == "review")
    controller.window.close()
    qtbot.waitUntil(lambda: not controller.context.working)


def test_after_a_second_kill_at_the_same_place_only_start_opens(begin: Begin, qtbot: QtBot, project: Path) -> None:
    settings = Settings(theme="light", language="en", last_project=str(project), last_view="review")
    window = begin(f"{project}:review", f"{project}:review", settings=settings).window
    assert window.context.project is None
    assert window.current == "start"
    assert window.banner.button.text() == "Open case"
    assert "case was not opened" in window.banner.text.text()
    window.banner.button.click()
    qtbot.waitUntil(lambda: window.current == "documents" and window.context.project == project)


def test_a_project_that_is_asked_for_after_two_crashes_is_opened_or_it_is_said_why_not(
    begin: Begin, project: Path, tmp_path: Path
) -> None:
    crashed, other = f"{project}:review", tmp_path / "other.palimpsest"
    session.create(other)
    window = begin(crashed, crashed, project=other).window
    assert window.context.project == other
    assert window.current == "documents"
    again = begin(crashed, crashed, project=project).window
    assert again.context.project is None
    assert "case was not opened" in again.banner.text.text()


def test_after_an_orderly_end_the_window_opens_where_it_was(begin: Begin, project: Path) -> None:
    settings = Settings(theme="light", language="en", last_project=str(project), last_view="detect")
    window = begin(settings=settings).window
    assert window.current == "detect"
    assert not window.banner.isVisible()


def test_a_crash_is_in_the_report_of_the_next_window(begin: Begin, tmp_path: Path) -> None:
    window_that_ends_by("crash", tmp_path / "state", ":start")
    window = begin().window
    assert "crashed" in window.banner.text.text()
    assert "Segmentation fault" in recorder().report()
    assert not len(recorder())
    recorder().crash = ""
