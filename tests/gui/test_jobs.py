"""Jobs: the bridge to processes, cancelling, the Jobs screen."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import slow_jobs
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from workbench.gui.kit.progress import duration, progress_text
from workbench.gui.problems import recorder
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.screens.jobs.view import JobsView
from workbench.gui.shell.app import Controller
from workbench.gui.workspace.job_bridge import JobBridge, JobRecord
from workbench.gui.workspace.write_queue import WriteQueue
from workbench.project.runs import runs
from workbench.services.removing_runs import remove_runs
from workbench.services.session import Session, create


@pytest.fixture
def bridge(qapp: object) -> Iterator[JobBridge]:
    job_bridge = JobBridge(WriteQueue())
    yield job_bridge
    job_bridge.close()


def finish(qtbot: QtBot, bridge: JobBridge, record: JobRecord) -> JobRecord:
    qtbot.waitUntil(lambda: not record.active)
    return record


def test_a_job_reports_progress_warnings_changes_and_its_result(bridge: JobBridge, qtbot: QtBot) -> None:
    kinds: list[frozenset[str]] = []
    after: list[JobRecord] = []
    bridge.content_changed.connect(kinds.append)
    record = finish(qtbot, bridge, bridge.submit("Count", slow_jobs.steps, 300, after=after.append))
    assert (record.state, record.result, record.done, record.total) == ("done", "counted", 300, 300)
    assert record.warnings == [("odd.txt", "one file was odd")]
    assert kinds == [frozenset({"documents"})]
    assert after == [record]
    assert not bridge._timer.isActive()


def detect_view(controller: Controller) -> DetectView:
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    return view


def test_a_window_in_another_language_continues_with_a_running_detection(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "detect")
    view = detect_view(controller)
    record = controller.context.jobs.submit("Detect", slow_jobs.endless, after=view._finished)
    view.running.follow(record)
    controller.choose_language("ja")
    settle(qtbot, controller)
    view = detect_view(controller)
    assert view.running.record is record
    assert not view.start_button.isEnabled()
    controller.context.actions.run("detect.cancel")
    qtbot.waitUntil(lambda: view.running.record is None)
    assert controller.window.banner.isVisible()
    assert view.start_button.isEnabled()


@pytest.mark.parametrize("closed", [False, True])
def test_how_a_job_ended_is_reported_in_another_language_unless_its_project_was_closed(
    start: Start, project: Path, qtbot: QtBot, tmp_path: Path, closed: bool
) -> None:
    controller = start(project, "jobs")
    ended, sign = detect_view(controller)._finished, tmp_path / "sign"
    record = controller.context.jobs.submit("Detect", slow_jobs.refuse, sign, after=ended)
    if closed:
        controller.window.projects.close()
    controller.choose_language("ja")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    sign.touch()
    qtbot.waitUntil(lambda: not record.active)
    if closed:
        controller.window.projects.open_path(project)
        settle(qtbot, controller)
        controller.window.banner.hide()
    controller.window.show_view("detect")
    settle(qtbot, controller)
    qtbot.wait(1)
    banner = controller.window.banner
    assert not banner.isVisible() if closed else "The disk is full." in banner.text.text()


def test_a_cancelled_job_ends_soon_and_says_so(bridge: JobBridge, qtbot: QtBot) -> None:
    record = bridge.submit("Wait", slow_jobs.endless)
    qtbot.waitUntil(lambda: record.done > 0)
    bridge.cancel(record.id)
    assert record.state == "cancelling"
    qtbot.waitUntil(lambda: not record.active)
    assert record.state == "cancelled"


def test_what_follows_a_job_that_the_closing_window_cancelled_starts_no_other(bridge: JobBridge, qtbot: QtBot) -> None:
    """Closing would have to wait for it in the window's thread."""
    following: list[JobRecord] = []
    first = bridge.submit("Wait", slow_jobs.endless, after=lambda _: following.append(again()), quiet=True)

    def again() -> JobRecord:
        return bridge.submit("Wait again", slow_jobs.endless)

    qtbot.waitUntil(lambda: first.done > 0)
    assert bridge.pending == 1
    bridge.stop()()
    qtbot.waitUntil(lambda: bool(following) and not bridge.pending)
    assert [(r.state, r.job) for r in following] == [("cancelled", "")]
    bridge.resume()
    assert finish(qtbot, bridge, bridge.submit("Count", slow_jobs.steps, 3)).result == "counted"


def test_what_follows_one_job_fails_without_what_follows_another(bridge: JobBridge) -> None:
    following: list[JobRecord] = []

    def fail(_record: JobRecord) -> None:
        raise ZeroDivisionError

    bridge.stop()
    for after in (fail, following.append):
        bridge.submit("Wait", slow_jobs.endless, after=after)
    bridge.drain()
    assert [record.state for record in following] == ["cancelled"]
    assert "ZeroDivisionError" in recorder().report()
    recorder().clear()


