"""The way from an empty label set to a precision-recall curve and its errors, by keys alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.evaluate_case import COUNT, SPLOGS, build, counted, scores
from workbench.base.types import Label
from workbench.gui.charts.plane import Plane
from workbench.gui.screens.evaluate.view import EvaluateView
from workbench.gui.screens.label.set_dialog import SetDialog
from workbench.gui.screens.label.view import LabelView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell.app import Controller
from workbench.gui.workspace.screen import View
from workbench.project.labels import add_labels, by_annotator
from workbench.services.labels.targets import document_target
from workbench.services.session import Session

CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
TWICE = 2
"""What the newest run scores is so many times :func:`scores`."""

V = TypeVar("V", bound=View)
W = TypeVar("W", bound=QWidget)


class Keyboard:
    """Presses keys wherever the keyboard is, as the system does; looks at what is shown, and does nothing else."""

    def __init__(self, qtbot: QtBot, controller: Controller) -> None:
        self.qtbot, self.controller, self.window = qtbot, controller, controller.window

    @property
    def front(self) -> QWidget:
        """The window in front; what a window manager would do when a dialog closes is done here."""
        if (popup := QApplication.activePopupWidget()) is not None:
            return popup
        front = QApplication.activeModalWidget() or self.window
        if not front.isActiveWindow():
            front.activateWindow()
            self.qtbot.waitUntil(front.isActiveWindow)
        return front

    @property
    def at(self) -> QWidget:
        """What has the keyboard."""
        front = self.front
        widget = front if isinstance(front, QMenu) else front.focusWidget()
        assert widget is not None, "nothing has the keyboard"
        assert widget.isVisible()
        return widget

    def press(
        self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier, times: int = 1
    ) -> None:
        for _ in range(times):
            self.qtbot.keyClick(self.at, key, modifier)
            settle(self.qtbot, self.controller)

    def write(self, text: str) -> None:
        self.qtbot.keyClicks(self.at, text)

    def tab_to(self, wanted: Callable[[QWidget], bool]) -> None:
        """Press Tab until the keyboard is at what is ``wanted``; what has it on the way shows that it has."""
        for _ in range(60):
            if wanted(self.at):
                return
            self.press(Qt.Key.Key_Tab)
        raise AssertionError("Tab does not lead there")

    def screen(self, kind: type[V]) -> V:
        """The screen that is shown."""
        view = self.window.view(self.window.current)
        assert isinstance(view, kind)
        return view


@pytest.fixture
def keyboard(start: Start, tmp_path: Path, qtbot: QtBot) -> Keyboard:
    """In Documents of a project with documents, two finished runs with scores, and no label."""
    return Keyboard(qtbot, start(build(tmp_path / "case.palimpsest", labels=False), "documents"))


def make_set(keyboard: Keyboard, name: str, values: list[tuple[str, str]]) -> None:
    """Make a label set of these values and keys, in Label."""
    keyboard.press(Qt.Key.Key_E, CTRL | SHIFT)
    keyboard.qtbot.waitUntil(lambda: isinstance(keyboard.front, SetDialog))
    keyboard.write(name)
    for value, key in values:
        keyboard.tab_to(lambda at: isinstance(at, QLineEdit) and at.accessibleName() == "Name of the value")
        keyboard.write(value)
        keyboard.press(Qt.Key.Key_Tab)
        keyboard.write(key)
        keyboard.press(Qt.Key.Key_Tab)
    keyboard.press(Qt.Key.Key_Return)
    keyboard.qtbot.waitUntil(lambda: keyboard.front is keyboard.window)
    settle(keyboard.qtbot, keyboard.controller)


def number_of(view: LabelView) -> int:
    """The number in the title of the entry that is shown."""
    return int(view.entry.title.text_whole().removeprefix("Entry "))


def label(keyboard: Keyboard, entries: int, *, submit: bool) -> None:
    view = keyboard.screen(LabelView)
    for _ in range(entries):
        keyboard.press(Qt.Key.Key_C if number_of(view) < SPLOGS else Qt.Key.Key_O)
        if submit:
            keyboard.press(Qt.Key.Key_Return, CTRL)


def stored(path: Path) -> dict[str, str]:
    with Session(path, write=False) as session, session.read() as connection:
        labels = by_annotator(connection, "my own")
    return {target.removeprefix("document:"): next(iter(by.values())).value for target, by in labels.items()}


def test_keys_alone_lead_from_an_empty_set_to_a_curve_and_a_false_positive(keyboard: Keyboard) -> None:
    path = keyboard.controller.context.project
    assert path is not None
    keyboard.press(Qt.Key.Key_5, CTRL)
    make_set(keyboard, "my own", [("copied", "c"), ("original", "o")])
    screen = keyboard.screen(LabelView)
    assert screen.label_session is not None
    assert screen.label_session.board.label_set.name == "my own"
    assert keyboard.at is screen.entry.texts[0]
    label(keyboard, COUNT, submit=False)
    assert stored(path) == {f"d{i:02}": "copied" if i < SPLOGS else "original" for i in range(COUNT)}

    keyboard.press(Qt.Key.Key_6, CTRL)
    view = keyboard.screen(EvaluateView)
    assert not view.has_curve()
    assert isinstance(keyboard.at, QPushButton)
    keyboard.press(Qt.Key.Key_Return)
    keyboard.press(Qt.Key.Key_Down)
    keyboard.press(Qt.Key.Key_Return)
    assert view.has_curve()
    assert view.question.labels == "my own"
    assert view.question.positive == ("copied",)
    assert isinstance(keyboard.at, Plane)
    before = view.curves.threshold
    keyboard.press(Qt.Key.Key_Right, times=3)
    keyboard.press(Qt.Key.Key_Left, times=9)
    assert view.curves.threshold < before
    counts = view.curves.scored.curve.counts(view.curves.threshold)._asdict()  # type: ignore[union-attr]
    truth = counted(view.curves.threshold / TWICE)
    assert {name: counts[name] for name in truth} == truth

    keyboard.press(Qt.Key.Key_4, ALT)
    assert keyboard.at is view.curves.matrix
    keyboard.press(Qt.Key.Key_Right)
    keyboard.press(Qt.Key.Key_Up)
    assert view.curves.matrix.cell == "false_positive"
    keyboard.press(Qt.Key.Key_Return)
    assert keyboard.at is view.curves.items.table
    chosen = view.scored.a[view.curves.items.first()]  # type: ignore[union-attr]
    keyboard.press(Qt.Key.Key_Return)
    review = keyboard.screen(ReviewView)
    assert keyboard.at is review.pair.left or review.isAncestorOf(keyboard.at)
    score = scores()[int(chosen) - 1]
    assert int(chosen) > SPLOGS
    assert TWICE * score >= view.curves.threshold
    keyboard.press(Qt.Key.Key_6, CTRL)
    assert keyboard.at is view.curves.items.table
    keyboard.press(Qt.Key.Key_Down)
    assert view.curves.items.first() >= 0
    assert view.scored.a[view.curves.items.first()] != chosen  # type: ignore[union-attr]


def test_labels_that_wait_for_ctrl_enter_are_submitted_by_it(keyboard: Keyboard) -> None:
    path = keyboard.controller.context.project
    assert path is not None
    keyboard.press(Qt.Key.Key_K, CTRL)
    keyboard.write("go to label")
    keyboard.press(Qt.Key.Key_Return)
    make_set(keyboard, "my own", [("copied", "c"), ("original", "o")])
    keyboard.press(Qt.Key.Key_K, CTRL)
    keyboard.write("submit with the key")
    keyboard.press(Qt.Key.Key_Return)
    keyboard.press(Qt.Key.Key_C)
    assert stored(path) == {}
    keyboard.press(Qt.Key.Key_Return, CTRL)
    assert list(stored(path).values()) == ["copied"]
    label(keyboard, 8, submit=True)
    assert len(stored(path)) == 9


def test_an_empty_evaluate_leads_to_label_by_keys(keyboard: Keyboard) -> None:
    keyboard.press(Qt.Key.Key_6, CTRL)
    view = keyboard.screen(EvaluateView)
    assert not view.has_curve()
    keyboard.tab_to(lambda at: isinstance(at, QPushButton) and at.text() == "Label here")
    keyboard.press(Qt.Key.Key_Space)
    assert keyboard.at is keyboard.screen(LabelView).entry.texts[0]


def test_a_sentence_never_hides_the_field_that_has_the_keyboard(keyboard: Keyboard) -> None:
    keyboard.window.resize(1280, 800)
    keyboard.press(Qt.Key.Key_5, CTRL)
    view = keyboard.screen(LabelView)
    keyboard.controller.context.say("Something happened.", "warn")
    banner = keyboard.window.banner
    low = banner.y()
    keyboard.press(Qt.Key.Key_N, CTRL | SHIFT)
    note = view.entry.note
    assert keyboard.at is note
    assert banner.isVisible()
    place = note.rect().translated(note.mapTo(keyboard.window, note.rect().topLeft()))
    assert not place.intersects(banner.rect().translated(banner.mapTo(keyboard.window, banner.rect().topLeft())))
    keyboard.press(Qt.Key.Key_Escape)
    assert keyboard.at is view.entry.texts[0]
    assert banner.y() == low


def test_the_list_is_where_the_keyboard_was_left(keyboard: Keyboard) -> None:
    keyboard.press(Qt.Key.Key_5, CTRL)
    keyboard.press(Qt.Key.Key_L, CTRL)
    view = keyboard.screen(LabelView)
    assert isinstance(keyboard.at, QTableView)
    keyboard.press(Qt.Key.Key_6, CTRL)
    keyboard.press(Qt.Key.Key_5, CTRL)
    assert keyboard.at is view.queue.table


def test_another_label_set_and_another_value_are_chosen_by_keys(keyboard: Keyboard) -> None:
    path = keyboard.controller.context.project
    assert path is not None
    with Session(path) as session, session.write() as connection:
        for name, values in (("class", ("splog", "blog")), ("own", ("a", "b"))):
            add_labels(
                connection,
                [Label(document_target(f"d{i:02}"), values[i % 2], "ann", "", label_set=name) for i in range(COUNT)],
            )
    keyboard.press(Qt.Key.Key_6, CTRL)
    view = keyboard.screen(EvaluateView)
    assert view.question.labels == "class"
    keyboard.press(Qt.Key.Key_7, ALT)
    keyboard.press(Qt.Key.Key_Down)
    assert not view.has_curve()
    assert view.head.sets.currentText() == "own"
    keyboard.press(Qt.Key.Key_8, ALT)
    keyboard.press(Qt.Key.Key_Down, times=2)
    keyboard.press(Qt.Key.Key_Return)
    assert view.has_curve()
    assert (view.question.labels, view.question.positive) == ("own", ("b",))
