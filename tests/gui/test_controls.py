"""Whatever a user can press, choose, open or type into answers: something else is shown, asked for or copied."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QContextMenuEvent, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from tests.gui import evaluate_case, relation_case
from tests.gui.conftest import Start, settle, small_case
from tests.gui.shown import shown
from tests.gui.test_blind_screens import watched
from workbench.base.errors import UserError
from workbench.gui.kit import file_dialogs
from workbench.gui.shell.app import Controller
from workbench.gui.workspace.process_queries import ProcessQueries

W = TypeVar("W", bound=QWidget)
Press = Callable[[], object]
CASES: dict[str, Callable[[Path], object]] = {
    "start": small_case,
    "documents": relation_case.build,
    "detect": small_case,
    "review": small_case,
    "label": evaluate_case.build,
    "evaluate": evaluate_case.build,
    "relations": relation_case.build,
    "watch": watched,
}
PICTURES = {"review.find-next", "review.find-previous", "review.larger", "review.smaller", "QComboBox Axis of scores"}
"""What is answered in a picture alone."""
QUIET = {
    # What it leads to is shown already.
    *("detect.cancel", "review.first", "review.last", "review.usual", "review.list-suspects"),
    *("QPushButton Suspects", "QPushButton All 2"),
    *(
        "evaluate.best",
        "evaluate.label-next",
        "evaluate.label-set",
        "relations.table",
        "_Button Table",
        "_Button Label",
        "label.page",
        "_Button Clusters",
        "_Button All 9",
    ),
    *("label.next-tab", "ChoiceBox Value of pairs", "relations.all-classes", "relations.fit"),
    # A row that is chosen is shown beside the list, and there is nothing more to open.
    *("Enter in Table Documents", "Enter in QTableView Suspects", "Enter in Table Entries of the queue"),
    *("Enter in Table Items", "Enter in QTableView Clusters of pages", "Enter in Table Checks"),
    *("Enter in Table Watches", "Enter in Table Runs", "Enter in Table Reported matches"),
    # These lists have no menu.
    *("menu of RecentList Recent projects", "menu of Table Runs", "menu of Table Entries of the queue"),
    *("menu of Table Items", "menu of QTableView Clusters of pages", "menu of Table Reported matches"),
    *("menu of Table Checks", "menu of Table Watches"),
}
"""What does nothing in these projects."""
HOME = {"label": "label.page", "relations": "relations.table"}
"""The pages of screens that offer most."""
PRINTS = "review.print"
"""Opens a dialog of the system."""
PUT_IN_LATER = {"CurvePanel ", "PageOverview Page thumbnails", "QListWidget Tags of the project", "QLabel ", "QWidget "}
"""Parts that are in a layout only when there is something to show in them, and empty ones."""
PATIENCE_S = 20.0
GROWS = r"\d{4}-\d\d-\d\d \d\d:\d\d|^History$|^and \d+ earlier|· (about .*|time unknown .*)$"
"""What a step leaves behind, and what is estimated later."""


class User:
    """Presses what a screen offers, and looks whether anything comes of it."""

    def __init__(self, controller: Controller, qtbot: QtBot, screen: str) -> None:
        self.qtbot, self.controller, self.screen = qtbot, controller, screen
        self.window, self.context = controller.window, controller.context
        self.requests: list[object] = []
        """Dialogs for files, questions to other processes and links that were opened."""
        self.silent: list[str] = []
        self.loose = loose()
        self.other: list[tuple[str, ...]] = []
        """Steps that did not show the same when they were undone or done again."""
        self._menus: set[tuple[str, ...]] = set()
        """What the menus and dialogs that were tried offer."""
        self.back()
        self._first = shown(self.page)

    @property
    def page(self) -> QWidget:
        return self.window.view(self.screen)

    def settle(self) -> None:
        settle(self.qtbot, self.controller)

    def over(self) -> list[QWidget]:
        """Menus and dialogs that are open."""
        return [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not self.window]

    def sees(self) -> tuple[object, ...]:
        """All that an answer can change, but pictures."""
        window, context = self.window, self.context
        areas = [w for w in self.page.findChildren(QAbstractScrollArea) if w.isVisible()]
        return (
            window.current,
            [shown(w) for w in (self.page, *self.over())],
            window.banner.isVisible() and shown(window.banner),
            [(w.geometry(), w.horizontalScrollBar().value(), w.verticalScrollBar().value()) for w in areas],
            QGuiApplication.clipboard().text(),
            context.history.undo_title(),
            repr(context.settings),
            len(self.requests),
            QApplication.focusWidget(),
            [(record.title, record.state) for record in context.jobs.records],
            len(context.jobs._by_id),
        )

    def press(self, name: str, do: Press) -> None:
        """Do something, and wait until anything comes of it."""
        if name in QUIET:
            return
        picture = self.page.grab().toImage() if name in PICTURES else None
        known = self.data()
        before, until = self.sees(), time.monotonic() + PATIENCE_S
        do()
        self.settle()
        while self.sees() == before and (picture is None or self.page.grab().toImage() == picture):
            if time.monotonic() > until:
                self.silent.append(name)
                break
            self.qtbot.wait(10)
            self.settle()
        self.loose |= loose()
        self.settle()
        if self.context.history.undo_title() and not self.over() and self.window.current == self.screen:
            self.undo_and_redo(name, known)

    def undo_and_redo(self, name: str, known: list[str]) -> None:
        """Undo a step and do it again: the screen shows what it showed before, and what it showed after."""
        history, title, done = self.context.history, self.context.history.undo_title(), self.data()
        steps = [("undone", history.undo, known), ("done again", history.redo, done)]
        if title.startswith("Label "):
            # It goes on to the next entry; doing it again stays to show it.
            del steps[1]
        for what, step, wanted in steps:
            step()
            until, was = time.monotonic() + PATIENCE_S, self.data()
            while was != wanted and time.monotonic() < until:
                was = self.data()
            if was != wanted:
                self.other.append((name, title, what, *difference(wanted, was)))

    def data(self) -> list[str]:
        """What the screen shows of the project when it has read all, without what grows with every step."""
        now: list[str] | None = None
        while (was := now) is None or was != now:
            self.settle()
            self.qtbot.wait(10)
            now = [text for text in shown(self.page) if not re.search(GROWS, text)]
        return now

    def press_all(self, name: str, do: Press) -> None:
        """Do something, and all that the menu or dialog offers that it opens."""
        self.press(name, do)
        offers = tuple(self._offers())
        for entry in offers if offers not in self._menus else ():
            if entry not in self._offers():
                self.back()
                do()
                self.settle()
            if choose := self._offers().get(entry):
                self.press(f"{name} > {entry}", choose)
        self._menus.add(offers)
        self.back()

    def _offers(self) -> dict[str, Press]:
        match self.over():
            case [QMenu() as menu]:
                actions = [a for a in menu.actions() if a.isEnabled() and a.text() and a.menu() is None]
                return {action.text(): partial(_choose, menu, action) for action in actions}
            case [dialog]:
                buttons = [button for _, button in usable(dialog, QAbstractButton) if not button.isCheckable()]
                return {button.text() or button.accessibleName(): button.click for button in buttons}
        return {}

    def back(self) -> None:
        """Leave what was opened, and undo what was done."""
        while over := self.over():
            for widget in over:
                widget.close()
            self.qtbot.wait(0)
        if self.window.current != self.screen:
            self.window.show_view(self.screen)
        self.settle()
        while self.context.history.undo_title():
            self.context.history.undo()
            self.settle()
        self.context.actions.run(HOME.get(self.screen, ""))
        self.settle()
        self.window.banner.hide()

    def begin_again(self) -> None:
        """Have the screen as it was at first."""
        if shown(self.page) != self._first:
            self.context.settings.views.clear()
            self.window._rebuild_views()
            self.back()
            self._first = shown(self.page)


def difference(wanted: Sequence[str], was: Sequence[str]) -> tuple[str, ...]:
    """What is missing, and what is more."""
    missing, more = Counter(wanted) - Counter(was), Counter(was) - Counter(wanted)
    return (*(f"- {text}" for text in missing), *(f"+ {text}" for text in more))


def loose() -> set[str]:
    """Parts that were made and put into no layout: nobody sees them."""
    alone = [w for w in QApplication.allWidgets() if w.parent() is None and not w.isVisible()]
    return {
        f"{type(w).__name__} {w.accessibleName() or (w.text() if isinstance(w, QLabel | QAbstractButton) else '')}"
        for w in alone
        if not isinstance(w, QMenu | QDialog)
    }


def _choose(menu: QMenu, action: QAction) -> None:
    menu.close()
    action.trigger()


def usable(root: QWidget, kind: type[W]) -> Iterator[tuple[str, W]]:
    """Widgets that can be used, with their names; one that is deleted meanwhile is none."""
    for widget in root.findChildren(kind):
        if isValid(widget) and widget.isVisible() and widget.isEnabled() and not widget.objectName().startswith("qt_"):
            words = widget.text() if isinstance(widget, QAbstractButton) else ""
            yield f"{type(widget).__name__} {widget.accessibleName() or words}", widget


def choose_actions(user: User) -> None:
    for action in offered(user):
        user.press_all(action, partial(user.context.actions.run, action))
        if action == "label.at-once":
            user.context.actions.run(action)


def offered(user: User) -> list[str]:
    """The actions of the screen that can be chosen now."""
    actions = user.context.actions
    return [a.id for a in actions if a.view == user.screen and actions.offered(a.id) and a.id != PRINTS]


def press_buttons(user: User) -> None:
    for name, button in usable(user.page, QAbstractButton):
        on = button.isChecked()
        menu = button.menu() if isinstance(button, QPushButton | QToolButton) else None
        # A click on a button with a menu does not return before the menu is left.
        user.press_all(name, button.click if menu is None else partial(menu.popup, QPoint()))
        if isValid(button) and button.isChecked() != on:
            button.click()
            user.settle()


def choose_in_boxes(user: User) -> None:
    for name, box in usable(user.page, QComboBox):
        at, model = box.currentIndex(), box.model()
        possible = [n for n in range(box.count()) if model.flags(model.index(n, 0)) & Qt.ItemFlag.ItemIsEnabled]

        def choose(number: int, box: QComboBox = box) -> None:
            if isValid(box):
                box.setCurrentIndex(number)
                box.activated.emit(number)

        for other in [n for n in possible if n != at][:1]:
            user.press(name, partial(choose, other))
            choose(at)
            user.back()


def use_lists(user: User) -> None:
    for name, view in usable(user.page, QAbstractItemView):
        count = 0 if view.model() is None or isinstance(view, QHeaderView) else view.model().rowCount(QModelIndex())
        first, last = (
            (view.model().index(row, 0) for row in (0, count - 1)) if count else (QModelIndex(), QModelIndex())
        )
        if count > 1:
            before = offered(user)
            user.press(f"row of {name}", partial(view.setCurrentIndex, last))
            for action in [a for a in offered(user) if a not in before]:
                user.press_all(f"{action} of {name}", partial(user.context.actions.run, action))
            user.back()
        if count and isValid(view):
            view.setCurrentIndex(last)
            user.settle()
            user.press(f"Enter in {name}", partial(user.qtbot.keyClick, view, Qt.Key.Key_Return))
            user.back()
        if count and isValid(view):
            user.press_all(f"menu of {name}", partial(ask_for_menu, view, view.visualRect(first).center()))


def ask_for_menu(view: QAbstractItemView, place: QPoint) -> None:
    there = view.viewport()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(there, QContextMenuEvent(reason, place, there.mapToGlobal(place)))


def type_in_fields(user: User) -> None:
    for name, field in usable(user.page, QLineEdit):
        text = field.text()

        def write(field: QLineEdit = field) -> None:
            user.qtbot.keyClicks(field, "7")
            user.qtbot.keyClick(field, Qt.Key.Key_Return)

        if not field.isReadOnly():
            user.press(name, write)
        if isValid(field):
            field.setText(text)
        user.back()


@pytest.mark.parametrize("screen", CASES)
def test_all_that_a_screen_offers_answers(
    start: Start, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, screen: str
) -> None:
    CASES[screen](tmp_path / "case.palimpsest")
    of_others = loose()
    controller = start(tmp_path / "case.palimpsest", screen)
    controller.window.resize(1000, 620)
    controller.window.activateWindow()
    settle(qtbot, controller)
    user = User(controller, qtbot, screen)

    def choose_file(dialog: QFileDialog) -> tuple[list[Path], str]:
        name, kind = Path(next(iter(dialog.selectedFiles()), "")).name, dialog.selectedNameFilter()
        saves = dialog.fileMode() == QFileDialog.FileMode.AnyFile
        dialog.deleteLater()
        if saves and screen != "start":
            # The answer is what comes after.
            return [tmp_path / name], kind
        user.requests.append(dialog)
        return [], ""

    def refuse(_queries: object, *question: Callable[[Exception], object]) -> None:
        user.requests.append(question)
        QTimer.singleShot(0, partial(question[-1], UserError("No.")))

    def open_nothing(url: QUrl) -> bool:
        user.requests.append(url)
        return True

    monkeypatch.setattr(file_dialogs, "_ask", choose_file)
    monkeypatch.setattr(ProcessQueries, "ask", refuse)
    monkeypatch.setattr(QDesktopServices, "openUrl", open_nothing)
    # Jobs are cancelled before they start.
    monkeypatch.setattr(controller.context.jobs, "_stopped", True)
    for use in (choose_actions, press_buttons, choose_in_boxes, use_lists, type_in_fields):
        use(user)
        user.begin_again()
    assert user.loose - of_others <= PUT_IN_LATER
    assert not user.silent
    assert not user.other
