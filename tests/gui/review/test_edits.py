"""Differences inside a match are worked out beside the window, and shown with the match they are of."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from review_case import FILLER, build, matches_of, opened, settled

from workbench.base.gaps import Gaps
from workbench.base.types import Document, Results, Role
from workbench.gui.screens.review import layers
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.differences import Edit
from workbench.services.session import Session, create

APART = len(FILLER)
ROWS = [(1, 3, 3, 3 + APART, 3, 3 + APART - 1, 9.0, 2), (1, 3, 200, 200 + APART, 300, 300 + APART, 9.0, 2)]
"""Two altered matches, far from each other."""


def test_they_are_worked_out_in_another_thread_and_marked_when_known(
    qtbot: QtBot, context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[int] = []
    real = layers.edits_of
    may_answer = threading.Event()

    def counted(pair: PairData, number: int) -> list[Edit]:
        requested.append(number)
        assert may_answer.wait(60)
        return real(pair, number)

    monkeypatch.setattr(layers, "edits_of", counted)
    build(tmp_path / "edits.palimpsest", ROWS, {})
    may_answer.set()
    view = opened(qtbot, context, tmp_path / "edits.palimpsest")
    view.pair.toolbar.layers["words"].setChecked(False)  # marks of words, where known, would stand for the differences
    settled(qtbot, view)
    may_answer.clear()
    view.pair.go_to(1)
    assert view.pair.edits is None
    qtbot.waitUntil(lambda: view.evidence.edits_text() == "Comparing…")
    may_answer.set()
    settled(qtbot, view)
    assert view.pair.edits
    qtbot.waitUntil(lambda: bool(view.pair.left.differences))
    qtbot.waitUntil(lambda: view.evidence.edits_text() != "Comparing…")
    view.pair.go_to(0)
    view.pair.go_to(1)
    assert view.pair.edits == real(view.pair.opened, 1)
    settled(qtbot, view)
    assert requested == [0, 1]


@pytest.mark.parametrize(
    ("suspect", "gap", "words"),
    [
        ((2, 1, 0), "", "The same sentences in another order"),
        ((0, 1, 2), "私は切手を眺めていた。\n", "Same sentences, something between them"),
        ((2, 1, 0), "私は切手を眺めていた。\n", "The same sentences in another order"),
    ],
)
def test_sentences_in_another_order_and_around_others_are_all_in_common(
    qtbot: QtBot, context: AppContext, tmp_path: Path, suspect: tuple[int, ...], gap: str, words: str
) -> None:
    sentences = ["湖の氷は二月に最も厚くなる。", "漁師は夜明け前に穴を開ける。", "網は氷の下を百歩ほど進む。"]
    path = tmp_path / "order.palimpsest"
    create(path)
    first, *rest = (sentences[i] for i in suspect)
    texts = first + gap + "".join(rest), "".join(sentences)
    matches = matches_of([(1, 2, 0, len(texts[0]), 0, len(texts[1]), 9.0, 2)])
    if gap:
        matches = replace(matches, gaps=Gaps.of([(0, 0, len(first), len(first + gap))]))
    with Session(path) as session:
        with session.write() as connection:
            pair = zip(("s", "t"), texts, (Role.SUSPECT, Role.SOURCE), strict=True)
            add_documents(connection, [Document(*one, language="ja") for one in pair])
            run = begin_run(connection, "digest", 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches), documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
    view = opened(qtbot, context, path)
    settled(qtbot, view)
    qtbot.waitUntil(lambda: view.evidence.ring.accessibleName() == "Share of characters in common: 100 %")
    assert words in [label.text() for label in view.evidence.findChildren(QLabel)]


def test_an_answer_that_comes_late_is_not_shown_with_another_match(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    build(tmp_path / "edits.palimpsest", ROWS, {})
    view = opened(qtbot, context, tmp_path / "edits.palimpsest")
    view.pair.go_to(0)
    view.pair.go_to(1)
    settled(qtbot, view)
    assert view.pair.opened is not None
    m = view.pair.opened.matches
    assert view.pair.edits
    assert all(m.a_start[1] <= edit.a_span.start <= m.a_end[1] for edit in view.pair.edits)


def test_a_match_that_is_the_same_on_both_sides_needs_no_comparing(review: ReviewView) -> None:
    assert review.pair.opened is not None
    a, b = review.pair.opened.passage(0)
    assert (review.pair.edits == []) == (a == b)
