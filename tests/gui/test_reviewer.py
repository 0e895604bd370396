"""The name that verdicts carry, set in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start
from workbench.base import settings as settings_file
from workbench.gui.shell.commands import ReviewerDialog
from workbench.gui.shell.window import Window
from workbench.services.review.verdicts import Unit, give_verdict, history, reviewer
from workbench.services.session import Session


def ask(window: Window, qtbot: QtBot) -> ReviewerDialog:
    window.context.actions.run("window.reviewer")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewerDialog)))
    return window.findChildren(ReviewerDialog)[-1]


def field(dialog: ReviewerDialog) -> QLineEdit:
    return dialog.findChildren(QLineEdit)[0]


def test_the_name_is_kept_at_once_on_one_line_and_carried_by_verdicts(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "review")
    dialog = ask(controller.window, qtbot)
    assert field(dialog).placeholderText() == reviewer()
    field(dialog).setText("  A.  Reader ")
    dialog.accept()
    assert controller.context.settings.reviewer == "A. Reader"
    assert settings_file.load().reviewer == "A. Reader"
    qtbot.waitUntil(lambda: controller.context.actions.qt("review.verdict-copy").isEnabled())
    controller.context.actions.run("review.verdict-copy")
    view = controller.window.view("review")
    judgement = view.pair.opened.judgements[view.pair.active]  # type: ignore[attr-defined]
    assert judgement.label.who == "A. Reader"


def test_a_name_that_was_not_confirmed_is_forgotten(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    dialog = ask(controller.window, qtbot)
    field(dialog).setText("Somebody")
    dialog.reject()
    assert controller.context.settings.reviewer == ""


def test_labels_of_pairs_carry_the_login_where_no_name_is_set(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "login")
    with Session(project, write=True) as session:
        give_verdict(session, Unit("s1", "t1"), "not")
        give_verdict(session, Unit("s1", "t1"), "not", who="A. Reader")
        assert [event.who for event in history(session, Unit("s1", "t1"))] == ["login", "A. Reader"]
