"""Blind review beyond Review: Watch, Relations and Detect are the same, whatever others have said."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.gui import relation_case
from tests.gui.conftest import Start, settle
from tests.gui.shown import shown
from workbench.base.types import Document, Label, Results, Role, Span
from workbench.cli.main import main
from workbench.gui.screens.detect.run_difference import RunDifferenceDialog
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.screens.relations.view import RelationsView
from workbench.gui.screens.watch.view import WatchView
from workbench.gui.shell.app import Controller
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.matches import match_columns
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.judgement import Reviewer
from workbench.services.review.verdicts import Unit
from workbench.services.session import Session, create
from workbench.services.watching.report import write_report_job

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
Walk = Iterator[tuple[str, list[str]]]


def watched(path: Path) -> list[Unit]:
    """A project whose watch has reported a page; what was judged of it."""
    create(path)
    documents = [
        Document("source", COPIED, Role.SOURCE, title="草枕"),
        Document("page", f"はじめに。{COPIED}", Role.SUSPECT, url="https://copy.example/page", site="copy.example"),
    ]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)
    assert main(["watch", str(path), "add", "mine"]) == 0
    assert main(["watch", str(path), "--once"]) == 0
    passage = (Span(5, 5 + len(COPIED)), Span(0, len(COPIED)))
    return [Unit("page", "source", passage), Unit("page", "source"), Unit("page")]


def walk_watch(controller: Controller, qtbot: QtBot) -> Walk:
    view = controller.window.view("watch")
    assert isinstance(view, WatchView)
    qtbot.waitUntil(lambda: view.detail.matches.model().rowCount() == 1)
    yield "watch", shown(view)


def related(path: Path) -> list[Unit]:
    relation_case.build(path)
    return [Unit(f"d{a}", f"d{b}") for a, b, *_ in relation_case.PAIRS]


def walk_relations(controller: Controller, qtbot: QtBot) -> Walk:
    view = controller.window.view("relations")
    assert isinstance(view, RelationsView)
    settle(qtbot, controller)
    for number, (a, b, *_) in enumerate(relation_case.PAIRS):
        assert view.run is not None
        columns = view.run.columns
        (row,) = np.flatnonzero((columns.a == a) & (columns.b == b)).tolist()
        view.choose(row)
        settle(qtbot, controller)
        yield f"pair {number}", shown(view)


def compared(path: Path) -> list[Unit]:
    """Two runs, the later one without all that the first has."""
    relation_case.build(path)
    with Session(path, write=False) as session, session.read() as connection:
        matches = match_columns(connection, 1)
    with Session(path) as session, session.write() as connection:
        run = begin_run(connection, "rare-sentences", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(matches.take(matches.a != 1)), documents=9)
        finish_run(connection, run.id)
    return [Unit(f"d{m.a}", f"d{m.b}", (m.a_span, m.b_span)) for m in matches]


def walk_detect(controller: Controller, qtbot: QtBot) -> Walk:
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    settle(qtbot, controller)
    view.runs.table.select_keys([1, 2])
    controller.context.actions.run("detect.compare")
    dialog = controller.window.findChild(RunDifferenceDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog._comparison is not None)
    for kind in ("appeared", "vanished", "common"):
        dialog.show_kind(kind)
        yield kind, shown(dialog)
    dialog.close()
    yield "detect", shown(view)


@pytest.mark.parametrize(
    ("name", "build", "walk"),
    [("watch", watched, walk_watch), ("relations", related, walk_relations), ("detect", compared, walk_detect)],
)
def test_nothing_that_a_blind_reviewer_sees_there_depends_on_what_others_said(
    start: Start,
    qtbot: QtBot,
    tmp_path: Path,
    name: str,
    build: Callable[[Path], list[Unit]],
    walk: Callable[[Controller, QtBot], Walk],
) -> None:
    alone, together = (tmp_path / folder / "case.palimpsest" for folder in ("one", "two"))
    alone.parent.mkdir()
    units = build(alone)
    shutil.copytree(alone.parent, together.parent)
    verdicts = [
        Label(unit.target, value, who, "2026-01-01T00:00:00Z", f"{who} says so", label_set=unit.label_set)
        for unit in units
        for who, value in (("B", "not-copy"), ("C", "copy"))
    ]
    with Session(together) as session, session.write() as connection:
        labels.add_labels(connection, verdicts)
    seen = []
    for path in (alone, together):
        controller = start(path, name)
        controller.context.settings.blind = True
        controller.context.announce({"labels"})
        settle(qtbot, controller)
        seen.append({step: _without_ages(texts, path) for step, texts in walk(controller, qtbot)})
        controller.context.close_project()
    assert seen[0] == seen[1]
    # With open eyes the screen does say it where it is about verdicts.
    controller = start(together, name)
    controller.context.settings.blind = False
    controller.context.announce({"labels"})
    settle(qtbot, controller)
    assert {step: _without_ages(texts, together) for step, texts in walk(controller, qtbot)} != seen[0]


def _without_ages(texts: list[str], path: Path) -> list[str]:
    return [re.sub(r"\d+ (second|minute)s? ago", "", text.replace(str(path.parent), "")) for text in texts]


def test_a_report_of_watching_for_a_blind_reviewer_says_nothing_of_others_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "case.palimpsest"
    unit = watched(path)[0]
    with Session(path) as session, session.write() as connection:
        labels.add_label(connection, Label(unit.target, "not-copy", "B", "", label_set=unit.label_set))
    silent = Context("report", lambda _event: None, lambda: False)
    for viewer, is_told in ((Reviewer("A", blind=True), False), (Reviewer("A"), True)):
        write_report_job(silent, path, tmp_path / "r.jsonl", "", "", viewer=viewer)
        assert ("not-copy" in (tmp_path / "r.jsonl").read_text("utf-8")) is is_told
    for arguments in (["pages", "--json"], ["report", "--out", str(tmp_path / "cli.jsonl")]):
        assert main(["watch", str(path), *arguments, "--blind", "--who", "A"]) == 0
    assert "not-copy" not in (tmp_path / "cli.jsonl").read_text("utf-8")
