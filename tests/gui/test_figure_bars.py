"""Figures of the evidence in words, with a bar."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from workbench.gui.kit.figures import FigureBar, FigureWords
from workbench.gui.screens.label.queue_panel import QueuePanel
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import LIGHT
from workbench.services.labels.queue import Progress


@pytest.mark.parametrize("share", [0.5, None])
def test_a_note_that_does_not_fit_beside_its_figure_is_below_it(qtbot: QtBot, share: float | None) -> None:
    note = "equal or sound alike, in the longest such stretch"
    bar = FigureBar(FigureWords("Aligned characters", note, "127", share), LIGHT.exact, LIGHT)
    qtbot.addWidget(bar)
    bar.resize(900, 30)
    bar.show()
    beside = bar.height()
    assert not bar.is_note_below
    bar.resize(300, 30)
    assert bar.is_note_below
    assert bar.height() > beside
    two_lines = bar.height()
    bar.resize(140, 30)
    assert bar.height() > two_lines, "all of a long note is shown"
    bar.resize(900, 30)
    assert bar.height() == beside


def test_a_share_of_nothing_has_no_bar(qtbot: QtBot) -> None:
    def is_filled(share: float) -> bool:
        bar = FigureBar(FigureWords("Labelled", "", "", share), LIGHT.accent, LIGHT)
        qtbot.addWidget(bar)
        bar.resize(200, 33)
        return bar.grab().toImage().pixelColor(2, bar.height() - 9) == QColor(LIGHT.accent)

    assert not is_filled(0.0)
    assert is_filled(0.001), "little is not nothing"


def test_the_progress_of_an_annotator_follows_the_theme(qtbot: QtBot, tmp_path: Path) -> None:
    theme = Theme("light", tmp_path)
    queue = QueuePanel(theme)
    qtbot.addWidget(queue)
    queue.show_progress(Progress("ann", 3, 12, None), "Labelled")
    theme.set_mode("dark")
    qtbot.waitUntil(lambda: _theme_of(queue) == "dark", timeout=5_000)


def _theme_of(queue: QueuePanel) -> str:
    bar = queue._progress.itemAt(0).widget()
    assert isinstance(bar, FigureBar)
    assert bar.accessibleName() == "Labelled 3 of 12"
    return bar._tokens.name
