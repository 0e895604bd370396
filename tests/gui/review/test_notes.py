"""Notes in Review: each is about what was in front when its first letter was typed, and none is lost."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from review_case import settled, stored

from workbench.gui.judging.verdict_panel import NoteField
from workbench.gui.judging.verdicts import become
from workbench.gui.screens.review.pair_data import unit_of
from workbench.gui.screens.review.view import ReviewView
from workbench.project import labels


def notes(review: ReviewView) -> dict[tuple[str, str], tuple[str, str]]:
    """The last value and note of each reviewer on each target."""
    assert review.context.session is not None
    with review.context.session.read() as connection:
        return {(event.target, event.who): (event.value, event.note) for event in labels.events(connection)}


def in_front(review: ReviewView) -> str:
    """The name in the log of the passage that is shown."""
    assert review.pair.opened is not None
    return unit_of(review.pair.opened, review.pair.active).target


def field(review: ReviewView) -> NoteField:
    return review.evidence.verdict.note


def type_note(qtbot: QtBot, review: ReviewView, words: str) -> None:
    field(review).setFocus()
    qtbot.keyClicks(field(review), words)


WAYS = ["next", "previous", "next-suspect", "clear", "table", "verdict-copy", "last", "conflict"]


def test_a_note_stays_when_the_verdict_changes(qtbot: QtBot, review: ReviewView) -> None:
    for verdict in ("copy", "partial"):
        review.context.actions.run(f"review.verdict-{verdict}")
        settled(qtbot, review)
        review.pair.go_to(0)
        settled(qtbot, review)
        if verdict == "copy":
            type_note(qtbot, review, "ask the author")
            review.flush()
            settled(qtbot, review)
    assert [seen for seen in notes(review).values() if seen != ("", "")] == [("partial", "ask the author")]


@pytest.mark.parametrize("way", [*WAYS, "closing", "reviewer"])
def test_the_text_of_a_note_without_a_verdict_is_kept_however_the_passage_is_left(
    qtbot: QtBot, review: ReviewView, way: str
) -> None:
    review.context.actions.run("review.next")
    settled(qtbot, review)
    target = in_front(review)
    type_note(qtbot, review, "ask the author")
    if way == "closing":
        review.flush()
    elif way == "reviewer":
        become(review.context, "B. Reader", blind=False)
    else:
        review.context.actions.run(f"review.{way}")
    settled(qtbot, review)
    review.flush()
    value = "copy" if way == "verdict-copy" else ""
    assert notes(review) == {(target, "A. Reader"): (value, "ask the author")}


def test_a_note_begun_before_the_next_pair_arrives_stays_with_what_was_in_front(
    qtbot: QtBot, review: ReviewView
) -> None:
    target = in_front(review)
    review.context.actions.run("review.verdict-copy")
    review.suspects.step(1)
    type_note(qtbot, review, "as in ")
    settled(qtbot, review)
    assert in_front(review) != target
    qtbot.keyClicks(field(review), "chapter 3")
    assert not review.evidence.verdict.noting.isHidden()
    qtbot.keyClick(field(review), Qt.Key.Key_Escape)
    review.evidence.flush()
    settled(qtbot, review)
    assert notes(review) == {(target, "A. Reader"): ("copy", "as in chapter 3")}
    assert field(review).toPlainText() == ""
    assert review.evidence.verdict.noting.isHidden()


def test_undo_returns_to_what_was_judged_even_if_the_next_passage_is_of_another_source(
    qtbot: QtBot, review: ReviewView
) -> None:
    review.context.settings.advance = True
    # The last passage from the first source that the suspect has in its own order.
    review.context.actions.run("review.next")
    settled(qtbot, review)
    before, pair = in_front(review), review.pair.opened
    review.context.actions.run("review.verdict-copy")
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert pair is not None
    assert review.pair.opened.b.key != pair.b.key
    review.context.history.undo()
    settled(qtbot, review)
    assert in_front(review) == before
    review.context.actions.run("review.verdict-not-copy")
    settled(qtbot, review)
    assert notes(review)[(before, "A. Reader")] == ("not-copy", "")


def test_after_a_verdict_went_on_a_note_can_be_written_on_what_was_judged(qtbot: QtBot, review: ReviewView) -> None:
    review.context.settings.advance = True
    target = in_front(review)
    review.context.actions.run("review.verdict-copy")
    settled(qtbot, review)
    assert in_front(review) != target
    review.context.actions.run("review.note-last")
    qtbot.keyClicks(field(review), "seen in")
    review.verdicts.match.read()  # an answer that arrives meanwhile does not take the field away
    settled(qtbot, review)
    qtbot.keyClicks(field(review), " the archive")
    qtbot.keyClick(field(review), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settled(qtbot, review)
    assert notes(review) == {(target, "A. Reader"): ("copy", "seen in the archive")}
    review.context.history.undo()
    settled(qtbot, review)
    assert notes(review) == {(target, "A. Reader"): ("copy", "")}


def test_ctrl_return_in_the_field_gives_note_and_verdict(qtbot: QtBot, review: ReviewView) -> None:
    review.context.settings.advance = True
    target = in_front(review)
    type_note(qtbot, review, "half of it")
    qtbot.keyClick(field(review), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    menu = review.evidence.verdict.choosing
    assert menu is not None
    qtbot.keyClick(menu, Qt.Key.Key_2)
    settled(qtbot, review)
    assert notes(review) == {(target, "A. Reader"): ("partial", "half of it")}
    assert in_front(review) != target


def test_ctrl_return_keeps_the_verdict_that_was_given(qtbot: QtBot, review: ReviewView) -> None:
    target = in_front(review)
    review.context.actions.run("review.verdict-not-copy")
    settled(qtbot, review)
    type_note(qtbot, review, "a proverb")
    qtbot.keyClick(field(review), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settled(qtbot, review)
    assert notes(review) == {(target, "A. Reader"): ("not-copy", "a proverb")}


def test_a_note_keeps_a_verdict_that_another_window_changed_meanwhile(qtbot: QtBot, review: ReviewView) -> None:
    assert review.context.session is not None
    assert review.pair.opened is not None
    unit = unit_of(review.pair.opened, review.pair.active)
    review.context.actions.run("review.verdict-copy")
    type_note(qtbot, review, "typed slowly")
    with review.context.session.write() as connection:
        labels.add_label(connection, labels.Label(unit.target, "partial", "A. Reader", ""))
    review.flush()
    settled(qtbot, review)
    assert stored(review) == [("partial", "typed slowly")]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.rest) for n in range(1, 12))])
def test_whatever_is_pressed_each_word_is_on_the_passage_it_was_begun_on(
    qtbot: QtBot, review: ReviewView, seed: int
) -> None:
    dice = random.Random(seed)
    review.context.settings.advance = dice.random() < 0.5
    begun: dict[str, str] = {}
    subject = ""
    for number in range(14):
        if dice.random() < 0.5:
            word = f"w{number:02}."
            # What is typed without anything else in between is one note.
            subject = subject or in_front(review)
            begun[word] = subject
            qtbot.keyClicks(field(review), word[:2])
            if dice.random() < 0.5:
                settled(qtbot, review)
            qtbot.keyClicks(field(review), word[2:])
        else:
            action = dice.choice(["next", "previous", "next-suspect", "previous-suspect", "verdict-copy", "clear"])
            field(review).flush()  # the keyboard leaves
            subject = ""
            review.context.actions.run(f"review.{action}")
            if dice.random() < 0.6:
                settled(qtbot, review)
    review.flush()
    settled(qtbot, review)
    on_disk = {target: note for (target, _), (_, note) in notes(review).items()}
    assert {word: [t for t, note in on_disk.items() if word in note] for word in begun} == {
        word: [target] for word, target in begun.items()
    }
