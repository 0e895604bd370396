"""Trustable regions in Review: layer, curve of edits, jumps."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot
from review_case import matches_of, opened

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, PairScore, Region, Results, Role, Span
from workbench.gui.charts.edit_chart import EditChart
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.view import DocumentView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.tokens import LIGHT
from workbench.gui.workspace.context import AppContext
from workbench.methods.trustable_lcs.parameters import TrustableParameters
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

COMMON = "".join(chr(0x4E00 + i) for i in range(600))
OWN = "".join(chr(0x6E00 + i) for i in range(100))
OTHER = "".join(chr(0x7E00 + i) for i in range(80))


@pytest.fixture
def regions(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """A pair whose texts differ in their first characters, then agree: one region, one match."""
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(
                connection,
                [
                    Document("a", OWN + COMMON, role=Role.SUSPECT, language="zh"),
                    Document("b", OTHER + COMMON, role=Role.SOURCE, language="zh"),
                ],
            )
            run = begin_run(connection, "trustable-lcs", 1, {}, "00", 1)
            results = Results(
                matches_of([(1, 2, 100, 700, 80, 680, 600.0, 0)]),
                (PairScore(1, 2, 0.76, 0.76, 0.85),),
                regions=(Region(1, 2, Span(100, 700), Span(80, 680), 0.0),),
            )
            finish_chunk(connection, run.id, 0, results, documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
    return opened(qtbot, context, path)


def answered(qtbot: QtBot, review: ReviewView) -> None:
    qtbot.waitUntil(lambda: review.context.asides.pending == 0)


def test_regions_are_shown_in_both_panes_until_their_layer_is_switched_off(regions: ReviewView) -> None:
    pair = regions.pair
    assert pair.toolbar.offers("regions")
    assert (list(pair.left.regions), list(pair.right.regions)) == ([(100, 700)], [(80, 680)])
    pair.toolbar.layers["regions"].setChecked(False)
    assert (list(pair.left.regions), list(pair.right.regions)) == ([], [])


def test_a_pair_without_regions_offers_no_layer_for_them(review: ReviewView) -> None:
    assert not review.pair.toolbar.offers("regions")


def test_the_curve_is_counted_outside_the_window_and_bounded_by_the_slope(qtbot: QtBot, regions: ReviewView) -> None:
    before = set(sys.modules)
    regions.context.actions.run("review.curve")
    answered(qtbot, regions)
    edit_curve = regions.curve.curve
    assert edit_curve is not None
    assert (int(edit_curve.positions[0]), int(edit_curve.positions[-1])) == (0, 700)
    assert int(edit_curve.edits[-1]) == 180
    assert edit_curve.slope == TrustableParameters().slope
    assert regions.curve.chart.slope_lines()[0][0][0] == 100
    assert "180 edits" in regions.curve.state.text()
    assert not {name for name in set(sys.modules) - before if name.startswith(("numba", "workbench.kernels"))}


def test_a_place_on_the_curve_opens_in_both_texts_and_is_marked_and_a_failure_is_said(
    qtbot: QtBot, regions: ReviewView
) -> None:
    regions.resize(1300, 420)
    regions.context.actions.run("review.curve")
    answered(qtbot, regions)
    regions.curve.chart.jumped.emit(400)
    assert regions.pair.left.caret == 400
    assert abs(regions.pair.left.reading_offset() - 400) < 60
    assert abs(regions.pair.right.reading_offset() - 380) < 60
    assert abs(regions.curve.chart.place - 400) < 60
    regions.pair.left.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: regions.curve.chart.place < 300)
    with qtbot.waitSignal(regions.context.notice) as notice:
        regions.curve._failed(UserError(Message("The process ended.")))
    assert notice.args == ["The process ended.", "danger"]
    assert regions.curve.state.text() == "The edits could not be counted."


def test_closing_the_project_ends_a_question_that_nobody_waits_for(qtbot: QtBot, regions: ReviewView) -> None:
    regions.context.actions.run("review.curve")
    regions.context.asides.drop(regions.curve)
    assert regions.context.asides.pending == 0
    assert regions.curve.curve is None


def curve(positions: list[int], edits: list[int], spans: list[tuple[int, int]]) -> EditChart:
    chart = EditChart()
    chart.show_curve(np.array(positions), np.array(edits), 0.1, spans)
    return chart


def test_the_slope_line_starts_behind_what_is_inserted_where_a_region_starts(qtbot: QtBot) -> None:
    chart = curve([0, 100, 100, 200], [0, 100, 130, 130], [(100, 200)])
    qtbot.addWidget(chart)
    (start, low), (end, high) = chart.slope_lines()[0]
    assert (start, low) == (100.0, 130.0)
    assert high - low == pytest.approx(0.1 * (end - start))


def test_the_slope_line_of_a_region_starts_on_the_curve_also_between_its_corners(qtbot: QtBot) -> None:
    chart = curve([0, 100, 200], [0, 50, 50], [(40, 80), (120, 160)])
    qtbot.addWidget(chart)
    assert [start for start, _ in chart.slope_lines()] == [(40.0, 20.0), (120.0, 50.0)]


def test_the_curve_shows_its_regions_by_number_and_the_place_of_the_reader(qtbot: QtBot) -> None:
    chart = curve([0, 1000], [0, 10], [(100, 200), (300, 400)])
    qtbot.addWidget(chart)
    chart.set_place(640)
    parts = chart.getPlotItem().items
    drawn = [part.getOriginalDataset() for part in parts if isinstance(part, pg.PlotDataItem)]
    assert [values.tolist() for values in drawn[0]] == [[0, 1000], [0, 10]]
    names = {part.toPlainText(): part.pos().x() for part in parts if isinstance(part, pg.TextItem)}
    assert names == {"R1": 100, "R2": 300}
    assert [part.getRegion() for part in parts if isinstance(part, pg.LinearRegionItem)] == [(100, 200), (300, 400)]
    assert [part.value() for part in parts if isinstance(part, pg.InfiniteLine)] == [640]
    chart.clear_curve()
    assert not any(isinstance(part, pg.TextItem | pg.LinearRegionItem) for part in chart.getPlotItem().items)


def test_arrow_keys_walk_through_the_curve_and_stop_at_its_ends(qtbot: QtBot) -> None:
    chart = curve([0, 1000], [0, 0], [(0, 1000)])
    qtbot.addWidget(chart)
    places: list[int] = []
    chart.jumped.connect(places.append)
    chart.jumped.connect(chart.set_place)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Home):
        qtbot.keyClick(chart, key)
    assert places == [20, 40, 20, 1000, 1000, 0]


def test_a_click_on_the_curve_leads_to_its_place_in_the_text(qtbot: QtBot) -> None:
    chart = curve([0, 1000], [0, 0], [(0, 1000)])
    qtbot.addWidget(chart)
    chart.resize(600, 300)
    with qtbot.waitExposed(chart):
        chart.show()
    places: list[int] = []
    chart.jumped.connect(places.append)
    at = chart.mapFromScene(chart.getPlotItem().vb.mapViewToScene(QPointF(400, 0.5)))
    for key in (Qt.MouseButton.RightButton, Qt.MouseButton.LeftButton):
        qtbot.mouseClick(chart.viewport(), key, pos=at)
    assert len(places) == 1
    assert places[0] == pytest.approx(400, abs=5)


def test_an_empty_curve_leads_nowhere(qtbot: QtBot) -> None:
    chart = EditChart()
    qtbot.addWidget(chart)
    chart.clear_curve()
    with qtbot.assertNotEmitted(chart.jumped):
        qtbot.keyClick(chart, Qt.Key.Key_End)
    assert chart.edits_at(5) == 0.0


def test_a_region_has_a_bracket_at_the_margin_beside_its_tint(qtbot: QtBot) -> None:
    view = DocumentView(LIGHT)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_document(DocumentLayout("\n".join(["一" * 10] * 5)), "zh")
    view.show()
    plain = view.grab().toImage()
    view.set_regions([(0, 43)])
    drawn = view.grab().toImage()
    middle = round(view.lines.y_of(22) - view.top + view.lines.line_height / 2)
    line = QPoint(view.gutter - 5, middle)
    assert near(drawn, line) == QColor(LIGHT.accent).name()
    assert near(plain, line) == QColor(LIGHT.surface).name()
    tint = QPoint(view.viewport().width() - view.margin - 4, middle)
    assert drawn.pixelColor(tint) != plain.pixelColor(tint)


@pytest.mark.parametrize("text", ["一" * 200, "\n".join(["一" * 10] * 5)])
def test_a_region_that_ends_with_its_line_is_tinted_to_the_end_of_it(qtbot: QtBot, text: str) -> None:
    view = DocumentView(LIGHT)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_document(DocumentLayout(text), "zh")
    view.show()
    plain = view.grab().toImage()
    second = next(at for at in range(len(text)) if view.lines.y_of(at) > 0)
    third = next(at for at in range(len(text)) if view.lines.y_of(at) > view.lines.y_of(second))
    for start in (0, second):
        view.set_regions([(start, third)])
        drawn = view.grab().toImage()
        y = round(view.lines.y_of(second) - view.top + 3)
        for x in (view.gutter + 3, view.gutter + 100):
            assert drawn.pixelColor(x, y) != plain.pixelColor(x, y)


def near(image: QImage, place: QPoint) -> str:
    ratio = image.devicePixelRatio()
    return image.pixelColor(round(place.x() * ratio), round(place.y() * ratio)).name()
