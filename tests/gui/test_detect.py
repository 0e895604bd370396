"""Detect: cost, running, cancelling, runs, comparing two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, add_run, settle
from workbench.base.errors import UserError
from workbench.base.types import Document, Role, Run, RunState, Span
from workbench.gui.kit.runs import has_results, result_sentence
from workbench.gui.screens.detect.run_difference import RunDifferenceDialog
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.shell.app import Controller
from workbench.methods.core import registry
from workbench.project.documents import add_documents
from workbench.project.run_documents import present_documents, store_run_documents
from workbench.services import queries
from workbench.services.detecting.runs import Estimate
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session, create


def opened(start: Start, project: Path) -> tuple[Controller, DetectView]:
    controller = start(project, "detect")
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    view.choose("digest")
    return controller, view


def test_runs_are_listed_with_settings_counts_and_what_was_left_out(start: Start, project: Path) -> None:
    _, view = opened(start, project)
    run = view.runs.chosen()
    assert run is not None
    assert run.matches == 2
    assert view.runs.left_out.text() == "too short (3)"
    assert view.runs.buttons["detect.review"].isEnabled()
    assert not view.runs.buttons["detect.compare"].isEnabled()


def test_the_cost_is_known_before_the_start(start: Start, project: Path, qtbot: QtBot) -> None:
    _, view = opened(start, project)
    qtbot.waitUntil(lambda: "2 documents × 2 sources · 4 pairs" in view.cost.text())
    view.choose("cosine")
    qtbot.waitUntil(lambda: "4 documents with each other · 6 pairs" in view.cost.text())


def test_a_wrong_value_withholds_the_start(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.form.rows["min_run"].set_value("0")
    assert not view.start_button.isEnabled()
    assert not controller.context.actions.offered("detect.start")
    view.form.reset()
    assert view.start_button.isEnabled()


def test_the_cost_of_earlier_settings_does_not_replace_what_is_wrong(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, view = opened(start, project)
    begun, release = Event(), Event()

    def estimate(_session: Session) -> Estimate:
        begun.set()
        release.wait(60)
        return Estimate(2, 2, 4, None)

    monkeypatch.setattr(queries, "cost", lambda _method, _values: estimate)
    view.form.rows["min_run"].set_value("9")
    qtbot.waitUntil(begun.is_set)
    view.form.rows["min_run"].set_value("0")
    release.set()
    settle(qtbot, controller)
    assert view.cost.text() == "Correct the marked values first."


def test_a_papers_values_are_offered_for_methods_that_have_some(start: Start, project: Path) -> None:
    _, view = opened(start, project)
    for name in registry.names():
        view.choose(name)
        some = any(spec.paper is not None for spec in registry.get(name).parameters.specs())
        shown = [it for it in view.findChildren(QPushButton) if it.text() == "The paper's values" and not it.isHidden()]
        assert bool(shown) == some, name


def test_a_detection_runs_and_its_run_is_chosen(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.form.rows["min_run"].set_value(2)
    controller.context.actions.run("detect.start")
    assert view.running.isVisibleTo(view)
    assert not view.start_button.isEnabled()
    qtbot.waitUntil(lambda: view.running.record is None)
    settle(qtbot, controller)
    run = view.runs.chosen()
    assert run is not None
    assert run.id == 2
    assert run.parameters["min_run"] == 2
    assert view.start_button.isEnabled()
    assert controller.window.banner.property("tone") == "ok"
    view.form.reset()
    view.use(run)
    values = view.form.values()
    assert values is not None
    assert values["min_run"] == 2


def test_a_detection_can_be_cancelled(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.start()
    view.running.cancel()
    assert "Cancelling" in view.running.stop.text()
    qtbot.waitUntil(lambda: view.running.record is None)
    settle(qtbot, controller)
    assert "cancelled" in controller.window.banner.text.text()


def test_a_cancelled_run_can_be_resumed_at_once(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.start()
    qtbot.waitUntil(lambda: len(view.runs._runs) == 2)
    view.running.cancel()
    qtbot.waitUntil(lambda: view.running.record is None)
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: view.runs._runs[2].state is not RunState.RUNNING)
    view.runs.table.select_keys([2])
    run = view.runs.chosen()
    assert run is not None
    if run.state != "done":  # it may have been faster than the cancel
        assert view.runs.buttons["detect.resume"].isEnabled()


def test_a_finished_run_that_is_continued_is_not_said_to_have_failed(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    run = view.runs.chosen()
    assert run is not None
    with Session(project) as session, session.write() as connection:
        store_run_documents(connection, run.id, present_documents(connection, (Role.SUSPECT, Role.SOURCE)))
        text = "".join(f"これは後から届いた文書の{n}番目の文で、どこにもない話をしている。" for n in range(9))
        add_documents(connection, [Document("late", text, Role.SUSPECT), Document("origin", text, Role.SOURCE)])
    controller.context.resume_requested.emit(run)
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: view.running.record is None)
    settle(qtbot, controller)
    banner = controller.window.banner
    assert banner.text.text().startswith("Run 2 found")
    view.runs.table.select_keys([run.id])
    settle(qtbot, controller)
    assert view.runs.newer.text() == "Run 2 has newer texts. Show it…"
    view.runs.newer.click()
    assert view.runs.table.chosen_keys() == [2]
    banner.button.click()
    settle(qtbot, controller)
    assert controller.window.current == "review"


def test_a_detection_that_ends_after_its_project_was_left_is_not_an_error(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.start()
    record = view.running.record
    assert record is not None
    controller.window.projects.create(tmp_path / "next.palimpsest")
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: not record.active)
    assert record.state == "done"


def test_two_runs_are_compared_passage_by_passage(start: Start, project: Path, qtbot: QtBot) -> None:
    add_run(project, [], [(1, 3), (1, 4)], {"min_run": 2})
    with Session(project) as session:
        give_verdict(session, Unit("s1", "t1", (Span(0, 20), Span(0, 20))), "not-copy", who="ann")
    controller, view = opened(start, project)
    assert view.runs.model.values("excluded") == [3, 3]
    view.runs.table.select_keys([1, 2])
    controller.context.actions.run("detect.compare")
    dialog = controller.window.findChild(RunDifferenceDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog._comparison is not None)
    assert [c.text() for c in dialog.chips.values()] == ["Appeared  1", "Vanished  1", "In both  1"]
    assert dialog.model.index(0, 0).data() == "s1"
    assert dialog.model.index(0, 2).data() == "t2"
    assert dialog.model.index(0, 6).data().startswith("s1。文である。")
    dialog.show_kind("common")
    assert dialog.model.index(0, 5).data() == "Not a copy"
    dialog.show_kind("vanished")
    key = dialog.model.key_at(0)
    assert key[:3] == (1, 2, 4)
    dialog.table.opened.emit(key)
    qtbot.waitUntil(lambda: controller.window.current == "review")
    settle(qtbot, controller)
    review = controller.window.view("review")
    opened_pair = review.pair.opened  # type: ignore[attr-defined]
    assert (opened_pair.run.id, opened_pair.a.id, opened_pair.b.id) == (1, "s2", "t2")
    assert opened_pair.limits(review.pair.active) == tuple(key[3:])  # type: ignore[attr-defined]


def test_runs_that_could_not_be_compared_are_not_being_compared_for_ever(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(project, [], [(1, 3), (1, 4)], {"min_run": 2})
    controller, view = opened(start, project)

    def refuse(_session: Session) -> None:
        raise UserError("The text of s1 cannot be read.")

    monkeypatch.setattr(queries, "comparison", lambda _first, _second: refuse)
    view.runs.table.select_keys([1, 2])
    controller.context.actions.run("detect.compare")
    dialog = controller.window.findChild(RunDifferenceDialog)
    assert dialog is not None
    settle(qtbot, controller)
    assert dialog.state.text() == "The runs could not be compared. Select them again."
    assert controller.window.banner.text.text() == "The text of s1 cannot be read."
    dialog.accept()
    qtbot.waitUntil(lambda: controller.window.findChild(RunDifferenceDialog) is None)


def test_a_run_opens_in_review(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.runs.table.opened.emit(1)
    qtbot.waitUntil(lambda: controller.window.current == "review")
    settle(qtbot, controller)


def test_with_nothing_imported_the_start_leads_to_importing(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "empty.palimpsest"
    create(path)
    controller, view = opened(start, path)
    qtbot.waitUntil(lambda: "nothing to compare" in view.cost.text())
    view.start()
    banner = controller.window.banner
    assert not controller.context.jobs.records
    assert banner.text.text() == view.cost.text()
    assert banner.button.text() == "Import files…"
    assert not banner.button.isHidden()


def test_tags_that_no_document_has_are_not_said_to_be_missing_documents(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.form.rows["suspect_tags"].set_value("essays")
    qtbot.waitUntil(lambda: view.cost.text() == "No document has the chosen tags.")
    view.start()
    banner = controller.window.banner
    assert (banner.text.text(), banner.button.isHidden()) == ("No document has the chosen tags.", True)
    assert not controller.context.jobs.records


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"matches": 3, "pairs": 1}, "Run 4 found 3 matches in 1 pair."),
        ({"pairs": 2}, "Run 4 found 2 pairs of documents."),
        ({"scores": 9}, "Run 4 scored 9 documents."),
        ({}, "Run 4 found nothing. Other parameters or another method may find more."),
    ],
    ids=["passages", "pairs", "scores", "nothing"],
)
def test_what_a_run_found_is_reported_and_can_be_opened(counts: dict[str, int], sentence: str) -> None:
    run = Run(4, "any", 1, {}, "00", RunState.DONE, "2026-01-01T00:00:00Z")
    run = replace(run, **counts)  # type: ignore[arg-type]
    assert result_sentence(run) == sentence
    assert has_results(run) == bool(counts)


def test_the_runs_need_no_sideways_scrolling_in_a_small_window(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    controller.window.resize(1280, 800)
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: view.runs.table.horizontalScrollBar().maximum() == 0)
    assert "2 documents" in view.runs.settings.text()
    controller.window.resize(1600, 900)
    settle(qtbot, controller)
    assert not any(map(view.runs.table.isColumnHidden, range(view.runs.model.columnCount())))


def test_questions_come_first_and_show_the_settings_that_matter(start: Start, project: Path) -> None:
    view = start(project, "detect").window.view("detect")
    assert isinstance(view, DetectView)
    assert not view.expert.isChecked()
    assert view.methods.currentData() == "copies"
    for number in range(view.methods.count()):
        view.methods.setCurrentIndex(number)
        question = registry.get(view.methods.currentData()).facts.question
        assert question is not None
        shown = [name for name, row in view.form.rows.items() if row.isVisibleTo(view.form)]
        assert sorted(shown) == sorted(question.settings)
        view.more.click()
        assert all(row.isVisibleTo(view.form) for row in view.form.rows.values())


def test_methods_are_listed_by_name_for_who_wants_it(start: Start, project: Path) -> None:
    view = start(project, "detect").window.view("detect")
    assert isinstance(view, DetectView)
    view.form.rows["min_confidence"].set_value(0.9)
    view.expert.setChecked(True)
    assert tuple(view.methods.itemData(n) for n in range(view.methods.count())) == registry.names()
    values = view.form.values()
    assert values is not None
    assert values["min_confidence"] == 0.9
    assert not view.more.isVisibleTo(view)
    assert all(row.isVisibleTo(view.form) for row in view.form.rows.values())
    view.choose("digest")
    view.expert.setChecked(False)
    assert view.methods.currentData() == "copies"


def test_a_setting_that_is_not_the_default_is_never_folded_away(start: Start, project: Path) -> None:
    _, view = opened(start, project)
    view.expert.setChecked(False)
    run = view.runs.chosen()
    assert run is not None
    view.use(replace(run, method="copies", parameters={"max_sources": 7}))
    assert view.form.rows["max_sources"].isVisibleTo(view.form)
    assert not view.form.rows["verbatim"].isVisibleTo(view.form)


def test_runs_are_removed_from_every_screen_and_undo_brings_them_back(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    for _ in range(2):
        add_run(project, [], [(1, 2)], {})
    with Session(project) as session, session.write() as connection:
        connection.exec_driver_sql("UPDATE run SET varied_from = 1 WHERE id > 1")
    controller, view = opened(start, project)
    pane, actions = view.runs, controller.context.actions

    def listed() -> list[int]:
        return sorted(pane._runs)

    assert listed() == [1]
    assert pane.sweeps.isVisibleTo(pane)
    assert "2" in pane.sweeps.text()
    assert "2 runs" in pane.swept.text()
    pane.swept.click()
    qtbot.waitUntil(lambda: not pane.sweeps.isVisibleTo(pane))
    actions.run("edit.undo")
    qtbot.waitUntil(lambda: pane.sweeps.isVisibleTo(pane))
    pane.sweeps.click()
    assert listed() == [1, 2, 3]
    pane.table.select_keys([1])
    actions.run("detect.remove")
    qtbot.waitUntil(lambda: listed() == [2, 3])
    actions.run("edit.undo")
    qtbot.waitUntil(lambda: listed() == [1, 2, 3])


def test_the_run_chosen_after_a_removal_stays_chosen(start: Start, project: Path, qtbot: QtBot) -> None:
    for _ in range(2):
        add_run(project, [], [(1, 3)], {})
    controller, view = opened(start, project)
    table = view.runs.table
    table.select_keys([3])
    controller.context.actions.run("detect.remove")
    settle(qtbot, controller)
    table.select_keys([1])
    controller.context.announce({"documents"})
    settle(qtbot, controller)
    assert table.chosen_keys() == [1]
    controller.context.actions.run("edit.undo")
    settle(qtbot, controller)
    assert table.chosen_keys() == [3]
