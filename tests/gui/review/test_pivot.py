"""The list of Review shows suspects, sources or pairs, ranked in several ways."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from review_case import matches_of, settled

from workbench.base.messages import percent
from workbench.base.types import Results
from workbench.gui.screens.review.suspect_list import COUNTED, ITEM_ROLE, RAREST, share_words
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.pivot import Pivot, pair_key


def _keys(review: ReviewView) -> list[int]:
    model = review.suspects.model
    return [model.key_at(at) for at in range(model.rowCount())]


def _pair(review: ReviewView) -> tuple[int, int]:
    opened = review.pair.opened
    assert opened is not None
    return opened.a.key, opened.b.key


def test_sources_and_pairs_are_listed_and_opened(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    assert _keys(review) == [1, 2]
    context.actions.run("review.list-sources")
    qtbot.waitUntil(lambda: _keys(review) == [3, 4])
    assert review.suspects.current_key() == _pair(review)[1]
    review.suspects.list.setCurrentIndex(review.suspects.model.index(1))
    settled(qtbot, review)
    assert _pair(review) == (1, 4)
    assert "2 suspects" in review.suspects.model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    context.actions.run("review.list-pairs")
    qtbot.waitUntil(lambda: _keys(review) == [pair_key(1, 3), pair_key(1, 4), pair_key(2, 4)])
    assert review.suspects.current_key() == pair_key(1, 4)
    context.actions.run("review.next-suspect")
    settled(qtbot, review)
    assert _pair(review) == (2, 4)
    context.actions.run("review.list-suspects")
    qtbot.waitUntil(lambda: _keys(review) == [1, 2])
    assert review.suspects.current_key() == 2


def test_the_list_stays_what_it_is_when_the_run_is_read_again_and_follows_verdicts(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    context.actions.run("review.list-pairs")
    qtbot.waitUntil(lambda: len(_keys(review)) == 3)
    review.load()
    settled(qtbot, review)
    assert review.suspects.pivot is Pivot.PAIRS
    qtbot.waitUntil(lambda: len(_keys(review)) == 3)
    context.settings.advance = False
    at = review.suspects.list.currentIndex()
    review.verdicts.ask("copy")
    qtbot.waitUntil(lambda: at.data(ITEM_ROLE).verdict_counts == (("copy", 1),))


def test_suspects_are_ranked_by_the_share_that_counts(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    qtbot.waitUntil(lambda: review.excluding.counted is not None)
    model = review.suspects.model
    review.suspects.set_sort(COUNTED)
    qtbot.waitUntil(lambda: len(model._counted) == 2)
    first = dict(model._counted)
    assert _keys(review) == sorted(first, key=lambda key: -first[key])
    assert review.excluding.counted is not None
    assert first[1] == review.excluding.counted.shares.counted_share
    context.actions.run("review.exclude-source")
    qtbot.waitUntil(lambda: model._counted[1] < first[1])
    (row,) = [item for item in map(model.item, range(model.rowCount())) if item.row.key == 1]
    assert share_words(row) == f"{percent(row.coverage)} matched · {percent(model._counted[1])} counts"
    review.suspects.set_sort(RAREST)
    assert len(_keys(review)) == 2


def test_the_shares_of_a_run_do_not_sort_another(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    assert context.session is not None
    with context.session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        rows = [(1, 3, 0, 40, 200, 240, 40.0, 0), (2, 4, 0, 16, 0, 16, 90.0, 0)]
        finish_chunk(connection, run.id, 0, Results(matches_of(rows)), documents=2)
        finish_run(connection, run.id)
    model = review.suspects.model
    review.suspects.set_sort(COUNTED)
    qtbot.waitUntil(lambda: len(model._counted) == 2)
    assert _keys(review) == [1, 2]
    review.open(run.id, 1)
    settled(qtbot, review)
    assert (model.sort_key, _keys(review)) == ("score", [2, 1])
    review.suspects.set_sort(RAREST)
    review.open(1, 1)
    settled(qtbot, review)
    assert (model.sort_key, _keys(review)) == ("score", [1, 2])
