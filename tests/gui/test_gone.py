"""Views and windows that are gone: another project, or another language, took their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from tests.gui.conftest import Start, settle
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.screens.watch.changing import WatchDialog
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports.exporting import Written
from workbench.services.session import Session, create
from workbench.services.watching.reads import read_watches

pytestmark = pytest.mark.usefixtures("ahead")


def test_what_a_view_offered_is_not_offered_once_the_view_is_gone(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    controller = start(project, "jobs")
    actions = controller.context.actions
    controller.window.view("documents")
    assert actions.offered("documents.paste")
    offered: list[bool] = []
    controller.context.project_changed.connect(lambda: offered.append(actions.offered("documents.paste")))
    other = tmp_path / "other.palimpsest"
    create(other)
    controller.window.projects.open_path(other)
    settle(qtbot, controller)
    assert offered[-1] is False


def test_what_was_said_of_a_project_is_not_said_of_the_next(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    controller = start(project, "jobs")
    context, banner = controller.context, controller.window.banner
    read_only, offered, failed = "It is open for reading only.", "Run 9 found 3 matches.", "The disk is full."
    for number, sentence in enumerate((read_only, offered, failed)):
        if sentence == offered:
            context.offer(sentence, "Open in Review", lambda: context.open_review(9, 0))
        else:
            context.say(sentence, "danger" if sentence == failed else "warn")
        controller.window.projects.create(tmp_path / f"other{number}.palimpsest")
        qtbot.waitUntil(lambda number=number: str(context.project).endswith(f"other{number}.palimpsest"))  # type: ignore[misc]
        assert banner.isVisible() == (sentence == failed)


@pytest.mark.parametrize(
    "action",
    [
        *("documents.selectors", "documents.sites", "documents.look", "detect.scale", "watch.add"),
        *("window.palette", "window.keys", "window.about", "window.key", "window.reviewer", "file.check"),
    ],
)
def test_a_dialog_that_was_closed_does_not_stay_for_as_long_as_the_window(
    start: Start, project: Path, qtbot: QtBot, action: str
) -> None:
    window = start(project, view if (view := action.partition(".")[0]) not in ("window", "file") else "jobs").window
    window.context.actions.run(action)
    (dialog,) = window.findChildren(QDialog)
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog), timeout=20_000)


def test_the_sample_does_not_take_the_place_of_a_project_opened_while_it_was_built(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = start()
    context, projects, following = controller.context, controller.window.projects, list[Callable[[JobRecord], None]]()
    monkeypatch.setattr(context.jobs, "submit", lambda *_arguments, after, **_options: following.append(after))
    projects.sample()
    projects.open_path(project)
    settle(qtbot, controller)
    sample = tmp_path / "sample.palimpsest"
    create(sample)
    following[0](JobRecord("record-1", "Build the sample project", "done", result=sample))
    settle(qtbot, controller)
    assert context.project == project
    controller.window.banner.button.click()
    qtbot.waitUntil(lambda: context.project == sample)
    settle(qtbot, controller)


def test_the_fingerprint_of_a_pack_is_shown_though_review_has_been_closed(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = start(project, "review")
    context, view, following = controller.context, controller.window.view("review"), list[Callable[[JobRecord], None]]()
    assert isinstance(view, ReviewView)
    assert view.pair.opened is not None
    monkeypatch.setattr(context.jobs, "submit", lambda *_arguments, after, **_options: following.append(after))
    view.reporter.write("suspect", view.pair.opened, tmp_path / "findings.zip")
    controller.window.projects.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    following[0](JobRecord("record-1", "Report", "done", result=Written(1, 1, 1, 1, fingerprint="c0ffee")))
    assert "findings.zip" in controller.window.banner.text.text()
    assert "c0ffee" in controller.window.banner.text.text()


def test_a_dialog_about_a_project_is_closed_by_the_user_before_another_one_opens(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    """As when the program is started again with another project meanwhile."""
    other = tmp_path / "other.palimpsest"
    create(other)
    controller = start(project, "watch")
    context = controller.context
    context.actions.run("watch.add")
    dialog = controller.window.findChild(WatchDialog)
    assert dialog is not None
    dialog.name.setText("mine")
    controller.window.projects.open_path(other)
    qtbot.waitUntil(lambda: "other opens when the dialog is closed." in controller.window.banner.text.text())
    assert (context.project, dialog.isVisible()) == (project, True)
    dialog.save.click()
    assert context.history.undo_title() == "Add the watch mine"
    qtbot.waitUntil(lambda: context.project == other)
    settle(qtbot, controller)
    with Session(project, write=False) as session:
        assert [watch.name for watch in read_watches(session).watches] == ["mine"]


def test_a_window_in_another_language_takes_nothing_from_the_one_before(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "jobs")
    controller.window.view("watch")
    controller.choose_language("ja")
    assert "watch.add" not in controller.context.actions
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    controller.context.actions.refused.emit("理由")
    assert "理由" in [part.text() for part in controller.window.banner.findChildren(QLabel)]


def test_a_project_opened_while_the_language_changes_is_shown_by_the_new_window(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start()
    controller.window.projects.open_path(project)
    controller.choose_language("ja")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: controller.context.project == project)
    settle(qtbot, controller)
    assert controller.window.current == "documents"


def test_a_window_that_gave_way_builds_no_view_any_more(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "jobs")
    old = controller.window
    controller.choose_language("ja")
    controller.window.view("review")
    controller.context.show_view("review")
    assert not old.has_view("review")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    settle(qtbot, controller)
    controller.context.actions.refresh()
    assert controller.window.current == "review"


def test_what_was_done_before_the_language_changed_is_undone_and_done_again(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "review")
    context, run = controller.context, controller.context.actions.run
    run("review.verdict-copy")
    settle(qtbot, controller)
    run("review.decide-copy")
    settle(qtbot, controller)
    controller.window.show_view("documents")
    settle(qtbot, controller)
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    view.table.selectAll()
    run("documents.role-background")
    settle(qtbot, controller)
    titles = []
    assert context.history.undo_title() == "Use 4 documents as Background"
    controller.choose_language("ja")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    settle(qtbot, controller)
    before = context.history.undo_title()
    assert before == "4 件の文書を背景として使う"
    while context.history.undo_title():
        titles.append(context.history.undo_title())
        run("edit.undo")
        settle(qtbot, controller)
    assert (titles[0], len(titles)) == (before, 3)
    while context.history.redo_title():
        run("edit.redo")
        settle(qtbot, controller)
    assert context.history.undo_title() == before
    assert not list(context.problems)
