"""Paste and look: a text that is not imported, looked up in the project's indexes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, finished, settle
from tests.gui.documents_view import opened
from workbench.base.types import Document, Role, Span
from workbench.project.documents import add_documents
from workbench.services.session import Session, create

COPIED = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。"
PASTED = COPIED[:33]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("cat", "まえがきを書く。" + COPIED, Role.SOURCE, language="ja")])
    return path


def test_a_pasted_text_is_looked_up_by_key_and_its_passage_shown_in_both_texts(
    start: Start, sources: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, sources)
    controller.context.actions.run("documents.look")
    dialog = view.importer.look
    assert dialog is not None
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClick(dialog.body, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.is_ready()
    dialog.body.setPlainText("自分で書いた文である。" + COPIED)
    qtbot.keyClick(dialog.body, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not dialog.is_ready()
    qtbot.waitUntil(lambda: dialog.is_ready() and dialog.lookup is not None)
    settle(qtbot, controller)
    assert dialog.model.rowCount() == 1
    assert dialog.body.textCursor().selectedText().endswith(COPIED)
    assert dialog.pane.document is not None
    assert dialog.pane.document.id == "cat"
    assert list(dialog.pane.text.regions) == [Span(8, 8 + len(COPIED))]
    assert controller.context.session is not None
    with controller.context.session.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM document").scalar() == 1
    dialog.reject()


def test_a_pasted_text_is_looked_up_without_being_added(qtbot: QtBot, start: Start, project: Path) -> None:
    controller, view = opened(start, project)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("neko", "猫の話。" + PASTED * 3, Role.SOURCE)])
    controller.context.announce({"documents"})
    settle(qtbot, controller)
    before = view.model.total
    controller.context.actions.run("documents.look")
    dialog = view.importer.look
    assert dialog is not None
    assert not dialog.go.isEnabled()
    dialog.body.setPlainText("😀" + PASTED * 2)
    dialog.go.click()
    assert not dialog.is_ready()
    qtbot.waitUntil(dialog.is_ready)
    settle(qtbot, controller)
    assert dialog.lookup is not None
    assert dialog.model.rowCount() >= 1
    qtbot.waitUntil(lambda: dialog.pane.document is not None)
    assert dialog.pane.document is not None
    assert dialog.pane.document.id == "neko"
    assert dialog.body.textCursor().selectedText().endswith(PASTED * 2)
    assert "copies" in dialog.state.text()
    dialog.reject()
    settle(qtbot, controller)
    assert view.model.total == before


def test_looking_up_can_be_stopped(qtbot: QtBot, start: Start, project: Path) -> None:
    controller, view = opened(start, project)
    view.importer.ask_look()
    dialog = view.importer.look
    assert dialog is not None
    dialog.body.setPlainText(PASTED)
    dialog.go.click()
    dialog.go.click()
    assert dialog.is_ready()
    assert "cancelled" in dialog.state.text()
    dialog.reject()
    finished(qtbot, controller)
