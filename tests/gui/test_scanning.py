"""Web archives, from the dialog in Detect to what is found in Review, and after an interruption."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from tests.gui import slow_jobs
from tests.gui.conftest import Start, finished, settle
from tests.web_archives import response, write_archive
from tests.web_server import html
from workbench.base.types import Document, Role, RunState
from workbench.gui.kit.tasks import TaskDialog
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.shell.app import Controller
from workbench.project.documents import add_documents
from workbench.services.listing import all_runs
from workbench.services.session import Session, create

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("source", COPIED, Role.SOURCE, title="草枕")])
    return path


def opened(start: Start, project: Path) -> tuple[Controller, DetectView, TaskDialog]:
    controller = start(project, "detect")
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    controller.context.actions.run("detect.scan")
    assert view.scanning.dialog is not None
    return controller, view, view.scanning.dialog


def test_a_folder_of_archives_is_searched_and_what_is_found_opens_in_review(
    start: Start, case: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    pages = ("https://copy.example/", COPIED), ("https://else.example/", "ここには別の文だけがある。")
    write_archive(folder / "a.warc.gz", [response(url, html("はじめに書く。" + text).body) for url, text in pages])
    controller, view, dialog = opened(start, case)
    offers: list[str] = []
    controller.context.offered.connect(lambda sentence, title, action: (offers.extend((sentence, title)), action()))
    assert not dialog.go.isEnabled()
    assert dialog.state.text() == "Choose web archives, or folders of them."
    dialog.fields["paths"].add([folder])
    dialog.fields["method"].setCurrentIndex(dialog.fields["method"].findData("digest"))
    dialog.go.click()
    assert view.running.record is not None
    qtbot.waitUntil(lambda: "Open in Review" in offers)
    settle(qtbot, controller)
    assert view.running.record is None
    assert "2 pages searched" in offers[0]
    assert controller.window.current == "review"
    assert view.scanning.usual["paths"] == [str(folder)]


def test_a_scan_that_was_stopped_is_resumed_as_a_scan(start: Start, case: Path, qtbot: QtBot, tmp_path: Path) -> None:
    pages = [response(f"https://copy.example/{n}", html(COPIED).body) for n in range(3)]
    archive = write_archive(tmp_path / "a.warc.gz", pages)
    controller, view, dialog = opened(start, case)
    dialog.fields["paths"].add([archive])
    dialog.fields["method"].setCurrentIndex(dialog.fields["method"].findData("digest"))
    dialog.go.click()
    record = view.running.record
    assert record is not None
    qtbot.waitUntil(lambda: bool(all_runs(session)) if (session := controller.context.session) else False)
    view.running.cancel()
    finished(qtbot, controller)
    assert controller.context.session is not None
    (run,) = all_runs(controller.context.session)
    if run.state is not RunState.DONE:
        view.resume(run)
        qtbot.waitUntil(lambda: view.running.record is not None)
        finished(qtbot, controller)
    (run,) = all_runs(controller.context.session)
    assert (run.state, run.documents, run.pairs) == (RunState.DONE, 3, 3)


def test_the_end_of_a_search_is_reported_in_a_window_of_another_language(
    start: Start, case: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    controller = start(case, "detect")
    view, sign = controller.window.view("detect"), tmp_path / "sign"
    assert isinstance(view, DetectView)
    view.scanning.submit("Search", slow_jobs.refuse, sign)
    controller.choose_language("ja")
    settle(qtbot, controller)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    again = controller.window.view("detect")
    assert isinstance(again, DetectView)
    assert again.running.record is not None
    sign.touch()
    qtbot.waitUntil(lambda: again.running.record is None)
    assert "The disk is full." in controller.window.banner.text.text()
