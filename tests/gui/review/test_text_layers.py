"""Layers with words at any width: what is quoted, what other documents hold, what was compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QColor, QHelpEvent, QTextCharFormat
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from review_case import matches_of, opened, settled

from workbench.base.types import Document, Results, Role
from workbench.gui.document.marks import Marks
from workbench.gui.screens.review.layers import spread_notes
from workbench.gui.screens.review.questions import ElsewhereDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

COMMON = "どの文書にもよくある長い決まり文句である。"
QUOTED = "「引用された言葉がここに長く続いている」と書いてあった。"
OWN = "ＡＢＣとＸＹＺのこの文はほかのどこにもない。"


@pytest.fixture
def layered(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review of a suspect with a quotation and a phrase that three others hold beside its source."""
    path = tmp_path / "layers.palimpsest"
    create(path)
    texts = {"s": COMMON + QUOTED + OWN, "t": COMMON + "出典の文である。", "u1": COMMON, "u2": COMMON, "u3": COMMON}
    roles = {"s": Role.SUSPECT}
    documents = [
        Document(name, text, role=roles.get(name, Role.SOURCE), title=name, language="ja")
        for name, text in texts.items()
    ]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "digest", 1, {}, "00", 1)
            rows = [(1, 2, 0, len(COMMON), 0, len(COMMON), 40.0, 0)]
            finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
    return opened(qtbot, context, path)


def test_what_is_quoted_is_hatched_and_says_why(qtbot: QtBot, layered: ReviewView) -> None:
    view = layered.pair.left
    (note,) = view.notes["cited"]
    start = len(COMMON)
    assert start <= note.start < note.end <= start + len(QUOTED)
    assert note.words.startswith("Quotation: ")
    place = view.lines.boxes(0, note.start + 1, note.start + 2)[0].center().toPoint() + QPoint(view.gutter, 0)
    QApplication.sendEvent(view.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, view.mapToGlobal(place)))
    assert note.words in QToolTip.text()
    view.set_caret(note.start + 1)
    assert note.words in view.accessibleDescription()
    layered.pair.toolbar.layers["cited"].setChecked(False)
    assert not view.notes["cited"]


def test_sentences_that_others_hold_have_a_bar_by_how_many(qtbot: QtBot, layered: ReviewView) -> None:
    toolbar, pair = layered.pair.toolbar, layered.pair
    assert "spread" not in toolbar.shown_layers()
    toolbar.layers["spread"].setChecked(True)
    qtbot.waitUntil(lambda: bool(pair.left.notes.get("spread")) and bool(pair.right.notes.get("spread")))
    (note,) = pair.left.notes["spread"]
    assert (note.start, note.end, note.level) == (0, len(COMMON), 2)
    assert note.words == "In 3 other documents as well"
    pair.left.set_marks(Marks.empty())
    pair.left.activate_at(2)
    dialog = layered.window().findChild(ElsewhereDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 4)
    dialog.close()
    toolbar.layers["spread"].setChecked(False)
    assert not pair.left.notes["spread"]


def test_levels_follow_the_number_of_documents() -> None:
    spans = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    notes = spread_notes(spans, [0, 1, 2, 9, 10])
    assert [(note.start, note.level) for note in notes] == [(1, 1), (2, 2), (3, 2), (4, 3)]


def test_the_compared_text_is_shown_in_place_of_the_text(qtbot: QtBot, layered: ReviewView) -> None:
    view = layered.pair.left
    layered.pair.toolbar.layers["compared"].setChecked(True)
    settled(qtbot, layered)
    qtbot.waitUntil(lambda: not layered.context.asides.pending)
    piece = view.lines.piece(0)
    at = (COMMON + QUOTED + OWN).index("ＡＢＣ")
    assert piece.layout.text()[at : at + 3] == "abc"
    assert view.lines.text[at : at + 3] == "ＡＢＣ"
    struck = [f.start for f in piece.layout.formats() if f.format.fontStrikeOut()]
    assert len(COMMON) - 1 in struck
    dotted = QTextCharFormat.UnderlineStyle.DotLine
    assert at in {f.start for f in piece.layout.formats() if f.format.underlineStyle() == dotted}
    layered.pair.toolbar.layers["compared"].setChecked(False)
    assert view.lines.piece(0).layout.text()[at] == "Ａ"


def test_layers_are_named_at_any_width(qtbot: QtBot, layered: ReviewView) -> None:
    toolbar = layered.pair.toolbar
    for width in (960, 1_180, 2_400):
        layered.resize(width, 700)
        qtbot.waitUntil(lambda wide=width: layered.width() == wide)
        for button in toolbar.layers.values():
            assert button.isHidden() or button._words.isVisible()
        menu = toolbar.more.menu()
        menu.aboutToShow.emit()
        marks = {True: "✓", False: "\u2007"}
        assert [action.text() for action in menu.actions()] == [
            f"{marks[button.isChecked()]}  {button.words()}"
            for name, button in toolbar.layers.items()
            if toolbar.offers(name)
        ]
    assert not toolbar.layers["exact"].isHidden()
    (spread,) = [action for action in menu.actions() if action.text().endswith("What was compared")]
    spread.setChecked(True)
    assert "compared" in toolbar.shown_layers()
    settled(qtbot, layered)


def test_the_rest_of_a_mark_that_begins_above_the_view_is_drawn(qtbot: QtBot, review: ReviewView) -> None:
    review.resize(900, 420)
    settled(qtbot, review)
    view = review.pair.left
    row = int(np.argmax(view.marks.end - view.marks.start))
    start, end = int(view.marks.start[row]), int(view.marks.end[row])
    index = view.lines.piece_at(start)
    top = float(view.lines.tops[index])
    first, *_, last = view.lines.boxes(index, start, end)[:4]
    view.verticalScrollBar().setValue(round(top + first.bottom()) + 2)
    assert view.top > top + first.bottom()
    image = view.viewport().grab().toImage()
    y = round(top + last.center().y() - view.top)
    across = [image.pixelColor(round(view.left + x), y) for x in np.linspace(last.left() + 2, last.right() - 2, 40)]
    assert sum(colour == QColor(view.tokens.surface) for colour in across) < 10


def test_layers_come_back_with_the_session(layered: ReviewView) -> None:
    toolbar = layered.pair.toolbar
    toolbar.layers["compared"].setChecked(True)
    toolbar.layers["cited"].setChecked(False)
    state = layered.save_state()
    toolbar.layers["compared"].setChecked(False)
    toolbar.layers["cited"].setChecked(True)
    layered.restore_state(state)
    assert "compared" in toolbar.shown_layers()
    assert "cited" not in toolbar.shown_layers()
    layered.restore_state({"hidden": [{"a": 1}, 3, "nothing"], "layers": "x"})
