"""Neighbouring matches are one passage: stepped through, emphasised and judged together, or each by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot
from review_case import FILLER, build, matches_of, opened, settled

from workbench.base.types import Document, Results, Role
from workbench.gui.screens.review import evidence_panel
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

SWAPPED = [
    (1, 3, 0, 60, 100, 160, 60.0, 0),
    (1, 3, 60, 130, 210, 280, 70.0, 0),
    (1, 3, 130, 180, 160, 210, 50.0, 2),
    (1, 3, 400, 440, 500, 540, 40.0, 0),
    (1, 4, 300, 340, 0, 40, 30.0, 0),
    (1, 4, 345, 385, 40, 80, 30.0, 0),
]
"""Suspect 1: one passage of three parts (two of them in another order), one of two from source 4, one of one."""


@pytest.fixture
def swapped(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review, open at the passage of three parts."""
    build(tmp_path / "swapped.palimpsest", SWAPPED, {})
    return opened(qtbot, context, tmp_path / "swapped.palimpsest")


def verdicts(view: ReviewView) -> dict[str, str]:
    """The verdicts that hold, by the place of their passage in the suspect."""
    assert view.context.session is not None
    with view.context.session.read() as connection:
        labels_of = labels.current(connection)
    return {target.split(":")[2]: label.value for target, label in labels_of.items() if label.value}


def test_stepping_goes_through_passages_and_counts_them(qtbot: QtBot, swapped: ReviewView) -> None:
    places, words = [swapped.pair.active], [swapped.pair.toolbar._position.text()]
    for _ in range(2):
        swapped.context.actions.run("review.next")
        settled(qtbot, swapped)
        places.append(swapped.pair.active)
        words.append(swapped.pair.toolbar._position.text())
    assert words == ["1 of 3", "2 of 3", "3 of 3"]
    assert places == [0, 0, 3]


def test_all_parts_of_a_passage_are_emphasised_in_both_texts(swapped: ReviewView) -> None:
    pair = swapped.pair
    assert pair.left.together == pair.right.together == pair.ribbons.together == {0, 1, 2}
    pair.go_to(1)
    assert pair.left.together == {0, 1, 2}
    assert pair.toolbar._position.text() == "1 of 3"
    pair.go_to(3)
    assert pair.left.together == {3}


def test_the_parts_are_listed_with_what_was_moved_and_are_one_click_away(swapped: ReviewView) -> None:
    panel = swapped.evidence.parts
    assert panel.title.text() == "One passage of 3 parts · 1 moved"
    lines = panel.findChildren(QPushButton)
    assert ["moved" in line.accessibleName() for line in lines[:3]] == [False, False, True]
    lines[1].click()
    assert swapped.pair.active == 1
    swapped.pair.go_to(3)
    assert panel.isHidden()


def test_an_ampersand_in_a_heading_is_shown_and_no_shortcut(
    swapped: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_panel, "_places", lambda _opened, _number: ("R&D, ¶ 2", "¶ 3"))
    swapped.pair.go_to(1)
    line = next(part for part in swapped.evidence.parts.findChildren(QPushButton) if "R&D" in part.accessibleName())
    assert "R&&D" in line.text()
    assert line.toolTip() == line.accessibleName() == "1   R&D, ¶ 2 → ¶ 3"


def test_the_list_counts_judged_passages_or_matches_where_each_is_by_itself(qtbot: QtBot, swapped: ReviewView) -> None:
    progress = swapped.suspects._progress
    assert progress.text() == "0 of 3 judged"
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    assert swapped.suspects.model.item(0).verdict_counts == (("copy", 1),)
    assert progress.text() == "1 of 3 judged · 1 copy"
    swapped.context.actions.run("review.parts")
    qtbot.waitUntil(lambda: progress.text() == "3 of 6 judged · 3 copy")
    swapped.suspects.filter.setText("no such document")
    qtbot.waitUntil(lambda: progress.text() == "")


def test_a_verdict_on_a_passage_is_one_on_each_part_and_one_undo_takes_it_back(
    qtbot: QtBot, swapped: ReviewView
) -> None:
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    assert len(verdicts(swapped)) == 3
    assert set(verdicts(swapped).values()) == {"copy"}
    swapped.context.history.undo()
    settled(qtbot, swapped)
    assert verdicts(swapped) == {}


def test_undo_returns_to_the_passage_of_several_parts(qtbot: QtBot, swapped: ReviewView) -> None:
    swapped.context.settings.advance = True
    sources = []
    for step in (lambda: None, lambda: swapped.verdicts.ask("copy"), swapped.context.history.undo):
        step()
        settled(qtbot, swapped)
        assert swapped.pair.opened is not None
        sources.append(swapped.pair.opened.b.id)
    assert sources == ["t1", "t2", "t1"]
    assert verdicts(swapped) == {}


def test_a_note_after_a_verdict_on_several_parts_goes_to_the_passage_that_was_judged(
    qtbot: QtBot, swapped: ReviewView
) -> None:
    swapped.context.settings.advance = True
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    assert swapped.pair.opened is not None
    assert swapped.pair.opened.b.id == "t2"
    swapped.context.actions.run("review.note-last")
    field = swapped.evidence.verdict.note
    qtbot.keyClicks(field, "moved")
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settled(qtbot, swapped)
    assert swapped.context.session is not None
    with swapped.context.session.read() as connection:
        notes = [(target, label.note) for target, label in labels.current(connection).items() if label.note]
    assert [(target.split(":")[2], note) for target, note in notes] == [("0-60", "moved")]


