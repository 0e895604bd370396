"""*Split here* parts the passage at the caret in two, which one undo makes one again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from review_case import FILLER, matches_of, opened, settled

from workbench.base.types import Document, Results, Role
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

TEXT = "前年の秋に橋が流されて村人は舟で川を渡ったが、春になると新しい橋が山の木で作られた。"
HALVES = [(2, 22, 5, 25), (22, 2 + len(TEXT), 25, 5 + len(TEXT))]
REST = (130, 150, 140, 160)


@pytest.fixture
def review(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review of a passage of 42 characters and a short one."""
    create(tmp_path / "case.palimpsest")
    with Session(tmp_path / "case.palimpsest") as session:
        with session.write() as connection:
            for name, role, before in (("s", Role.SUSPECT, 2), ("t", Role.SOURCE, 5)):
                text = FILLER[:before] + TEXT + FILLER * 10
                add_documents(connection, [Document(name, text, role=role, title=name, language="ja")])
            run = begin_run(connection, "digest", 1, {}, "00", 1)
            rows = [(1, 2, 2, 2 + len(TEXT), 5, 5 + len(TEXT), 40.0, 0), (1, 2, *REST, 20.0, 2)]
            finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=2)
        with session.write() as connection:
            finish_run(connection, run.id)
    return opened(qtbot, context, tmp_path / "case.palimpsest")


def _limits(review: ReviewView) -> list[tuple[int, ...]]:
    assert review.pair.opened is not None
    return [review.pair.opened.limits(number) for number in range(len(review.pair.opened.matches))]


def _values(review: ReviewView) -> list[str | None]:
    assert review.pair.opened is not None
    return [judgement and judgement.value for judgement in review.pair.opened.judgements]


def _run(review: ReviewView, key: str) -> None:
    action = review.context.actions.qt(f"review.{key}")
    assert action.isEnabled()
    action.trigger()


def _split(qtbot: QtBot, review: ReviewView, at: int = 22) -> None:
    review.pair.go_to(0)
    review.pair.left.setFocus()
    review.pair.left.taken.emit()
    review.pair.left.set_caret(at)
    _run(review, "split")
    qtbot.waitUntil(lambda: len(_limits(review)) == 3)


def test_the_passage_is_two_and_one_undo_gives_it_back(qtbot: QtBot, review: ReviewView) -> None:
    before = _limits(review)
    _split(qtbot, review)
    assert _limits(review) == [*HALVES, *before[1:]]
    assert review.pair.active == 0
    assert review.pair.parts() == [0]
    review.context.history.undo()
    qtbot.waitUntil(lambda: _limits(review) == before)
    review.context.history.redo()
    qtbot.waitUntil(lambda: _limits(review) == [*HALVES, *before[1:]])


def test_each_part_is_judged_by_itself(qtbot: QtBot, review: ReviewView) -> None:
    _split(qtbot, review)
    settled(qtbot, review)
    review.verdicts.ask("copy")
    settled(qtbot, review)
    review.pair.go_to(1)
    settled(qtbot, review)
    review.verdicts.ask("not-copy")
    qtbot.waitUntil(lambda: _values(review) == ["copy", "not-copy", None])


def test_what_was_split_is_joined_again_without_undo(qtbot: QtBot, review: ReviewView) -> None:
    before = _limits(review)
    _split(qtbot, review)
    review.context.history.clear()
    settled(qtbot, review)
    review.pair.go_to(1)
    _run(review, "join")
    qtbot.waitUntil(lambda: _limits(review) == before)
    review.context.history.undo()
    qtbot.waitUntil(lambda: _limits(review) == [*HALVES, *before[1:]])


def test_a_caret_outside_a_passage_brings_a_hint_on_what_to_do(qtbot: QtBot, review: ReviewView) -> None:
    notices: list[str] = []
    review.context.notice.connect(lambda text, _kind: notices.append(text))
    review.pair.left.set_caret(55)
    _run(review, "split")
    qtbot.waitUntil(lambda: bool(notices))
    assert notices == ["First place the caret inside a passage, where its second part begins."]
    assert len(_limits(review)) == 2


def test_a_click_within_a_passage_says_where_its_second_part_begins(qtbot: QtBot, review: ReviewView) -> None:
    view = review.pair.left
    places = (QPoint(x, y) for y in range(2, view.viewport().height(), 6) for x in range(2, view.viewport().width(), 6))
    place = next(place for place in places if view.offset_under(place) == 22)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert review.pair.active == 0
    _run(review, "split")
    qtbot.waitUntil(lambda: _limits(review)[:2] == HALVES)
