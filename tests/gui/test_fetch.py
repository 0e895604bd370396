"""Fetching pages from the window."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, finished
from tests.web_server import WebServer, html
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Role
from workbench.gui.kit.tasks import TaskDialog
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.shell.app import Controller
from workbench.services.fetching.task import Fetch


def opened(start: Start, project: Path) -> tuple[Controller, DocumentsView, TaskDialog]:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    controller.context.actions.run("documents.fetch")
    assert view.importer.fetcher.dialog is not None
    return controller, view, view.importer.fetcher.dialog


def fetch_of(dialog: TaskDialog) -> Fetch:
    task = dialog.fields.chosen()
    assert isinstance(task, Fetch)
    return task


def test_pages_are_fetched_as_a_job(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view, dialog = opened(start, project)
    notices: list[str] = []
    controller.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    with WebServer() as server:
        page, missing = server.page("/a", html("The old bridge over the river was rebuilt.")), f"{server.url}/none"
        dialog.fields["places"].setPlainText(f"{page}\n\n{missing}\n{page}\n")
        dialog.fields["role"].setCurrentIndex(dialog.fields["role"].findData(Role.SUSPECT.value))
        dialog.fields["rate"].setValue(0)
        dialog.fields["allow_private"].setChecked(True)
        dialog.accept()
        finished(qtbot, controller)
    assert view.model.total == 5
    assert server.counts() == {"/a": 1, "/none": 1}
    assert notices[-1].startswith(f"1 page became a document. 1 address failed. The first: {missing}: ")


def test_the_dialog_knows_what_it_would_fetch(start: Start, project: Path) -> None:
    *_, dialog = opened(start, project)
    assert not dialog.go.isEnabled()
    assert dialog.state.text() == "Give the address of a page, feed or sitemap."
    dialog.fields["places"].setPlainText("feed https://example.org/feed\n  feed https://example.org/feed \n")
    dialog.fields["sample"].setValue(20)
    assert dialog.go.isEnabled()
    task = fetch_of(dialog)
    assert task.places == (PageSource(PlaceKind.FEED, "https://example.org/feed"),)
    assert (task.role, task.sample, task.rate, task.allow_private) == (Role.SOURCE, 0.2, 1.0, False)
    dialog.fields["contact"].setText("名前")
    assert dialog.state.text() == "Contact must be plain ASCII text without brackets, not '名前'."
    assert not dialog.go.isEnabled()
    dialog.reject()


def test_failed_addresses_are_offered_again(start: Start, project: Path) -> None:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    view.importer.retry(["https://example.org/a", "some/file.txt"])
    assert view.importer.fetcher.dialog is not None
    assert fetch_of(view.importer.fetcher.dialog).places == (PageSource(PlaceKind.URL, "https://example.org/a"),)
    view.importer.fetcher.dialog.reject()


def test_what_was_chosen_is_offered_again_and_an_odd_line_is_named(start: Start, project: Path) -> None:
    controller, view, dialog = opened(start, project)
    dialog.fields["places"].setPlainText("https://example.org/a\nexample.org/b")
    assert dialog.state.text() == "example.org/b is not an http or https address."
    dialog.fields["places"].setPlainText("https://example.org/a")
    dialog.fields["contact"].setText("me@example.org")
    dialog.fields["rate"].setValue(3)
    view.importer.fetcher.usual = fetch_of(dialog).as_dict()
    dialog.reject()
    controller.context.actions.run("documents.fetch")
    again = view.importer.fetcher.dialog
    assert again is not None
    assert again.fields["places"].toPlainText() == ""
    again.fields["places"].setPlainText("https://example.org/a")
    assert fetch_of(again).as_dict() == view.importer.fetcher.usual
    again.reject()
