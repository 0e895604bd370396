"""Keys and buttons while a pair is being read."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from review_case import settled, stored

from workbench.base.errors import UserError
from workbench.gui.screens.review import suspect_panel
from workbench.gui.screens.review.pair_data import PairData, read_opened
from workbench.gui.screens.review.view import ReviewView
from workbench.project import labels
from workbench.services.review.judgement import Reviewer
from workbench.services.session import Session


def test_keys_that_come_faster_than_pairs_are_read_reach_the_matches_they_are_meant_for(
    qtbot: QtBot, review: ReviewView
) -> None:
    run = review.context.actions.run
    for action in ("verdict-copy", "next", "verdict-partial", "next", "verdict-copy", "next", "verdict-not-copy"):
        run(f"review.{action}")
    for action in ("next", "verdict-partial"):
        run(f"review.{action}")
    settled(qtbot, review)
    assert not review.opening.pace.reading
    assert review.pair.opened is not None
    assert (review.pair.opened.a.id, review.pair.opened.b.id) == ("s2", "t2")
    assert [value for value, _ in stored(review)] == ["copy", "partial", "copy", "not-copy", "partial"]


def test_keys_meant_for_a_pair_are_forgotten_when_another_is_chosen(qtbot: QtBot, review: ReviewView) -> None:
    first, second = (row.key for row in review.overview.suspects)
    review.suspects.chosen.emit(second, None)
    review.context.actions.run("review.verdict-copy")
    review.suspects.chosen.emit(first, None)
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert review.pair.opened.a.key == first
    assert stored(review) == []


def test_keys_for_suspects_wait_for_the_verdicts_before_them(qtbot: QtBot, review: ReviewView) -> None:
    for action in ("next-suspect", "verdict-copy", "previous-suspect"):
        review.context.actions.run(f"review.{action}")
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert review.pair.opened.a.id == "s1"
    assert review.context.session is not None
    with review.context.session.read() as connection:
        assert [label.target.startswith("match:s2:") for label in labels.current(connection).values()] == [True]


def test_a_verdict_given_before_the_note_of_its_match_was_read_keeps_it(qtbot: QtBot, review: ReviewView) -> None:
    review.evidence.verdict.note.setPlainText("see chapter 3")
    review.evidence.flush()
    settled(qtbot, review)
    run = review.context.actions.run
    for action in ("next", "previous", "verdict-copy"):
        run(f"review.{action}")
    settled(qtbot, review)
    for action in ("next-suspect", "previous-suspect", "clear", "verdict-partial"):
        run(f"review.{action}")
    settled(qtbot, review)
    assert stored(review) == [("partial", "see chapter 3")]
    for _ in range(2):
        review.context.history.undo()
        settled(qtbot, review)
    assert stored(review) == [("copy", "see chapter 3")]


def test_the_last_match_of_a_pair_that_is_being_read_is_its_own(qtbot: QtBot, review: ReviewView) -> None:
    first = review.overview.suspects[0].key
    review.suspects.step(1)
    settled(qtbot, review)
    review.opening.open_pair(first, None)
    review.context.actions.run("review.last")
    settled(qtbot, review)
    assert review.pair.active == 2


def test_a_button_judges_what_is_seen_while_another_pair_is_read(qtbot: QtBot, review: ReviewView) -> None:
    review.suspects.step(1)
    review.evidence.verdict.chosen.emit("copy")
    settled(qtbot, review)
    assert review.context.session is not None
    with review.context.session.read() as connection:
        assert [label.target.startswith("match:s1:") for label in labels.current(connection).values()] == [True]


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> int:
    """The key of a suspect that cannot be read."""

    def read(session: Session, run: int, a_key: int, b_key: int | None, viewer: Reviewer) -> PairData:
        if a_key == 999:
            raise UserError("It cannot be read.")
        return read_opened(session, run, a_key, b_key, viewer)

    monkeypatch.setattr("workbench.gui.screens.review.pair_loader.read_opened", read)
    return 999


def test_a_reading_that_was_overtaken_and_fails_leaves_the_wanted_pair_alone(
    qtbot: QtBot, review: ReviewView, unreadable: int
) -> None:
    second = review.overview.suspects[1].key
    review.opening.open_pair(unreadable, None)
    review.opening.open_pair(second, None)
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert review.pair.opened.a.key == second


def test_a_pair_that_cannot_be_read_leaves_the_one_before(qtbot: QtBot, review: ReviewView, unreadable: int) -> None:
    assert review.pair.opened is not None
    first = review.pair.opened.a.key
    review.opening.open_pair(unreadable, None)
    settled(qtbot, review)
    assert review.pair.opened.a.key == first
    review.context.actions.run("review.last")
    assert review.pair.active == 2


def test_a_verdict_does_not_read_the_texts_again_for_the_direction_of_copying(
    qtbot: QtBot, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(qtbot, review)
    pairs: list[tuple[int, int]] = []
    read_direction = suspect_panel.read_direction
    monkeypatch.setattr(suspect_panel, "read_direction", lambda a, b: pairs.append((a, b)) or read_direction(a, b))
    read_standing, standings = suspect_panel.read_standing, []

    def standing(session: Session, key: int) -> object:
        standings.append(key)
        return read_standing(session, key)

    monkeypatch.setattr(suspect_panel, "read_standing", standing)
    review.context.actions.run("review.verdict-copy")
    qtbot.waitUntil(lambda: bool(standings))
    settled(qtbot, review)
    assert pairs == []
