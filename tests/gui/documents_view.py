"""The view of documents and its import dialog, for tests of both."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start
from workbench.base.types import Role
from workbench.gui.screens.documents.import_dialog import ImportDialog
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.shell.app import Controller


def opened(start: Start, project: Path) -> tuple[Controller, DocumentsView]:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    return controller, view


def previewed(qtbot: QtBot, view: DocumentsView) -> ImportDialog:
    dialog = view.importer.dialog
    assert dialog is not None
    qtbot.waitUntil(dialog.is_ready)
    return dialog


def import_as(dialog: ImportDialog, role: Role) -> None:
    dialog.roles.setCurrentIndex(dialog.roles.findData(role.value))
    dialog.go.click()
