"""A search engine, from the dialog in Detect to what is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.web_server import Response, WebServer, html
from workbench.base.types import Document, Role
from workbench.gui.kit.engines import EngineDialog
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.screens.documents.view import DocumentsView
from workbench.project.documents import add_documents, iter_documents
from workbench.services.session import Session, create

COPIED = "山路を登りながら、こう考えた人がいた。智に働けば角が立つというのである。情に棹させば流されるばかりだ。"


def test_pages_that_an_engine_names_are_compared(
    start: Start, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    project = tmp_path / "case.palimpsest"
    create(project)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("source", COPIED, Role.SOURCE, title="草枕")])
    with WebServer() as server:
        copy = server.page("/copy", html(COPIED))
        answer = Response(json.dumps({"items": [{"link": copy}]}).encode())
        server.fallback = lambda request: answer if "q=" in request.path else Response(b"", 404)
        controller = start(project, "detect")
        view = controller.window.view("detect")
        assert isinstance(view, DetectView)
        view.choose("digest")
        controller.context.actions.run("detect.engine")
        dialog = view.asking.dialog
        assert isinstance(dialog, EngineDialog)
        assert not dialog.go.isEnabled()
        dialog.engine["template"].setText("http://search.example/?q={query}")
        dialog.engine["results"].setText("items[].link")
        assert not dialog.go.isEnabled()
        assert "https" in dialog.state.text()
        dialog.engine["template"].setText(f"{server.url}/?q={{query}}")
        assert dialog.go.isEnabled()
        dialog.engine["rate"].setValue(100)
        dialog.fields["allow_private"].setChecked(True)
        offers: list[str] = []
        controller.context.offered.connect(lambda sentence, title, action: offers.append(sentence))
        dialog.go.click()
        assert view.running.record is not None
        qtbot.waitUntil(lambda: bool(offers))
        settle(qtbot, controller)
        assert "1 page returned" in offers[0]
        assert view.running.record is None


def test_a_search_corpus_is_gathered_where_the_background_is_shown(
    start: Start, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    project = tmp_path / "case.palimpsest"
    create(project)
    with WebServer() as server:
        answer = Response(json.dumps({"items": [{"link": "http://a.example/", "text": COPIED}]}).encode())
        server.fallback = lambda request: answer if "q=" in request.path else Response(b"", 404)
        controller = start(project, "documents")
        view = controller.window.view("documents")
        assert isinstance(view, DocumentsView)
        assert not view.gather_button.isVisible()
        view.choose("background")
        assert view.gather_button.isVisible()
        view.gather_button.click()
        dialog = view.importer.gatherer.dialog
        assert isinstance(dialog, EngineDialog)
        for name, value in {"template": f"{server.url}/?q={{query}}", "results": "items[].link"}.items():
            dialog.engine[name].setText(value)
        dialog.engine["snippets"].setText("items[].text")
        dialog.fields["words"].setText("山路")
        sentences: list[str] = []
        controller.context.notice.connect(lambda sentence, *_: sentences.append(sentence))
        dialog.go.click()
        qtbot.waitUntil(lambda: any("1 snippet added" in one for one in sentences), timeout=30_000)
        settle(qtbot, controller)
    with Session(project, write=False) as session, session.read() as connection:
        (document,) = iter_documents(connection)
    assert (document.role, document.text, document.tags) == (Role.BACKGROUND, COPIED, ("search",))
