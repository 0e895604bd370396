"""The histogram, its threshold, and the figures beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from review_case import build, opened, settled

from workbench.base.types import Span
from workbench.gui.charts.score_chart import ScoreChart
from workbench.gui.screens.review.scores import score_words
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import Quality
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session


@pytest.fixture
def chart(qtbot: QtBot) -> ScoreChart:
    score_chart = ScoreChart()
    qtbot.addWidget(score_chart)
    return score_chart


@pytest.mark.parametrize("scores", [np.arange(1.0, 90.0), np.r_[np.full(90, 3.0), 40.0, 5_000.0], np.linspace(0, 1, 7)])
def test_every_score_is_in_a_bar(chart: ScoreChart, scores: np.ndarray) -> None:
    chart.set_scores(scores)
    assert chart._counts.sum() == len(scores)


@pytest.mark.parametrize(
    ("score", "written"),
    [
        (0.999, ["0.96", "0.98", "1", "1.02", "1.04"]),
        (5_000.0, ["4,800", "5,000", "5,200"]),
        (0.0, ["-0.4", "0", "0.4"]),
    ],
)
def test_scores_that_are_all_equal_are_in_the_middle_of_an_axis_of_round_figures(
    chart: ScoreChart, score: float, written: list[str]
) -> None:
    chart.set_scores(np.full(5, score))
    assert chart._counts[len(chart._counts) // 2 - 2 : len(chart._counts) // 2 + 2].sum() == 5
    assert set(written) <= {words for _, words in chart._value_ticks()}


def test_an_axis_over_several_powers_of_ten_has_round_figures(chart: ScoreChart) -> None:
    chart.set_scores(np.r_[np.full(90, 3.0), 40.0, 5_000.0])
    assert {"5", "10", "20", "50", "2,000", "5,000"} <= {words for _, words in chart._value_ticks()}


def test_keys_move_the_threshold_and_it_is_reported(qtbot: QtBot, chart: ScoreChart) -> None:
    chart.set_scores(np.arange(1.0, 90.0))
    with qtbot.waitSignal(chart.threshold_changed):
        qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.threshold == 2
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert chart.threshold == 1


def test_setting_the_threshold_tells_nobody(qtbot: QtBot, chart: ScoreChart) -> None:
    chart.set_scores(np.arange(1.0, 90.0))
    with qtbot.assertNotEmitted(chart.threshold_changed):
        chart.set_threshold(30)
    assert "30" in chart.accessibleDescription()


LOGARITHMIC = np.r_[np.linspace(0.73, 9.0, 500), 2_000.0]


def test_the_flag_says_the_score_also_on_a_logarithmic_axis(qtbot: QtBot, chart: ScoreChart) -> None:
    chart.set_scores(LOGARITHMIC)
    flag = chart._line.label
    with qtbot.waitSignal(chart.threshold_changed):
        chart._line.setValue(float(np.log10(7.75)))
    flag.valueChanged()  # as the label does when it is shown again
    assert flag.toPlainText() == "7.75"


@pytest.mark.parametrize("at", [0.73, 7.75, 2_000.0])
def test_the_flag_is_whole_at_the_ends_of_the_axis(qtbot: QtBot, chart: ScoreChart, at: float) -> None:
    chart.resize(600, 160)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.set_scores(LOGARITHMIC)
    chart.set_threshold(at)
    chart.grab()  # its place in the scene is worked out when it is drawn
    flag, box = chart._line.label, chart.getPlotItem().vb
    drawn, room = flag.mapRectToScene(flag.boundingRect()), box.mapRectToScene(box.rect())
    assert drawn.left() >= room.left() - 1
    assert drawn.right() <= room.right() + 1


def test_the_flag_does_not_round_a_threshold_up(chart: ScoreChart) -> None:
    chart.set_scores(np.array([0.9, 0.999]))
    chart.set_threshold(0.999)
    assert chart._line.label.toPlainText() == "0.999"


def test_many_whole_scores_below_do_not_make_the_others_whole(chart: ScoreChart) -> None:
    chart.set_scores(np.r_[np.zeros(10_050), np.linspace(0, 1, 50)])
    assert not chart.whole


def test_a_threshold_just_below_certainty_is_not_shown_as_certainty(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    rows = [(1, 3, 20 * i, 20 * i + 10, 20 * i, 20 * i + 10, score, 0) for i, score in enumerate((0.999, 1.0))]
    build(tmp_path / "near.palimpsest", rows, {})
    view = opened(qtbot, context, tmp_path / "near.palimpsest")
    assert view.scores.field.text() == "0.999"


def test_precision_and_recall_are_those_of_the_judged_matches(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    rows = [(1, 3, 20 * i, 20 * i + 10, 20 * i, 20 * i + 10, 10.0 + i, 0) for i in range(10)]
    build(tmp_path / "many.palimpsest", rows, {})
    view = opened(qtbot, context, tmp_path / "many.palimpsest")
    view.panels.fold_scores(False)
    view.pair.set_merged(False)
    words = view.scores._judged_words
    assert not words.isVisible()
    for number in range(10):
        view.pair.go_to(number)
        view.verdicts.ask("not-copy" if number < 5 else "copy")
        settled(qtbot, view)
        assert words.text() == (f"{number + 1} matches judged" if number else "1 match judged")
        assert words.isVisible()
        assert view.scores._precision.isVisible() == (number == 9)
        assert view.scores._few.isVisible() == (number < 9)
    assert view.scores._precision.text() == "0.50"
    assert view.scores._recall.text() == "1.00"
    assert words.toolTip() == "5 of 10 judged count as copies"
    pair = view.pair.opened
    assert pair is not None
    with Session(tmp_path / "many.palimpsest") as session:
        give_verdict(session, Unit(pair.a.id, pair.b.id, (Span(0, 10), Span(0, 10))), "copy", who="another")
    context.announce({"labels"})
    settled(qtbot, view)
    assert words.toolTip() == "5 of 10 judged count as copies\n1 undecided or in conflict"
    view.scores.set_threshold(15)
    assert view.scores._precision.text() == "1.00"
    view.panels.fold_scores(True)
    assert not view.scores._precision.isVisible()


def test_one_wrong_match_of_many_leaves_no_precision_of_one(
    review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_many = Quality(300, 299, 299 / 300, 1.0)
    monkeypatch.setattr("workbench.gui.screens.review.scores.quality", lambda *_: of_many)
    review.scores.set_threshold(review.scores.threshold + 1)
    assert (review.scores._precision.text(), review.scores._recall.text()) == ("0.99", "1.00")
    assert [score_words(score) for score in (0.9996, 1.0, 0.5)] == ["0.999", "1", "0.500"]
