"""Every control is reached with Tab, in the order in which it is read, and shows that it has the keyboard."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, add_run, settle
from workbench import gui
from workbench.base.types import Document, Role
from workbench.gui.screens.detect.view import DetectView
from workbench.gui.screens.jobs.view import JobsView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.screens.start.view import StartView
from workbench.gui.shell.catalogue import known_screens

VIEWS = ("start", "documents", "detect", "review", "label", "evaluate", "relations", "watch", "jobs")
CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractItemView)


def reached(qtbot: QtBot, window: QWidget) -> list[QWidget]:
    """The widgets that Tab leads to, in order, from the one that has the keyboard."""
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    widgets: list[QWidget] = []
    while (widget := QApplication.focusWidget()) is not None and widget not in widgets:
        widgets.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    return widgets


def controls(window: QWidget) -> list[QWidget]:
    """What can be used now; parts of a combined control are reached with it."""
    widgets = [w for kind in CONTROLS for w in window.findChildren(kind) if w.isVisibleTo(window) and w.isEnabled()]
    return [w for w in widgets if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.objectName().startswith("qt_")]


@pytest.mark.parametrize("view", VIEWS)
def test_tab_reaches_every_control(start: Start, project: Path, qtbot: QtBot, view: str) -> None:
    controller = start(project, "documents")
    controller.window.show_view(view)
    settle(qtbot, controller)
    seen = reached(qtbot, controller.window)
    left = [(type(w).__name__, w.accessibleName()) for w in controls(controller.window) if w not in seen]
    assert not left
    assert set(controller.window.rail.buttons.values()) <= set(seen)


def test_tab_leads_out_of_every_box_for_text() -> None:
    kept = [
        f"{path.name}: {box}"
        for path in Path(next(iter(gui.__path__))).rglob("*.py")
        for source in [path.read_text("utf-8")]
        for box in re.findall(r"(\S+) = QPlainTextEdit\(", source)
        if f"{box}.setTabChangesFocus(True)" not in source and f"{box}.setReadOnly(True)" not in source
    ]
    assert not kept, "a tab would be typed there"


def test_the_settings_of_a_method_come_before_its_start(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "detect")
    view = controller.window.view("detect")
    assert isinstance(view, DetectView)
    view.expert.setChecked(True)
    for method in (view.methods.count() - 1, 0):
        view.methods.setCurrentIndex(method)
        view.methods.setFocus()
        seen = reached(qtbot, controller.window)
        editors = [row.editor for row in view.form.rows.values() if row.isVisibleTo(view.form)]
        places = [seen.index(w) for w in (view.methods, *editors, view.start_button, view.runs.table)]
        assert places == sorted(places)


def test_the_sources_of_a_suspect_come_between_the_list_and_the_texts(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    copies = [Document(f"x{n}", f"{n} " + "文である。" * 30, role=Role.SOURCE, language="ja") for n in range(9)]
    run = add_run(project, copies, [(1, 5 + n) for n in range(9)], {})
    controller = start(project, "documents")
    controller.context.open_review(run, 1)
    settle(qtbot, controller)
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    for _ in range(2):
        view.suspects.list.setFocus()
        seen = reached(qtbot, controller.window)
        strip = view.pair.strip
        shown = [chip for chip in strip.chips if chip.isVisible()]
        chips = [shown[0], shown[-1], strip.everything]
        parts = (view.suspects.list, *chips, view.pair.toolbar.previous, view.pair.left, view.pair.right)
        places = [seen.index(w) for w in parts]
        assert places == sorted(places)
        view.opening.open_pair(1, 8)
        settle(qtbot, controller)


def test_the_keyboard_goes_to_the_content_when_it_is_read(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    qtbot.waitUntil(lambda: controller.window.focusWidget() is view.pair.left)


def test_the_content_read_before_the_window_is_in_front_gets_the_keyboard(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "documents")
    controller.window.hide()
    assert not controller.window.isActiveWindow()
    controller.window.show_view("review")
    settle(qtbot, controller)
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    assert controller.window.focusWidget() is view.pair.left


@pytest.mark.parametrize("name", ["start", "jobs", "chart", "evidence"])
def test_what_has_the_keyboard_shows_it(start: Start, project: Path, qtbot: QtBot, name: str) -> None:
    controller = start(project, "review" if name in ("chart", "evidence") else name)
    view = controller.window.view(controller.window.current)
    if isinstance(view, ReviewView):
        view.panels.fold_scores(False)
        widget: QWidget = view.scores.chart if name == "chart" else view.evidence.area
    else:
        assert isinstance(view, (StartView, JobsView))
        widget = view.list
    controller.window.activateWindow()
    controller.window.rail.buttons["start"].setFocus()
    qtbot.waitUntil(lambda: not widget.hasFocus())
    without = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(widget.hasFocus)
    assert widget.grab().toImage() != without


def test_a_chip_chosen_among_states_is_the_only_one(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    chips = view.suspects.chips
    for state in ("open", "open", ""):
        chips[state].click()
        assert [name for name, chip in chips.items() if chip.isChecked()] == [state]


def test_no_two_actions_that_can_be_offered_together_have_the_same_keys(start: Start, project: Path) -> None:
    controller = start(project, "documents")
    actions = controller.context.actions
    for view in known_screens():
        controller.window.view(view)
    keys: dict[str, list[str]] = {}
    for action in actions:
        if shortcut := actions.shortcut(action.id):
            keys.setdefault(shortcut, []).append(action.id)
    clashes = [
        (shortcut, one, other)
        for shortcut, ids in keys.items()
        for one, other in combinations(ids, 2)
        if actions.clash(one, other)
    ]
    assert clashes == []
