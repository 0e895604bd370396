"""Notes in Label: none is lost, with a label or without, and each stays with its entry and its annotator."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.gui.label.test_labelling_screen import Hands, entries, hands, stored
from workbench.project import labels
from workbench.services.session import Session

__all__ = ["entries", "hands"]

CONTROL = Qt.KeyboardModifier.ControlModifier


def notes(path: Path) -> dict[tuple[str, str], str]:
    """The last note of each annotator on each entry, with a label or without."""
    with Session(path, write=False) as session, session.read() as connection:
        events = labels.events(connection, "class")
        return {(event.target.removeprefix("document:"), event.who): event.note for event in events}


def type_note(hands: Hands, words: str) -> None:
    hands.view.entry.note.setFocus()
    hands.qtbot.keyClicks(hands.view.entry.note, words)


@pytest.mark.parametrize("way", ["back", "skip", "project", "window", "annotator", "set", "settle", "list", "team"])
def test_a_note_on_an_entry_without_a_label_is_kept_however_it_is_left(hands: Hands, entries: Path, way: str) -> None:
    hands.press(Qt.Key.Key_B)
    second = hands.shown
    type_note(hands, "ask the team")
    view, context = hands.view, hands.controller.window.context
    ways = {
        "back": lambda: context.actions.run("label.back"),
        "skip": lambda: context.actions.run("label.skip"),
        "project": context.close_project,
        "window": hands.window.flush,
        "annotator": lambda: view.switch("other"),
        "set": lambda: view.change_set("kind"),
        "settle": lambda: view.set_mode("settle"),
        "list": lambda: view.queue.picked.emit("document:e0"),
        "team": lambda: view.set_mode("agreement"),
    }
    ways[way]()
    hands.settle()
    if context.project is not None:
        view.flush()
    assert notes(entries)[second, "ann"] == "ask the team"
    assert second not in stored(entries)
    assert len(stored(entries)) == 1


def test_a_note_is_there_again_when_its_entry_is(hands: Hands, entries: Path) -> None:
    hands.press(Qt.Key.Key_B)
    type_note(hands, "unsure")
    hands.press(Qt.Key.Key_Escape)
    hands.press(Qt.Key.Key_Backspace, CONTROL)
    assert hands.view.entry.note.toPlainText() == ""
    hands.press(Qt.Key.Key_Space, CONTROL)
    assert hands.view.entry.note.toPlainText() == "unsure"


def test_ctrl_return_in_the_note_gives_note_and_value(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_S)  # asks for a type next, and waits
    type_note(hands, "adverts")
    hands.press(Qt.Key.Key_Return, CONTROL)
    assert stored(entries) == {first: {"ann": "splog"}}
    assert notes(entries) == {(first, "ann"): "adverts"}
    assert hands.shown != first
    assert hands.view.entry.note.toPlainText() == ""


def test_ctrl_return_without_a_value_keeps_the_note_and_waits_for_the_key_of_one(hands: Hands, entries: Path) -> None:
    first = hands.shown
    type_note(hands, "adverts")
    hands.press(Qt.Key.Key_Return, CONTROL)
    assert hands.shown == first
    hands.press(Qt.Key.Key_U)
    assert notes(entries) == {(first, "ann"): "adverts"}
    assert list(stored(entries)) == [first]


def test_a_note_after_the_key_can_be_typed_for_what_was_labelled(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    second = hands.shown
    hands.press(Qt.Key.Key_N, CONTROL | Qt.KeyboardModifier.AltModifier)
    hands.qtbot.keyClicks(hands.view.entry.note, "looks copied")
    hands.press(Qt.Key.Key_Escape)
    assert notes(entries) == {(first, "ann"): "looks copied"}
    assert stored(entries) == {first: {"ann": "blog"}}
    assert hands.shown == second
    assert hands.view.entry.note.toPlainText() == ""


def test_many_entries_at_once_keep_their_notes(hands: Hands, entries: Path) -> None:
    first = hands.shown
    type_note(hands, "see the host")
    hands.press(Qt.Key.Key_Escape)
    hands.press(Qt.Key.Key_Space, CONTROL)
    label_session = hands.view.label_session
    assert label_session is not None
    hands.view.labeller.give_all(list(label_session.items), "blog")
    hands.settle()
    assert notes(entries)[first, "ann"] == "see the host"
    assert {tuple(by.items()) for by in stored(entries).values()} == {(("ann", "blog"),)}


def test_undo_of_a_note_puts_the_one_before_back_and_leaves_the_label(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    hands.press(Qt.Key.Key_Backspace, CONTROL)
    type_note(hands, "one")
    hands.press(Qt.Key.Key_Escape)
    type_note(hands, " two")
    hands.press(Qt.Key.Key_Escape)
    assert notes(entries)[first, "ann"] == "one two"
    hands.press(Qt.Key.Key_Z, CONTROL)
    assert notes(entries)[first, "ann"] == "one"
    assert hands.view.entry.note.toPlainText() == "one"
    assert stored(entries) == {first: {"ann": "blog"}}


def test_going_back_from_a_note_takes_the_keyboard_to_the_entry(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    type_note(hands, "ask the team")
    hands.press(Qt.Key.Key_Backspace, CONTROL)
    assert hands.shown == first
    hands.press(Qt.Key.Key_U)
    assert stored(entries) == {first: {"ann": "unsure"}}
    assert (first, "ann") not in {key for key, note in notes(entries).items() if note}


def test_writing_continues_at_the_end_of_a_note(hands: Hands, entries: Path) -> None:
    first = hands.shown
    type_note(hands, "one")
    hands.press(Qt.Key.Key_Escape)
    hands.press(Qt.Key.Key_Space, CONTROL)
    hands.press(Qt.Key.Key_Backspace, CONTROL)
    type_note(hands, ", two")
    hands.view.flush()
    assert notes(entries)[first, "ann"] == "one, two"
