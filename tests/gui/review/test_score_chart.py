"""The histogram and its threshold."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from workbench.gui.widgets.score_chart import ScoreChart


@pytest.fixture
def chart(qtbot: QtBot) -> ScoreChart:
    made = ScoreChart()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("scores", [np.arange(1.0, 90.0), np.r_[np.full(90, 3.0), 40.0, 5_000.0], np.linspace(0, 1, 7)])
def test_every_score_is_in_a_bar(chart: ScoreChart, scores: np.ndarray) -> None:
    chart.set_scores(scores)
    assert chart._counts.sum() == len(scores)


def test_keys_move_the_threshold_and_it_is_told(qtbot: QtBot, chart: ScoreChart) -> None:
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
