"""Where the user is, is remembered at once; a key that does nothing now is answered."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start
from workbench.base import settings as settings_file
from workbench.gui.screens.review.view import ReviewView


def test_the_pair_that_is_open_is_remembered_at_once_and_comes_back_with_its_match(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "review")
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    review.opening.open_pair(2, 4)
    # Nothing is closed: the program may be killed at any moment.
    qtbot.waitUntil(lambda: settings_file.load().views.get(str(project), {}).get("review", {}).get("a") == 2)
    state = settings_file.load().views[str(project)]["review"]
    assert (state["run"], state["b"], state["match"]) == (1, 4, [0, 20, 0, 20])
    again = start(None, None, settings_file.load())
    assert again.window.current == "review"
    review = again.window.view("review")
    assert isinstance(review, ReviewView)
    assert review.pair.opened is not None
    assert (review.pair.opened.a.key, review.pair.opened.b.key, review.pair.active) == (2, 4, 0)


def test_a_key_of_an_action_that_is_not_offered_is_answered(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    controller.window.view("detect")
    qtbot.keyClick(controller.window.focusWidget(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert controller.window.banner.text.text() == "“Start detection” belongs to another view. Go to Detect first."
