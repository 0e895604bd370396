"""In the table of all matches, keys act on the rows that are selected, and on nothing that is hidden."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from review_case import ROWS, build, opened, settled

from workbench.gui.kit.tables import choose_rows
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project import labels
from workbench.services.listing import PassageTexts


def verdicts(qtbot: QtBot, review: ReviewView) -> dict[str, str]:
    """What was said of which passage."""
    qtbot.waitUntil(lambda: not review.context.changes.waiting)
    settled(qtbot, review)
    assert review.context.session is not None
    with review.context.session.read() as connection:
        return {target: label.value for target, label in labels.current(connection).items()}


def run(review: ReviewView, *names: str) -> None:
    for name in names:
        review.context.actions.run(f"review.{name}")


def test_enter_opens_the_match_of_the_row(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table")
    choose_rows(review.table.table, [4])
    with qtbot.waitSignal(review.ready):
        qtbot.keyClick(review.table.table, Qt.Key.Key_Return)
    assert not review.panels.table_shown()
    assert review.pair.opened is not None
    assert (review.pair.opened.a.id, review.pair.opened.b.id) == ("s2", "t2")


def test_a_verdict_goes_to_the_selected_row_which_stays_selected(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table")
    choose_rows(review.table.table, [4])
    run(review, "verdict-not-copy")
    assert verdicts(qtbot, review) == {"match:s2:0-16:t2:0-16": "not-copy"}
    assert review.panels.table_shown()
    assert review.table.chosen_rows() == [4]
    assert review.table.table.currentIndex().row() == 4
    assert review.context.history.undo_title() == "Not a copy on match 1 of 題 s2 – 題 t2"
    run(review, "verdict-not-copy")
    assert list(verdicts(qtbot, review).values()) == ["not-copy"]
    run(review, "clear")
    assert verdicts(qtbot, review) == {}
    review.context.history.undo()
    assert list(verdicts(qtbot, review).values()) == ["not-copy"]
    review.context.history.undo()
    assert verdicts(qtbot, review) == {}
    review.context.history.redo()
    assert list(verdicts(qtbot, review).values()) == ["not-copy"]


def test_several_rows_are_judged_at_once_and_each_gets_its_own_back(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table")
    choose_rows(review.table.table, [1])
    run(review, "verdict-copy")
    choose_rows(review.table.table, [1, 3, 4])
    run(review, "verdict-partial")
    assert sorted(verdicts(qtbot, review).values()) == ["partial"] * 3
    assert review.table.chosen_rows() == [1, 3, 4]
    assert review.context.history.undo_title() == "Partial on 3 matches"
    review.context.history.undo()
    assert list(verdicts(qtbot, review).values()) == ["copy"]


def test_the_table_opens_at_the_match_that_was_shown_and_leaves_to_the_one_selected(
    qtbot: QtBot, review: ReviewView
) -> None:
    for _ in range(2):
        run(review, "next")
        settled(qtbot, review)
    run(review, "table")
    assert review.table.chosen_rows() == [1]
    run(review, "next", "next")
    assert review.table.chosen_rows() == [3]
    assert review.pair.active == 1
    run(review, "table")
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert (review.pair.opened.b.id, review.pair.active) == ("t2", 0)
    assert review.panels.texts_shown()


def test_no_key_acts_on_what_the_table_hides(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table")
    review.table.table.clearSelection()
    heard: list[str] = []
    review.context.actions.refused.connect(heard.append)
    hidden = ("verdict-copy", "clear", "note", "swap", "find", "counterpart", "report-pair", "why", "larger")
    run(review, *hidden)
    assert len(heard) == len(hidden)
    assert verdicts(qtbot, review) == {}
    assert review.pair.finder.isHidden()


def test_a_verdict_from_the_table_is_shown_beside_the_text(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table", "verdict-copy")
    assert len(verdicts(qtbot, review)) == 1
    run(review, "table")
    settled(qtbot, review)
    assert review.evidence.verdict.buttons["copy"].isChecked()


def test_sorted_by_verdict_the_selected_row_stays_selected(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table")
    at = next(i for i, column in enumerate(review.table.model.columns) if column.name == "verdict")
    review.table.table.sortByColumn(at, Qt.SortOrder.DescendingOrder)
    review.table.choose(2)
    run(review, "verdict-copy")
    verdicts(qtbot, review)
    assert review.table.chosen_rows() == [2]
    assert review.table.model.row_of(2) == 0


def test_documents_by_score_leave_no_key_to_the_hidden_pair(qtbot: QtBot, review: ReviewView) -> None:
    review.panels.setCurrentWidget(review.panels.other.scores)
    run(review, "verdict-copy", "next")
    assert verdicts(qtbot, review) == {}
    assert review.pair.active == 0


def test_the_very_match_comes_back(qtbot: QtBot, context: AppContext, tmp_path: Path) -> None:
    build(tmp_path / "case.palimpsest", ROWS, {})
    review = opened(qtbot, context, tmp_path / "case.palimpsest")
    with qtbot.waitSignal(review.placed):
        run(review, "last")
    state = review.save_state()
    assert state["match"] == (200, 220, 0, 20)
    again = ReviewView(context)
    list(again.pieces)
    qtbot.addWidget(again)
    again.restore_state(state)
    with qtbot.waitSignal(again.ready):
        again.load()
    qtbot.waitUntil(lambda: again.pair.opened is not None)
    assert again.pair.active == 2


def test_the_table_cites_the_places_of_the_rows_that_it_shows(qtbot: QtBot, review: ReviewView) -> None:
    run(review, "table")
    review.table.resize(900, 400)
    model = review.table.model
    column = next(at for at, c in enumerate(model.columns) if c.name == "a_start")
    qtbot.waitUntil(lambda: str(model.index(0, column).data()).startswith("line"))
    assert review.context.session is not None
    texts = PassageTexts(review.context.session)
    assert review.opening.overview.columns is not None
    shown = [model.index(row, column).data() for row in range(model.rowCount())]
    matches = list(review.opening.overview.columns.matches)
    assert shown == [texts.place(matches[at].a, matches[at].a_span).words for at in model.order]
