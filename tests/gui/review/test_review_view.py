"""The Review screen over a real project."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot
from review_case import build, opened, settled, stored

from tests.gui.conftest import double_click
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Role, Span
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents, key_of
from workbench.project.imports import begin_batch
from workbench.services.removing_runs import remove_runs
from workbench.services.review.word_marks import MarkSort, WordMark


def test_the_suspect_with_the_best_score_is_open_at_its_first_match(review: ReviewView) -> None:
    assert review.pair.opened is not None
    assert (review.pair.opened.a.id, review.pair.opened.b.id) == ("s1", "t1")
    assert review.pair.active == 0
    assert review.pair.place() == 1


@pytest.mark.parametrize("late", [False, True])
def test_only_a_document_that_the_run_compared_is_said_to_have_nothing_in_it(
    qtbot: QtBot, review: ReviewView, late: bool
) -> None:
    notices: list[str] = []
    review.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    run, session = review.overview.run, review.context.session
    assert run is not None
    assert session is not None
    with session.write() as connection:
        batch = begin_batch(connection) if late else None
        add_documents(connection, [Document("other", "Nobody copied this.", role=Role.SUSPECT)], batch)
        key = key_of(connection, "other")
    review.open(run.id, key)
    qtbot.waitUntil(lambda: bool(notices))
    settled(qtbot, review)
    assert ("did not compare" in notices[0]) == late
    assert ("found nothing" in notices[0]) != late


def test_next_and_previous_follow_the_order_of_the_suspect(qtbot: QtBot, review: ReviewView) -> None:
    run = review.context.actions.run
    places = []
    for action in ("next", "next", "previous", "last", "first"):
        run(f"review.{action}")
        settled(qtbot, review)
        places.append(review.pair.outline.place_of(review.pair.active))
    assert places == [1, 2, 1, 3, 0]


def test_next_goes_on_to_other_sources_and_suspects_and_previous_comes_back(qtbot: QtBot, review: ReviewView) -> None:
    notices: list[str] = []
    review.context.notice.connect(lambda sentence, _tone: notices.append(sentence))

    def walk(action: str) -> list[tuple[str, str, int]]:
        places = []
        while not notices:
            review.context.actions.run(action)
            settled(qtbot, review)
            assert review.pair.opened is not None
            places.append((review.pair.opened.a.id, review.pair.opened.b.id, review.pair.active))
        return places

    forward = walk("review.next")
    assert forward == [("s1", "t2", 0), ("s1", "t1", 1), ("s1", "t1", 2), ("s2", "t2", 0), ("s2", "t2", 0)]
    assert notices == ["This is the last match."]
    notices.clear()
    back = walk("review.previous")
    assert back == [*forward[2::-1], ("s1", "t1", 0), ("s1", "t1", 0)]
    assert notices == ["This is the first match."]


def test_a_pair_asked_for_while_the_lists_are_read_again_is_opened(qtbot: QtBot, review: ReviewView) -> None:
    second = review.overview.suspects[1].key
    review.load()
    review.opening.open_pair(second, None)
    review.load()
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert review.pair.opened.a.key == second


def test_a_click_on_another_source_of_the_suspect_opens_it(qtbot: QtBot, review: ReviewView) -> None:
    assert review.pair.opened is not None
    here = review.pair.opened.b.key
    other = next(chip for chip in review.pair.strip.chips if chip.item.key != here)
    other.click()
    settled(qtbot, review)
    assert review.pair.opened.b.key == other.item.key


def test_both_texts_are_at_the_passage_that_is_opened(qtbot: QtBot, review: ReviewView) -> None:
    review.resize(876, 500)
    pair = review.pair
    review.opening.open_pair(1, 3)
    settled(qtbot, review)
    pair.sync.set_linked(False)
    for pane in (pair.left, pair.right):
        pane.set_size(40)
    for number, starts in ((1, (100, 300)), (2, (200, 0)), (0, (0, 200))):
        pair.go_to(number)
        for pane, start in zip((pair.left, pair.right), starts, strict=True):
            first, end = pane.visible_offsets()
            assert end - first < 300
            assert first <= start < end


def test_a_pair_without_a_match_shown_has_none_emphasised(qtbot: QtBot, review: ReviewView) -> None:
    review.scores.set_threshold(1_000)
    review.opening.open_pair(review.overview.suspects[1].key, None)
    settled(qtbot, review)
    pair = review.pair
    assert [pair.active, pair.left.active, pair.right.active, pair.ribbons.active, pair.dots.active] == [-1] * 5


def test_the_counts_of_layers_and_rows_follow_the_threshold(qtbot: QtBot, review: ReviewView) -> None:
    layers, pair = review.pair.toolbar.layers, review.pair
    assert [layers[name]._count.text() for name in ("exact", "sources")] == ["1", "1"]
    review.panels.set_threshold(35)
    assert layers["sources"]._count.text() == "0"
    assert layers["exact"]._count.text() == "1"
    assert "altered" in review.pair.toolbar._offered
    assert len(pair.outline) == 2
    assert review.suspects.model.item(0).passages == 2
    review.panels.set_threshold(0)
    assert layers["sources"]._count.text() == "1"


def test_the_dot_plot_has_the_passages_that_are_shown_where_they_are_in_both_texts(
    qtbot: QtBot, review: ReviewView
) -> None:
    review.opening.open_pair(1, 3)
    settled(qtbot, review)
    pair, dots = review.pair, review.pair.dots
    review.context.actions.run("review.dot-plot")
    assert dots.accessibleDescription() == "3 matches"
    dots.resize(500, 500)
    assert pair.opened is not None
    # Both texts have the same length, so the plot is a square; the last passage was moved to the start of the source.
    area, length = dots._area(), len(pair.opened.a.text)
    for (a, b), number in (((130, 330), 1), ((210, 10), 2), ((20, 220), 0)):
        place = QPoint(round(area.left() + a / length * area.width()), round(area.top() + b / length * area.height()))
        qtbot.mouseClick(dots, Qt.MouseButton.LeftButton, pos=place)
        assert pair.active == number
    qtbot.keyClick(dots, Qt.Key.Key_Right)
    assert pair.active == 1
    review.panels.set_threshold(50)
    assert dots.accessibleDescription() == "1 match"
    for pane in (pair.left, pair.right):
        pane.set_size(40)
        pane.show_place(400, 0)
    assert dots._view == (*pair.left.visible_offsets(), *pair.right.visible_offsets())


def test_the_keyboard_goes_from_the_note_to_the_text_of_the_next_match(qtbot: QtBot, review: ReviewView) -> None:
    note = review.evidence.verdict.note
    for action in ("next", "last", "previous", "next-suspect"):
        review.context.actions.run("review.note")
        assert review.window().focusWidget() is note
        qtbot.keyClicks(note, "seen")
        review.context.actions.run(f"review.{action}")
        if action == "last":
            qtbot.keyClick(note, Qt.Key.Key_Escape)
        settled(qtbot, review)
        assert review.window().focusWidget() is review.pair.left, action


def test_no_chip_of_the_suspects_is_cut_in_a_small_window(qtbot: QtBot, review: ReviewView) -> None:
    review.resize(1196, 700)
    for action in ("verdict-copy", "next", "verdict-partial", "next-suspect"):
        review.context.actions.run(f"review.{action}")
        settled(qtbot, review)
    review.context.actions.run("review.verdict-not-copy")
    settled(qtbot, review)
    panel = review.suspects
    for chip in panel.chips.values():
        chip.setText(f"{chip.text()},888")
        chip.show()
    qtbot.waitUntil(lambda: all(chip.width() >= chip.sizeHint().width() for chip in panel.chips.values()))
    room = panel.rect()
    assert all(room.contains(chip.geometry().translated(chip.parentWidget().pos())) for chip in panel.chips.values())


def test_a_small_window_has_room_for_22_lines_of_each_text(review: ReviewView) -> None:
    review.resize(1196, 700)  # what Review has of a window of 1280x800
    pair = review.pair
    assert pair.strip.isVisible()
    assert pair.legend.isVisible()
    for view in (pair.left, pair.right):
        assert view.viewport().height() / view.lines.line_height >= 22


def test_verdicts_note_and_passages_are_in_view_in_a_small_window(qtbot: QtBot, review: ReviewView) -> None:
    review.resize(1196, 700)  # what Review has of a window of 1280x800
    evidence = review.evidence
    parts = [*evidence.verdict.buttons.values(), evidence.verdict.note, *evidence.quotes]
    qtbot.waitUntil(lambda: all(_is_whole(part) for part in parts))
    review.resize(876, 500)  # and of the smallest
    qtbot.waitUntil(lambda: all(_is_whole(part) for part in parts[:4]))
    review.context.actions.run("review.note")
    assert _is_whole(evidence.verdict.note)


def _is_whole(part: QWidget) -> bool:
    return part.visibleRegion().boundingRect().height() == part.height()


def test_a_verdict_is_written_through_and_undo_puts_back_what_was_there(qtbot: QtBot, review: ReviewView) -> None:
    run, history = review.context.actions.run, review.context.history
    run("review.verdict-copy")
    settled(qtbot, review)
    assert stored(review) == [("copy", "")]
    assert review.evidence.verdict.buttons["copy"].isChecked()
    run("review.verdict-not-copy")
    settled(qtbot, review)
    assert stored(review) == [("not-copy", "")]
    history.undo()
    settled(qtbot, review)
    assert stored(review) == [("copy", "")]
    assert review.evidence.verdict.buttons["copy"].isChecked()
    history.undo()
    settled(qtbot, review)
    assert stored(review) == []
    history.redo()
    settled(qtbot, review)
    assert stored(review) == [("copy", "")]


def test_verdicts_do_not_wait_for_another_program(qtbot: QtBot, review: ReviewView) -> None:
    run, history, buttons = review.context.actions.run, review.context.history, review.evidence.verdict.buttons
    project = review.context.project
    assert project is not None
    with closing(sqlite3.connect(project, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        run("review.verdict-copy")
        run("review.verdict-not-copy")
        assert buttons["not-copy"].isChecked()
        history.undo()
        assert buttons["copy"].isChecked()
        assert review.context.changes.waiting == 3
        assert stored(review) == []
        other.execute("ROLLBACK")
    settled(qtbot, review)
    assert stored(review) == [("copy", "")]
    assert buttons["copy"].isChecked()
    history.undo()
    settled(qtbot, review)
    assert stored(review) == []


def test_the_verdict_key_works_while_a_pane_has_the_keyboard(qtbot: QtBot, review: ReviewView) -> None:
    review.context.actions.attach(review)
    review.activateWindow()
    review.pair.left.setFocus()
    qtbot.keyClick(review.pair.left, Qt.Key.Key_2)
    settled(qtbot, review)
    assert stored(review) == [("partial", "")]


def test_a_click_on_the_verdict_that_was_given_withdraws_it_and_its_key_does_not(
    qtbot: QtBot, review: ReviewView
) -> None:
    for _ in range(2):
        review.verdicts.ask("copy")
        settled(qtbot, review)
        assert stored(review) == [("copy", "")]
    review.evidence.verdict.buttons["copy"].click()
    settled(qtbot, review)
    assert stored(review) == []


def test_a_double_click_on_a_verdict_gives_it(qtbot: QtBot, review: ReviewView) -> None:
    double_click(qtbot, review.evidence.verdict.buttons["copy"])
    settled(qtbot, review)
    assert stored(review) == [("copy", "")]
    double_click(qtbot, review.evidence.verdict.buttons["copy"])
    settled(qtbot, review)
    assert stored(review) == []


def test_a_note_is_saved_when_another_match_is_opened(qtbot: QtBot, review: ReviewView) -> None:
    review.verdicts.ask("copy")
    settled(qtbot, review)
    review.evidence.verdict.note.setPlainText("同じ誤植がある")
    review.context.actions.run("review.next")
    settled(qtbot, review)
    assert stored(review) == [("copy", "同じ誤植がある")]
    review.context.actions.run("review.previous")
    settled(qtbot, review)
    assert review.evidence.verdict.note.toPlainText() == "同じ誤植がある"


@pytest.mark.usefixtures("no_pauses")
def test_a_note_is_saved_after_a_pause(qtbot: QtBot, review: ReviewView) -> None:
    review.evidence.verdict.note.setPlainText("later")
    with qtbot.waitSignal(review.evidence.verdict.noted):
        pass
    settled(qtbot, review)
    assert review.verdicts.match.events[-1].note == "later"
    assert review.context.history.undo_title() == "Note on match 1 of 題 s1 – 題 t1"


def test_the_threshold_filters_matches_suspects_and_counts_exactly(qtbot: QtBot, review: ReviewView) -> None:
    review.scores.set_threshold(30)
    settled(qtbot, review)
    assert review.pair.shown.tolist() == [0, 1]
    assert review.suspects.model.rowCount() == 1
    assert review.suspects.model.item(0).matches == 3
    assert "3 of 5" in [part.text() for part in review.scores.findChildren(QLabel)]
    review.scores.reset()
    assert review.pair.shown.tolist() == [0, 1, 2]
    assert review.suspects.model.rowCount() == 2


def test_lists_that_cannot_be_read_are_said_and_leave_a_screen_that_answers(
    qtbot: QtBot, context: AppContext, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workbench.gui.screens.review.pair_loader.read_overview", failing(UserError(Message("The run is gone.")))
    )
    with qtbot.waitSignal(context.notice) as notice:
        review.opening.load()
    assert notice.args == ["The run is gone.", "danger"]
    qtbot.waitUntil(review.is_ready)


def test_shares_that_cannot_be_counted_again_after_a_verdict_are_said(
    qtbot: QtBot, context: AppContext, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workbench.gui.screens.review.verdicts.follow_verdicts", failing(UserError(Message("The log is damaged.")))
    )
    for verdict in ("partial", "not-copy"):
        with qtbot.waitSignal(context.notice) as notice:
            review.verdicts.ask(verdict)
        assert notice.args == ["The log is damaged.", "danger"]


def failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_the_table_names_the_verdicts(qtbot: QtBot, review: ReviewView) -> None:
    review.verdicts.ask("partial")
    settled(qtbot, review)
    review.stepping.toggle_table()
    model = review.table.model
    at = next(i for i, column in enumerate(model.columns) if column.name == "verdict")
    assert sorted(model.index(row, at).data() for row in range(5)) == ["", "", "", "", "Partial"]


def test_however_many_sources_a_suspect_has_the_panels_keep_their_widths(review: ReviewView) -> None:
    widths = [panel.width() for panel in (review.suspects, review.pair, review.evidence)]
    assert review.pair.opened is not None
    first = review.pair.opened.sources[0]
    many = [replace(first, key=number, number=number, title="A long title of a source") for number in range(1, 6)]
    review.pair.strip.show_sources(many, 1)
    QApplication.processEvents()
    assert [panel.width() for panel in (review.suspects, review.pair, review.evidence)] == widths
    chips = review.pair.strip.chips
    assert len(chips) == len(many)
    assert all(chip.width() >= chip.minimumSizeHint().width() for chip in chips)


def test_buttons_of_sources_without_room_for_their_titles_are_in_the_menu(review: ReviewView) -> None:
    assert review.pair.opened is not None
    first = review.pair.opened.sources[0]
    many = [replace(first, key=n, number=n, title="Short" if n % 2 else "A very long title") for n in range(1, 6)]
    strip = review.pair.strip
    visible = {}
    for width in (900, 400, 240):
        strip.setFixedWidth(width)
        strip.show_sources(many, 5)
        for _ in range(3):
            QApplication.processEvents()
        chips = [chip for chip in strip.chips if chip.isVisible()]
        assert all(
            chip.width() >= chip.minimumSizeHint().width() and chip.geometry().right() <= width for chip in chips
        )
        assert strip.everything.isVisible() == (len(chips) < len(many))
        visible[width] = [chip.item.number for chip in chips]
    assert visible[900] == [1, 2, 3, 4, 5]
    assert visible[240] == [1, 5]
    assert [action.text()[:1] for action in strip.everything.menu().actions()] == ["1", "2", "3", "4", "5"]


def test_counting_the_marks_of_a_match_moves_no_text(qtbot: QtBot, review: ReviewView) -> None:
    review.resize(1000, 700)
    settled(qtbot, review)
    pair, tops = review.pair, []
    marks = [WordMark(MarkSort.NEW, Span(n, n + 1), None) for n in range(120)]
    for shown in (marks, None, [], marks):
        pair.show_words(shown)
        for _ in range(3):
            QApplication.processEvents()
        tops.append(pair.left.mapTo(pair, QPoint(0, 0)).y())
    assert pair.legend.isVisible()
    assert len(set(tops)) == 1


def test_layers_can_be_hidden(review: ReviewView) -> None:
    review.pair.toolbar.layers["symbols"].setChecked(False)
    assert review.pair.shown.tolist() == [0, 2]
    assert len(review.pair.left.marks) == 3
    review.pair.toolbar.layers["sources"].setChecked(False)
    assert len(review.pair.left.marks) == 2


def test_clicking_a_passage_of_another_source_opens_that_source(qtbot: QtBot, review: ReviewView) -> None:
    assert [chip.item.title for chip in review.pair.strip.chips] == ["題 t1", "題 t2"]
    left, outline = review.pair.left, review.pair.outline
    # Each in the colour of its button.
    assert [left.colour_of(number, 0) for number in (0, 1, 2)] == [left.mark_tokens.source(n) for n in (1, 1, 2)]
    assert outline is not None
    assert outline.place_named(4, (0, 1, 0, 1)) == -1
    with qtbot.waitSignal(review.ready):
        review.pair.left.activate_at(45)
    assert review.pair.opened is not None
    assert review.pair.opened.b.id == "t2"


def test_a_row_of_the_table_opens_its_match(qtbot: QtBot, review: ReviewView) -> None:
    review.stepping.toggle_table()
    columns = review.overview.columns
    assert columns is not None
    m = columns.matches
    row = int(np.flatnonzero((m.a == 1) & (m.b == 3) & (m.a_start == 200))[0])
    with qtbot.waitSignal(review.ready):
        review.table.opened.emit(row)
    assert review.pair.active == 2
    assert review.panels.centre.currentWidget() is review.pair


def test_selected_text_is_copied_unchanged(review: ReviewView) -> None:
    review.pair.left.select(0, 10)
    review.pair.left.copy()
    assert review.pair.opened is not None
    assert QGuiApplication.clipboard().text() == review.pair.opened.a.text[:10]


def test_find_begins_at_the_selected_occurrence(review: ReviewView) -> None:
    finder, left = review.pair.finder, review.pair.left
    at = left.lines.text.index("写していない", 100)
    left.select(at, at + 6)
    finder.open(left)
    assert finder.field.text() == "写していない"
    assert left.search_hits[0][left.current_hit] == at


def test_find_counts_both_panes_and_steps_round(review: ReviewView) -> None:
    review.pair.finder.open(review.pair.left)
    review.pair.finder.field.setText("写していない")
    assert len(review.pair.left.search_hits[0]) == 40
    assert review.pair.left.current_hit == 0
    starts, ends = review.pair.left.search_hits
    place = review.pair.left.cited(int(starts[0]), int(ends[0]))
    there = len(review.pair.right.search_hits[0])
    assert place
    assert review.pair.finder._count.text() == f"{place} · 1 of 40 here, {there} in the other pane"
    review.pair.finder.step(-1)
    assert review.pair.left.current_hit == 39
    review.pair.finder.field.setText("写していない ")
    assert len(review.pair.left.search_hits[0]) == 0


def test_shift_enter_finds_the_hit_before(qtbot: QtBot, review: ReviewView) -> None:
    finder, left = review.pair.finder, review.pair.left
    finder.open(left)
    finder.field.setText("写していない")
    shift = Qt.KeyboardModifier.ShiftModifier
    for key, modifiers, hit in ((Qt.Key.Key_Return, shift ^ shift, 1), (Qt.Key.Key_Enter, shift, 0)):
        qtbot.keyClick(finder.field, key, modifiers)
        assert left.current_hit == hit


def test_find_searches_the_texts_that_are_opened_meanwhile(qtbot: QtBot, review: ReviewView) -> None:
    finder, left = review.pair.finder, review.pair.left
    finder.open(left)
    finder.field.setText("写していない")
    review.opening.open_pair(review.overview.suspects[1].key, None)
    settled(qtbot, review)
    starts, _ = left.search_hits
    assert len(starts) == left.lines.text.count("写していない") > 0
    assert f"of {len(starts)} here" in finder._count.text()


def test_panes_can_be_swapped_and_the_keyboard_moves_between_them(qtbot: QtBot, review: ReviewView) -> None:
    review.activateWindow()
    review.pair.left.setFocus()
    review.context.actions.run("review.other-pane")
    qtbot.waitUntil(review.pair.right.hasFocus)
    review.context.actions.run("review.swap")
    assert review.pair.left.x() >= 0
    review.pair._grid.activate()
    assert review.pair.left.x() > review.pair.right.x()


def test_ribbons_lead_from_passage_to_passage_also_between_swapped_panes(qtbot: QtBot, review: ReviewView) -> None:
    pair = review.pair
    pair.go_to(0)  # at the start of the suspect and further down in the source
    for on_left, on_right in ((pair.left, pair.right), (pair.right, pair.left)):
        pair._grid.activate()
        assert on_left.x() < on_right.x()
        pair.ribbons.grab()
        numbers, corners = pair.ribbons._drawn
        [row] = np.flatnonzero(numbers == 0)
        assert row == len(numbers) - 1, "the active one is drawn over the others"
        starts = {pair.left: 0, pair.right: 200}
        tops = [view.lines.near_y(np.array([starts[view]]))[0] - view.top + 3 for view in (on_left, on_right)]
        assert corners[row, [0, 2]].tolist() == tops
        review.context.actions.run("review.swap")


def test_a_run_without_matches_says_what_was_left_out(qtbot: QtBot, context: AppContext, tmp_path: Path) -> None:
    build(tmp_path / "empty.palimpsest", [], {"segments that are too short": 7})
    view = opened(qtbot, context, tmp_path / "empty.palimpsest")
    words = " ".join(part.text() for part in view.panels.currentWidget().findChildren(QLabel))
    assert "found no matches" in words
    assert "segments that are too short (7)" in words


def test_panels_that_the_user_did_not_size_fit_the_next_window(qtbot: QtBot, review: ReviewView) -> None:
    assert "sizes" not in review.save_state()
    review.restore_state({"sizes": [260, 700, 270]})
    assert "sizes" in review.save_state()


def test_panels_keep_the_size_that_the_user_gives_them(qtbot: QtBot, review: ReviewView) -> None:
    wide = review.panels.suspects.width()
    handle = review.panels.body.handle(1)
    at = handle.rect().center()
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(handle, at + QPoint(40, 0))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=at + QPoint(40, 0))
    wider = review.save_state()["sizes"][0]
    assert wider > wide
    review.resize(1200, 800)
    assert review.save_state()["sizes"][0] == wider


def test_texts_that_follow_each_other_are_put_where_each_was(review: ReviewView) -> None:
    pair = review.pair
    for pane in (pair.left, pair.right):
        pane.set_size(40)
    assert pair.sync.on
    for left, right in ((0.0, 400.0), (400.0, 0.0)):
        pair.show_places(left, right)
        for pane, place in ((pair.left, left), (pair.right, right)):
            first, end = pane.visible_offsets()
            assert first <= place < end


def test_the_place_is_taken_up_again(qtbot: QtBot, review: ReviewView, context: AppContext) -> None:
    review.open(1, 2)
    qtbot.waitUntil(lambda: review.pair.opened is not None and review.pair.opened.a.id == "s2")
    settled(qtbot, review)
    state = review.save_state()
    other = ReviewView(context)
    list(other.pieces)
    qtbot.addWidget(other)
    other.restore_state(state)
    with qtbot.waitSignal(other.ready):
        other.load()
    qtbot.waitUntil(lambda: other.pair.opened is not None)
    assert other.pair.opened is not None
    assert other.pair.opened.a.id == "s2"


def test_a_run_that_is_read_while_a_filter_hides_every_suspect_opens_its_first(
    qtbot: QtBot, review: ReviewView
) -> None:
    panel = review.suspects
    panel.filter.setText("no such title")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 0)
    review.pair.opened = None
    review.load()
    settled(qtbot, review)
    assert review.pair.opened is not None
    assert review.pair.opened.a.id == "s1"
    assert panel.current_key() is None


def test_the_open_suspect_is_selected_again_when_a_filter_shows_it_again(qtbot: QtBot, review: ReviewView) -> None:
    assert review.pair.opened is not None
    key, panel = review.pair.opened.a.key, review.suspects
    for hide, left in (("no such title", None), ("S2", 2)):
        panel.filter.setText(hide)
        qtbot.waitUntil(lambda: panel.current_key() == left)  # noqa: B023
        panel.filter.setText("")
        qtbot.waitUntil(lambda: panel.current_key() == key)
        settled(qtbot, review)
    panel.chips["copy"].click()
    assert panel.current_key() is None
    review.load()
    settled(qtbot, review)
    panel.chips[""].click()
    assert panel.current_key() == key
    assert review.pair.opened.a.key == key


def test_the_open_suspect_stays_whole_when_its_list_loses_room(qtbot: QtBot, review: ReviewView) -> None:
    suspects = review.suspects
    review.open(review.overview.run.id, 2)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: review.is_ready() and suspects.current_key() == 2)
    suspects.list.setMaximumHeight(suspects.list.sizeHintForRow(0) + 20)

    def is_whole() -> bool:
        row, room = suspects.list.visualRect(suspects.list.currentIndex()), suspects.list.viewport().rect()
        return room.height() < 2 * row.height() and room.contains(row)

    qtbot.waitUntil(is_whole, timeout=5000)


def test_that_another_program_removed_the_shown_run_is_no_error(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    context.change(lambda session: remove_runs(session, [1]), 0)
    context.announce({"runs", "matches"})
    review.follow(frozenset({"runs", "matches"}))
    qtbot.waitUntil(lambda: review.overview.run is None and not context.reads.pending)
    assert not sentences
