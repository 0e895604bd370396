"""Review of runs without passages: pairs of whole documents, and documents with scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from review_case import opened

from workbench.base.types import Document, DocumentScore, PairScore, Results, Role
from workbench.gui.judging.evidence_words import figure_name, pair_words
from workbench.gui.kit.figures import FigureBar
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.methods.splog.weights import Weights
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.session import Session, create

PAIRS = (
    PairScore(1, 3, 0.5, 0.5, 0.75, evidence={"shared": 30, "containment_b": 0.6}),
    PairScore(1, 4, 0.9, 0.9, 0.95, evidence={"shared": 80, "containment_b": 0.9}),
    PairScore(2, 4, 0.25, 0.25, None, evidence={"shared": 9, "containment_b": 0.3}),
)
SCORES = (
    DocumentScore(1, 12.0, {"templates": 2, "longest": 9}),
    DocumentScore(2, 40.0, {"templates": 7, "longest": 30}),
)


def build(path: Path, method: str, results: Results, settings: Mapping[str, str] | None = None) -> None:
    create(path)
    names = (("s1", Role.SUSPECT), ("s2", Role.SUSPECT), ("t1", Role.SOURCE), ("t2", Role.SOURCE))
    with Session(path) as session:
        with session.write() as connection:
            add_documents(
                connection, [Document(n, f"{n}。" + "文である。" * 90, role=r, language="ja") for n, r in names]
            )
            run = begin_run(connection, method, 1, settings or {}, "00", 1)
            finish_chunk(connection, run.id, 0, results, documents=2)
        with session.write() as connection:
            finish_run(connection, run.id)


@pytest.fixture
def whole(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review of a run with three pairs and no passage."""
    build(tmp_path / "whole.palimpsest", "minhash", Results(pairs=PAIRS))
    return opened(qtbot, context, tmp_path / "whole.palimpsest")


def settled(qtbot: QtBot, review: ReviewView) -> None:
    qtbot.waitUntil(lambda: review.is_ready() and review.context.reads.pending == 0)


def place(review: ReviewView) -> tuple[str, str]:
    assert review.pair.opened is not None
    return review.pair.opened.a.id, review.pair.opened.b.id


def stored(review: ReviewView) -> list[tuple[str, str]]:
    assert review.context.session is not None
    with review.context.session.read() as connection:
        return [(label.value, label.note) for label in labels.current(connection, PAIR_LABELS).values()]


def test_the_best_pair_is_open_without_marks_and_says_what_it_compares(whole: ReviewView) -> None:
    assert place(whole) == ("s1", "t2")
    assert len(whole.pair.left.marks.start) == 0
    assert whole.evidence.whole.isVisible()
    assert "compares whole documents" in whole.evidence.whole.sentence.text()


def test_panes_without_passages_scroll_together(whole: ReviewView) -> None:
    whole.pair.left.show_place(300)
    assert abs(whole.pair.right.reading_offset() - whole.pair.left.reading_offset()) < 30


def test_next_goes_from_pair_to_pair_and_to_other_suspects(qtbot: QtBot, whole: ReviewView) -> None:
    places = []
    for _ in range(3):
        whole.context.actions.run("review.next")
        settled(qtbot, whole)
        places.append(place(whole))
    assert places == [("s1", "t1"), ("s2", "t2"), ("s2", "t2")]


def test_the_threshold_hides_pairs_below_it(qtbot: QtBot, whole: ReviewView) -> None:
    whole.scores.set_threshold(0.6)
    assert whole.suspects.model.rowCount() == 1
    assert whole.suspects.model.item(0).matches == 1


def test_the_table_lists_pairs_with_resemblance_and_containment(qtbot: QtBot, whole: ReviewView) -> None:
    whole.context.actions.run("review.table")
    table, model = whole.table.table, whole.table.model
    shown = [c.name for at, c in enumerate(model.columns) if not table.isColumnHidden(at)]
    assert shown == ["a_title", "b_title", "score", "resemblance", "containment", "verdict"]
    assert model.rowCount() == 3
    rows = {tuple(model.index(r, at).data() for at in (0, 2, 6, 7)) for r in range(3)}
    assert rows == {("s1", "t1", "0.50", "0.75"), ("s1", "t2", "0.90", "0.95"), ("s2", "t2", "0.25", "–")}
    whole.table.opened.emit(model.index(0, 0).row())
    settled(qtbot, whole)
    assert place(whole)[0] == "s1"


