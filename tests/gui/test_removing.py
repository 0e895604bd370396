"""Documents removed, and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.documents_view import opened
from workbench.base.errors import UserError
from workbench.project.database import Connection
from workbench.project.imports import add_failures, begin_batch
from workbench.services.session import Session


def test_removed_documents_come_back_with_undo_and_go_with_redo(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.table.select_keys([1, 3])
    controller.context.actions.run("documents.remove")
    settle(qtbot, controller)
    assert view.model.total == 2
    qtbot.mouseClick(controller.window.banner.button, Qt.MouseButton.LeftButton)
    settle(qtbot, controller)
    assert view.model.total == 4
    assert view.table.chosen_keys() == [1, 3]
    qtbot.keyClick(
        controller.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    settle(qtbot, controller)
    assert view.model.total == 2


def test_documents_brought_back_behind_the_failures_are_not_removed_by_a_key(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    with Session(project) as session, session.write() as connection:
        add_failures(connection, begin_batch(connection), [("picture.txt", "not a text")])
    controller, view = opened(start, project)
    actions = controller.context.actions
    view.table.select_keys([1])
    actions.run("documents.remove")
    settle(qtbot, controller)
    view.choose("failed")
    actions.run("edit.undo")
    settle(qtbot, controller)
    assert view.model.total == 4
    assert not actions.offered("documents.remove")
    view.choose("all")
    assert view.table.any_chosen()


def test_documents_that_cannot_be_removed_stay_and_the_reason_is_shown(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_connection: Connection, _keys: Sequence[int]) -> int:
        raise UserError("The disk is full.")

    monkeypatch.setattr("workbench.project.documents.delete_documents", refuse)
    controller, view = opened(start, project)
    view.table.select_keys([1])
    controller.context.actions.run("documents.remove")
    settle(qtbot, controller)
    assert controller.window.banner.text.text() == "The disk is full."
    assert view.model.total == 4
    assert not controller.context.history.undo_title()
