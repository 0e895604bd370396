"""Review of a run over a document that was revised since."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot
from review_case import opened, settled

from workbench.base.types import Document, Matches, Results, Role, RunState
from workbench.gui.screens.review.pair_bars import PaneTitle
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch
from workbench.project.run_documents import present_documents, store_run_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session, create

COPIED = "The quick brown fox jumps over the lazy dog near the river."


def _detected(session: Session, key: int, start: int) -> int:
    """A finished run with one passage of document ``key``."""
    length = len(COPIED)
    spans = (np.array([at], np.int64) for at in (key, 2, start, start + length, 0, length))
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        store_run_documents(connection, run.id, present_documents(connection, [Role.SUSPECT, Role.SOURCE]))
        finish_chunk(connection, run.id, 0, Results(Matches(*spans, np.ones(1), np.zeros(1, np.int8))), documents=1)
        finish_run(connection, run.id, RunState.DONE)
    return run.id


def _revised(path: Path) -> None:
    """A suspect in two versions (keys 1, 3) and a run over each; the reviewer's verdicts differ."""
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            first = [Document("s", COPIED + " Mine.", Role.SUSPECT), Document("t", COPIED, Role.SOURCE)]
            add_documents(connection, first, begin_batch(connection))
        _detected(session, 1, 0)
        give_verdict(session, Unit("s", keys=(1, 0)), "copy", "the first", "A. Reader")
        with session.write() as connection:
            delete_documents(connection, [1])
            second = [Document("s", "Revised. " + COPIED, Role.SUSPECT)]
            add_documents(connection, second, begin_batch(connection))
        _detected(session, 3, 9)
        give_verdict(session, Unit("s", keys=(3, 0)), "not-copy", "the second", "A. Reader")


def _decision(review: ReviewView) -> tuple[list[str], str]:
    """The checked verdict on the suspect, and the lines of its history."""
    panel = review.suspects.verdict
    return [value for value, key in panel.buttons.items() if key.isChecked()], panel.history._lines.text()


def test_an_earlier_version_is_called_so_has_its_own_verdict_and_leads_to_the_newest(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    _revised(tmp_path / "case.palimpsest")
    review = opened(qtbot, context, tmp_path / "case.palimpsest")
    assert review.overview.run is not None
    title = review.pair.titles[0]._removed
    assert (review.overview.run.id, title.isVisibleTo(review)) == (2, False)
    chosen, history = _decision(review)
    assert chosen == ["not-copy"]
    assert history.endswith("Copy · A. Reader · another version")

    review.open(1, 1)
    settled(qtbot, review)
    assert (title.text(), title.isVisibleTo(review)) == ("earlier version", True)
    chosen, history = _decision(review)
    assert chosen == ["copy"]
    assert history.endswith("Not a copy · A. Reader · another version")
    assert review.suspects.verdict.note.toPlainText() == "the first"

    assert review.suspects.newer.isVisibleTo(review)
    assert review.suspects.newer.text() == "Run 2 has newer texts. Show it…"
    review.suspects.newer_asked.emit()
    settled(qtbot, review)
    assert review.overview.run.id == 2
    assert review.pair.opened is not None
    assert review.pair.opened.a.key == 3


def test_a_verdict_given_in_an_earlier_run_leaves_the_newest_text_as_it_was(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    _revised(tmp_path / "case.palimpsest")
    review = opened(qtbot, context, tmp_path / "case.palimpsest")
    review.open(1, 1)
    settled(qtbot, review)
    review.verdicts.ask_decision("partial")
    settled(qtbot, review)
    assert _decision(review)[0] == ["partial"]
    context.history.undo()
    settled(qtbot, review)
    assert _decision(review)[0] == ["copy"]
    review.verdicts.ask_decision("undecided")
    settled(qtbot, review)
    review.open(2, 3)
    settled(qtbot, review)
    assert _decision(review)[0] == ["not-copy"]


def test_a_narrow_pane_has_room_for_the_title_of_an_earlier_version(qtbot: QtBot) -> None:
    title = PaneTitle()
    qtbot.addWidget(title)
    title.resize(200, 30)
    title.show_document("How towns remember", "en", 1000)
    title.show_removed(False, replaced=False)
    title.show()
    assert title._language.isVisible()
    title.show_removed(True, replaced=True)
    title.layout().activate()
    assert not title._language.isVisible()
    assert title._title.width() >= 60
    title.resize(400, 30)
    assert title._language.isVisible()
