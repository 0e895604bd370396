"""Figures of Evaluate: sheets, tables of the papers, sweeps of a parameter."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtGui import QGuiApplication, QStandardItemModel
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.evaluate_case import build, give, shown
from workbench.base.types import DocumentScore, Results
from workbench.evaluation.figures import Axis, Figure, PageView, Series, Table
from workbench.gui.kit.tables import Table as TableView
from workbench.gui.screens.evaluate.sheets_page import SheetsPage
from workbench.gui.screens.evaluate.sweep_page import SweepPage
from workbench.gui.screens.evaluate.view import EvaluateView
from workbench.gui.shell.app import Controller
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session


def test_the_page_of_sheets_is_built_once(
    qtbot: QtBot, controller: Controller, view: EvaluateView, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[SheetsPage] = []
    build_page = SheetsPage.__init__

    def count(page: SheetsPage, *arguments: object) -> None:
        built.append(page)
        build_page(page, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(SheetsPage, "__init__", count)
    view.set_mode("sheets")
    settle(qtbot, controller)
    assert built == [view.pages.sheets]


def test_sheets_need_neither_a_run_nor_labels(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    controller = start(build(tmp_path / "none.palimpsest", run=False, labels=False), "evaluate")
    view = shown(controller)
    assert view.head.chips["sheets"].isEnabled()
    assert not view.head.chips["sweep"].isEnabled()
    view.head.chips["sheets"].click()
    settle(qtbot, controller)
    sheets = view.pages.sheets
    assert view.pages.currentWidget() is sheets
    sheets.kind.setCurrentIndex(sheets.kind.findData("sentence-length"))
    controller.context.actions.run("evaluate.sheet")
    qtbot.waitUntil(lambda: sheets.chosen() is not None)
    assert sheets.plot.traces
    view.set_mode("curves")
    assert any("Nothing has been detected" in part.text() for part in view.findChildren(QLabel) if part.isVisible())


def test_a_sheet_of_bars_is_filled_from_the_ground_and_cuts_no_marker(qtbot: QtBot, view: EvaluateView) -> None:
    view.set_mode("sheets")
    page = view.pages.sheets
    bars = Series("splog", (0.0, 1.0, 2.0), (5.0, 120_000.0), "bars")
    points = Series("points", (0.0, 2.0), (1.0, 2.0), "points")
    page._show_figure(Figure("t", Axis("score"), Axis("documents", low=0), (bars, points)))
    first, second = page.plot.traces
    assert first.y.tolist() == [0, 5, 5, 120_000, 120_000, 0]
    assert first.low is not None
    assert first.low.tolist() == [0] * 6
    assert page.plot.x_scale.place(0.0) > 0
    assert page.plot.x_scale.place(2.0) < 1
    assert page.plot.left > 60
    assert second.dots
    # Nothing to draw is drawn, too.
    page._show_figure(Figure("t", Axis("score"), Axis("documents", log=True), ()))
    assert not page.plot.traces


def test_a_sheet_that_was_drawn_is_shown_even_if_the_list_has_it_already(
    qtbot: QtBot, controller: Controller, view: EvaluateView
) -> None:
    view.set_mode("sheets")
    page = view.pages.sheets
    for number, kind in enumerate(("scores", "sentence-length"), 1):
        page.kind.setCurrentIndex(page.kind.findData(kind))
        page.draw()
        # The project says that it has a sheet more before the job says that it has ended.
        qtbot.waitUntil(lambda number=number: len(page.sheets) == number)
        qtbot.waitUntil(lambda: page.record is not None and not page.record.active)
        settle(qtbot, controller)
        chosen = page.chosen()
        assert chosen is not None
        assert chosen.figure == kind
    assert [rows_of(page)[n][0::2] for n in range(2)] == [
        ["length of sentences", "as drawn"],
        ["histogram of scores by label", "as drawn"],
    ]
    assert page.new.isVisible()
    assert not page.stop.isVisible()
    page.table.select_keys([1])
    assert page.plot.accessibleName() == page.sheets[0].drawn.title == "Scores of copied-strings, run 1"
    assert page.ground.text().startswith("Runs 1 (copied-strings), 2 (copied-strings) · documents ")
    clipboard = QGuiApplication.clipboard()
    page.copy_command()
    project = controller.context.project
    assert project is not None
    drawn_by = "scores --out scores.svg --runs=1 --labels=class --positive=splog"
    assert clipboard.text() == f"palimpsest figure {project} {drawn_by}"
    # The command has the word that is waited for, too.
    clipboard.setText("before")
    page.copy_as(".csv")
    qtbot.waitUntil(lambda: "score" in clipboard.text().splitlines()[0])
    with Session(project) as session, session.write() as connection:
        give(connection, [30])
    controller.context.announce({"labels"})
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: [row[2] for row in rows_of(page)] == ["outdated"] * 2)
    assert page.ground.text().startswith("Documents or labels have changed since then. Runs 1")
    sentences: list[str] = []
    controller.context.undoable.connect(sentences.append)
    page.remove_sheet()
    settle(qtbot, controller)
    assert sentences == ["The sheet histogram of scores by label was removed."]
    qtbot.waitUntil(lambda: [sheet.figure for sheet in page.sheets] == ["sentence-length"])
    assert page.chosen() == page.sheets[0]
    controller.context.history.undo()
    qtbot.waitUntil(lambda: [sheet.figure for sheet in page.sheets] == ["scores", "sentence-length"])
    page.table.select_keys([1])
    page.draw_again()
    qtbot.waitUntil(lambda: len(page.sheets) == 3)
    qtbot.waitUntil(lambda: page.record is not None and not page.record.active)
    settle(qtbot, controller)
    assert (page.sheets[2].figure, page.sheets[2].fresh, page.sheets[2].request) == (
        "scores",
        True,
        page.sheets[0].request,
    )


def rows_of(page: SheetsPage) -> list[list[str]]:
    """What the list of sheets shows."""
    model = page.model
    return [[str(model.index(row, at).data()) for at in range(3)] for row in range(model.rowCount())]


def test_a_table_is_shown_beside_the_one_of_the_paper(view: EvaluateView) -> None:
    view.set_mode("sheets")
    page = view.pages.sheets
    table = Table("t", ("Provider", "Entries", "Share"), (("a", 12_000, 0.25), ("b", None, 0.5)))
    for figure, titles in (("sites", ["This project", "Takeda and Takasu 2009, table 3"]), ("edits", ["This project"])):
        page._show_table(figure, table)
        parts = [page._tables.widget(n) for n in range(page._tables.count())]
        assert [part.findChildren(QLabel)[0].text() for part in parts if part is not None] == titles
    model = page._tables.findChildren(TableView)[0].model()
    assert [[model.index(row, at).data() for at in range(3)] for row in range(2)] == [
        ["a", "12,000", "0.25"],
        ["b", "–", "0.5"],
    ]


def sweep_of_min_length(view: EvaluateView, values: str = "") -> SweepPage:
    """The page of sweeps with this parameter chosen, and ``values`` typed."""
    view.set_mode("sweep")
    sweep = view.pages.sweep
    sweep.first.name.setCurrentIndex(sweep.first.name.findData("min_length"))
    if values:
        sweep.first.values.setText(values)
    return sweep


def test_the_points_of_a_sweep_are_runs_that_can_be_opened(
    qtbot: QtBot, controller: Controller, view: EvaluateView
) -> None:
    sweep = sweep_of_min_length(view)
    qtbot.waitUntil(lambda: len(sweep.points) == 2)
    assert "run 1" in sweep.base.text().casefold()
    assert [[str(sweep.model.index(row, at).data()) for at in range(4)] for row in range(2)] == [
        ["Minimum length 0", "Run 1 · copied-strings · baseline", "0.789", "32.4"],
        ["Minimum length 4", "Run 2 · copied-strings", "0.789", "64.8"],
    ]
    second = sweep.second.name
    second.setCurrentIndex(second.findData("corpus"))
    sweep.second._named()
    qtbot.waitUntil(lambda: sweep.charts.currentWidget() is sweep.map)
    assert (sweep.map.columns, sweep.map.lines, sweep.map.framed) == (("0", "4"), ("auto",), (0, 0))
    assert sweep.map.titles[0] == "Minimum length"
    assert [round(sweep.map.values[at, 0], 3) for at in range(2)] == [0.789, 0.789]
    sweep.figure.setCurrentIndex(sweep.figure.findData("ap"))
    sweep.figure.activated.emit(1)
    assert round(sweep.map.values[1, 0], 2) == 0.85
    second.setCurrentIndex(0)
    sweep.second._named()
    qtbot.waitUntil(lambda: sweep.charts.currentWidget() is sweep.plot)
    sweep.first.values.setText("nonsense")
    controller.context.actions.run("evaluate.sweep")
    assert sweep.problem.text()
    assert not sweep.is_running()
    sweep.plot.picked.emit(0, 1)
    settle(qtbot, controller)
    assert view.scored is not None
    assert (view.scored.run.id, view.mode) == (2, "curves")


def test_a_sweep_shows_its_progress_until_it_is_cancelled(
    qtbot: QtBot, controller: Controller, view: EvaluateView
) -> None:
    sweep = sweep_of_min_length(view, "30, 31, 32")
    controller.context.actions.run("evaluate.sweep")
    assert sweep.is_running()
    assert sweep.running.isVisible()
    assert not sweep.start.isVisible()
    assert "3" in sweep.running.title.text()
    sweep.running.stop.click()
    qtbot.waitUntil(lambda: not sweep.is_running())
    assert not sweep.running.isVisible()
    assert sweep.start.isVisible()


def test_the_runs_of_a_sweep_can_be_chosen_when_it_has_ended(
    qtbot: QtBot, controller: Controller, view: EvaluateView, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, session = JobRecord("record-1", ""), controller.context.session

    def submit(title: str, *_arguments: object, **_options: object) -> JobRecord:
        record.title = title
        return record

    monkeypatch.setattr(controller.context.jobs, "submit", submit)
    sweep = sweep_of_min_length(view, "30")
    controller.context.actions.run("evaluate.sweep")
    assert session is not None
    with session.write() as connection:
        stored_run = begin_run(connection, "copied-strings", 1, {"min_length": 30}, "00", 1, varied_from=1)
        finish_chunk(connection, stored_run.id, 0, Results(scores=(DocumentScore(2, 1.0, {}),)), documents=1)
        finish_run(connection, stored_run.id)
    controller.context.announce({"runs", "matches"})
    settle(qtbot, controller)
    record.state = "done"
    sweep._ended(record)
    settle(qtbot, controller)
    assert sweep.running.title.text().endswith(", 1 setting")
    assert len(sweep.points) == 3
    assert view.head.runs.findData(stored_run.id) >= 0


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("sheet", "A sheet is being drawn. Draw the next one when it has finished."),
        ("sweep", "A sweep is running. Start the next one when it has finished."),
    ],
)
def test_a_second_sheet_or_sweep_is_refused_with_a_sentence(
    controller: Controller, view: EvaluateView, monkeypatch: pytest.MonkeyPatch, action: str, sentence: str
) -> None:
    titles: list[str] = []

    def submit(title: str, *_arguments: object, **_options: object) -> JobRecord:
        titles.append(title)
        return JobRecord("record-1", title)

    monkeypatch.setattr(controller.context.jobs, "submit", submit)
    for _ in range(2):
        assert not controller.window.banner.isVisible()
        controller.context.actions.run(f"evaluate.{action}")
    assert controller.window.banner.text.text() == sentence
    assert len(titles) == 1


def test_a_sweep_never_varies_one_parameter_twice(view: EvaluateView) -> None:
    view.set_mode("sweep")
    sweep = view.pages.sweep
    first, second = sweep.first.name, sweep.second.name
    second.setCurrentIndex(second.findData("min_length"))
    first.setCurrentIndex(first.findData("min_length"))
    sweep.first._named()
    assert sweep.names() == ("min_length",)
    assert not sweep.second.values.isVisible()
    model = second.model()
    assert isinstance(model, QStandardItemModel)
    offered = {second.itemData(at) for at in range(second.count()) if model.item(at).isEnabled()}
    assert offered == {"", *(first.itemData(at) for at in range(first.count()))} - {"min_length"}


def test_the_axis_of_a_sweep_spans_what_was_measured_and_what_is_asked_for(
    qtbot: QtBot, controller: Controller, view: EvaluateView
) -> None:
    sweep = sweep_of_min_length(view, "2, 40")
    qtbot.waitUntil(lambda: len(sweep.points) == 2)
    sweep._draw()
    scale = sweep.plot.x_scale
    assert 0 < scale.place(2) < scale.place(40) < 1
    assert all(float(words).is_integer() for _, words in scale.ticks(30))
    # Without an order: names, and no line between them.
    sweep.first.name.setCurrentIndex(sweep.first.name.findData("corpus"))
    sweep.first._named()
    settle(qtbot, controller)
    assert sweep.names() == ("corpus",)
    assert [words for _, words in sweep.plot.x_scale.ticks(5)] == ["auto"]
    assert sweep.plot.traces[0].dots


def test_a_sheet_of_pages_shows_them_side_by_side(qtbot: QtBot, view: EvaluateView) -> None:
    view.set_mode("sheets")
    page = view.pages.sheets
    file = BytesIO()
    Image.new("RGB", (60, 90), "white").save(file, "PNG")
    png = b64encode(file.getvalue()).decode()
    views = (PageView("thesis.pdf, p. 2 of 9", png), PageView("page.html", png))
    page._show_figure(Figure("A pair of pages", Axis("x"), Axis("y"), (), pages=views))
    assert page._picture.currentWidget() is page.pages
    assert page.pages.accessibleDescription() == "thesis.pdf, p. 2 of 9 · page.html"
    pictures = page.pages.widget()
    assert pictures is not None
    assert pictures.heightForWidth(400) > pictures.heightForWidth(200)
    assert page.pages.grab().width() > 0


def test_the_field_of_values_says_what_the_figure_takes(qtbot: QtBot, view: EvaluateView) -> None:
    view.set_mode("sheets")
    page = view.pages.sheets
    for kind, words in (("page-pair", "ids of two documents"), ("window", "varied parameter"), ("edits", "ids of two")):
        page.kind.setCurrentIndex(page.kind.findData(kind))
        assert words in page.values.placeholderText()
