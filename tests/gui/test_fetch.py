"""Fetching pages from the window."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.web_server import WebServer, html
from workbench.base.types import Role
from workbench.gui.screens.documents.fetch_dialog import FetchDialog
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.shell.app import Controller
from workbench.services.fetching import Place, PlaceKind


def opened(start: Start, project: Path) -> tuple[Controller, DocumentsView, FetchDialog]:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    controller.context.actions.run("documents.fetch")
    assert view.importer.fetcher.dialog is not None
    return controller, view, view.importer.fetcher.dialog


def test_pages_are_fetched_as_a_job(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view, dialog = opened(start, project)
    with WebServer() as server:
        page, missing = server.page("/a", html("The old bridge over the river was rebuilt.")), f"{server.url}/none"
        dialog.addresses.setPlainText(f"{page}\n\n{missing}\n{page}\n")
        dialog.roles.setCurrentIndex(dialog.roles.findData(Role.SUSPECT.value))
        dialog.rate.setValue(0)
        dialog.private.setChecked(True)
        dialog.accept()
        qtbot.waitUntil(lambda: not controller.context.jobs.active())
    settle(qtbot, controller)
    assert view.model.total == 5
    assert server.counts() == {"/a": 1, "/none": 1}


def test_the_dialog_says_what_it_would_fetch(start: Start, project: Path) -> None:
    *_, dialog = opened(start, project)
    assert not dialog.go.isEnabled()
    assert not dialog.share.isEnabled()
    dialog.addresses.setPlainText("https://example.org/feed\n  https://example.org/feed \n")
    dialog.kind.setCurrentIndex(dialog.kind.findData("feed"))
    dialog.share.setValue(20)
    assert dialog.go.isEnabled()
    assert dialog.places() == [Place(PlaceKind.FEED, "https://example.org/feed")]
    options = dialog.options()
    assert (options.role, options.sample, options.rate, options.allow_private) == (Role.SOURCE, 0.2, 1.0, False)
    dialog.contact.setText("名前")
    assert not dialog.go.isEnabled()
    dialog.reject()


def test_failed_addresses_are_offered_again(start: Start, project: Path) -> None:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    view.importer.retry(["https://example.org/a", "some/file.txt"])
    assert view.importer.fetcher.dialog is not None
    assert view.importer.fetcher.dialog.places() == [Place(PlaceKind.URL, "https://example.org/a")]
    view.importer.fetcher.dialog.reject()


def test_what_was_chosen_is_offered_again_and_odd_lines_are_counted(start: Start, project: Path) -> None:
    _, view, dialog = opened(start, project)
    dialog.addresses.setPlainText("https://example.org/a\nexample.org/b")
    assert "1 line is not an http or https address" in dialog.state.text()
    dialog.private.setChecked(True)
    dialog.contact.setText("me@example.org")
    dialog.rate.setValue(3)
    view.importer.fetcher.usual = dialog.options()
    dialog.reject()
    view.importer.fetcher.ask()
    again = view.importer.fetcher.dialog
    assert again is not None
    assert again.options() == view.importer.fetcher.usual
    again.reject()