def test_other_sources_of_a_passage_beyond_those_listed_are_counted(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    path = tmp_path / "many.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        sources = [Document(f"t{at}", FILLER * 9, Role.SOURCE) for at in range(12)]
        add_documents(connection, [Document("s", FILLER * 9, Role.SUSPECT), *sources])
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        rows = [(1, 2 + at, 0, 40, 0, 40, 40.0 - at, 0) for at in range(12)]
        finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=1)
        finish_run(connection, run.id)
    also = opened(qtbot, context, path).evidence._also
    shown = [also.itemAt(at).widget() for at in range(also.count())]
    words = [part.text() for part in shown if isinstance(part, QLabel | QPushButton)]
    assert words == [*(f"{at + 1}  t{at}" for at in range(1, 9)), "and 3 more"]


def test_withdrawing_a_verdict_takes_it_from_all_parts(qtbot: QtBot, swapped: ReviewView) -> None:
    for _ in range(2):
        swapped.verdicts.ask("copy")
        settled(qtbot, swapped)
        assert len(verdicts(swapped)) == 3
    swapped.context.actions.run("review.clear")
    settled(qtbot, swapped)
    assert verdicts(swapped) == {}


def test_a_verdict_moves_on_to_the_next_passage_with_an_open_part(qtbot: QtBot, swapped: ReviewView) -> None:
    swapped.context.settings.advance = True
    swapped.pair.set_merged(False)
    swapped.pair.go_to(1)
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    swapped.pair.set_merged(True)
    swapped.pair.go_to(3)
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    assert swapped.pair.active == 0
    assert swapped.pair.outline is not None
    assert swapped.pair.outline.place_of(0) == 0


def test_each_match_by_itself_is_judged_alone_and_the_choice_is_kept(qtbot: QtBot, swapped: ReviewView) -> None:
    swapped.context.actions.run("review.parts")
    assert swapped.pair.toolbar._position.text() == "1 of 6"
    assert swapped.evidence.parts.isHidden()
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    assert len(verdicts(swapped)) == 1
    state = swapped.save_state()
    swapped.pair.set_merged(True)
    swapped.restore_state(state)
    assert not swapped.pair.merged


def test_a_part_that_is_not_shown_is_not_judged(qtbot: QtBot, swapped: ReviewView) -> None:
    swapped.scores.set_threshold(55)
    swapped.verdicts.ask("copy")
    settled(qtbot, swapped)
    assert len(verdicts(swapped)) == 2


@pytest.mark.parametrize("number", range(3))
def test_the_band_of_the_part_one_is_at_lies_on_top(qtbot: QtBot, swapped: ReviewView, number: int) -> None:
    swapped.pair.go_to(number)
    settled(qtbot, swapped)
    ribbons = swapped.pair.ribbons
    ribbons.grab()
    drawn = ribbons._drawn[0].tolist()
    assert set(drawn) >= {0, 1, 2}
    assert drawn[-1] == number
    # A band goes from its place in the left text to that in the right one.
    opened, pair = swapped.pair.opened, swapped.pair
    assert opened is not None
    for row, corners in zip(drawn, ribbons._drawn[1].tolist(), strict=True):
        match = opened.matches.row(row)
        for view, at, span in ((pair.left, 0, match.a_span), (pair.right, 2, match.b_span)):
            (y,) = (view.lines.near_y(np.array([span.start])) - view.top).tolist()
            assert corners[at] == pytest.approx(y, abs=5)


def test_all_parts_of_a_passage_are_left_out_of_the_count_and_counted_again_together(
    qtbot: QtBot, swapped: ReviewView
) -> None:
    def left_out() -> int:
        counted = swapped.excluding.counted
        return 0 if counted is None else sum(effect.passages for effect in counted.shares.effects)

    def characters() -> int:
        counted = swapped.excluding.counted
        return 0 if counted is None else counted.shares.counted

    qtbot.waitUntil(lambda: characters() > 0)
    whole = characters()
    swapped.context.actions.run("review.exclude")
    qtbot.waitUntil(lambda: characters() == whole - 180)
    assert left_out() == 3
    swapped.context.actions.run("review.exclude")
    qtbot.waitUntil(lambda: characters() == whole)
    swapped.pair.set_merged(False)
    swapped.context.actions.run("review.exclude")
    qtbot.waitUntil(lambda: characters() == whole - 60)
    # Of a passage of which a part is left out, the same key leaves out the rest.
    swapped.pair.set_merged(True)
    swapped.context.actions.run("review.exclude")
    qtbot.waitUntil(lambda: characters() == whole - 180)


def test_the_table_of_all_matches_counts_passages_and_says_where_else_each_match_is(
    qtbot: QtBot, swapped: ReviewView
) -> None:
    swapped.context.settings.common_from = 1
    swapped.context.actions.run("review.table")
    table = swapped.table
    qtbot.waitUntil(lambda: table._count.text() == "3 passages of 6 matches")
    at = next(n for n, column in enumerate(table.model.columns) if column.name == "others")
    words = {table.model.index(row, at).data() for row in range(6)}
    # The first match begins with the suspect's own name, all others are the sentence that all documents are made of.
    assert words == {"0", "common · 2"}
    swapped.context.settings.common_from = 2
    swapped.excluding.common_changed.emit()
    assert {table.model.index(row, at).data() for row in range(6)} == {"0", "2"}
    pair, project = swapped.pair.opened, swapped.context.project
    assert pair is not None
    assert project is not None
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("another", "Another one. " + pair.b.text, Role.SOURCE)])
    swapped.context.announce({"documents"})
    qtbot.waitUntil(lambda: {table.model.index(row, at).data() for row in range(6)} == {"0", "common · 3"})
    table.set_threshold(45.0)
    qtbot.waitUntil(lambda: table._count.text() == "1 passage of 3 matches · 6 in all")
