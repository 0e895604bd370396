"""What other processes do to the open project is on the screen within a second, without any action."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, add_run, settle
from workbench.base.types import Document, Label, Role, RunState
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.screens.jobs.view import JobsView
from workbench.gui.screens.review.view import ReviewView
from workbench.project import labels
from workbench.project.changes import fingerprints
from workbench.project.documents import add_documents, change_role, delete_documents
from workbench.project.runs import begin_run, load_run
from workbench.project.watches import add_watch
from workbench.services.session import Session

HOLD = """
import sys, time
from pathlib import Path
from workbench.project.runs import begin_run
from workbench.services.session import Session
with Session(Path(sys.argv[1])) as session:
    with session.write() as connection:
        begin_run(connection, "digest", 1, {}, "00", 1)
    print("begun", flush=True)
    time.sleep(600)
"""


def holder(project: Path) -> subprocess.Popen[str]:
    """Another process that works on a run of ``project``."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(project)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.fixture
def looked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window looks more often for what others did."""
    monkeypatch.setattr("workbench.gui.workspace.external_changes.INTERVAL_MS", 40)


def detect_view(controller: object) -> DetectView:
    view = controller.window.view("detect")  # type: ignore[attr-defined]
    assert isinstance(view, DetectView)
    return view


@pytest.mark.usefixtures("looked_often")
def test_a_run_whose_process_is_killed_is_interrupted_and_can_be_resumed_without_any_action(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    process = holder(project)
    try:
        controller = start(project, "detect")
        view = detect_view(controller)
        assert view.runs.model.values("state")[0] == RunState.RUNNING
        assert not view.runs.buttons["detect.resume"].isEnabled()
    finally:
        process.kill()
        process.wait()
    qtbot.waitUntil(lambda: view.runs.model.values("state")[0] == RunState.INTERRUPTED)
    view.runs.select(2)
    assert view.runs.buttons["detect.resume"].isEnabled()
    controller.window.show_view("jobs")
    settle(qtbot, controller)
    jobs = controller.window.view("jobs")
    assert isinstance(jobs, JobsView)
    assert "Interrupted" in jobs.state.text()
    assert jobs.resume_button.isVisible()


@pytest.mark.usefixtures("looked_often")
def test_a_run_that_another_process_begins_is_listed(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "detect")
    view = detect_view(controller)
    assert view.runs.model.rowCount() == 1
    process = holder(project)
    try:
        qtbot.waitUntil(lambda: view.runs.model.rowCount() == 2)
        assert view.runs.model.values("state")[0] == RunState.RUNNING
    finally:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("looked_often")
def test_documents_and_verdicts_of_another_process_are_shown(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    opened = review.pair.opened
    assert opened is not None
    target = f"match:{opened.a.id}:0-20:{opened.b.id}:0-20"
    with Session(project) as other, other.write() as connection:
        labels.add_label(connection, Label(target, "copy", "B", "", "as I see it", label_set="verdict"))
    others = review.evidence.verdict.others
    qtbot.waitUntil(lambda: any("as I see it" in line.text() for line in others.findChildren(QLabel)))
    assert not review.evidence.verdict.buttons["copy"].isChecked()
    controller.window.show_view("documents")
    settle(qtbot, controller)
    documents = controller.window.view("documents")
    assert isinstance(documents, DocumentsView)
    with Session(project) as other, other.write() as connection:
        add_documents(connection, [Document("new", "新しい文である。" * 9, role=Role.SOURCE)])
    qtbot.waitUntil(lambda: documents.model.rowCount() == 5)


def test_what_the_window_writes_itself_is_announced_once(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    heard: list[frozenset[str]] = []
    controller.context.changed.connect(heard.append)
    monitor = controller.context.follower
    monitor._timer.stop()  # a look between the writing and its announcement would see a change of somebody's
    monitor.rest()
    controller.context.actions.run("review.verdict-copy")
    qtbot.waitUntil(lambda: bool(heard))
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: not monitor._looking)
    monitor._begin()
    qtbot.waitUntil(lambda: not monitor._looking)
    assert heard == [frozenset({"labels"})]
    with Session(project) as other, other.write() as connection:
        add_documents(connection, [Document("new", "新しい文である。" * 9, role=Role.SOURCE)])
    monitor._begin()
    qtbot.waitUntil(lambda: frozenset({"documents"}) in heard)
    assert heard == [frozenset({"labels"}), frozenset({"documents"})]


@pytest.mark.usefixtures("looked_often")
def test_a_job_that_is_chosen_stays_chosen_when_another_ends(start: Start, project: Path, qtbot: QtBot) -> None:
    add_run(project, [], [(1, 4)], {"kana": True})
    controller = start(project, "jobs")
    jobs = controller.window.view("jobs")
    assert isinstance(jobs, JobsView)
    jobs.list.setCurrentIndex(jobs.model.index(1))
    chosen = jobs.chosen()
    with Session(project) as other, other.write() as connection:
        begin_run(connection, "digest", 1, {}, "01", 1)
    qtbot.waitUntil(lambda: jobs.model.rowCount() == 3)
    assert jobs.chosen() == chosen


def test_resuming_in_jobs_continues_with_the_chosen_run(start: Start, project: Path, qtbot: QtBot) -> None:
    process = holder(project)
    process.kill()
    process.wait()
    controller = start(project, "jobs")
    jobs = controller.window.view("jobs")
    assert isinstance(jobs, JobsView)
    with qtbot.waitSignal(controller.context.jobs.started) as caught:
        qtbot.mouseClick(jobs.resume_button, Qt.MouseButton.LeftButton)
    (record,) = caught.args
    assert record.title == "Resume digest"
    qtbot.waitUntil(lambda: not record.active)
    settle(qtbot, controller)


def test_every_kind_of_change_has_its_fingerprint(project: Path) -> None:
    with Session(project) as session:
        with session.write() as connection:
            add_documents(connection, [Document("x", "文である。" * 9, role=Role.SOURCE)])
        steps = {
            "a role": lambda c: change_role(c, [5], Role.BACKGROUND),
            "a role back": lambda c: change_role(c, [5], Role.SOURCE),
            "a deletion": lambda c: delete_documents(c, [5]),
            "a label": lambda c: labels.add_label(c, Label("t", "copy", "A", "", "", label_set="verdict")),
            "a run": lambda c: begin_run(c, "digest", 1, {}, "00", 1),
            "a watch": lambda c: add_watch(c, "w", {}),
        }
        kinds = dict(zip(steps, ["documents", "documents", "documents", "labels", "runs", "watches"], strict=True))
        for name, step in steps.items():
            with session.read() as connection:
                before = fingerprints(connection)
            with session.write() as connection:
                step(connection)
            with session.read() as connection:
                after = fingerprints(connection)
            changed = {kind for kind in after if after[kind] != before[kind]}
            assert kinds[name] in changed, name
            assert changed <= {kinds[name], "matches"}, name
        with session.read() as connection:
            assert load_run(connection, 2).state is RunState.RUNNING