def test_errors_of_the_user_and_of_the_program_are_told_apart(bridge: JobBridge, qtbot: QtBot) -> None:
    mended = finish(qtbot, bridge, bridge.submit("Refuse", slow_jobs.refuse))
    bug = finish(qtbot, bridge, bridge.submit("Crash", slow_jobs.crash))
    assert (mended.state, mended.report) == ("failed", "")
    assert "The disk is full." in mended.error
    assert "ZeroDivisionError: unforeseen" in bug.report


def test_quiet_jobs_are_not_listed(bridge: JobBridge, qtbot: QtBot) -> None:
    finish(qtbot, bridge, bridge.submit("Count", slow_jobs.steps, 1, quiet=True))
    assert bridge.records == []


def test_progress_is_written_with_figures_and_remaining_time(qapp: object) -> None:
    record = JobRecord("1", "Detect", "running", "Detecting", 1200, 4000, 75.0)
    assert progress_text(record) == "Detecting · 1,200 of 4,000 · 1 min 15 s left"
    assert [duration(s) for s in (0.2, 59.4, 60, 3700)] == ["0 s", "59 s", "1 min 0 s", "1 h 1 min"]


def test_the_jobs_screen_follows_a_job_and_cancels_it(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "jobs")
    view = controller.window.view("jobs")
    assert isinstance(view, JobsView)
    assert view.model.rowCount() == 1
    record = controller.context.jobs.submit("Wait", slow_jobs.endless)
    qtbot.waitUntil(lambda: record.done > 0)
    assert view.chosen() is record
    assert "Waiting" in view.state.text()
    qtbot.mouseClick(view.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not record.active)
    assert "Cancelled" in view.state.text()
    view.clear()
    assert view.model.rowCount() == 1
    settle(qtbot, controller)
    assert view.state.text().startswith("Done · ")


def test_a_run_that_was_removed_or_is_another_projects_is_not_offered(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.palimpsest"
    shutil.copy(project, other)
    with Session(project, write=False) as session, session.read() as connection:
        (run,) = runs(connection)
    with Session(other) as session, session.write() as connection:
        connection.exec_driver_sql("UPDATE run SET created = '2020-01-01T00:00:00.000Z'")
    controller = start(project, "jobs")
    view = controller.window.view("jobs")
    assert isinstance(view, JobsView)
    record = JobRecord("record-9", "Detect", "done", result=run)
    controller.context.jobs.records.insert(0, record)
    controller.context.jobs.started.emit(record)
    view.load()
    settle(qtbot, controller)
    assert view.chosen() is record
    assert view.model.rowCount() == 1
    assert view.open_button.isVisible()
    assert controller.context.session is not None
    remove_runs(controller.context.session, [run.id])
    controller.context.announce({"runs"})
    settle(qtbot, controller)
    assert view.chosen() is record
    assert not view.open_button.isVisible()
    controller.context.open_project(other)
    settle(qtbot, controller)
    assert view.model.rowCount() == 2
    view.list.setCurrentIndex(view.model.index(view.model.row_of(record.id)))
    assert not view.open_button.isVisible()
    view.list.setCurrentIndex(view.model.index(view.model.row_of(run.id)))
    assert view.open_button.isVisible()


def test_space_does_not_cancel_a_job(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "jobs")
    record = controller.context.jobs.submit("Wait", slow_jobs.endless)
    qtbot.waitUntil(lambda: record.done > 0)
    qtbot.keyClick(controller.window.view("jobs").first_focus(), Qt.Key.Key_Space)
    assert record.state == "running"


def test_closing_the_window_ends_running_jobs(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    record = controller.context.jobs.submit("Wait", slow_jobs.endless)
    qtbot.waitUntil(lambda: record.done > 0)
    assert not controller.window.close()  # the window's thread does not wait
    qtbot.waitUntil(lambda: not controller.window.isVisible())
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("stuck", [False, True])
def test_a_signal_ends_the_window_and_its_jobs(
    start: Start, project: Path, qtbot: QtBot, tmp_path: Path, stuck: bool
) -> None:
    controller = start(project, "documents")
    record = controller.context.jobs.submit("Wait", slow_jobs.deaf if stuck else slow_jobs.endless)
    qtbot.waitUntil(lambda: record.done > 0)
    controller.window.end()
    qtbot.waitUntil(lambda: not controller.window.isVisible())
    assert multiprocessing.active_children() == []


def test_a_job_that_began_before_the_screen_was_made_is_listed_and_can_be_cancelled(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "empty.palimpsest"
    create(path)
    controller = start(path, "documents")
    record = controller.context.jobs.submit("Wait", slow_jobs.endless)
    controller.window.show_view("jobs")
    settle(qtbot, controller)
    view = controller.window.view("jobs")
    assert isinstance(view, JobsView)
    assert view.list.isVisible()
    assert view.chosen() is record
    controller.context.actions.run("jobs.cancel")
    qtbot.waitUntil(lambda: record.state == "cancelled")
