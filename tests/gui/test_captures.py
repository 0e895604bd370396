"""Captures, where they are shown: as a safe page, as text, and saved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QPixmap, QTextDocument
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.web_archives import response, write_archive
from workbench.base.types import Document, Role
from workbench.gui.judging.captures_dialog import CapturesDialog, SafeBrowser
from workbench.gui.kit import file_dialogs
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.shell.app import Controller
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.jobs.context import Context
from workbench.project.captures import Timestamp, add_timestamp
from workbench.project.documents import add_documents
from workbench.services.scanning.running import scan
from workbench.services.scanning.settings import ScanSettings
from workbench.services.session import Session, create

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
PAGE = f"<html><body><h1>見出し</h1><p>{COPIED}</p><img src='http://127.0.0.1:9/x.png'><script>x</script></body></html>"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("source", COPIED, Role.SOURCE, title="草枕")])
    archive = write_archive(tmp_path / "a.warc.gz", [response("https://copy.example/", PAGE.encode())])
    scan(Context("t", lambda event: None, lambda: False), path, [archive], ScanSettings(), workers=0)
    return path


def test_a_page_reads_no_file_that_it_names(qtbot: QtBot, own_picture: Path) -> None:
    address = QUrl.fromLocalFile(str(own_picture))
    browser = SafeBrowser()
    qtbot.addWidget(browser)
    browser.setHtml(f'<p><img src="{address.toString()}"></p>')
    browser.show()
    shown = browser.document().resource(QTextDocument.ResourceType.ImageResource, address)
    assert not isinstance(shown, QPixmap)


def opened(start: Start, case: Path, key: int) -> tuple[Controller, CapturesDialog]:
    """The captures of the document with this key."""
    controller = start(case, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    view.table.select_keys([key])
    controller.context.actions.run("documents.captures")
    assert view.capturing.dialog is not None
    return controller, view.capturing.dialog


def test_a_capture_is_shown_safely_and_saved_as_it_came(
    start: Start, case: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, dialog = opened(start, case, 2)
    qtbot.waitUntil(lambda: COPIED in dialog.text.toPlainText())
    assert dialog.title.text() == "https://copy.example/"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", dialog.table.model().index(0, 0).data())
    assert COPIED in dialog.page.toPlainText()
    assert "127.0.0.1" not in dialog.page.toHtml()
    for button, name in ((dialog.save, "page.html"), (dialog.archive, "page.warc")):
        path = tmp_path / name
        monkeypatch.setattr(file_dialogs, "save_file", lambda *_rest, path=path: (path, ""))
        button.click()
        qtbot.waitUntil(lambda path=path: str(path) in dialog.outcome.text())
    assert (tmp_path / "page.html").read_bytes() == PAGE.encode()
    archive = (tmp_path / "page.warc").read_bytes()
    assert PAGE.encode() in archive
    # A reader of archives refuses a record without a date, also the first, which has none of its own.
    assert len(re.findall(rb"^WARC-Date: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\r$", archive, re.M)) == 2
    dialog.reject()
    settle(qtbot, controller)


def test_a_capture_is_timestamped_by_the_service_that_is_set(
    start: Start, case: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, dialog = opened(start, case, 2)
    qtbot.waitUntil(lambda: dialog.chosen() is not None)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_rest: ("nowhere", True))
    dialog.stamp.click()
    assert "must begin with https" in dialog.outcome.text()
    monkeypatch.setattr(QInputDialog, "getText", lambda *_rest: ("http://127.0.0.1:9/tsr", True))
    dialog.stamp.click()
    qtbot.waitUntil(lambda: "127.0.0.1" in dialog.outcome.text())
    capture = dialog.chosen()
    assert capture is not None
    timestamp = Timestamp(capture.body_hash, "http://time.example/", "2026-01-02T03:04:05Z", b"answer")
    with Session(case) as session, session.write() as connection:
        add_timestamp(connection, timestamp)
    dialog._load()
    model = dialog.table.model()
    qtbot.waitUntil(lambda: str(model.index(0, 2).data()).startswith("2026-01-02"))
    dialog.reject()
    settle(qtbot, controller)


def test_what_became_of_a_capture_is_said_though_its_dialog_was_closed(
    start: Start, case: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    controller, dialog = opened(start, case, 2)
    settle(qtbot, controller)
    dialog.reject()
    banner = controller.window.banner
    dialog._saved(JobRecord("record-1", "Save", "done", result=tmp_path / "page.html"))
    assert str(tmp_path / "page.html") in banner.text.text()
    dialog._stamped(JobRecord("record-2", "Timestamp", "failed", error="The service does not answer."))
    assert (banner.text.text(), banner.property("tone")) == ("The service does not answer.", "danger")
    settle(qtbot, controller)


def test_a_page_without_captures_says_so(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, dialog = opened(start, case, 1)
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: dialog._pages.currentIndex() == 1)
    assert not dialog.save.isEnabled()
    dialog.reject()
