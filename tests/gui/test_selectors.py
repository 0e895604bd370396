"""The body of pages by host, and judging all pages again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from workbench.base.types import BlockClass
from workbench.gui.screens.documents.judging_pages import rule_words
from workbench.gui.screens.documents.selectors_dialog import SelectorsDialog
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.shell.app import Controller
from workbench.project.documents import add_documents
from workbench.reading.blocks.rules import RULES
from workbench.reading.formats.html import page
from workbench.services.pages.selectors import selectors
from workbench.services.session import Session, create

PAGE = (
    '<nav><a href="/">Home</a> <a href="/all">All the news</a></nav>'
    "<div class='story'><p>The old bridge over the river was rebuilt, and the town kept a feast for it.</p></div>"
    "<div class='other'><p>Readers of this page have read about the new bridge, which is made of steel.</p></div>"
)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.palimpsest"
    create(path)
    read = page(f"<html><body>{PAGE}</body></html>", "a", site="www.news.example")
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [read])
    return path


def opened(start: Start, project: Path, qtbot: QtBot) -> tuple[Controller, DocumentsView, SelectorsDialog]:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    controller.context.actions.run("documents.selectors")
    assert view.selectors is not None
    settle(qtbot, controller)
    return controller, view, view.selectors


def kept(dialog: SelectorsDialog) -> dict[str, str]:
    session = dialog._context.session
    assert session is not None
    return selectors(session)


def give(dialog: SelectorsDialog, host: str, css: str) -> None:
    dialog.host.setText(host)
    dialog.css.setText(css)
    dialog.css.returnPressed.emit()


def test_a_selector_is_added_changed_removed_and_each_step_undone(start: Start, pages: Path, qtbot: QtBot) -> None:
    controller, _, dialog = opened(start, pages, qtbot)
    assert not dialog.keep.isEnabled()
    assert not dialog.undo_button.isEnabled()
    give(dialog, "WWW.News.example", ".story")
    give(dialog, "news.example", ".other")
    settle(qtbot, controller)
    assert list(dialog.model.values("pages")) == [1]
    dialog.table.select_keys(["news.example"])
    assert dialog.css.text() == ".other"
    dialog.remove()
    assert kept(dialog) == {}
    seen = []
    for _ in range(3):
        settle(qtbot, controller)
        QTest.keyClick(dialog.host, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        seen.append(kept(dialog))
    assert seen == [{"news.example": ".other"}, {"news.example": ".story"}, {}]
    settle(qtbot, controller)
    dialog.redo()
    assert kept(dialog) == {"news.example": ".story"}
    dialog.accept()


def test_a_selector_that_cannot_be_used_is_refused_with_a_sentence(start: Start, pages: Path, qtbot: QtBot) -> None:
    _, _, dialog = opened(start, pages, qtbot)
    give(dialog, "news.example", "div[[")
    assert "cannot be used" in dialog.state.text()
    assert dialog.css.text() == "div[["
    assert kept(dialog) == {}
    dialog.reject()


def test_what_cannot_be_removed_is_reported_in_the_dialog(start: Start, pages: Path, qtbot: QtBot) -> None:
    controller, _, dialog = opened(start, pages, qtbot)
    give(dialog, "news.example", ".story")
    settle(qtbot, controller)
    dialog.table.select_keys(["news.example"])
    away = pages.rename(pages.with_name("away.palimpsest"))
    dialog.remove()
    assert "was moved or deleted" in dialog.state.text()
    assert not dialog.state.isHidden()
    away.rename(pages)
    assert kept(dialog) == {"news.example": ".story"}


def test_only_what_was_done_in_the_dialog_is_undone_from_it(start: Start, pages: Path, qtbot: QtBot) -> None:
    controller = start(pages, "documents")
    taken: list[str] = []
    controller.context.history.push("Something else", lambda: taken.append("undone"), lambda: None)
    controller.context.actions.run("documents.selectors")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    assert view.selectors is not None
    settle(qtbot, controller)
    view.selectors.undo()
    assert not taken
    view.selectors.reject()


def test_a_list_is_imported_with_its_bad_rows_named_and_exported(
    start: Start, pages: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    controller, _, dialog = opened(start, pages, qtbot)
    file = tmp_path / "list.csv"
    file.write_text("host,selector\nnews.example,.story\nbad host,p\nother.example,div[[\n", encoding="utf-8")
    dialog.bring(file)
    qtbot.waitUntil(lambda: not dialog._refusals.isHidden())
    layout = dialog._refusals.layout()
    assert layout is not None
    assert layout.indexOf(dialog.refused) == 1  # below its heading
    assert kept(dialog) == {"news.example": ".story"}
    assert list(dialog.failures.values("where")) == ["list.csv:3", "list.csv:4"]
    out = tmp_path / "out.jsonl"
    settle(qtbot, controller)
    dialog.export_to(out)
    assert out.read_text(encoding="utf-8") == '{"host": "news.example", "selector": ".story"}\n'
    dialog.export_to(tmp_path)
    assert dialog.state.text() not in ("", "1 selector was written to out.jsonl.")
    assert str(tmp_path) in dialog.state.text()
    dialog.undo()
    assert kept(dialog) == {}
    dialog.reject()


def test_pages_are_judged_again_as_a_job_with_the_new_selectors(start: Start, pages: Path, qtbot: QtBot) -> None:
    controller, view, dialog = opened(start, pages, qtbot)
    give(dialog, "news.example", ".other")
    dialog.judge_button.click()
    qtbot.waitUntil(lambda: view.judge.dialog is not None)
    assert view.judge.dialog is not None
    view.judge.dialog.choose("all")
    assert view.judge.dialog.rule() == "all"
    notices: list[str] = []
    controller.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    view.judge.dialog.accept()
    qtbot.waitUntil(lambda: bool(notices))
    settle(qtbot, controller)
    assert notices == ["1 page was judged. The content blocks of 1 page changed."]
    assert list(view.model.values("blocks")) == [(1, 3)]
    assert view.pane.document is not None
    assert sum(block.verdict is BlockClass.CONTENT for block in view.pane.document.blocks) == 1
    dialog.accept()


def test_every_rule_has_words() -> None:
    assert list(rule_words()) == list(RULES)


def test_a_site_that_is_chosen_shows_its_documents_alone(qtbot: QtBot, start: Start, pages: Path) -> None:
    with Session(pages) as session, session.write() as connection:
        add_documents(connection, [page(f"<html><body>{PAGE} More.</body></html>", "b", site="other.example")])
    controller = start(pages, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    controller.context.actions.run("documents.sites")
    settle(qtbot, controller)
    dialog = view.sites
    assert dialog is not None
    assert list(dialog.model.values("host")) == ["other.example", "www.news.example"]
    assert not dialog.show_button.isEnabled()
    dialog.table.select_keys(["www.news.example"])
    dialog.show_button.click()
    qtbot.waitUntil(lambda: view.model.rowCount() == 1)
    assert view.model.total == 2
