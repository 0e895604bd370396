"""An item listed in Evaluate is the one that Review opens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.project_files import build_once
from workbench.base.types import Document, DocumentScore, Label, Matches, Results, Role, Span
from workbench.gui.screens.evaluate.view import EvaluateView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell.app import Controller
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.sets import LABEL_SET, PAIR_LABELS
from workbench.services.labels.targets import TargetKind, document_target, pair_target, passage_target
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold
from workbench.services.session import Session, create

NAMES = ("thesis", "paper", "essay", "book", "atlas")
"""Three suspects (keys 1 to 3) and two sources (4 and 5), which come before them in the alphabet."""
ROWS = [(1, 4, 0, 20, 20.0), (1, 4, 40, 70, 30.0), (2, 5, 0, 20, 25.0)]
MATCHED, SCORED, BOTH = 1, 2, 3


@build_once
def build(path: Path) -> None:
    """Run 1 has matches, run 2 scores, run 3 both; labels of documents, pairs and passages."""
    create(path)
    table = np.array(ROWS)
    a, b, start, end = (table[:, at].astype(np.int64) for at in range(4))
    matches = Matches(a, b, start, end, start, end, table[:, 4], np.zeros(len(ROWS), np.int8), {"segments": end})
    scores = tuple(DocumentScore(key, value, {}) for key, value in ((1, 9.0), (2, 8.0), (3, 1.0)))
    with Session(path) as session, session.write() as connection:
        roles = [Role.SUSPECT] * 3 + [Role.SOURCE] * 2
        add_documents(
            connection, [Document(n, f"{n}。" + "文である。" * 20, r) for n, r in zip(NAMES, roles, strict=True)]
        )
        results = (Results(matches), Results(scores=scores), Results(matches, scores=scores))
        for method, result in zip(("digest", "splog", "copied-strings"), results, strict=True):
            run = begin_run(connection, method, 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, result, documents=3)
            finish_run(connection, run.id)
        pairs = {("thesis", "book"): "duplicate", ("paper", "atlas"): "different", ("essay", "book"): "duplicate"}
        labels = [Label(pair_target(*pair), value, "anna", "", label_set=PAIR_LABELS) for pair, value in pairs.items()]
        for name, value in (("thesis", "splog"), ("paper", "blog"), ("essay", "splog")):
            labels.append(Label(document_target(name), value, "anna", "", label_set="class"))
        for row, value in zip(ROWS, ("copy", "not-copy", "copy"), strict=True):
            span = Span(int(row[2]), int(row[3]))
            target = passage_target(NAMES[row[0] - 1], span, NAMES[row[1] - 1], span)
            labels.append(Label(target, value, "anna", "", label_set=LABEL_SET))
        add_labels(connection, labels)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    build(path)
    return path


def evaluated(qtbot: QtBot, controller: Controller, run: int, labels: str) -> EvaluateView:
    """Evaluate, with ``run`` measured against the set ``labels``."""
    controller.window.show_view("evaluate")
    view = controller.window.view("evaluate")
    assert isinstance(view, EvaluateView)
    view.open(run)
    settle(qtbot, controller)
    view.head.sets.activated.emit(view.head.sets.findData(labels))
    settle(qtbot, controller)
    assert view.scored is not None
    assert (view.scored.run.id, view.scored.chosen.label_set) == (run, labels)
    return view


def open_item(qtbot: QtBot, controller: Controller, view: EvaluateView, row: int) -> ReviewView:
    """Review, after item ``row`` was opened."""
    view.curves.items.opened.emit(row)
    settle(qtbot, controller)
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    assert controller.window.current == "review"
    return review


def test_pairs_are_opened_as_listed_with_the_suspect_first_also_the_missed_ones(
    start: Start, case: Path, qtbot: QtBot
) -> None:
    controller = start(case, "evaluate")
    view = evaluated(qtbot, controller, MATCHED, PAIR_LABELS)
    view.curves.set_brush((0.0, 99.0))
    view.curves.list_items()
    items = view.curves.items.model
    listed = [tuple(items.index(row, side).data() for side in (0, 1)) for row in range(items.rowCount())]
    assert listed == [("thesis", "book"), ("paper", "atlas")]
    assert view.curves.items.note.text() == "2 pairs"
    for row, names in enumerate([*listed, ("essay", "book")]):
        opened = open_item(qtbot, controller, view, row).pair.opened
        assert opened is not None
        assert (opened.a.id, opened.b.id) == names


def test_items_are_sorted_by_the_titles_of_their_documents(start: Start, case: Path, qtbot: QtBot) -> None:
    controller = start(case, "evaluate")
    for run, labels, rows in ((MATCHED, PAIR_LABELS, 2), (SCORED, "class", 3)):
        view = evaluated(qtbot, controller, run, labels)
        view.curves.set_brush((0.0, 99.0))
        view.curves.list_items()
        items = view.curves.items.model
        for side in range(2):
            for order in Qt.SortOrder:
                items.sort(side, order)
                titles = [items.index(row, side).data() for row in range(items.rowCount())]
                assert titles == sorted(titles, reverse=order is Qt.SortOrder.DescendingOrder)
                assert len(titles) == rows


def test_passages_are_opened_at_their_place(start: Start, case: Path, qtbot: QtBot) -> None:
    controller = start(case, "documents")
    for row, limits in enumerate([(40, 70, 40, 70), (0, 20, 0, 20), (0, 20, 0, 20)]):
        view = evaluated(qtbot, controller, MATCHED, LABEL_SET)
        review = open_item(qtbot, controller, view, row)
        opened = review.pair.opened
        assert opened is not None
        assert (opened.a.id, opened.limits(review.pair.active)) == (("thesis", "paper", "thesis")[row], limits)


def test_documents_are_opened_by_score_also_below_the_threshold_in_use(start: Start, case: Path, qtbot: QtBot) -> None:
    both = (0.1, 0.9)
    used = UsedThreshold(
        "splog", TargetKind.DOCUMENT, 5.0, SCORED, "class", 3, 0.5, 0.5, 0.5, both, both, corrected=False
    )
    with Session(case) as session:
        use_threshold(session, used)
    controller = start(case, "documents")
    for row in (1, 2, 0):
        view = evaluated(qtbot, controller, SCORED, "class")
        listed = open_item(qtbot, controller, view, row).panels.other.scores
        assert listed.isVisible()
        assert listed.table.chosen_keys() == [row + 1]
        assert listed.pane.document is not None
        assert listed.pane.document.key == row + 1


def test_the_list_shows_the_opened_document_however_low_its_score(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "many.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"d{at}", f"{at}。" + "文である。" * 9, Role.SUSPECT) for at in range(99)])
        run = begin_run(connection, "splog", 1, {}, "00", 1)
        scores = tuple(DocumentScore(key, 100.0 - key, {}) for key in range(1, 100))
        finish_chunk(connection, run.id, 0, Results(scores=scores), documents=99)
        finish_run(connection, run.id)
        values = {"d0": "splog", "d97": "splog", "d98": "blog"}
        add_labels(connection, [Label(document_target(n), v, "a", "", label_set="class") for n, v in values.items()])
    controller = start(path, "documents")
    view = evaluated(qtbot, controller, 1, "class")
    table = open_item(qtbot, controller, view, 98).panels.other.scores.table
    assert table.chosen_keys() == [99]
    qtbot.waitUntil(lambda: table.viewport().rect().contains(table.visualRect(table.currentIndex()).center()))


def test_a_document_without_matches_is_opened_by_its_score(start: Start, case: Path, qtbot: QtBot) -> None:
    controller = start(case, "documents")
    for row, name in ((2, ""), (0, "thesis")):
        view = evaluated(qtbot, controller, BOTH, "class")
        review = open_item(qtbot, controller, view, row)
        assert review.panels.other.scores.isVisible() == (not name)
        if name:
            assert review.pair.opened is not None
            assert review.pair.opened.a.id == name
        else:
            assert review.panels.other.scores.table.chosen_keys() == [3]


def test_a_document_in_which_nothing_was_found_is_not_replaced_unsaid(start: Start, case: Path, qtbot: QtBot) -> None:
    controller = start(case, "documents")
    view = evaluated(qtbot, controller, MATCHED, "class")
    assert view.scored is not None
    assert view.scored.identity(int(view.scored.a[2])) == "essay"
    open_item(qtbot, controller, view, 2)
    assert controller.window.banner.isVisible()
    assert "found nothing in the requested document" in controller.window.banner.text.text()
