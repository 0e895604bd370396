"""Actions as data: shortcuts, views, undo."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QAction, QHelpEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QPushButton, QToolTip
from pytestqt.qtbot import QtBot

from workbench.base.errors import UserError
from workbench.gui.kit.tips import give_tips, tip_text
from workbench.gui.workspace.actions import Action, ActionSet
from workbench.gui.workspace.context import History


def action_set(qapp: object, **chosen: str) -> tuple[ActionSet, list[str]]:
    ran: list[str] = []
    actions = ActionSet(chosen)
    actions.add(
        Action("everywhere", "Everywhere", lambda: ran.append("everywhere"), "Ctrl+E"),
        Action("here", "Here", lambda: ran.append("here"), "Ctrl+H", view="documents"),
        Action("there", "There", lambda: ran.append("there"), "Ctrl+H", view="detect"),
    )
    return actions, ran


def test_an_action_of_another_view_is_silent(qapp: object) -> None:
    actions, ran = action_set(qapp)
    actions.set_view("documents")
    for name in ("everywhere", "here", "there"):
        actions.run(name)
    assert ran == ["everywhere", "here"]
    assert [actions.qt(n).isEnabled() for n in ("here", "there")] == [True, False]


def test_the_users_own_shortcut_wins_and_none_is_a_choice(qapp: object) -> None:
    actions, _ = action_set(qapp, everywhere="F9", here="")
    assert actions.qt("everywhere").shortcut().toString() == "F9"
    assert actions.qt("here").shortcut().isEmpty()


def test_a_shortcut_is_taken_from_an_action_that_can_clash_only(qapp: object) -> None:
    actions, _ = action_set(qapp)
    assert actions.set_shortcut("everywhere", "Ctrl+H") == ["here", "there"]
    actions.reset_shortcuts()
    assert actions.set_shortcut("here", "Ctrl+J") == []
    assert actions.set_shortcut("there", "Ctrl+J") == []
    assert actions.chosen() == {"here": "Ctrl+J", "there": "Ctrl+J"}


def test_an_action_added_later_leaves_the_users_shortcut_alone(qapp: object) -> None:
    actions, _ = action_set(qapp)
    assert actions.set_shortcut("everywhere", "Ctrl+B") == []
    actions.add(
        Action("best", "Best", lambda: None, "Ctrl+B", view="evaluate"),
        Action("other", "Other", lambda: None, "Ctrl+O", view="evaluate"),
    )
    shortcuts = {name: actions.qt(name).shortcut().toString() for name in ("everywhere", "best", "other")}
    assert shortcuts == {"everywhere": "Ctrl+B", "best": "", "other": "Ctrl+O"}
    actions.reset_shortcuts()
    assert actions.shortcut("best") == "Ctrl+B"


def test_an_action_that_is_asked_for_and_not_offered_says_why(qapp: object) -> None:
    actions, ran = action_set(qapp)
    actions.add(
        Action("go.detect", "Go to Detect", lambda: None),
        Action(
            "busy",
            "Start",
            lambda: ran.append("busy"),
            "Ctrl+Return",
            view="documents",
            enabled=lambda: False,
            needs="Wait.",
        ),
        Action("plain", "Plain", lambda: ran.append("plain"), "F7", enabled=lambda: False),
    )
    actions.set_view("documents")
    heard: list[str] = []
    actions.refused.connect(heard.append)
    for name in ("busy", "there", "plain", "here"):
        actions.run(name)
    assert heard == [
        "Start: Wait.",
        "“There” belongs to another view. Go to Detect first.",
        "“Plain” is not available now.",
    ]
    assert ran == ["here"]
    assert actions.refuse(QKeySequence("Ctrl+Return"))
    assert heard[-1] == "Start: Wait."
    assert not actions.refuse(QKeySequence("Ctrl+H"))
    assert not actions.refuse(QKeySequence("Ctrl+Shift+F12"))


def test_a_disabled_action_does_not_run(qapp: object) -> None:
    actions, ran = action_set(qapp)
    actions.add(Action("never", "Never", lambda: ran.append("never"), enabled=lambda: False))
    actions.qt("never").trigger()
    actions.run("never")
    assert ran == []
    assert isinstance(actions.qt("never"), QAction)


def test_undo_and_redo_move_between_two_stacks(qtbot: QtBot) -> None:
    state = ["done"]
    history = History()
    history.push("Do it", lambda: state.append("undone"), lambda: state.append("done"))
    with qtbot.waitSignal(history.changed):
        assert history.undo() == "Do it"
    assert history.redo() == "Do it"
    assert state == ["done", "undone", "done"]
    assert history.redo() == ""


def test_what_was_undone_cannot_be_redone_after_something_else_was_done(qapp: object) -> None:
    history = History()
    history.push("Judge", lambda: None, lambda: None)
    history.undo()
    history.push("Remove", lambda: None, lambda: None)
    assert (history.undo_title(), history.redo_title(), history.redo()) == ("Remove", "", "")


def test_a_step_that_cannot_be_undone_stays_undoable(qapp: object) -> None:
    def refuse() -> None:
        raise UserError("The project is locked.")

    history = History()
    history.push("Do it", refuse, lambda: None)
    with pytest.raises(UserError):
        history.undo()
    assert history.undo_title() == "Do it"


def test_a_tip_says_the_key_and_what_is_missing(qtbot: QtBot) -> None:
    actions, _ = action_set(None, everywhere="F9")
    chosen: list[int] = []
    actions.add(Action("open", "Open it", lambda: None, "Ctrl+O", enabled=lambda: bool(chosen), needs="Choose one."))
    assert tip_text(actions, "everywhere") == "Everywhere (F9)"
    assert tip_text(actions, "open") == "Open it (Ctrl+O)\nChoose one."
    chosen.append(1)
    assert tip_text(actions, "open") == "Open it (Ctrl+O)"


def test_a_button_that_cannot_be_pressed_says_why(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    actions, _ = action_set(None)
    actions.add(Action("open", "Open it", lambda: None, enabled=lambda: False, needs="Choose one."))
    tips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, words, _widget: tips.append(words))
    made_button = QPushButton("Open")
    qtbot.addWidget(made_button)
    made_button.setEnabled(False)
    give_tips(actions, {"open": made_button})
    QApplication.sendEvent(made_button, QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), QPoint(1, 1)))
    assert tips == ["Open it\nChoose one."]
