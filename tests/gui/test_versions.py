"""Documents: a file that was revised."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui import slow_jobs
from tests.gui.conftest import JAPANESE, Start, finished, settle
from tests.gui.documents_view import import_as, opened, previewed
from workbench.base.types import Role
from workbench.project.documents import load_document
from workbench.services.importing.batch import ImportOptions
from workbench.services.session import Session


def test_a_new_version_takes_the_place_of_a_document_until_that_is_undone(
    start: Start, project: Path, texts: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    (texts / "picture.txt").unlink()
    view.offer([texts])
    dialog = previewed(qtbot, view)
    qtbot.waitUntil(lambda: dialog.update_box.isVisibleTo(dialog))
    assert not dialog.update_box.isChecked()
    import_as(dialog, Role.SUSPECT)
    finished(qtbot, controller)
    (texts / "neko.txt").write_text("A new beginning.", encoding="utf-8")
    view.offer([texts])
    dialog = previewed(qtbot, view)
    dialog.roles.setCurrentIndex(-1)
    assert not dialog.go.isEnabled()
    dialog.update_box.setChecked(True)
    qtbot.waitUntil(dialog.go.isEnabled)
    assert not dialog.roles.isEnabled()
    assert dialog.why.text() == "New versions keep the roles of their documents."
    dialog.go.click()
    finished(qtbot, controller)
    assert "1 is a new version" in controller.window.banner.text.text()
    assert view.model.total == 6

    def text() -> str:
        keys = dict(zip(view.model.values("id"), view.model.values("key"), strict=True))
        view.table.select_keys([keys["in/neko.txt"]])
        settle(qtbot, controller)
        assert view.pane.document is not None
        return view.pane.document.text

    assert text() == "A new beginning."
    assert dict(zip(view.model.values("id"), view.model.values("role"), strict=True))["in/neko.txt"] == "suspect"
    for action, expected in (("edit.undo", JAPANESE), ("edit.redo", "A new beginning.")):
        controller.context.actions.run(action)
        settle(qtbot, controller)
        assert text() == expected
        assert view.model.total == 6


def test_a_role_is_needed_where_not_every_input_is_a_new_version(
    start: Start, project: Path, texts: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    (texts / "picture.txt").unlink()
    view.importer.offer([texts / "neko.txt"], texts)
    import_as(previewed(qtbot, view), Role.SUSPECT)
    finished(qtbot, controller)
    view.importer.offer([texts], texts)
    dialog = previewed(qtbot, view)
    dialog.roles.setCurrentIndex(-1)
    dialog.update_box.setChecked(True)
    settle(qtbot, controller)
    assert [kept and kept.value for kept in dialog._kept] == ["suspect", None]
    assert dialog.roles.isEnabled()
    dialog.reject()


def test_texts_that_a_cancelled_import_replaced_come_back(
    start: Start, project: Path, texts: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, view = opened(start, project)
    importer, changed = view.importer, texts / "neko.txt"
    importer.start([changed], Role.SUSPECT, ImportOptions())
    finished(qtbot, controller)
    changed.write_text("A new beginning.", encoding="utf-8")
    monkeypatch.setattr("workbench.gui.screens.documents.importing.import_paths", slow_jobs.cancelled_import)
    importer.start([changed], Role.SUSPECT, ImportOptions(update=True))
    finished(qtbot, controller)
    assert controller.context.jobs.records[0].state == "cancelled"
    assert "The import was cancelled" in controller.window.banner.text.text()

    def text() -> str:
        with Session(project, write=False) as session, session.read() as connection:
            return load_document(connection, "neko.txt").text

    assert text() == "A new beginning."
    controller.context.actions.run("edit.undo")
    settle(qtbot, controller)
    assert text() == JAPANESE
