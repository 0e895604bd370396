"""Marks on the words of an altered match: in the panes, in the quotes, and their legend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot
from review_case import matches_of, opened, settled

from workbench.base.errors import UserError
from workbench.base.types import Document, Results, Role
from workbench.gui.document.marks import within
from workbench.gui.kit.cues import draw_difference
from workbench.gui.problems import painting
from workbench.gui.screens.review.mark_looks import word_look
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.tokens import DARK, LIGHT, Tokens
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.word_marks import MarkSort
from workbench.services.session import Session, create

A = "昨日は各地で大雨警報が出た。新しい橋が落ちたという。"
B = "今日も各地で大雨警報が出る。古い橋が落ちたらしい。"


@pytest.fixture
def review(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review at a suspect with an altered match and an exact one."""
    path = tmp_path / "words.palimpsest"
    create(path)
    same = "ここは写した文である。"
    documents = [
        Document("s", A + "間に立つ文。" + same, role=Role.SUSPECT, language="ja"),
        Document("t", B + "別の文が立つ。" + same, role=Role.SOURCE, language="ja"),
    ]
    starts = [d.text.index(same) for d in documents]
    rows = [
        (1, 2, 0, len(A), 0, len(B), 30.0, 2),
        (1, 2, starts[0], starts[0] + len(same), starts[1], starts[1] + len(same), 20.0, 0),
    ]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "copies", 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
    view = opened(qtbot, context, path)
    qtbot.waitUntil(lambda: not view.words.waiting)
    return view


def shown(review: ReviewView, kind: str) -> tuple[list[str], list[str]]:
    """Texts marked as ``kind`` in the suspect's and the source's pane."""
    views = (review.pair.left, review.pair.right)
    left, right = ([v.lines.text[s:e] for s, e, k in v.differences if k == kind] for v in views)
    return left, right


def test_words_of_an_altered_match_are_marked_whole_on_both_sides(review: ReviewView) -> None:
    phrase = shown(review, "phrase")
    assert "各地で大雨警報が出" in phrase[0]
    assert phrase[0] == phrase[1]
    assert review.pair.left.in_words
    review.pair.left.set_caret(A.index("大雨"))
    assert word_look(MarkSort.PHRASE).words in review.pair.left.accessibleDescription()
    assert shown(review, "deleted")[0] == []
    assert shown(review, "inserted")[1] == []


def test_an_exact_match_and_a_layer_switched_off_show_no_marks(review: ReviewView, qtbot: QtBot) -> None:
    marks = review.pair.words
    review.pair.go_to(1)
    assert review.pair.words is None
    assert not review.pair.left.in_words
    review.pair.go_to(0)
    assert review.pair.words == marks
    review.pair.toolbar.layers["words"].setChecked(False)
    assert review.pair.words is None
    assert not review.pair.legend.isVisible()
    assert {kind for *_, kind in review.pair.left.differences} <= {"inserted", "replaced"}
    review.pair.toolbar.layers["words"].setChecked(True)
    settled(qtbot, review)
    assert review.pair.words == marks
    assert review.pair.legend.isVisible()


def test_nothing_is_marked_while_the_words_are_not_known(
    review: ReviewView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested = []
    monkeypatch.setattr(review.context, "aside", lambda *arguments, **named: requested.append(named))
    review.words._known.clear()
    review.pair.go_to(0)
    qtbot.waitUntil(lambda: review.pair.edits is not None)
    assert review.pair.left.differences == []
    qtbot.waitUntil(lambda: review.evidence.edits_text() == "Comparing…")
    requested[0]["failed"](UserError("It did not work."))
    assert review.pair.left.differences != []
    qtbot.waitUntil(lambda: review.evidence.edits_text() != "Comparing…")


def test_legend_and_evidence_say_in_words_how_many_marks_there_are(review: ReviewView) -> None:
    marks = review.pair.words
    assert marks is not None
    count = sum(mark.sort is MarkSort.PHRASE for mark in marks)
    words = word_look(MarkSort.PHRASE).words
    assert f"{words} {count}" in review.evidence.edits_text()
    assert f"{words} {count}" in review.pair.legend.text()


def test_the_legend_of_a_translation_offers_no_marks_on_words(review: ReviewView) -> None:
    toolbar = review.pair.toolbar
    assert toolbar.layers["altered"].words() == "Altered   1"
    toolbar.show_counts((0, 0, 1), 0, ignored=False, regions=0, translated=True)
    assert toolbar.layers["altered"].words() == "In another language   1"
    assert not toolbar.offers("words")
    assert not toolbar.offers("differences")


def test_the_legend_calls_no_passage_in_recognised_text_exact(review: ReviewView) -> None:
    toolbar = review.pair.toolbar
    toolbar.show_counts((0, 2, 0), 0, ignored=False, regions=0, translated=False, recognised=True)
    assert toolbar.layers["symbols"].words() == "The same as read from a picture   2"
    toolbar.show_counts((0, 2, 0), 0, ignored=False, regions=0, translated=False)
    assert toolbar.layers["symbols"].words() == "Exact ignoring symbols and spaces   2"


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_sort_has_a_cue_beside_its_colour(qtbot: QtBot, tokens: Tokens) -> None:
    """Drawn in one colour, no two sorts look alike."""
    pictures = []
    for sort in MarkSort:
        image = QImage(40, 24, QImage.Format.Format_ARGB32)
        image.fill(tokens.surface)
        with painting(image) as painter:
            draw_difference(painter, QRectF(4, 4, 30, 14), word_look(sort).kind, tokens)
        grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
        rows = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), -1)[:, :40].astype(int)
        ground = rows[0, 0]
        pictures.append(abs(rows - ground) > 0.6 * abs(rows - ground).max())
    for i, one in enumerate(pictures):
        assert all((one != other).sum() > 10 for other in pictures[:i])


def test_only_what_is_in_a_piece_is_drawn_there() -> None:
    marks = [(0, 3, "word"), (3, 8, "phrase"), (9, 12, "word"), (20, 22, "word")]
    assert within(marks, 3, 9) == [(3, 8, "phrase")]
    assert within(marks, 7, 10) == [(3, 8, "phrase"), (9, 12, "word")]
    assert within(marks, 12, 20) == []
