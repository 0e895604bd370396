"""One verdict on many passages, verdicts without a passage, assignments, and runs that are out of date."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from review_case import ROWS, matches_of, settled

from workbench.base.types import Document, Results, Role, Span
from workbench.gui.screens.review.run_dialogs import AssignDialog, UnmatchedDialog, UnplacedDialog
from workbench.gui.screens.review.suspect_list import MINE
from workbench.gui.screens.review.view import ReviewView
from workbench.project.documents import add_documents, delete_documents, load_document
from workbench.project.imports import begin_batch, finish_batch
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.by_hand import add


def still(qtbot: QtBot, review: ReviewView) -> None:
    qtbot.waitUntil(lambda: not review.context.changes.waiting)
    settled(qtbot, review)


def values(review: ReviewView) -> list[str]:
    """What was said of each match of ROWS, in their order."""
    columns, judged = review.overview.columns, review.overview.judged
    assert columns is not None
    assert judged is not None
    return [judged.value(columns.row_of(r[0], r[1], (r[2], r[3], r[4], r[5]))) for r in ROWS]


def choose(review: ReviewView, start: str, verdict: str) -> None:
    """Choose from the menu of many passages what begins with ``start``, then the verdict."""
    menu = review.bulk.menu(review)
    part: Any = next(action.menu() for action in menu.actions() if action.text().startswith(start))
    next(action for action in part.actions() if action.text() == verdict).trigger()
    menu.close()


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("All below", ["", "", "copy", "", "copy"]),
        ("All of “題 t1” in this suspect", ["copy", "copy", "copy", "", ""]),
        ("All of “題 t1” in every suspect", ["copy", "copy", "copy", "", ""]),
        # The texts repeat one sentence of 16 characters; only the first passage begins with the title.
        ("All with", ["copy", "", "", "", ""]),
    ],
)
def test_many_passages_get_one_verdict_and_one_undo(
    qtbot: QtBot, review: ReviewView, start: str, expected: list[str]
) -> None:
    review.scores.set_threshold(25)
    settled(qtbot, review)
    choose(review, start, "Copy")
    still(qtbot, review)
    qtbot.waitUntil(lambda: values(review) == expected)
    review.context.history.undo()
    still(qtbot, review)
    qtbot.waitUntil(lambda: values(review) == [""] * 5)


def test_passages_with_the_same_text_are_judged_together(qtbot: QtBot, review: ReviewView) -> None:
    columns = review.overview.columns
    assert columns is not None
    from workbench.services.review.either_side import like

    assert review.context.session is not None
    for row in range(5):
        m = columns.matches
        same = []
        for other in range(5):
            texts = []
            for at in (row, other):
                document = {1: "s1", 2: "s2"}[int(m.a[at])] + "。" + "ここは誰も写していない文である。" * 40
                texts.append(document[int(m.a_start[at]) : int(m.a_end[at])])
            if texts[0] == texts[1]:
                same.append(other)
        assert like(review.context.session, columns, row).tolist() == same


def rerun(review: ReviewView, rows: list[tuple[int, int, int, int, int, int, float, int]]) -> None:
    session = review.context.session
    assert session is not None
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "01", 1)
        finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=2)
    with session.write() as connection:
        finish_run(connection, run.id)
    review.open(run.id, 0)


def test_verdicts_without_a_passage_are_listed_and_attached_by_hand(qtbot: QtBot, review: ReviewView) -> None:
    review.context.actions.run("review.last")
    settled(qtbot, review)
    review.context.actions.run("review.verdict-copy")
    settled(qtbot, review)
    rerun(review, [(1, 3, 400, 460, 300, 360, 60.0, 1)])
    qtbot.waitUntil(lambda: review.overview.run is not None and review.overview.run.id == 2)
    settled(qtbot, review)
    assert review.suspects.unplaced.text_whole() == "1 verdict without a passage in this run"
    review.dialogs.show_unplaced()
    dialog = review.findChildren(UnplacedDialog)[-1]
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 1)
    assert dialog.model.index(0, 4).data() == "A. Reader: Copy"
    assert dialog.attach.isEnabled()
    dialog.attach.click()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 0)
    dialog.accept()
    settled(qtbot, review)
    assert review.evidence.verdict.buttons["copy"].isChecked()
    assert review.evidence.verdict.carried.isVisibleTo(review)
    assert review.suspects.unplaced.isHidden()
    review.context.history.undo()
    settled(qtbot, review)
    assert not review.evidence.verdict.buttons["copy"].isChecked()


def test_a_passage_added_by_hand_is_listed_when_its_text_is_gone_and_can_be_withdrawn(
    qtbot: QtBot, review: ReviewView
) -> None:
    session = review.context.session
    assert session is not None
    with session.read() as connection:
        a, b = load_document(connection, 1), load_document(connection, 3)
    add(session, a, Span(300, 340), b, Span(100, 140), "A. Reader")
    with session.write() as connection:
        delete_documents(connection, [3])
        add_documents(connection, [Document(b.id, "Quite another text now. " * 20, Role.SOURCE, title=b.title)])
    rerun(review, [(1, 4, 10, 50, 0, 40, 30.0, 0)])
    qtbot.waitUntil(lambda: review.overview.run is not None and review.overview.run.id == 2)
    settled(qtbot, review)
    assert review.suspects.unplaced.text_whole() == "1 added passage whose text is gone"
    review.dialogs.show_unplaced()
    dialog = review.findChildren(UnplacedDialog)[-1]
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 1)
    assert dialog.model.index(0, 4).data() == "A. Reader: added by hand"
    assert a.text[300:340] in dialog._texts.text()
    dialog.attach.click()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 0)
    review.context.history.undo()
    dialog.read()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 1)
    dialog.accept()


def test_a_passage_that_grew_has_its_verdict_carried_over(qtbot: QtBot, review: ReviewView) -> None:
    review.context.actions.run("review.verdict-copy")
    settled(qtbot, review)
    rerun(review, [(1, 3, 0, 80, 200, 280, 80.0, 0)])
    qtbot.waitUntil(lambda: review.overview.run is not None and review.overview.run.id == 2)
    settled(qtbot, review)
    assert review.evidence.verdict.buttons["copy"].isChecked()
    assert review.evidence.verdict.carried.text() == "Carried over, boundaries changed"
    assert review.evidence.verdict.carried.isVisibleTo(review)
    assert review.suspects.unplaced.isHidden()
    review.context.actions.run("review.verdict-copy")
    settled(qtbot, review)
    assert not review.evidence.verdict.carried.isVisibleTo(review)


def test_documents_imported_after_the_run_make_it_out_of_date(qtbot: QtBot, review: ReviewView) -> None:
    assert review.suspects.newer.isHidden()
    session = review.context.session
    assert session is not None
    with session.write() as connection:
        batch = begin_batch(connection)
        add_documents(connection, [Document("t3", "新しい。" * 20, Role.SOURCE)], batch)
        finish_batch(connection, batch)
    wanted: list[object] = []
    review.context.resume_requested.connect(wanted.append)
    review.context.announce({"documents"})
    qtbot.waitUntil(lambda: not review.suspects.newer.isHidden())
    assert review.suspects.newer.text_whole().startswith("Out of date: this run does not cover 1 document.")
    review.suspects.newer.click()
    assert wanted == [review.overview.run]


def test_suspects_are_assigned_only_to_somebody(review: ReviewView) -> None:
    review.dialogs.assign()
    dialog = review.findChildren(AssignDialog)[-1]
    assign = next(button for button in dialog.findChildren(QPushButton) if button.isDefault())
    allowed = []
    for name in ("Ann", " ", "Ben"):
        dialog.name.setText(name)
        allowed.append(assign.isEnabled())
    assert allowed == [True, False, True]
    dialog.reject()


def test_assigned_suspects_are_filtered(qtbot: QtBot, review: ReviewView) -> None:
    review.dialogs.assign()
    dialog = review.findChildren(AssignDialog)[-1]
    dialog.count.setValue(1)
    dialog._assign()
    qtbot.waitUntil(lambda: len(review.overview.assigned) == 1)
    settled(qtbot, review)
    review.suspects.set_state(MINE)
    assert review.suspects.model.rowCount() == 1
    assert frozenset(review.suspects.model.key_at(0) for _ in range(1)) == review.overview.assigned
    review.context.history.undo()
    still(qtbot, review)
    review.load()
    qtbot.waitUntil(lambda: not review.overview.assigned)


def test_a_selection_in_both_texts_becomes_a_match_and_undo_takes_it_back(qtbot: QtBot, review: ReviewView) -> None:
    review.context.changed.connect(review.follow)
    run = review.context.actions.run
    sentences: list[str] = []
    review.context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    run("review.add")
    assert sentences == ["Select the passage in both texts first: it becomes a match."]
    review.pair.left.select(300, 316)
    review.pair.right.select(420, 436)
    run("review.add")
    still(qtbot, review)
    qtbot.waitUntil(lambda: review.pair.opened is not None and len(review.pair.opened.matches) == 4)
    still(qtbot, review)
    assert review.pair.opened is not None
    assert review.pair.opened.limits(review.pair.active) == (300, 316, 420, 436)
    run("review.verdict-copy")
    still(qtbot, review)
    assert review.suspects.model.item(0).verdict_counts == (("copy", 1),)
    review.context.history.undo()
    review.context.history.undo()
    still(qtbot, review)
    qtbot.waitUntil(lambda: review.pair.opened is not None and len(review.pair.opened.matches) == 3)


def test_suspects_without_a_match_are_listed(qtbot: QtBot, review: ReviewView) -> None:
    assert review.suspects.unmatched.isHidden()
    session = review.context.session
    assert session is not None
    with session.write() as connection:
        add_documents(connection, [Document("s3", "誰とも重ならない。" * 9, Role.SUSPECT, title="無関係")])
    review.context.announce({"documents"})
    qtbot.waitUntil(lambda: not review.suspects.unmatched.isHidden())
    assert review.suspects.unmatched.text_whole() == "1 suspect without a match"
    review.suspects.unmatched.click()
    dialog = review.findChildren(UnmatchedDialog)[-1]
    qtbot.waitUntil(lambda: dialog.pane.document is not None)
    assert (dialog.model.index(0, 0).data(), dialog.pane.document.id) == ("無関係", "s3")
    dialog.accept()
