"""Screens are built in pieces: the window comes round in between, and the last request counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from workbench.gui.problems import recorder
from workbench.gui.screens.review.panels import Panels
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell import app
from workbench.gui.shell.window import Window

pytestmark = pytest.mark.usefixtures("ahead")

Start = Callable[..., app.Controller]


@pytest.fixture
def window(start: Start, project: Path) -> Window:
    """A window in which Documents alone is built, and nothing ahead."""
    window = start(project, "documents").window
    window._ahead.stop()
    window._building.discard()
    assert not window.has_view("review")
    return window


def test_the_window_comes_round_while_a_screen_is_built(window: Window) -> None:
    ticks = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(window.has_view("review")))
    timer.start(0)
    window.show_view("review")
    timer.stop()
    assert window.current == "review"
    assert ticks.count(False) >= 8


def test_what_is_begun_ahead_is_built_to_its_end_where_it_is_asked_for(window: Window) -> None:
    for _ in range(3):
        window._building.go_on("review")
    assert not window.has_view("review")
    window.show_view("review")
    assert window.stack.currentWidget() is window.view("review")
    assert len(window.findChildren(ReviewView)) == 1


def test_the_last_request_counts(window: Window, qtbot: QtBot) -> None:
    QTimer.singleShot(0, lambda: window.show_view("jobs"))
    window.show_view("review")
    assert window.current == "jobs"
    window.show_view("review")
    assert window.current == "review"
    qtbot.waitUntil(window.view("review").is_ready)


def test_the_window_may_close_while_a_screen_is_built(window: Window) -> None:
    QTimer.singleShot(0, window.close)
    window.show_view("review")
    assert not window.isVisible()
    assert not window.has_view("review")


def test_a_screen_that_could_not_be_built_is_built_at_the_next_request(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Panels, "build", lambda _self, _context: iter([1 // 0]))
        with pytest.raises(ZeroDivisionError):
            window.show_view("review")
    assert window.current == "documents"
    recorder().clear()
    window.show_view("review")
    assert window.current == "review"


def test_the_window_stays_until_there_is_one_in_the_other_language(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    old = controller.window
    qtbot.waitUntil(old.view("review").is_ready)
    shown = []
    timer = QTimer()
    timer.timeout.connect(lambda: shown.append(any(w.isVisible() for w in (old, controller.window))))
    timer.start(0)
    controller.choose_language("ja")
    timer.stop()
    assert len(shown) >= 8
    assert all(shown)
    assert controller.window is not old
    assert controller.window.isVisible()


def test_of_two_languages_chosen_quickly_the_last_counts(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    QTimer.singleShot(0, lambda: controller.choose_language("zh"))
    controller.choose_language("ja")
    assert controller.window.view("review").title == "复核"
    qtbot.waitUntil(controller.window.view("review").is_ready)


def test_closed_while_its_language_changes_it_stays_closed(start: Start, project: Path) -> None:
    controller = start(project, "documents")
    old = controller.window
    QTimer.singleShot(0, old.close)
    controller.choose_language("ja")
    assert not old.isVisible()
    assert not controller.window.isVisible()
