"""Making views and windows: what must not be seen, and what must not stay."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.shown import outside
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell.catalogue import SCREENS as CATALOGUE

pytestmark = pytest.mark.usefixtures("ahead")

LATER = {"SidePanel.answer", "ReviewView.curve", "PagePanes.overview"}
"""What gets its place when it is first asked for."""


def test_a_view_that_is_made_opens_no_window_of_its_own_and_all_its_parts_have_a_place(
    start: Start, project: Path, qapp: QApplication
) -> None:
    class Shown(QObject):
        seen: ClassVar[list[str]] = []

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            if isinstance(watched, QWindow) and event.type() == QEvent.Type.Show:
                self.seen.append(watched.objectName())
            return False

    window = start(project, "start").window
    shown = Shown()
    qapp.installEventFilter(shown)
    try:
        for view in CATALOGUE:
            window.view(view.view_id)
    finally:
        qapp.removeEventFilter(shown)
    assert not shown.seen
    assert outside(window) == LATER


def test_a_view_is_opened_without_asking_the_others_for_their_sizes(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = start(project, "documents")
    for view in CATALOGUE:
        controller.window.view(view.view_id)
    settle(qtbot, controller)
    sizes = []
    monkeypatch.setattr(ReviewView, "sizeHint", lambda _self: sizes.append("review") or QSize(1400, 860))
    controller.window.show_view("jobs")
    settle(qtbot, controller)
    assert controller.window.view("jobs").isVisible()
    assert not sizes


def test_the_menu_is_filled_again_without_leaving_its_old_parts(start: Start, project: Path, qtbot: QtBot) -> None:
    window = start(project, "documents").window
    for view in ("detect", "review", "jobs"):
        window.show_view(view)
    qtbot.waitUntil(lambda: "Review" in [action.text() for action in window.menu.actions()])
    qtbot.waitUntil(lambda: len(window.menu.findChildren(QMenu)) == len(window.menu.actions()))


def test_a_window_that_was_rebuilt_leaves_nothing_behind_that_listens(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "review")
    for language in ("ja", "en"):
        controller.window.language_chosen.emit(language)
        settle(qtbot, controller)
        controller.context.theme.toggle()
        controller.context.say_undoable("Removed.")
        qtbot.wait(50)
    assert controller.window.banner.isVisible()