def test_a_verdict_on_the_pair_is_stored_counted_and_undone(qtbot: QtBot, whole: ReviewView) -> None:
    whole.context.actions.run("review.verdict-copy")
    settled(qtbot, whole)
    assert stored(whole) == [("near-duplicate", "")]
    assert whole.evidence.whole.verdict.buttons["near-duplicate"].isChecked()
    assert whole.suspects.model.item(0).verdict_counts == (("near-duplicate", 1),)
    assert whole.suspects.model.state_counts()["open"] == 2
    assert list(whole.overview.judged.values().values()) == ["near-duplicate"]
    whole.context.history.undo()
    settled(qtbot, whole)
    assert stored(whole) == []
    whole.context.history.redo()
    settled(qtbot, whole)
    assert stored(whole) == [("near-duplicate", "")]


def test_the_key_of_a_pairs_verdict_gives_it_once_and_another_withdraws_it(qtbot: QtBot, whole: ReviewView) -> None:
    for key, expected in (("verdict-not-copy", [("not", "")]), ("verdict-not-copy", [("not", "")]), ("clear", [])):
        whole.context.actions.run(f"review.{key}")
        settled(qtbot, whole)
        assert stored(whole) == expected


def test_a_note_is_kept_with_the_pair_it_was_typed_for(qtbot: QtBot, whole: ReviewView) -> None:
    whole.context.actions.run("review.verdict-partial")
    settled(qtbot, whole)
    whole.evidence.whole.verdict.note.setPlainText("same template")
    whole.opening.open_pair(2, None)
    settled(qtbot, whole)
    assert stored(whole) == [("unknown", "same template")]


