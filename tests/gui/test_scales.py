"""The axes, legends and maps of Evaluate's charts."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import MagicMock

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from workbench.evaluation.figures import Series
from workbench.gui.charts.agreement_charts import AgreementMatrix
from workbench.gui.charts.heat_map import HeatMap
from workbench.gui.charts.label_histogram import LabelHistogram, LabelRow
from workbench.gui.charts.line_plot import LinePlot, Trace, corners
from workbench.gui.charts.pair_matrix import MatrixContent, PairMatrix
from workbench.gui.charts.scales import Even, Logarithmic, Ranked, ScaleKind, fitting_kind, score_scale
from workbench.gui.screens.evaluate.sheets_page import _trace
from workbench.gui.theme.tokens import DARK, LIGHT, contrast


def test_the_names_of_lines_are_drawn_above_the_plot(qtbot: QtBot) -> None:
    plot = LinePlot("p")
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    pictures = []
    for name in ("Precision", "Recall"):
        plot.set_traces([Trace(name, np.array([1.0]), np.array([1.0])), Trace("F", np.array([2.0]), np.array([2.0]))])
        plot.fit_words()
        pictures.append(plot.grab().toImage().copy(0, 0, 400, plot.top))
    assert pictures[0] != pictures[1]


def test_the_title_of_an_axis_is_drawn_below_it_and_references_behind_the_lines(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = []
    order: list[int] = []
    for title in ("", "Threshold"):
        plot = LinePlot("p", title)
        qtbot.addWidget(plot)
        plot.resize(400, 300)
        pictures.append(plot.grab().toImage().copy(0, 280, 400, 20))
    assert pictures[0] != pictures[1]
    one = np.array([1.0])
    plot.set_traces([Trace("Recall", one, one), Trace("chance", one, one, faint=True)])
    monkeypatch.setattr(LinePlot, "_draw_trace", lambda _plot, _painter, at: order.append(at))
    plot.grab()
    assert order[:2] == [1, 0]


def test_the_titles_of_a_heat_map_are_beside_and_below_its_cells(qtbot: QtBot) -> None:
    heat = HeatMap("h")
    qtbot.addWidget(heat)
    heat.resize(400, 300)
    pictures = []
    for titles in (("", ""), ("Size of a window", ""), ("", "Least score")):
        heat.show_values(titles, ["1", "2"], ["x"], {(0, 0): 0.2, (1, 0): 0.9}, None)
        pictures.append(heat.grab().toImage())
    none, below, beside = pictures
    assert below.copy(0, 0, 400, 280) == none.copy(0, 0, 400, 280)
    assert beside.copy(20, 0, 380, 300) == none.copy(20, 0, 380, 300)
    assert none not in (below, beside)


def test_small_differences_of_a_heat_map_are_pale(qtbot: QtBot) -> None:
    heat = HeatMap("h")
    qtbot.addWidget(heat)
    heat.show_values(("a", "b"), ["1", "2"], ["x"], {(0, 0): 0.776, (1, 0): 0.785}, None)
    assert heat.shade_of(0.785) == pytest.approx(0.09)
    heat.show_values(("a", "b"), ["1", "2"], ["x"], {(0, 0): 0.2, (1, 0): 0.9}, None)
    assert (heat.shade_of(0.2), heat.shade_of(0.9)) == (0, 1)


def test_no_figure_below_1_is_shown_as_1(qtbot: QtBot) -> None:
    heat, agreement, matrix = HeatMap("h"), AgreementMatrix(), PairMatrix()
    for part in (heat, agreement, matrix):
        qtbot.addWidget(part)
        part.resize(300, 300)
    heat.show_values(("a", "b"), ["1"], ["x"], {(0, 0): 0.9996}, None)
    assert heat.accessibleDescription() == "a 1, b x: 0.999"
    agreement.show_pairs(["A", "B"], {("A", "B"): 0.998}, {})
    assert agreement.accessibleDescription() == "A, B: 0.99"
    values, rows = np.full((2, 2), 0.999, np.float32), np.eye(2, dtype=np.int32)
    matrix.set_content(MatrixContent(np.array([1, 2]), "ab", ("", ""), ("", ""), values, rows, (0,), "R"))
    painter = MagicMock()
    matrix._figures(painter, *matrix._area())
    assert {call.args[2] for call in painter.drawText.call_args_list} == {"0.99"}
    matrix.show()
    place, button, keys = matrix.cell_centre(0, 1), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    matrix.mouseMoveEvent(QMouseEvent(QEvent.Type.MouseMove, place, matrix.mapToGlobal(place), button, button, keys))
    assert QToolTip.text() == "a\nb\nR 0.99"


def test_a_cell_of_a_heat_map_is_read_out_and_picked_with_keys_and_mouse(qtbot: QtBot) -> None:
    heat = HeatMap("h")
    qtbot.addWidget(heat)
    heat.resize(400, 300)
    picks: list[tuple[int, int]] = []
    heat.picked.connect(lambda column, line: picks.append((column, line)))
    qtbot.keyClick(heat, Qt.Key.Key_Right)
    heat.show_values(("n", "r"), ["1", "2", "3"], ["x", "y"], {(0, 0): 0.25, (1, 1): 0.5, (2, 0): 1.0}, (0, 0))
    assert heat.accessibleDescription() == "n 1, r x: 0.250"
    for key, words in (
        (Qt.Key.Key_Up, "n 1, r x: 0.250"),
        (Qt.Key.Key_Down, "n 1, r y: –"),
        (Qt.Key.Key_Right, "n 2, r y: 0.500"),
        (Qt.Key.Key_Return, "n 2, r y: 0.500"),
        (Qt.Key.Key_Right, "n 3, r y: –"),
        (Qt.Key.Key_Enter, "n 3, r y: –"),
        (Qt.Key.Key_Right, "n 3, r y: –"),
        (Qt.Key.Key_Left, "n 2, r y: 0.500"),
    ):
        qtbot.keyClick(heat, key)
        assert heat.accessibleDescription() == words
    assert picks == [(1, 1)]
    qtbot.mouseClick(heat, Qt.MouseButton.RightButton, pos=heat._box(2, 0).center().toPoint())
    assert picks == [(1, 1)]
    for column, line in ((2, 0), (0, 1)):
        qtbot.mouseClick(heat, Qt.MouseButton.LeftButton, pos=heat._box(column, line).center().toPoint())
    # A cell without a figure is chosen, but there is nothing to show of it.
    assert picks == [(1, 1), (2, 0)]
    assert heat.accessibleDescription() == "n 1, r y: –"
    heat.show_values(("n", "r"), ["1"], ["x"], {(0, 0): 0.75}, None)
    assert heat.accessibleDescription() == "n 1, r x: 0.750"


def test_the_darkest_cell_of_a_heat_map_has_the_highest_figure_and_the_number_is_legible(qtbot: QtBot) -> None:
    for tokens in (LIGHT, DARK):
        heat = HeatMap("h")
        qtbot.addWidget(heat)
        heat.set_tokens(tokens)
        heat.resize(600, 300)
        heat.show_values(("n", "r"), ["1", "2", "3"], ["x"], {(0, 0): 0.25, (2, 0): 1.0}, None)
        image = heat.grab().toImage()
        ground = [
            image.pixelColor(box.center().toPoint() + QPoint(0, int(box.height() / 4)))
            for box in (heat._box(n, 0) for n in range(3))
        ]
        accent = QColor(tokens.accent)
        assert ground[1] == QColor(tokens.sunken)
        away = [abs(g.red() - accent.red()) + abs(g.blue() - accent.blue()) for g in (ground[0], ground[2])]
        assert away[1] < away[0]
        for column, paper in ((0, ground[0]), (2, ground[2])):
            box = heat._box(column, 0).toRect().adjusted(8, 8, -8, -8)
            ratios = [
                contrast(image.pixelColor(x, y).name(), paper.name())
                for x in range(box.left(), box.right())
                for y in range(box.center().y() - 8, box.center().y() + 8)
            ]
            assert max(ratios) > 4.5


def test_the_legend_has_as_many_lines_as_it_needs_in_any_width(qtbot: QtBot) -> None:
    plot = LinePlot("p")
    qtbot.addWidget(plot)
    one = np.array([1.0])
    plot.set_traces([Trace(f"a name of some length {i}", one, one) for i in range(7)])
    for width in (900, 400, 200, 637):
        plot.resize(width, 300)
        plot.show()
        plot.fit_words()
        lines = {line for _, line, _ in plot._legend(plot.area().width())}
        assert plot.top == 10 + 15 * len(lines)
        assert all(x + 25 + room <= plot.area().width() for x, _, room in plot._legend(plot.area().width()))
    plot.resize(2000, 300)
    qtbot.waitUntil(lambda: plot.top == 25)


def test_scores_that_are_all_equal_are_in_the_middle() -> None:
    for kind in ("linear", "log"):
        assert score_scale(kind, np.full(9, 3.0)).place(3.0) == pytest.approx(0.5 if kind == "linear" else 0.0)


def test_axes_place_every_score_and_give_it_back() -> None:
    ascending = np.sort(np.concatenate((np.zeros(30), np.exp(np.linspace(0, 9, 200)))))
    assert fitting_kind(ascending) == "log"
    assert fitting_kind(np.linspace(0, 1, 50)) == "linear"
    kinds: dict[str, Callable[[object], bool]] = {
        "linear": lambda scale: isinstance(scale, Even),
        "log": lambda scale: isinstance(scale, Logarithmic),
        "quantile": lambda scale: isinstance(scale, Ranked),
    }
    for kind, of_kind in kinds.items():
        scale = score_scale(kind, ascending)  # type: ignore[arg-type]
        assert of_kind(scale)
        places = scale.places(ascending)
        assert (np.diff(places) >= 0).all()
        assert 0 <= places[0] <= places[-1] <= 1
        for value in (0.0, 1.0, float(ascending[120]), float(ascending[-1])):
            assert scale.value(scale.place(value)) == pytest.approx(value, rel=1e-6)
        edges, values = scale.edges(40)
        below = np.searchsorted(ascending, values, "left")
        below[-1] = len(ascending)
        assert len(edges) == len(values)
        assert np.diff(below).sum() == len(ascending)


@pytest.mark.parametrize("zeros", [0, 4])
@pytest.mark.parametrize("kind", ["linear", "log", "quantile"])
def test_every_score_is_in_a_bar_and_within_reach_of_the_ends(qtbot: QtBot, kind: ScaleKind, zeros: int) -> None:
    for least in range(1, 60):
        ascending = np.sort(np.concatenate((np.zeros(zeros), np.full(9, least), least + np.geomspace(0.1, 900, 30))))
        histogram = LabelHistogram("h", "score")
        qtbot.addWidget(histogram)
        histogram.x_scale = score_scale(kind, ascending)
        histogram.set_rows([LabelRow("splog", ascending, 1)])
        assert histogram._counts[0].sum() == len(ascending)
        if kind != "quantile":
            assert (histogram.x_scale.value(0.0), histogram.x_scale.value(1.0)) == (ascending[0], ascending[-1])


def test_a_sheet_draws_precision_and_recall_as_the_curves_do() -> None:
    precision = _trace(Series("digest", (0.2, 1.0), (1.0, 0.5), "steps"), faint=False)
    assert [part.tolist() for part in corners(precision, precision.y)] == [[0, 0.2, 0.2, 1], [1, 1, 0.5, 0.5]]
