"""Of several answers to one question only the newest is shown, in whatever order they come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.settings import Settings
from workbench.gui.judging.label_import import LabelImporter
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.labels.labelling import LabelResult


@pytest.fixture
def context(qtbot: QtBot, tmp_path: Path) -> Iterator[AppContext]:
    """A context with a new project open, and nothing being read."""
    app_context = AppContext(Theme("light", tmp_path / "pictures"), Settings())
    app_context.open_project(tmp_path / "new.palimpsest", create=True)
    qtbot.waitUntil(lambda: app_context.session is not None and not app_context.reads.pending)
    yield app_context
    app_context.close()
    app_context.deleteLater()


@pytest.fixture
def sentences(context: AppContext) -> list[str]:
    """What the user is notices."""
    notices: list[str] = []
    context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    return notices


def slow(release: threading.Event, begun: threading.Event, answer: Callable[[], int]) -> Callable[[object], int]:
    def read(_session: object) -> int:
        begun.set()
        release.wait(60)
        return answer()

    return read


def refuse() -> int:
    raise UserError(Message("late"))


@pytest.mark.parametrize("answer", [lambda: 1, refuse], ids=["answer", "error"])
def test_what_comes_late_is_not_shown(
    qtbot: QtBot, context: AppContext, sentences: list[str], answer: Callable[[], int]
) -> None:
    owner, shown, release, begun = QObject(), list[int](), threading.Event(), threading.Event()
    context.latest(owner, "list", slow(release, begun, answer), shown.append)
    qtbot.waitUntil(begun.is_set)
    context.latest(owner, "list", lambda _session: 2, shown.append)
    qtbot.waitUntil(lambda: shown == [2])
    release.set()
    qtbot.waitUntil(lambda: not context.reads.pending)
    assert shown == [2]
    assert not sentences


def test_questions_of_other_keys_and_owners_are_answered_too(qtbot: QtBot, context: AppContext) -> None:
    one, other, shown = QObject(), QObject(), list[str]()
    for owner, key, word in ((one, "list", "a"), (one, "texts", "b"), (other, "list", "c")):
        context.latest(owner, key, lambda _session, word=word: word, shown.append)  # type: ignore[misc]
    qtbot.waitUntil(lambda: sorted(shown) == ["a", "b", "c"])


def test_what_was_superseded_before_its_turn_is_not_read(qtbot: QtBot, context: AppContext) -> None:
    owner, read, shown, release = QObject(), list[int](), list[int](), threading.Event()
    threads = 8
    for _ in range(threads):  # every reading thread is busy
        context.background(lambda _session: release.wait(60), lambda _answer: None, owner=owner)

    def answer_to(number: int) -> int:
        read.append(number)
        return number

    for number in range(50):
        context.latest(owner, "list", lambda _session, number=number: answer_to(number), shown.append)  # type: ignore[misc]
    release.set()
    qtbot.waitUntil(lambda: not context.reads.pending)
    assert (read, shown) == ([49], [49])


def test_the_error_of_the_newest_question_is_reported(qtbot: QtBot, context: AppContext, sentences: list[str]) -> None:
    context.latest(QObject(context), "list", lambda _session: refuse(), lambda _answer: None)
    qtbot.waitUntil(lambda: sentences == ["late"])


def test_what_a_job_added_to_a_closed_project_is_neither_reported_nor_undone_in_the_next(
    qtbot: QtBot, context: AppContext, sentences: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, following = QWidget(), list[Callable[[JobRecord], object]]()
    qtbot.addWidget(parent)
    monkeypatch.setattr(context.jobs, "submit", lambda *_arguments, after, **_options: following.append(after))
    undone = "Import labels from l.csv"
    for number, moved in enumerate((False, True)):
        LabelImporter(context, parent).bring(tmp_path / "l.csv", "class", {})
        if moved:
            context.open_project(tmp_path / "next.palimpsest", create=True)
            qtbot.waitUntil(lambda: context.project == tmp_path / "next.palimpsest")
        following[number](JobRecord("record-1", undone, "done", result=LabelResult(3, 0, (), number=7)))
        assert context.history.undo_title() == ("" if moved else undone)
    assert not sentences