def test_documents_with_scores_only_are_listed_highest_first_and_read(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    build(tmp_path / "scores.palimpsest", "template", Results(scores=SCORES))
    review = opened(qtbot, context, tmp_path / "scores.palimpsest")
    settled(qtbot, review)
    listed = review.panels.other.scores
    assert listed.isVisible()
    assert [listed.model.index(r, 0).data() for r in range(listed.model.rowCount())] == ["s2", "s1"]
    assert listed.pane.document is not None
    assert listed.pane.document.id == "s2"
    assert listed.table.horizontalScrollBar().maximum() == 0
    assert listed.table.columnWidth(0) >= 0.4 * listed.table.viewport().width(), "titles that begin alike differ"
    listed.table.setCurrentIndex(listed.model.index(1, 0))
    settled(qtbot, review)
    assert listed.pane.document.id == "s1"
    listed._follow(None)  # the project's threshold may arrive after the list
    settled(qtbot, review)
    assert listed.table.currentIndex().row() == 1
    assert listed.pane.document.id == "s1"


def test_the_evidence_of_a_scored_document_follows_the_theme_and_the_filter(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    build(tmp_path / "scores.palimpsest", "template", Results(scores=SCORES))
    review = opened(qtbot, context, tmp_path / "scores.palimpsest")
    settled(qtbot, review)
    listed = review.panels.other.scores

    def bars() -> list[FigureBar]:
        parts = [listed._figures.itemAt(at).widget() for at in range(listed._figures.count())]
        return [part for part in parts if isinstance(part, FigureBar)]

    context.theme.set_mode("dark")
    qtbot.waitUntil(lambda: {bar._tokens.name for bar in bars()} == {"dark"})
    assert listed._score.text() == "40"
    listed.filter.setText("no such title")
    qtbot.waitUntil(lambda: listed.pane.document is None)
    assert (listed._score.text(), bars()) == ("", [])
    listed.filter.setText("s1")
    qtbot.waitUntil(lambda: listed._score.text() == "12")
    assert len(bars()) == 2


def test_documents_that_a_run_scored_beside_its_pairs_are_listed_and_lead_back_to_them(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    build(tmp_path / "both.palimpsest", "copied-strings", Results(pairs=PAIRS, scores=SCORES))
    review = opened(qtbot, context, tmp_path / "both.palimpsest")
    assert review.suspects.scores.isVisible()
    review.suspects.scores.click()
    settled(qtbot, review)
    listed = review.panels.other.scores
    assert [listed.model.index(r, 0).data() for r in range(listed.model.rowCount())] == ["s2", "s1"]
    review.load()
    settled(qtbot, review)
    assert listed.isVisible()
    listed.table.opened.emit(2)
    settled(qtbot, review)
    assert review.panels.currentWidget() is review.panels.body
    assert place(review) == ("s2", "t2")
    review.context.actions.run("review.scores")
    settled(qtbot, review)
    assert listed.isVisible()
    listed.passages.click()
    assert review.panels.currentWidget() is review.panels.body


def test_a_learnt_score_is_shown_as_the_sum_of_what_each_figure_adds(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    weights = Weights(-1.0, {"salad": ((0.0, 20.0),), "template": ((0.0, 1.0),)}, typical={"salad": 0.1})
    odds = {1: -1 + 20 * 0.3 + 0.5, 2: -1 + 20 * 0.0}
    scores = (
        DocumentScore(1, 1 / (1 + math.exp(-odds[1])), {"salad": 0.3, "template": 0.5, "covered": 0.25}),
        DocumentScore(2, 1 / (1 + math.exp(-odds[2])), {"salad": 0.0, "template": 0.0, "covered": 0.75}),
    )
    build(tmp_path / "learnt.palimpsest", "splog", Results(scores=scores), {"weights": weights.text})
    review = opened(qtbot, context, tmp_path / "learnt.palimpsest")
    settled(qtbot, review)
    listed = review.panels.other.scores

    def shown() -> list[str]:
        return [
            bar.accessibleName()
            for at in range(listed._figures.count())
            if isinstance(bar := listed._figures.itemAt(at).widget(), FigureBar)
        ]

    assert "+5.50" in listed.odds.text()
    assert [words.split(" (")[0] for words in shown()] == [
        "Typical document +1.00 median of every figure",
        "Word salad +4.00 0.300",
        "Template +0.50 0.500",
        "Copied strings 0.250 share that also occurs elsewhere",
    ]
    listed.table.setCurrentIndex(listed.model.index(1, 0))
    settled(qtbot, review)
    assert "-1.00" in listed.odds.text()
    assert shown()[1].startswith("Word salad -2.00")


def test_a_run_without_scores_offers_none(whole: ReviewView) -> None:
    assert whole.suspects.scores.isHidden()
    assert not whole.context.actions.offered("review.scores")


def test_a_run_without_results_leaves_the_way_to_other_runs_open(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    path = tmp_path / "two.palimpsest"
    build(path, "minhash", Results(pairs=PAIRS))
    with Session(path) as session, session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(), documents=2)
        finish_run(connection, run.id)
    review = opened(qtbot, context, path)
    assert review.panels.currentWidget() is not review.panels.body
    review.panels.other.run_chosen.emit(1)
    settled(qtbot, review)
    assert review.panels.currentWidget() is review.panels.body
    assert place(review) == ("s1", "t2")


def test_evidence_is_named_in_words() -> None:
    assert figure_name("df") == "Documents that contain it"
    assert figure_name("copy_rate") == "Copy rate"
    assert figure_name("some_new-figure") == "Some new figure"


def test_figures_that_are_shares_have_bars(whole: ReviewView) -> None:
    assert whole.pair.opened is not None
    assert whole.pair.opened.figures is not None
    words = pair_words(whole.pair.opened.figures)
    assert [(w.name, w.value, w.share) for w in words] == [
        ("Resemblance", "0.900", 0.9),
        ("Containment", "0.950", 0.95),
        ("Containment", "0.900", 0.9),
        ("Shingles in common", "80", None),
    ]
