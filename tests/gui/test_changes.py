"""Changes while another program writes: nothing waits in the window's thread, nothing is lost, the order is kept."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from workbench.base.errors import UserError
from workbench.base.settings import Settings
from workbench.base.types import Document, Label, Role
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.screens.label.set_dialog import SetDialog
from workbench.gui.screens.label.view import LabelView
from workbench.gui.screens.watch.changing import WatchDialog
from workbench.gui.screens.watch.view import WatchView
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.jobs.context import Context
from workbench.project import opening
from workbench.project.documents import add_documents
from workbench.project.labels import add_label, history
from workbench.services.session import Session, create
from workbench.services.watching.store import all_watches

TARGET = "document:one"


@pytest.fixture
def context(qtbot: QtBot, tmp_path: Path) -> Iterator[AppContext]:
    """A context with an empty project."""
    assert isinstance(QApplication.instance(), QApplication)
    app_context = AppContext(Theme("light", tmp_path / "pictures"), Settings())
    create(tmp_path / "case.palimpsest")
    with qtbot.waitSignal(app_context.project_changed):
        app_context.open_project(tmp_path / "case.palimpsest")
    yield app_context
    app_context.close()
    app_context.deleteLater()


@contextmanager
def another_program(context: AppContext) -> Iterator[Callable[[], None]]:
    """It writes until the function that is given is called, in any thread."""
    assert context.project is not None
    with closing(sqlite3.connect(context.project, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield lambda: connection.execute("ROLLBACK") and None


def say(value: str) -> Callable[[Session], str]:
    def change(session: Session) -> str:
        with session.write() as connection:
            return add_label(connection, Label(TARGET, value, "me", "")).value

    return change


def stored_values(session: Session) -> list[str]:
    with session.read() as connection:
        return [label.value for label in history(connection, [TARGET], "verdict")]


def said_to_a_job(ctx: Context, path: Path) -> list[str]:
    with Session(path, write=False) as session:
        return stored_values(session)


def read(qtbot: QtBot, context: AppContext) -> list[str]:
    """What a view that reads now is told."""
    answers: list[list[str]] = []
    context.background(stored_values, answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    return answers[0]


def test_a_change_is_made_at_once_where_nobody_else_writes(context: AppContext) -> None:
    assert context.change(say("copy"), "expected") == "copy"
    assert context.changes.waiting == 0
    assert context.session is not None
    assert stored_values(context.session) == ["copy"]


def test_changes_that_wait_are_made_in_order_and_then_read(qtbot: QtBot, context: AppContext) -> None:
    values = [f"v{number}" for number in range(8)]
    with another_program(context) as end:
        assert [context.change(say(value), "expected") for value in values] == ["expected"] * 8
        answers: list[list[str]] = []
        context.background(stored_values, answers.append)
        assert context.changes.waiting == 8
        end()
        assert context.change(say("last"), "expected") in ("expected", "last")
        qtbot.waitUntil(lambda: bool(answers))
    assert answers[0][:8] == values
    assert read(qtbot, context) == [*values, "last"]


def test_a_job_begins_when_the_changes_before_it_are_made(qtbot: QtBot, context: AppContext) -> None:
    ended: list[str] = []
    with another_program(context) as end:
        context.change(say("copy"), "")
        record = context.jobs.submit("Read", said_to_a_job, context.project, after=lambda r: ended.append(r.state))
        other = context.jobs.submit("Read", said_to_a_job, context.project, after=lambda r: ended.append(r.state))
        assert [r.state for r in context.jobs.active()] == ["queued", "queued"]
        context.jobs.cancel(other.id)
        qtbot.waitUntil(lambda: ended == ["cancelled"])
        end()
        qtbot.waitUntil(lambda: ended == ["cancelled", "done"])
    assert record.result == ["copy"]
    assert context.jobs.active() == []


def test_a_change_that_cannot_be_made_is_reported_and_the_others_are_made(qtbot: QtBot, context: AppContext) -> None:
    def refuse(session: Session) -> None:
        raise UserError("This cannot be.")

    with pytest.raises(UserError, match="cannot be"):
        context.change(refuse, None)
    with another_program(context) as end:
        context.change(say("one"), "")
        context.change(refuse, None)
        context.change(say("two"), "")
        notices: list[str] = []
        context.notice.connect(lambda sentence, _tone: notices.append(sentence))
        with qtbot.waitSignal(context.changed):
            end()
    assert notices == ["This cannot be."]
    assert read(qtbot, context) == ["one", "two"]


def test_a_change_that_cannot_be_made_later_is_no_step_to_be_undone(qtbot: QtBot, context: AppContext) -> None:
    def refuse(_session: Session) -> None:
        raise UserError("The disk is full.")

    assert context.perform("Judge", say("copy"), say(""))
    with qtbot.waitSignal(context.notice) as notice:
        assert context.perform("Judge many", refuse, say(""), sentence="Judged.", later=True)
    assert notice.args[0] == "The disk is full."
    assert context.history.undo_title() == "Judge"


def test_a_read_only_project_is_opened_to_be_read_and_every_change_is_refused_with_a_sentence(
    qtbot: QtBot, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    context.change(say("copy"), "")
    monkeypatch.setattr(opening, "is_writable", lambda _: False)
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _: sentences.append(sentence))
    assert context.project is not None
    with qtbot.waitSignal(context.project_changed):
        context.close_project()
    with qtbot.waitSignal(context.project_changed):
        context.open_project(Path(context.settings.recent[0]))
    assert read(qtbot, context) == ["copy"]
    assert context.folder == Path.home()
    assert not context.perform("Judge", say("partial"), say("copy"))
    assert read(qtbot, context) == ["copy"]
    assert ["for reading only" in sentence for sentence in sentences] == [True, True]
    assert all("opy it to a folder you may write to" in sentence for sentence in sentences)


def test_a_long_wait_is_reported_and_continues(qtbot: QtBot, context: AppContext) -> None:
    assert context.session is not None
    context.session._patience = 0.05
    with another_program(context) as end:
        with qtbot.waitSignal(context.notice) as notice:
            context.change(say("copy"), "")
        assert "Another program" in notice.args[0]
        end()
    assert read(qtbot, context) == ["copy"]


def test_closing_a_project_loses_no_change(qtbot: QtBot, context: AppContext) -> None:
    path = context.project
    assert path is not None
    with another_program(context) as end:
        context.change(say("copy"), "")
        ending = threading.Timer(0.3, end)
        ending.start()
        context.close_project()
        ending.join()
    with Session(path, write=False) as session:
        assert stored_values(session) == ["copy"]


def test_closing_gives_up_on_a_program_that_never_ends(
    qtbot: QtBot, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.workspace.write_queue._LAST", 0.1)
    assert context.session is not None
    context.session._patience = 0.05
    with another_program(context), qtbot.waitSignal(context.changes.failed):
        context.change(say("copy"), "")
        context.close_project()


def test_of_many_changes_none_waits_again_after_the_last_moment(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.workspace.write_queue._LAST", 0.0)
    assert context.session is not None
    context.session._patience = usual = 0.2
    waited: list[float | None] = []

    def change(session: Session) -> None:
        waited.append(session._patience)
        say("copy")(session)

    with another_program(context):
        for _ in range(5):
            context.change(change, None)
        context.close_project()
    assert len(waited) >= 6
    assert waited.count(usual) <= 1


def test_a_window_stays_to_tell_of_changes_that_could_not_be_made(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.workspace.write_queue._LAST", 0.0)
    controller = start(project, "documents")
    window, context = controller.window, controller.context
    assert context.session is not None
    context.session._patience = 0.05
    with another_program(context):
        context.change(say("copy"), "")
        with qtbot.waitSignal(context.notice) as notice:
            assert not window.close()
        assert "in use by another program" in notice.args[0]
        assert window.isVisible()
        qtbot.waitUntil(window.close)
    assert not window.isVisible()


def test_another_project_opens_while_reads_wait_for_changes(
    qtbot: QtBot, context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.workspace.write_queue._LAST", 0.0)
    assert context.session is not None
    context.session._patience = 0.05
    other = tmp_path / "other.palimpsest"
    create(other)
    with another_program(context):
        context.change(say("copy"), "")
        for _ in range(4):
            context.background(stored_values, print)
        context.open_project(other)
        qtbot.waitUntil(lambda: context.project == other)


def test_documents_change_and_come_back_during_another_program(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("a", "text a"), Document("b", "text b", Role.SUSPECT)])
    controller = start(path, "documents")
    context, view = controller.context, controller.window.view("documents")
    assert isinstance(view, DocumentsView)

    def roles() -> dict[str, str]:
        settle(qtbot, controller)
        return dict(zip(view.model.values("id"), view.model.values("role"), strict=True))

    before = roles()
    view.table.selectAll()
    with another_program(context) as end:
        context.actions.run("documents.role-background")
        context.history.undo()
        context.history.redo()
        context.actions.run("documents.role-source")
        context.actions.run("documents.remove")
        assert context.changes.waiting == 5
        end()
        assert roles() == {}
    context.history.undo()
    assert roles() == dict.fromkeys(before, "source")
    context.history.undo()
    assert roles() == dict.fromkeys(before, "background")
    context.history.undo()
    assert roles() == before


def test_selectors_are_kept_and_taken_back_during_another_program(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    context, view = controller.context, controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    context.actions.run("documents.selectors")
    dialog = view.selectors
    assert dialog is not None

    def give(css: str) -> None:
        dialog.host.setText("news.example")
        dialog.css.setText(css)
        dialog.css.returnPressed.emit()

    with another_program(context) as end:
        give(".story")
        give(".other")
        dialog.undo()
        give("")
        dialog.host.setText("no host")
        dialog.css.setText(".story")
        dialog.css.returnPressed.emit()
        assert "is not a host name" in dialog.state.text()
        assert context.changes.waiting == 3
        end()
        settle(qtbot, controller)
    assert dialog.listing.selector("news.example") == ".story"
    dialog.redo()
    settle(qtbot, controller)
    assert dialog.listing.selector("news.example") == ".other"
    context.history.undo()
    context.history.undo()
    settle(qtbot, controller)
    assert not dialog.listing.rows
    dialog.accept()


def test_a_watch_is_added_and_taken_back_during_another_program(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "watch")
    context, view = controller.context, controller.window.view("watch")
    assert isinstance(view, WatchView)
    names: list[list[str]] = []

    def watches() -> list[str]:
        context.background(lambda session: [w.name for w in all_watches(session)], names.append, owner=view)
        settle(qtbot, controller)
        return names[-1]

    with another_program(context) as end:
        context.actions.run("watch.add")
        dialog = view.changing.dialog
        assert dialog is not None
        dialog.name.setText("  new  copies ")
        dialog.accept()
        context.history.undo()
        assert context.changes.waiting == 2
        end()
        assert watches() == []
    context.history.redo()
    assert watches() == ["new copies"]


def test_what_was_typed_of_a_watch_or_a_label_set_that_cannot_be_stored_is_shown_again(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = start(project, "watch")
    context, view, label = controller.context, controller.window.view("watch"), controller.window.view("label")
    assert isinstance(view, WatchView)
    assert isinstance(label, LabelView)
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _tone: sentences.append(sentence))

    def refuse(*_arguments: object) -> None:
        raise UserError("The disk is full.")

    change = context.change
    context.actions.run("watch.add")
    label.sets.make()
    qtbot.waitUntil(lambda: label.sets.dialog is not None)
    for dialog in (view.changing.dialog, label.sets.dialog):
        assert isinstance(dialog, WatchDialog | SetDialog)
        dialog.name.setText("mine")
        for value_row, name in zip(getattr(dialog, "rows", ()), ("yes", "no"), strict=False):
            value_row.name.setText(name)
        monkeypatch.setattr(context, "change", refuse)
        dialog.save.click()
        assert (dialog.isVisible(), dialog.name.text(), sentences.pop()) == (True, "mine", "The disk is full.")
        monkeypatch.setattr(context, "change", change)
        dialog.save.click()
        assert not dialog.isVisible()
    assert not sentences
    settle(qtbot, controller)


def documents_of(start: Start, project: Path, qtbot: QtBot) -> tuple[AppContext, DocumentsView]:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    settle(qtbot, controller)
    return controller.context, view


def test_a_text_pasted_while_another_program_writes_is_stored_afterwards(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    context, view = documents_of(start, project, qtbot)
    before = view.model.total
    with another_program(context) as end:
        begun = time.monotonic()
        view.importer.paste("Typed", "A text that somebody typed for an hour.", Role.SUSPECT)
        assert time.monotonic() - begun < 2
        end()
    qtbot.waitUntil(lambda: view.model.total == before + 1)


def test_a_typed_text_that_was_not_stored_is_shown_again(start: Start, project: Path, qtbot: QtBot) -> None:
    context, view = documents_of(start, project, qtbot)
    shown = []
    for store in (False, True, False):
        context.actions.run("documents.paste")
        dialog = view.importer.pasting
        assert dialog is not None
        shown.append((dialog.body_text(), dialog.role()))
        dialog.fill("Typed", "A text that somebody typed for an hour.", Role.SOURCE)
        dialog.accept() if store else dialog.reject()
    assert shown == [("", Role.SUSPECT), ("A text that somebody typed for an hour.", Role.SOURCE), ("", Role.SUSPECT)]
